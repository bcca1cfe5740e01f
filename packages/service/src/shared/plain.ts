/**
 * What was typed, on whatever keyboard: letters and digits of full width, and the digits of Arabic and Persian with the
 * signs in their numbers, as the ones of ASCII.
 *
 * @example
 * plain('٤２'); // '42'
 */
export function plain(typed: string): string {
  // Both blocks begin at a multiple of 16.
  return typed
    .normalize('NFKC')
    .replace(/[\u0660-\u066c\u06f0-\u06f9]/g, (sign) => '0123456789%.,'.charAt(sign.charCodeAt(0) & 15));
}
