import { ServiceError } from '../core/error.js';

/** browsers must not call the API. @throws ServiceError `browser_refused` */
export function refuseBrowser(headers: Headers): void {
  if (isOfBrowser(headers))
    throw new ServiceError(
      'browser_refused',
      'This request came from a browser. Call the API from your backend only: the API key must never reach a page.',
    );
}

export function isOfBrowser(headers: Headers): boolean {
  const site = headers.get('sec-fetch-site');
  return headers.has('origin') || (site !== null && site !== 'none');
}
