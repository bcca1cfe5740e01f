import { ServiceError } from '../core/error.js';

/** browsers must not call the API. @throws ServiceError `browser_refused` */
export function refuseBrowser(headers: Headers): void {
  const site = headers.get('sec-fetch-site');
  if (headers.has('origin') || (site !== null && site !== 'none'))
    throw new ServiceError(
      'browser_refused',
      'This request came from a browser. Call the API from your backend only: the API key must never reach a page.',
    );
}
