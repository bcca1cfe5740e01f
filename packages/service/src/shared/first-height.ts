/**
 * CSS px of one unit of the heights that a session's id ends with: its page's in a narrow place and then in a wide one, two
 * digits of base 36 each. Whoever opens the session knows by them before the first byte of that page.
 */
export const HEIGHT_UNIT = 4;

/** Where the heights begin in an id: behind its prefix, time and random bits, which all have one length. */
const BEGIN = 35;

/** As high as a payment mostly is in the modal, CSS px. */
export const PAYMENT_HEIGHT = 780;

/** The height that an id tells, CSS px: a guess. One that tells none, such as one of an older process, has that of a payment. */
export function heightTold(id: string, isWide: boolean): number {
  const begin = isWide ? BEGIN + 2 : BEGIN;
  const told = id[BEGIN + 3] ? parseInt(id.slice(begin, begin + 2), 36) : 0;
  return HEIGHT_UNIT * told || PAYMENT_HEIGHT;
}
