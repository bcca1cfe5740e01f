const SIGNS = '0123456789%.,';

/** Converts Arabic and Persian digits and number signs to ASCII, one character for one: `٤٢٫٥` is `42.5`. */
export function latinDigits(typed: string): string {
  // Both blocks start at a multiple of 16.
  return typed.replace(/[\u0660-\u066c\u06f0-\u06f9]/g, (sign) => SIGNS.charAt(sign.charCodeAt(0) & 15));
}

/** More than anyone types into a form field. */
const MAX_TYPED = 1_000;

/**
 * Normalizes text typed on any keyboard, including full-width letters and digits. Leaves very long text unchanged,
 * because normalizing combining marks takes quadratic time.
 */
export const plain = (typed: string): string =>
  typed.length > MAX_TYPED ? typed : latinDigits(typed.normalize('NFKC'));
