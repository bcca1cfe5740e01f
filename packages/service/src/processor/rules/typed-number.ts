/**
 * Finds card and account numbers in texts that are stored and shown. Payers type them by mistake, and processors repeat
 * them.
 */
import { brandOf, CARD_LENGTHS } from '../../shared/card.js';
import { checkCardNumber } from '../../shared/check-card.js';

/**
 * Whether a text contains a number, even with characters other than letters between its digits. A bank account keeps its
 * meaning without leading zeros.
 */
export function containsNumber(text: string, number: string): boolean {
  return number !== '' && joined(text).includes(number.replace(/^0+(?=\d{8})/, ''));
}

/** Whether a text contains a number of at least eight digits that ends with `last4`, which may be a whole account number. */
export function containsTypedEnd(text: string, last4: string): boolean {
  const runs = joined(text).match(/\d{8,}/g) ?? [];
  return runs.some((digits) => digits.slice(4).includes(last4));
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
function asciiDigits(text: string): string {
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

/**
 * Whether groups of digits in a text are the number of a card, such as the one that replaces the payer's. Unlike
 * {@link containsCard}, it needs whole groups, and a known brand unless it is a single group of 16 digits or more: dates, times
 * and trace numbers may contain valid numbers.
 */
export function namesCard(text: string): boolean {
  return asciiDigits(text)
    .split(/\p{L}+/u)
    .some(groupsNameCard);
}

function groupsNameCard(text: string): boolean {
  const groups = text.match(/\d+/g) ?? [];
  const digits = groups.join('');
  const begins = new Set<number>();
  let end = 0;
  return groups.some((group) => {
    begins.add(end);
    end += group.length;
    return isCardBefore(digits, end, (number) => {
      const isKnown = brandOf(number) !== undefined || (number === group && group.length >= 16);
      return isKnown && begins.has(end - number.length);
    });
  });
}

/** What a digit adds to the check sum at every second place, from the right. */
const DOUBLED = [0, 2, 4, 6, 8, 1, 3, 5, 7, 9];
const ZERO = '0'.charCodeAt(0);
const MAX_CARD_LENGTH = Math.max(...CARD_LENGTHS);

/** Adds up the check sums of all lengths at once, because a text may contain thousands of digits. */
function isCardBefore(
  digits: string,
  end: number,
  isAccepted: (number: string) => boolean = () => true,
): boolean {
  let sum = 0;
  for (let length = 1; length <= Math.min(end, MAX_CARD_LENGTH); length++) {
    const digit = digits.charCodeAt(end - length) - ZERO;
    sum += length % 2 === 0 ? (DOUBLED[digit] ?? 0) : digit;
    if (sum === 0 || sum % 10 !== 0 || !CARD_LENGTHS.includes(length)) continue;
    const number = digits.slice(end - length, end);
    if (checkCardNumber(number) === null && isAccepted(number)) return true;
  }
  return false;
}
