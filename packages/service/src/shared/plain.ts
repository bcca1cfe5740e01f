const SIGNS = '0123456789%.,';

/**
 * Converts Arabic and Persian digits and number signs to ASCII, one character for one.
 *
 * @example
 * latinDigits('٤٢٫٥'); // '42.5'
 */
export function latinDigits(typed: string): string {
  // Both blocks start at a multiple of 16.
  return typed.replace(/[\u0660-\u066c\u06f0-\u06f9]/g, (sign) => SIGNS.charAt(sign.charCodeAt(0) & 15));
}

/**
 * Normalizes typed text from any keyboard, including full-width letters and digits.
 *
 * @example
 * plain('٤２'); // '42'
 */
export const plain = (typed: string): string => latinDigits(typed.normalize('NFKC'));
