import type { PaymentMethod, SavedMethod } from '@shared/page.js';
import { isPast } from '@shared/expiry.js';
import { inert } from '@shared/inert.js';
import { MAX_METHOD_NAME } from '@shared/limits.js';
import { isolate } from '../format/locale.js';
import { t } from '../text/index.js';

/** The label of a saved or used method: `Visa ending in 4242`. */
export function methodName(method: Named): string {
  return NAMES[method.method](method);
}

type Named = Pick<SavedMethod, 'method' | 'brand' | 'last4'>;

const NAMES: Readonly<Record<PaymentMethod, (method: Named) => string>> = {
  'Credit Card': ({ brand, last4 }) =>
    t.method.savedCard(isolate(inert(brand ?? t.method.unnamedCard, 30)), last4),
  ACH: ({ last4 }) => t.method.savedBank(last4),
};

/** Whether a card has expired at `now`, ISO 8601. */
export function hasExpired({ expiry }: Pick<SavedMethod, 'expiry'>, now: string): boolean {
  return expiry !== undefined && isPast(expiry, now);
}

/** Whether a method can't be chosen, because it has expired or its bank blocked it. */
export function isUnusable(method: Pick<SavedMethod, 'expiry' | 'blocked'>, now: string): boolean {
  return method.blocked !== undefined || hasExpired(method, now);
}

/** The saved methods plus the one that was just used, which may be new. */
export function including(methods: SavedMethod[], used: SavedMethod): SavedMethod[] {
  return methods.some(({ id }) => id === used.id) ? methods : [...methods, used];
}

/** The payer's own name for a method, then `more`, its expiry and its problem, to be shown as `Parts`. */
export function detailsOf(
  { name, expiry, blocked }: SavedMethod,
  more: string | false | undefined,
  now: string,
): string[] {
  return [
    name && inert(name, MAX_METHOD_NAME),
    more,
    expiry && (isPast(expiry, now) ? t.method.expiredOn(expiry) : t.method.expires(expiry)),
    blocked && t.method.blocked,
  ].filter((part) => typeof part === 'string');
}
