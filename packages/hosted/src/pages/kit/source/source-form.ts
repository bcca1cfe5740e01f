/** What is chosen to pay with, in a form. */
import { HOME } from '../../../../../service/src/shared/country.js';
import type { PageSession, PaymentMethod, SavedMethod } from '../../../../../service/src/shared/page.js';
import type { Values } from '../design/form.js';
import { isUnusable } from './saved-method.js';

/** A new source of a kind, or a saved one: `saved:` and its id. */
export type Choice = PaymentMethod | `saved:${string}`;

/** The field that holds the choice. */
export const CHOICE = 'method';

/** Ids of saved methods that were removed elsewhere while the page is open, as the service said: offered no more. */
export const removed = new Set<string>();

/** The payer's default comes first, then the other saved methods as they are kept. */
export function defaultFirst(saved: readonly SavedMethod[]): SavedMethod[] {
  return saved.filter(({ id }) => !removed.has(id)).sort((a, b) => Number(b.isDefault) - Number(a.isDefault));
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

/** A postcode with letters is of another country: it stays as it is typed, and is refused as a whole. */
export const zipOnly = (value: string): string | null => (/\p{L}/u.test(value) ? null : value);

export function formatZip(digits: string): string {
  return digits.length > 5 ? `${digits.slice(0, 5)}-${digits.slice(5, 9)}` : digits;
}
