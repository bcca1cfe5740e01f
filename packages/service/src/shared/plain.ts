/**
 * What was typed, on whatever keyboard: letters and digits of full width and the digits of Arabic and Persian as the
 * ones of ASCII.
 *
 * @example
 * plain('٤２'); // '42'
 */
export function plain(typed: string): string {
  // Both blocks of digits begin at a multiple of 16.
  return typed
    .normalize('NFKC')
    .replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => `${digit.charCodeAt(0) & 15}`);
}
