/** What a payer typed as a card or bank account, checked once at the door and reduced to digits. */
import { dayOf } from './day.js';
import type { PaymentSource } from './processor.js';
import type { Reason } from './reason.js';

/** One thing wrong with one input; `field` is its path in the request body. */
export interface Problem {
  field: string;
  message: string;
  reason?: Reason;
}

export type Checked<T> = { ok: true; value: T } | { ok: false; problems: Problem[] };

/**
 * Parses a source: Luhn and expiry for cards, ABA checksum for bank accounts. All problems at once.
 * @param now ms since the epoch, for the expiry
 */
export function checkSource(input: unknown, now: number, path = 'source'): Checked<PaymentSource> {
  const given = isRecord(input) ? input : {};
  const problems: Problem[] = [];
  const refuse = (field: string, message: string): void => {
    problems.push({ field: `${path}.${field}`, message });
  };
  const done = (value: PaymentSource): Checked<PaymentSource> =>
    problems.length > 0 ? { ok: false, problems } : { ok: true, value };

  if (given['method'] === 'Credit Card') {
    const cardNumber = digits(given['cardNumber']);
    const brand = brandOf(cardNumber);
    if (!luhn(cardNumber)) refuse('cardNumber', 'Check the card number.');
    const expiry = text(given['expiry']).replace(/\s/g, '');
    const expired = checkExpiry(expiry, now);
    if (expired) refuse('expiry', expired);
    const securityCode = text(given['securityCode']).trim();
    const length = brand === 'American Express' ? 4 : 3;
    if (!new RegExp(`^\\d{${length}}$`).test(securityCode)) {
      refuse('securityCode', `The security code has ${length} digits.`);
    }
    const name = line(given['name']);
    if (name === null) refuse('name', 'Enter the name as it is on the card.');
    const zipCode = text(given['zipCode']).trim();
    if (!/^\d{5}(-?\d{4})?$/.test(zipCode)) refuse('zipCode', 'Enter a ZIP code of five digits.');
    return done({ method: 'Credit Card', cardNumber, expiry, securityCode, name: name ?? '', zipCode });
  }
  if (given['method'] === 'ACH') {
    const holder = line(given['holder']);
    if (holder === null) refuse('holder', 'Enter the name of the account holder.');
    const routingNumber = digits(given['routingNumber']);
    if (!aba(routingNumber))
      refuse('routingNumber', 'Check the routing number: nine digits, on a check at the left.');
    const accountNumber = digits(given['accountNumber']);
    if (!/^\d{4,17}$/.test(accountNumber)) refuse('accountNumber', 'The account number has 4 to 17 digits.');
    return done({ method: 'ACH', holder: holder ?? '', routingNumber, accountNumber });
  }
  refuse('method', 'Choose Credit Card or ACH.');
  return { ok: false, problems };
}

/** `Visa`, `Mastercard`, … by the number's first digits; undefined when none of those known. */
export function brandOf(cardNumber: string): string | undefined {
  if (cardNumber.startsWith('4')) return 'Visa';
  if (/^(5[1-5]|2(22[1-9]|2[3-9]|[3-6]|7[01]|720))/.test(cardNumber)) return 'Mastercard';
  if (/^3[47]/.test(cardNumber)) return 'American Express';
  if (/^(6011|65|64[4-9])/.test(cardNumber)) return 'Discover';
  return undefined;
}

/** The checksum of payment card numbers (ISO/IEC 7812), 12 to 19 digits. */
export function luhn(number: string): boolean {
  if (!/^\d{12,19}$/.test(number) || /^0+$/.test(number)) return false;
  const sum = number
    .split('')
    .toReversed()
    .reduce((total, digit, place) => {
      const value = place % 2 === 1 ? Number(digit) * 2 : Number(digit);
      return total + (value > 9 ? value - 9 : value);
    }, 0);
  return sum % 10 === 0;
}

/** The checksum of ABA routing numbers: weights 3, 7, 1. */
export function aba(number: string): boolean {
  if (!/^\d{9}$/.test(number) || number === '000000000') return false;
  const sum = number
    .split('')
    .reduce((total, digit, place) => total + Number(digit) * ([3, 7, 1][place % 3] ?? 0), 0);
  return sum % 10 === 0;
}

/** What is wrong with a card's `MM/YY` at `now`, or null. A card is good until its month has ended. */
export function checkExpiry(expiry: string, now: number): string | null {
  const match = /^(0[1-9]|1[0-2])\/(\d{2})$/.exec(expiry);
  if (!match) return 'Enter the expiry date as MM/YY.';
  const [year, month] = dayOf(now).split('-').map(Number) as [number, number];
  const until = (2000 + Number(match[2])) * 12 + Number(match[1]);
  const current = year * 12 + month;
  return until < current ? 'This card has expired.' : null;
}

/** True when stored text would be refused or altered by a database: control characters, lone surrogates. */
export function unprintable(value: string): boolean {
  return /[\p{Cc}\p{Cs}]/u.test(value);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function digits(value: unknown): string {
  return text(value).replace(/[\s-]/g, '');
}

function line(value: unknown): string | null {
  const trimmed = text(value).trim();
  return trimmed === '' || trimmed.length > 100 || unprintable(trimmed) ? null : trimmed;
}
