/** Saved payment methods of a customer. */
import type { PaymentMethod } from '@embedded-sessions/server-types';
import type { Reason } from '../shared/reason.js';
import type { AttemptSource } from '../payments/rules/attempt.js';
import { given } from '../core/given.js';

/** A customer keeps at most so many methods. */
export const MAX_METHODS = 20;

/**
 * A session hands at most so many new payment methods to the processor. More than anybody types in, and more than 50
 * submits of one form at once, which are one payment and may each get as far as this.
 */
export const MAX_TRIES = 60;

export interface Method {
  readonly id: string;
  readonly businessUnit: string;
  readonly customerId: string;
  /** The page's id of the request that added it: the same request adds it once. */
  readonly requestId: string;
  readonly method: PaymentMethod;
  readonly token: string;
  readonly brand?: string;
  readonly last4: string;
  /** `MM/YY`, cards only. */
  readonly expiry?: string;
  readonly holder: string;
  /** Ms since the epoch. */
  readonly createdAt: number;
  readonly removedAt?: number;
  /** The code by which its bank forbids that it is charged again. */
  readonly blocked?: string;
  /** See `Tokenized`. */
  readonly fingerprint?: string;
  /** What the payer calls it. */
  readonly name?: string;
}

type Card = Pick<Method, 'method' | 'brand' | 'last4' | 'expiry' | 'holder' | 'fingerprint'>;

/** Two cards that bear the same brand and last four digits. */
export function looksLike(a: Card, b: Card): boolean {
  const isCard = a.method === 'Credit Card' && b.method === a.method;
  return isCard && a.brand === b.brand && a.last4 === b.last4;
}

/** Whether a card is one that is saved: by the processor's word, else by all that is known of the two. */
export function isSameCard(a: Card, b: Card): boolean {
  if (!looksLike(a, b)) return false;
  if (a.fingerprint !== undefined && b.fingerprint !== undefined) return a.fingerprint === b.fingerprint;
  return a.expiry === b.expiry && a.holder.toLowerCase() === b.holder.toLowerCase();
}

/**
 * Codes of returned bank payments after which the account must not be debited again: it is closed, not found or
 * frozen, or its owner did not authorize it or revoked that.
 */
const FORBIDDING: ReadonlySet<string> = new Set([
  'R02',
  'R03',
  'R04',
  'R05',
  'R07',
  'R08',
  'R10',
  'R11',
  'R16',
  'R20',
  'R29',
]);

/** Whether a return for this reason, in the processor's word, forbids another try. */
export function forbidsAnother(reason: string | undefined): reason is string {
  return reason !== undefined && FORBIDDING.has(reason.toUpperCase());
}

export interface Methods {
  get(id: string): Promise<Method | null>;
  findByRequest(customerId: string, requestId: string): Promise<Method | null>;
  /** Those that were not removed, oldest first. */
  ofCustomer(customerId: string): Promise<Method[]>;
  insert(method: Method): Promise<void>;
  /** Writes `token`, `removedAt` and what is known of it. */
  update(method: Method): Promise<void>;
  /**
   * Writes the method's row with nothing changed: whoever begins to use a method meets whoever removes it at the
   * same moment, and one of the two is run again.
   */
  touch(id: string): Promise<void>;
  defaultOf(customerId: string): Promise<string | null>;
  /** One row per customer, which every change of the wallet writes. */
  setDefault(customerId: string, methodId: string | null): Promise<void>;
  /** Those that were not removed, oldest first. */
  list(businessUnit: string): Promise<Method[]>;
}

export type MethodUse = 'autopay' | 'scheduled-payment';

/** What of a saved method a charge needs. */
export function sourceOf({ id, method, token, brand, last4, holder }: Method): Omit<AttemptSource, 'save'> {
  return {
    method,
    token,
    ...given({ brand }),
    last4,
    holder,
    methodId: id,
  };
}

/** True where no more methods are kept. */
export function isFull(methods: readonly unknown[]): boolean {
  return methods.length >= MAX_METHODS;
}

/** The default after `methods` lost or gained one: a default that is still there stays, else the oldest is it. */
export function defaultAmong(methods: readonly Method[], current: string | null): string | null {
  if (methods.some((method) => method.id === current)) return current;
  return methods[0]?.id ?? null;
}

/** Why a method cannot be removed, for the payer; null when nothing uses it. */
export function removalBlockedBy(uses: readonly MethodUse[]): { message: string; reason: Reason } | null {
  const scheduled = uses.includes('scheduled-payment');
  if (uses.includes('autopay')) {
    const message = scheduled
      ? 'AutoPay and a scheduled payment use this payment method. Change or cancel those first.'
      : 'AutoPay uses this payment method. Change it there first.';
    return { message, reason: 'used_by_autopay' };
  }
  return scheduled
    ? {
        message: 'A scheduled payment uses this payment method. Cancel that first.',
        reason: 'used_by_scheduled',
      }
    : null;
}
