/** The contract between the service and a page that was opened before its session. */

/** Its path, next to those of sessions. */
export const WARM = 'warm';

/** Of its request for the session: the origin of the pages around it, which are all of that one. */
export const FRAMED_BY = 'x-framed-by';

/** Response header with a JSON {@link PageLook}. */
export const PAGE_LOOK = 'x-page-look';

/** How the session's page would look. ASCII only. */
export interface PageLook {
  language: string;
  scheme?: 'light' | 'dark' | undefined;
  /** CSS custom properties. */
  style: string;
}
