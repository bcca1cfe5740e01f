/** HTTP requests from a hosted page to its service. */

/** Request timeout, ms. */
export const ANSWERED_MS = 30_000;

/** Builds the URL of an API route next to the page's own address. */
export function apiUrl(own: Window, path: string): string {
  return `${own.location.pathname}/api/${path}`;
}

export function authorization(secret: string): { authorization: string } {
  return { authorization: `Bearer ${secret}` };
}
