/**
 * CSS px of one unit of the heights that a session's id ends with: its page's in a narrow place and then in a wide one, two
 * digits of base 36 each. Whoever opens the session knows by them before the first byte of that page.
 */
export const HEIGHT_UNIT = 4;
