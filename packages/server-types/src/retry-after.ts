/**
 * Whole milliseconds that the `Retry-After` of an answer asks to wait, in seconds or by a date; 0 where it has none, or
 * one that says nothing.
 *
 * @param now milliseconds since 1970
 * @example
 * const waitMs = retryAfterMs(response.headers.get('retry-after'), Date.now());
 */
export function retryAfterMs(header: string | null | undefined, now: number): number {
  const value = header ?? '';
  return Math.max(
    0,
    (/^[\d.]+$/.test(value) ? Math.ceil(Number(value) * 1000) : Date.parse(value) - now) || 0,
  );
}
