/**
 * Returns how long a `Retry-After` header asks to wait, in whole milliseconds; 0 if the header is missing or invalid.
 *
 * @param header seconds, or an HTTP date
 * @param now milliseconds since 1970
 * @example
 * const waitMs = retryAfterMs(response.headers.get('retry-after'), Date.now());
 */
export function retryAfterMs(header: string | null | undefined, now: number): number {
  const value = header ?? '';
  const waitMs = /^[\d.]+$/.test(value) ? Math.ceil(Number(value) * 1000) : Date.parse(value) - now;

  return Math.max(0, waitMs || 0);
}
