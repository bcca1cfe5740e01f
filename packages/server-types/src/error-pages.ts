/** The package whose code it is: each has a page of its codes. */
export type ErrorPage = 'loader' | 'react' | 'server' | 'service';

/** Where the pages are: in the repository, as the site has no host of its own yet. */
const BASE = 'https://github.com/embedded-sessions/embedded-sessions/blob/main/docs/errors';

/**
 * The one address of an error code: what it means, whether trying again helps, and what to do.
 *
 * @example
 * for (const { code } of error.errors) if (code) console.log(errorPage('service', code));
 */
export const errorPage = (page: ErrorPage, code?: string): string =>
  `${BASE}/${page}.md${code === undefined ? '' : `#${code.toLowerCase()}`}`;
