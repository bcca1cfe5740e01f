/** The contract between the service and a page that was opened before its session. */

/** Path of that page, in the place of a session id. */
export const WARM = 'warm';

/** Request header of that page: the one origin of all pages around it. */
export const FRAMED_BY = 'x-framed-by';

/** Response header with a JSON {@link PageLook}. */
export const PAGE_LOOK = 'x-page-look';

/** The appearance of the session's page. ASCII only. */
export interface PageLook {
  language: string;
  scheme?: 'light' | 'dark' | undefined;
  /** CSS custom properties. */
  style: string;
}
