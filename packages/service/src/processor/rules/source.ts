import { isBlank } from '@embedded-sessions/server-types/schemas';
import { PAYMENT_METHODS, type PaymentMethod } from '@embedded-sessions/server-types';
import { accountTypeOf } from '../../shared/bank.js';
import { isBankAccountNumber, isRoutingNumber } from '../../shared/check-bank.js';
import { securityCodeLength } from '../../shared/card.js';
import { checkCardNumber } from '../../shared/check-card.js';
import { expiryProblem, type ExpiryProblem } from '../../shared/check-expiry.js';
import { MAX_NAME, DEFAULT_COUNTRY } from '../../shared/limits.js';
import { readPostcode } from '../../shared/postcode.js';
import { hasPostcode } from '../../core/countries.js';
import { containsNumber, containsCard } from './typed-number.js';
import type { PaymentSource, Sources } from './port.js';
import { ok, invalid, type Validated, type Problem } from '../../core/result.js';

/** Reports every problem. @param today in the business unit's time zone, for the expiry */
export function checkSource(
  input: unknown,
  today: string,
  countries: readonly string[] = [DEFAULT_COUNTRY],
): Validated<PaymentSource> {
  const fields = isRecord(input) ? input : {};
  const method = PAYMENT_METHODS.find((known) => known === fields['method']);
  if (method === undefined)
    return invalid({ field: 'source.method', message: `Choose ${PAYMENT_METHODS.join(' or ')}.` });
  const problems: Problem[] = [];
  const source = CHECKS[method](fields, { today, countries }, (field, message) => {
    problems.push({ field: `source.${field}`, message });
  });
  return problems.length > 0 ? invalid(...problems) : ok(source);
}

type Check<M extends PaymentMethod> = (
  fields: Record<string, unknown>,
  context: { readonly today: string; readonly countries: readonly string[] },
  refuse: (field: string, message: string) => void,
) => Sources[M];

const CHECKS: { readonly [M in PaymentMethod]: Check<M> } = {
  'Credit Card': (fields, { today, countries }, refuse) => {
    const cardNumber = digits(fields['cardNumber']);
    if (checkCardNumber(cardNumber) !== null) refuse('cardNumber', 'Check the card number.');
    const expiry = text(fields['expiry']).replace(/\s/g, '');
    const expired = checkExpiry(expiry, today);
    if (expired !== null) refuse('expiry', expired);
    const securityCode = text(fields['securityCode']).trim();
    const length = securityCodeLength(cardNumber);
    if (!new RegExp(`^\\d{${length}}$`).test(securityCode)) {
      refuse('securityCode', `The security code has ${length} digits.`);
    }
    const name = readName(fields['name'], cardNumber);
    if (name === null) refuse('name', 'Enter the name as it appears on the card.');
    // Pages of older releases send no country.
    const country = fields['country'] === undefined ? DEFAULT_COUNTRY : text(fields['country']);
    const isAccepted = countries.includes(country);
    if (!isAccepted)
      refuse(
        'country',
        `Cards from this country are not accepted. Accepted countries: ${countries.join(', ')}.`,
      );
    const zipCode = hasPostcode(country) ? readPostcode(text(fields['zipCode']), country) : '';
    if (isAccepted && zipCode === null)
      refuse(
        'zipCode',
        country === DEFAULT_COUNTRY
          ? 'Enter a ZIP code of five or nine digits.'
          : 'Enter a valid postal code.',
      );
    return {
      method: 'Credit Card',
      cardNumber,
      expiry,
      securityCode,
      name: name ?? '',
      country,
      zipCode: zipCode ?? '',
    };
  },
  ACH: (fields, _by, refuse) => {
    const accountNumber = digits(fields['accountNumber']);
    const holder = readName(fields['holder'], accountNumber);
    if (holder === null) refuse('holder', 'Enter the name of the account holder.');
    const routingNumber = digits(fields['routingNumber']);
    if (!isRoutingNumber(routingNumber))
      refuse('routingNumber', 'Check the routing number: nine digits, at the bottom left of a check.');
    if (!isBankAccountNumber(accountNumber))
      refuse('accountNumber', 'The account number has 4 to 17 digits.');
    // Pages of older releases send no type.
    const accountType = accountTypeOf(fields['accountType']);
    if (accountType === undefined) refuse('accountType', 'Choose checking or savings.');
    return {
      method: 'ACH',
      accountType: accountType ?? 'checking',
      holder: holder ?? '',
      routingNumber,
      accountNumber,
    };
  },
};

const EXPIRY: Record<ExpiryProblem, string> = {
  invalid: 'Enter the expiry date as MM/YY.',
  past: 'This card has expired.',
};

/** Returns the problem with a card's `MM/YY` on a day, `YYYY-MM-DD` in the business unit's time zone, or null. */
export function checkExpiry(expiry: string, day: string): string | null {
  const problem = expiryProblem(expiry, day);
  return problem === null ? null : EXPIRY[problem];
}

/** Whether a text contains control characters such as line breaks, or lone surrogates, which databases refuse or alter. */
export function unprintable(value: string): boolean {
  return /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(value);
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

/** Reads a name. Refuses one that contains a card number, typed or autofilled there, because names are stored and shown. */
function readName(value: unknown, number: string): string | null {
  const trimmed = text(value).trim();
  const isInvalid = isBlank(trimmed) || trimmed.length > MAX_NAME || unprintable(trimmed);
  return isInvalid || containsNumber(trimmed, number) || containsCard(trimmed) ? null : trimmed;
}
