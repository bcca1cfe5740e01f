/** Request timeout, ms. */
export const REQUEST_TIMEOUT_MS = 30_000;

/** Builds the URL of an API route next to the page's own address. */
export function apiUrl(win: Window, path: string): string {
  return `${win.location.pathname}/api/${path}`;
}

export function authorization(secret: string): { authorization: string } {
  return { authorization: `Bearer ${secret}` };
}
