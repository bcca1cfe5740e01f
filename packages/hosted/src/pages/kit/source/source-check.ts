/** Validates the fields of a new card or bank account and builds the request. */
import { AUTHORIZATION_VERSION, type AgreedText } from '@shared/authorization-text.js';
import { accountTypeOf } from '@shared/bank.js';
import { isBankAccountNumber, isRoutingNumber } from '@shared/check-bank.js';
import { securityCodeLength } from '@shared/card.js';
import { checkCardNumber } from '@shared/check-card.js';
import { expiryProblem, type ExpiryProblem } from '@shared/check-expiry.js';
import { MAX_NAME, DEFAULT_COUNTRY } from '@shared/limits.js';
import type { NewSource, PageError, SavedMethod, FieldReason } from '@shared/page.js';
import { readPostcode } from '@shared/postcode.js';
import { plain } from '@shared/plain.js';
import { readExpiry } from '@shared/read-expiry.js';
import type { Form, Problems, Values } from '../design/form.js';
import { language } from '../format/locale.js';
import { digitsOf } from '../format/masked.js';
import { rest, t } from '../text/index.js';
import { hasExpired } from './saved-method.js';
import { asksPostcode, CHOICE, countryOf, savedIdOf } from './source-form.js';

/** Returns the problems of the chosen source in the order of its fields. `now`: the service's clock, ISO 8601. */
export function checkSource(values: Values, now: string): Problems {
  const value = (name: string): string => typed(values[name]);
  const problems: Record<string, string> = {};
  const name = (field: string): void => {
    if (value(field) === '') problems[field] = rest.invalid.required;
    else if (value(field).length > MAX_NAME) problems[field] = rest.invalid.tooLong;
  };

  switch (values[CHOICE] ?? '') {
    case 'Credit Card': {
      const number = digitsOf(value('cardNumber'));
      const wrong = number === '' ? 'empty' : checkCardNumber(number);
      if (wrong === 'empty') problems['cardNumber'] = rest.invalid.required;
      else if (wrong === 'short') problems['cardNumber'] = rest.invalid.cardShort;
      else if (wrong === 'invalid') problems['cardNumber'] = rest.invalid.cardNumber;
      const expiry = parseExpiry(value('expiry'), now);
      if (expiry === 'invalid') problems['expiry'] = rest.invalid.expiry;
      else if (expiry === 'past') problems['expiry'] = rest.invalid.expiryPast;
      const code = unspaced(value('securityCode'));
      const length = securityCodeLength(number);
      if (code === '') problems['securityCode'] = rest.invalid.required;
      // Without a number, either length may be right.
      else if (number !== '' && code.length !== length)
        problems['securityCode'] = rest.invalid.securityCode(length);
      name('name');
      const country = countryOf(values);
      if (asksPostcode(values) && readPostcode(value('zipCode'), country) === null)
        problems['zipCode'] = country === DEFAULT_COUNTRY ? rest.invalid.zip : rest.invalid.postcode;
      break;
    }
    case 'ACH':
      name('holder');
      if (!isRoutingNumber(unspaced(value('routingNumber'))))
        problems['routingNumber'] = rest.invalid.routing;
      if (!isBankAccountNumber(unspaced(value('accountNumber'))))
        problems['accountNumber'] = rest.invalid.bankAccount;
      break;
    default:
      if (savedIdOf(values) === null) problems[CHOICE] = rest.invalid.noMethod;
  }
  return problems;
}

/** Returns `problem` if the chosen card, new or saved, is valid today but expires before `date` (`YYYY-MM-DD`). */
export function expiresBefore(
  date: string,
  values: Values,
  saved: readonly SavedMethod[],
  problem: string,
): Problems {
  if (date === '') return {};

  const savedId = savedIdOf(values);
  if (savedId !== null) {
    const method = saved.find(({ id }) => id === savedId);
    return method !== undefined && hasExpired(method, date) ? { [CHOICE]: problem } : {};
  }
  const isPastThen = values[CHOICE] === 'Credit Card' && parseExpiry(values['expiry'] ?? '', date) === 'past';
  return isPastThen ? { expiry: problem } : {};
}

