const SIGNS = '0123456789%.,';

/**
 * The digits of Arabic and Persian with the signs in their numbers, as the ones of ASCII, each character by one.
 *
 * @example
 * latinDigits('٤٢٫٥'); // '42.5'
 */
export function latinDigits(typed: string): string {
  // Both blocks begin at a multiple of 16.
  return typed.replace(/[\u0660-\u066c\u06f0-\u06f9]/g, (sign) => SIGNS.charAt(sign.charCodeAt(0) & 15));
}

/**
 * What was typed, on whatever keyboard: letters and digits of full width as well.
 *
 * @example
 * plain('٤２'); // '42'
 */
export const plain = (typed: string): string => latinDigits(typed.normalize('NFKC'));
