/** Saved payment methods of a customer. */
import type { PaymentMethod } from '@embedded-sessions/server-types';
import type { Reason } from '../shared/reason.js';
import type { AttemptSource } from '../payments/rules/attempt.js';
import { defined } from '../core/defined.js';

/** Methods per customer. */
export const MAX_METHODS = 20;

/**
 * New payment methods that one session may send to the processor. More than anyone types, and more than 50 concurrent
 * submits of one form, each of which may be counted.
 */
export const MAX_TRIES = 60;

export interface Method {
  readonly id: string;
  readonly businessUnit: string;
  readonly customerId: string;
  /** The page's id of the request that added it. A repeated request adds nothing. */
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
  /** The return code that forbids another debit. */
  readonly blocked?: string;
  /** See `Tokenized`. */
  readonly fingerprint?: string;
  /** The payer's name for it. */
  readonly name?: string;
  /** Tokens from before it was updated, until they are forgotten. */
  readonly replaced?: readonly string[];
  /** When to forget its tokens, ms since the epoch. */
  readonly forgetAt?: number;
}

/** What remains of a removed method: enough to name it in its payments. */
export function remainderOf(method: Method): Method {
  const { id, businessUnit, customerId, requestId, createdAt, brand, last4, removedAt } = method;
  return {
    id,
    businessUnit,
    customerId,
    requestId,
    method: method.method,
    token: '',
    ...defined({ brand }),
    last4,
    holder: '',
    createdAt,
    ...defined({ removedAt }),
  };
}

type Details = Pick<Method, 'method' | 'brand' | 'last4' | 'expiry' | 'holder' | 'fingerprint'>;

/** Whether two methods have the same brand and last four digits. */
export function looksLike(a: Details, b: Details): boolean {
  return a.method === b.method && a.brand === b.brand && a.last4 === b.last4;
}

/** Whether two methods are the same: by their fingerprints, or cards by everything known of both. */
export function isSameMethod(a: Details, b: Details): boolean {
  if (!looksLike(a, b)) return false;
  if (a.fingerprint !== undefined && b.fingerprint !== undefined) return a.fingerprint === b.fingerprint;
  const isCard = a.method === 'Credit Card';
  return isCard && a.expiry === b.expiry && a.holder.toLowerCase() === b.holder.toLowerCase();
}

/**
 * Return codes after which the account must not be debited again: closed, not found, moved, frozen, its holder
 * died, not authorized or revoked.
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
  'R12',
  'R13',
  'R14',
  'R15',
  'R16',
  'R20',
  'R29',
]);

/** Whether a return forbids another debit, by its code or a text that contains it, such as `R03 - No Account`. */
export function forbidsAnother(reason: string | undefined): reason is string {
  const codes = reason?.toUpperCase().match(/\bR\d\d\b/g) ?? [];
  return codes.some((code) => FORBIDDING.has(code));
}

export interface Methods {
  /**
   * Blocks an account for a business unit, whichever way it is entered again. Repeating it changes nothing.
   * @param now ms since the epoch
   */
  block(businessUnit: string, fingerprint: string, reason: string, now: number): Promise<void>;
  /** The return code that blocks an account; null if it is not blocked. */
  blockOf(businessUnit: string, fingerprint: string): Promise<string | null>;
  get(id: string): Promise<Method | null>;
  findByRequest(customerId: string, requestId: string): Promise<Method | null>;
  /** Methods that were not removed, oldest first. */
  ofCustomer(customerId: string): Promise<Method[]>;
  insert(method: Method): Promise<void>;
  /** Writes `token`, `removedAt`, `forgetAt` and the details. */
  update(method: Method): Promise<void>;
  /**
   * Writes the method's row unchanged, so that using it and removing it at the same time conflict, and one of the two
   * runs again.
   */
  touch(id: string): Promise<void>;
  defaultOf(customerId: string): Promise<string | null>;
  /** Writes the customer's row, which every change of the wallet writes. */
  setDefault(customerId: string, methodId: string | null): Promise<void>;
  /** Methods whose `forgetAt` has come, the earliest first. */
  toForget(now: number, limit: number): Promise<Method[]>;
  /**
   * Schedules the removal of methods that release 0.3 removed, for the customers of these sessions. @param now ms since
   * the epoch
   */
  forgetOlder(sessionIds: readonly string[], now: number): Promise<void>;
  /** Methods that were not removed, oldest first. */
  list(businessUnit: string): Promise<Method[]>;
}

export type MethodUse = 'autopay' | 'scheduled-payment';

/** The parts of a saved method that a charge needs. */
export function sourceOf({
  id,
  method,
  token,
  brand,
  last4,
  holder,
  fingerprint,
}: Method): Omit<AttemptSource, 'save'> {
  return {
    method,
    token,
    ...defined({ brand }),
    last4,
    holder,
    ...defined({ fingerprint }),
    methodId: id,
  };
}

export function isFull(methods: readonly unknown[]): boolean {
  return methods.length >= MAX_METHODS;
}

/** The default after a change of `methods`: the current one if it is still there, else the oldest. */
export function defaultAmong(methods: readonly Method[], current: string | null): string | null {
  if (methods.some((method) => method.id === current)) return current;
  return methods[0]?.id ?? null;
}

/** Why a method cannot be removed, for the payer; null if it is unused. */
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