/** Returns the source to send, or null if a saved one is chosen. Call it only if `checkSource` found no problem. */
export function newSource(values: Values, now: string): NewSource | null {
  const value = (name: string): string => typed(values[name]);
  switch (values[CHOICE] ?? '') {
    case 'Credit Card': {
      const expiry = parseExpiry(value('expiry'), now);
      return {
        method: 'Credit Card',
        cardNumber: digitsOf(value('cardNumber')),
        expiry: typeof expiry === 'string' ? '' : expiry.wire,
        securityCode: unspaced(value('securityCode')),
        name: value('name'),
        country: countryOf(values),
        zipCode: readPostcode(value('zipCode'), countryOf(values)) ?? '',
      };
    }
    case 'ACH':
      return {
        method: 'ACH',
        accountType: accountTypeOf(values['accountType']) ?? 'checking',
        holder: value('holder'),
        routingNumber: unspaced(value('routingNumber')),
        accountNumber: unspaced(value('accountNumber')),
      };
    default:
      return null;
  }
}

/** Returns `MM/YY` for a valid month that has not passed on the service's clock (`now`, ISO 8601). */
export function parseExpiry(value: string, now: string): { wire: string } | ExpiryProblem {
  const wire = readExpiry(value);
  if (wire === null) return 'invalid';
  return expiryProblem(wire, now) ?? { wire };
}

/** Removes control characters from pasted text, because the service rejects them. */
export function typed(value = ''): string {
  return value.replace(/\p{Cc}+/gu, ' ').trim();
}

/** Removes spaces among digits. Text from an input method is not formatted during composition and may have some. */
const unspaced = (value: string): string => plain(value).replace(/\s/g, '');

/** The checkbox for agreeing to the terms. */
export const TERMS = 'terms';

/**
 * Shows the service's errors in a form. Clears the choice of a saved method that no longer exists, and the agreement to
 * terms that have changed.
 *
 * @param own problems that the page finds itself, with better words
 */
export function refuseIn(form: Form, errors: readonly PageError[], own?: Problems): void {
  const reasons = errors.map(({ reason }) => reason);
  if (reasons.includes('method_removed')) form.field(CHOICE).onValue('');
  if (reasons.includes('terms_changed')) form.field(TERMS).onValue('');
  form.refuse({ ...refusedFields(errors), ...own });
}

/** Maps the service's errors to form fields. */
export function refusedFields(errors: readonly PageError[]): Problems {
  const problems: Record<string, string> = {};
  for (const error of errors) {
    const { field = '' } = error;
    const name = /^(?:source|source\.method|(?:source\.)?(?:savedM|m)ethodId)$/.test(field)
      ? CHOICE
      : field.replace(/^source\./, '');
    problems[name] ??= refusedText(error, name);
  }
  return problems;
}

const REASONS: Record<FieldReason, () => string> & Partial<Record<string, () => string>> = {
  card_expired: () => rest.invalid.expiryPast,
  method_removed: () => rest.invalid.methodRemoved,
  method_blocked: () => t.method.blocked,
  method_not_offered: () => rest.invalid.methodNotOffered,
  paid_automatically: () => rest.invalid.paymentInProgress,
  terms_changed: () => rest.invalid.termsChanged,
  page_outdated: () => rest.invalid.pageOutdated,
};

/** Uses the page's own text for known reasons, otherwise the service's English message. */
function refusedText({ reason, message }: PageError, name: string): string {
  const text = REASONS[reason ?? ''];
  if (text) return text();
  if (name === 'expiry') return rest.invalid.expiryPast;
  return language() === 'en' && message !== '' ? message : rest.invalid.notAccepted;
}

/** Tells the service which text the payer authorizes. The service writes and stores the text itself. */
export function agreed({ terms }: { terms?: string }): AgreedText {
  return { language: language(), version: AUTHORIZATION_VERSION, terms };
}
