import { plain } from './plain.js';

/**
 * A phone number as E.164, or null if it is invalid. With a `+` it has 7 to 15 digits, and in North America (`+1`) an area
 * code and seven digits. A `(0)`, as in `+44 (0)20 …`, is not dialed. `00` and `011` before nine digits or more are a `+`.
 * Without a `+` it is a US number: ten digits, or eleven with a leading 1.
 */
export function readPhone(typed: string): string | null {
  const number = plain(typed)
    .replace(/^tel:|\(0\)|[\s().\-\u2010-\u2015\u2212/]/gi, '')
    .replace(/^(?:00|011)(?=\d{9})/, '+');
  const [, plus, digits = ''] = /^(\+?)(\d+)$/.exec(number) ?? [];
  if (plus === '+' && !digits.startsWith('1')) return /^[2-9]\d{6,14}$/.test(digits) ? `+${digits}` : null;
  const national = plus === '+' || digits.length === 11 ? digits.replace(/^1/, '') : digits;
  return /^[2-9]\d{9}$/.test(national) ? `+1${national}` : null;
}
