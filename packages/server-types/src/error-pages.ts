/** A package with a page about its error codes. */
export type ErrorPage = 'loader' | 'react' | 'server' | 'service';

/** The pages live in the repository until the site has a host. */
const BASE = 'https://github.com/embedded-sessions/embedded-sessions/blob/main/docs/errors';

/**
 * Returns the URL of an error code's documentation: its meaning, whether a retry helps, and what to do.
 *
 * @example
 * for (const { code } of error.errors) if (code) console.log(errorPage('service', code));
 */
export const errorPage = (page: ErrorPage, code?: string): string =>
  `${BASE}/${page}.md${code === undefined ? '' : `#${code.toLowerCase()}`}`;
