/** The fields of a new card or bank account: what is wrong with them, and what is sent. */
import { isBankAccountNumber, isRoutingNumber } from '../../../../shared/bank.js';
import { checkCardNumber, securityCodeLength } from '../../../../shared/card.js';
import { MAX_NAME } from '../../../../shared/limits.js';
import type { FieldReason } from '../../../../shared/reason.js';
import { HOME, readPostcode } from '../../../../shared/postcode.js';
import type {
  NewSource,
  PageError,
  PageSession,
  PaymentMethod,
  SavedMethod,
} from '../../../../shared/page.js';
import type { Problems, Values } from '../design/form.js';
import { parseExpiry } from '../format/expiry.js';
import { language } from '../format/locale.js';
import { digitsOf } from '../format/masked.js';
import { t } from '../text/index.js';
import { hasExpired, isUnusable } from './saved-method.js';

/** A new source of a kind, or a saved one: `saved:` and its id. */
export type Choice = PaymentMethod | `saved:${string}`;

/** The field that holds the choice. */
export const CHOICE = 'method';

/** The payer's default comes first, then the other saved methods as they are kept. */
export function defaultFirst(saved: readonly SavedMethod[]): SavedMethod[] {
  return [...saved].sort((a, b) => Number(b.isDefault) - Number(a.isDefault));
}

/** A saved method comes before a new one, the default before the others; a card that has expired is none. */
export function firstChoice(
  methods: readonly PaymentMethod[],
  saved: readonly SavedMethod[],
  now: string,
): Choice | '' {
  const usable = defaultFirst(saved).find((method) => !isUnusable(method, now));
  return usable === undefined ? (methods[0] ?? '') : `saved:${usable.id}`;
}

export function savedIdOf(values: Values): string | null {
  const choice = values[CHOICE] ?? '';
  return choice.startsWith('saved:') ? choice.slice('saved:'.length) : null;
}

/** What is chosen before the payer chooses: a method, and of the countries their own, else the first. */
export function initialSource(
  {
    methods,
    countries,
    withoutPostcode = [],
    now,
  }: Pick<PageSession, 'countries' | 'withoutPostcode' | 'now'> & { methods: readonly PaymentMethod[] },
  saved: readonly SavedMethod[],
): Values {
  const own = globalThis.navigator?.languages?.map((tag) => tag.slice(-2)) ?? [];
  return {
    [CHOICE]: firstChoice(methods, saved, now),
    ...(countries && {
      country: own.find((region) => countries.includes(region)) ?? countries[0] ?? HOME,
      withoutPostcode: withoutPostcode.join(),
    }),
  };
}

/** Of a new card. */
export function countryOf(values: Values): string {
  return values['country'] ?? HOME;
}

/** Whether its address has a postcode. */
export function asksPostcode(values: Values): boolean {
  return values['withoutPostcode']?.includes(countryOf(values)) !== true;
}

/** Problems of the chosen source, in the order of its fields. `now`: the service's clock, ISO 8601. */
export function checkSource(values: Values, now: string): Problems {
  const value = (name: string): string => typed(values[name]);
  const problems: Record<string, string> = {};
  const name = (field: string, label: string): void => {
    if (value(field) === '') problems[field] = t.invalid.required(label);
    else if (value(field).length > MAX_NAME) problems[field] = t.invalid.tooLong;
  };

  switch (values[CHOICE] ?? '') {
    case 'Credit Card': {
      const number = digitsOf(value('cardNumber'));
      const wrong = number === '' ? 'empty' : checkCardNumber(number);
      if (wrong === 'empty') problems['cardNumber'] = t.invalid.required(t.method.cardNumber);
      else if (wrong === 'short') problems['cardNumber'] = t.invalid.cardShort;
      else if (wrong === 'invalid') problems['cardNumber'] = t.invalid.cardNumber;
      const expiry = parseExpiry(value('expiry'), now);
      if (expiry === 'invalid') problems['expiry'] = t.invalid.expiry;
      else if (expiry === 'past') problems['expiry'] = t.invalid.expiryPast;
      const length = securityCodeLength(number);
      if (value('securityCode').length !== length) problems['securityCode'] = t.invalid.securityCode(length);
      name('name', t.method.nameOnCard);
      const country = countryOf(values);
      if (asksPostcode(values) && readPostcode(value('zipCode'), country) === null)
        problems['zipCode'] = country === HOME ? t.invalid.zip : t.invalid.postcode;
      break;
    }
    case 'ACH':
      name('holder', t.method.holder);
      if (!isRoutingNumber(value('routingNumber'))) problems['routingNumber'] = t.invalid.routing;
      if (!isBankAccountNumber(value('accountNumber'))) problems['accountNumber'] = t.invalid.bankAccount;
      break;
    default:
      if (savedIdOf(values) === null) problems[CHOICE] = t.invalid.noMethod;
  }
  return problems;
}

/** The problem `said` where the chosen card, new or saved, is good today and not on `date` any more (`YYYY-MM-DD`). */
export function expiresBefore(
  date: string,
  values: Values,
  saved: readonly SavedMethod[],
  said: string,
): Problems {
  if (date === '') return {};
  const savedId = savedIdOf(values);
  if (savedId !== null) {
    const method = saved.find(({ id }) => id === savedId);
    return method !== undefined && hasExpired(method, date) ? { [CHOICE]: said } : {};
  }
  const isPastThen = values[CHOICE] === 'Credit Card' && parseExpiry(values['expiry'] ?? '', date) === 'past';
  return isPastThen ? { expiry: said } : {};
}

/** What the service gets; call it when `checkSource` found nothing. Null when a saved source is chosen. */
export function newSource(values: Values, now: string): NewSource | null {
  const value = (name: string): string => typed(values[name]);
  switch (values[CHOICE] ?? '') {
    case 'Credit Card': {
      const expiry = parseExpiry(value('expiry'), now);
      return {
        method: 'Credit Card',
        cardNumber: digitsOf(value('cardNumber')),
        expiry: typeof expiry === 'string' ? '' : expiry.wire,
        securityCode: value('securityCode'),
        name: value('name'),
        country: countryOf(values),
        zipCode: readPostcode(value('zipCode'), countryOf(values)) ?? '',
      };
    }
    case 'ACH':
      return {
        method: 'ACH',
        holder: value('holder'),
        routingNumber: value('routingNumber'),
        accountNumber: value('accountNumber'),
      };
    default:
      return null;
  }
}

/** Without what a paste may bring along and nobody sees: the service takes no control characters. */
export function typed(value = ''): string {
  return value.replace(/\p{Cc}+/gu, ' ').trim();
}

/** The service's refusals, by the fields of the form that they are about. */
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
  card_expired: () => t.invalid.expiryPast,
  method_removed: () => t.invalid.methodRemoved,
  method_blocked: () => t.invalid.methodBlocked,
  method_not_offered: () => t.invalid.methodNotOffered,
};

/** In the page's own words where it knows the reason; else in the service's, which are English. */
function refusedText({ reason, message }: PageError, name: string): string {
  const said = REASONS[reason ?? ''];
  if (said) return said();
  if (name === 'expiry') return t.invalid.expiryPast;
  if (name === 'date') return t.invalid.date;
  return language() === 'en' && message !== '' ? message : t.invalid.notAccepted;
}

/** A postcode with letters is of another country: it stays as it is typed, and is refused as a whole. */
export const zipOnly = (value: string): string | null => (/\p{L}/u.test(value) ? null : value);

export function formatZip(digits: string): string {
  return digits.length > 5 ? `${digits.slice(0, 5)}-${digits.slice(5, 9)}` : digits;
}
