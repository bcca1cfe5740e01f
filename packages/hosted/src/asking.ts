/** How a hosted page asks its service. */

/** A request that has no answer by then, ms, has none. */
export const ANSWERED_MS = 30_000;

/** Where the page's requests go: beside its own address. */
export function apiUrl(own: Window, path: string): string {
  return `${own.location.pathname}/api/${path}`;
}

export function authorization(secret: string): { authorization: string } {
  return { authorization: `Bearer ${secret}` };
}
