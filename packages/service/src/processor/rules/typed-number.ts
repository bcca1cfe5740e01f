/**
 * Finds card and account numbers in texts that are stored and shown. Payers type them by mistake, and processors repeat
 * them.
 */
import { CARD_LENGTHS } from '../../shared/card.js';
import { checkCardNumber } from '../../shared/check-card.js';

/**
 * Whether a text contains a number, even with characters other than letters between its digits. A bank account keeps its
 * meaning without leading zeros.
 */
export function containsNumber(text: string, number: string): boolean {
  return number !== '' && joined(text).includes(number.replace(/^0+(?=\d{8})/, ''));
}

/** Whether a text contains at least eight digits in a row, which may be the number of a card or account. */
export function containsLongNumber(text: string): boolean {
  return /\d{8}/.test(joined(text));
}

/**
 * Only the letters and digits. Digits of all scripts become ASCII. Letters that look like marks are removed: the dash of
 * Japanese keyboards, invisible fillers, and ordinal indicators, which NFKC would turn into plain letters.
 */
function joined(text: string): string {
  const together = text
    .replace(/[ªº]/g, '')
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N}]|[\p{Lm}\p{Default_Ignorable_Code_Point}]/gu, '');
  return asciiDigits(together);
}

/** Converts digits of all scripts to ASCII. */
export function asciiDigits(text: string): string {
  return text.replace(/[^\P{Nd}0-9]/gu, asciiDigit);
}

/** Remembered, because a form may contain thousands of them. Unicode has a few hundred. */
const digitsByScript = new Map<string, string>();

/** Unicode has the digits of a script in a row, from 0 to 9. */
function asciiDigit(digit: string): string {
  const known = digitsByScript.get(digit);
  if (known !== undefined) return known;

  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
  const ascii = String((code - zero) % 10);
  digitsByScript.set(digit, ascii);
  return ascii;
}

/**
 * Whether a text contains a valid card number that ends with `last4`, even with characters other than letters between its
 * digits. Checks every substring, because other digits may be adjacent.
 */
export function containsCard(text: string, last4 = ''): boolean {
  for (const digits of joined(text).match(/\d+/g) ?? [])
    for (let end = 1; end <= digits.length; end++)
      if (digits.endsWith(last4, end) && isCardBefore(digits, end)) return true;
  return false;
}

/** What a digit adds to the check sum at every second place, from the right. */
const DOUBLED = [0, 2, 4, 6, 8, 1, 3, 5, 7, 9];
const ZERO = '0'.charCodeAt(0);
const MAX_CARD_LENGTH = Math.max(...CARD_LENGTHS);

/** Adds up the check sums of all lengths at once, because a text may contain thousands of digits. */
function isCardBefore(digits: string, end: number): boolean {
  let sum = 0;
  for (let length = 1; length <= Math.min(end, MAX_CARD_LENGTH); length++) {
    const digit = digits.charCodeAt(end - length) - ZERO;
    sum += length % 2 === 0 ? (DOUBLED[digit] ?? 0) : digit;
    if (sum === 0 || sum % 10 !== 0 || !CARD_LENGTHS.includes(length)) continue;
    if (checkCardNumber(digits.slice(end - length, end)) === null) return true;
  }
  return false;
}
