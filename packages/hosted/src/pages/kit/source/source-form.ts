/** The payment method chosen in a form. */
import { DEFAULT_COUNTRY } from '@shared/limits.js';
import type { PageAccount, PageSession, PaymentMethod, SavedMethod } from '@shared/page.js';
import type { Values } from '../design/form.js';
import { isUnusable } from './saved-method.js';

/** A kind of new source, or `saved:` and the id of a saved one. */
export type Choice = PaymentMethod | `saved:${string}`;

/** The field that holds the choice. */
export const CHOICE = 'method';

/** Moves the payer's default to the front and keeps the order of the other saved methods. */
export function defaultFirst(saved: readonly SavedMethod[]): SavedMethod[] {
  return [...saved].sort((a, b) => Number(b.isDefault) - Number(a.isDefault));
}

/**
 * The first method shown: the default, another saved one, or a new one. Empty if that one can't be used, because
 * the payer would pay in another way without noticing.
 */
export function firstChoice(
  methods: readonly PaymentMethod[],
  saved: readonly SavedMethod[],
  now: string,
): Choice | '' {
  const [first] = defaultFirst(saved);
  if (first === undefined) return methods[0] ?? '';
  return isUnusable(first, now) ? '' : `saved:${first.id}`;
}

export function savedIdOf(values: Values): string | null {
  const choice = values[CHOICE] ?? '';
  return choice.startsWith('saved:') ? choice.slice('saved:'.length) : null;
}

/** Selects a method, prefers the payer's own country, and fills in name and ZIP code if known. */
export function initialSource(
  {
    methods,
    countries,
    withoutPostcode = [],
    now,
    customer,
  }: Pick<PageSession, 'countries' | 'withoutPostcode' | 'now' | 'customer'> & {
    methods: readonly PaymentMethod[];
  },
  saved: readonly SavedMethod[],
  { address }: Partial<PageAccount> = {},
): Values {
  const own = globalThis.navigator?.languages?.map((tag) => tag.slice(-2)) ?? [];
  const zip = address?.zipCode?.trim() ?? '';
  const name = [customer?.firstName, customer?.lastName].filter(Boolean).join(' ');
  return {
    [CHOICE]: firstChoice(methods, saved, now),
    ...(name !== '' && { name, holder: name }),
    ...(!countries && /^\d{5}(-\d{4})?$/.test(zip) && { zipCode: zip }),
    ...(countries && {
      country: own.find((region) => countries.includes(region)) ?? countries[0] ?? DEFAULT_COUNTRY,
      withoutPostcode: withoutPostcode.join(),
    }),
  };
}

/** The country of a new card. */
export function countryOf(values: Values): string {
  return values['country'] ?? DEFAULT_COUNTRY;
}

/** Whether addresses in this country have a postcode. */
export function asksPostcode(values: Values): boolean {
  return values['withoutPostcode']?.includes(countryOf(values)) !== true;
}

/** Doesn't format postcodes with letters: they belong to another country, and validation rejects them. */
export const zipOnly = (value: string): string | null => (/\p{L}/u.test(value) ? null : value);

export function formatZip(digits: string): string {
  return digits.length > 5 ? `${digits.slice(0, 5)}-${digits.slice(5, 9)}` : digits;
}
