/** The contract between the service and a warm page: one opened before its session. */

/** Replaces the session id in a warm page's path. */
export const WARM = 'warm';

/** Request header from a warm page: the one origin of all its ancestors. */
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
