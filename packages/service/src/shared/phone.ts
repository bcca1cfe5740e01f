import { plain } from './plain.js';

/**
 * A phone number as E.164, or null where it cannot be one. With a `+` it is of the country that it names: 7 to 15
 * digits, those of North America (`+1`) with an area code and seven more. Without one it is a US number, of ten
 * digits or of eleven with the 1 in front.
 */
export function readPhone(typed: string): string | null {
  const number = plain(typed).replace(/[\s().\-\u2010-\u2015\u2212/]/g, '');
  const [, plus, digits = ''] = /^(\+?)(\d+)$/.exec(number) ?? [];
  if (plus === '+' && !digits.startsWith('1')) return /^[2-9]\d{6,14}$/.test(digits) ? `+${digits}` : null;
  const national = plus === '+' || digits.length === 11 ? digits.replace(/^1/, '') : digits;
  return /^[2-9]\d{9}$/.test(national) ? `+1${national}` : null;
}
