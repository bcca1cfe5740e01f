/**
 * What a session's id ends with: about how high its page will be, in a narrow place and then in a wide one, two digits of
 * base 36 each. Whoever opens the session knows by it before the first byte of that page.
 */
export const HEIGHT_UNIT = 4;

/** As an id ends; `heights` in CSS px. */
export function heightsAsIdEnd(heights: readonly [narrow: number, wide: number]): string {
  return heights
    .map((height) =>
      Math.min(36 ** 2 - 1, Math.round(height / HEIGHT_UNIT))
        .toString(36)
        .padStart(2, '0'),
    )
    .join('');
}
