/** A customer's saved payment methods. */
import type { PaymentMethod } from '@embedded-sessions/server-types';
import { startFields } from '../processor/rules/operation.js';
import { checkExpiry } from '../processor/rules/source.js';
import type { ForgettableRows } from '../core/queue-rows.js';
import type { ChargeObstacle, Reason } from '../shared/page.js';
import type { Attempt, AttemptSource, TokenizedSource } from '../payments/rules/attempt.js';
import { defined } from '../core/defined.js';

export const MAX_METHODS = 20;

/** More than anyone types, and more than 50 concurrent submits of a form, which may all count. */
export const MAX_TRIES = 60;

export interface Method extends TokenizedSource {
  readonly id: string;
  readonly businessUnit: string;
  readonly customerId: string;
  /** The page's id of the request that added it, which makes adding idempotent. */
  readonly requestId: string;
  readonly createdAt: number;
  readonly removedAt?: number;
  /** The return code that forbids further debits. */
  readonly blocked?: string;
  readonly name?: string;
  /** Tokens from before it was updated, until they are deleted. */
  readonly replaced?: readonly string[];
  /** When to delete its tokens, ms since the epoch. */
  readonly forgetAt?: number;
}

/** Keeps only what identifies a removed method in its payments. */
export function remainderOf(method: Method): Method {
  const { id, businessUnit, customerId, requestId, createdAt, brand, last4, removedAt } = method;
  return defined({
    id,
    businessUnit,
    customerId,
    requestId,
    method: method.method,
    token: '',
    brand,
    last4,
    holder: '',
    createdAt,
    removedAt,
  });
}

type Details = Pick<Method, 'method' | 'brand' | 'last4' | 'expiry' | 'holder' | 'fingerprint'>;

/** Whether two methods have the same last four digits and brand. Processors may spell a brand in two ways. */
export function looksLike(a: Details, b: Details): boolean {
  const haveFingerprints = a.fingerprint !== undefined && b.fingerprint !== undefined;
  return a.method === b.method && a.last4 === b.last4 && (haveFingerprints || a.brand === b.brand);
}

/** Whether two methods are the same: by their fingerprints, or for cards by all other fields. */
export function isSameMethod(a: Details, b: Details): boolean {
  if (!looksLike(a, b)) return false;
  if (a.fingerprint !== undefined && b.fingerprint !== undefined) return a.fingerprint === b.fingerprint;
  const isCard = a.method === 'Credit Card';
  return isCard && a.expiry === b.expiry && a.holder.toLowerCase() === b.holder.toLowerCase();
}

/** Closed, not found, moved, frozen, holder deceased, not authorized, or revoked. */
const FORBIDDING_CODES: ReadonlySet<string> = new Set([
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

/**
 * The code of a return that forbids further debits, such as `R03`. The reason may contain it among other text, as
 * `R03 - No Account` and `ach_r-10` do.
 */
export function forbiddingCode(reason = ''): string | undefined {
  return returnCodes(reason).find((code) => FORBIDDING_CODES.has(code));
}

/** The code of a bank return in a reason, preferably one that forbids further debits. */
export function returnCode(reason: string): string | undefined {
  return forbiddingCode(reason) ?? returnCodes(reason)[0];
}

function returnCodes(reason: string): string[] {
  const codes = reason.toUpperCase().matchAll(/(?<![A-Z0-9])R[ _-]?(\d\d)(?!\d)/g);
  return Array.from(codes, ([, digits]) => `R${digits}`);
}

export interface Methods extends ForgettableRows<Method> {
  /** Blocks an account for a business unit, saved or typed again. Idempotent. */
  block(businessUnit: string, fingerprint: string, reason: string, now: number): Promise<unknown>;
  /** The return code that blocks an account, or null. Cards of some processors have no fingerprint. */
  blockOf(businessUnit: string, fingerprint: string | undefined): Promise<string | null>;
  get(id: string): Promise<Method | null>;
  /** Methods of one business unit. */
  getMany(ids: readonly string[]): Promise<Method[]>;
  findByRequest(customerId: string, requestId: string): Promise<Method | null>;
  /** Methods that were not removed, oldest first. */
  ofCustomer(customerId: string): Promise<Method[]>;
  /** What will charge these methods: AutoPay and payments that have not begun. Omits unused methods. */
  uses(methodIds: readonly string[]): Promise<ReadonlyMap<string, readonly MethodUse[]>>;
  insert(method: Method): Promise<unknown>;
  /** Writes `token`, `removedAt`, `forgetAt` and the details. */
  update(method: Method): Promise<unknown>;
  /** Writes the row unchanged, so that using a method and removing it conflict, and one is retried. */
  touch(id: string): Promise<unknown>;
  defaultOf(customerId: string): Promise<string | null>;
  /** Every change of the wallet calls this, so that concurrent changes conflict on the wallet's row. */
  setDefault(customerId: string, methodId: string | null): Promise<unknown>;
  list(businessUnit: string): Promise<Method[]>;
}

export type MethodUse = 'autopay' | 'scheduled-payment';

export function sourceOf(saved: Method): Omit<AttemptSource, 'save'> {
  const { id, method, token, brand, last4, holder, fingerprint } = saved;
  return defined({ method, token, last4, holder, brand, fingerprint, methodId: id });
}

export function automaticSource(method: Method): AttemptSource {
  return { ...sourceOf(method), save: false };
}

export function automaticCharge(
  method: Method,
  now: number,
): ReturnType<typeof startFields> & Pick<Attempt, 'refunded' | 'source' | 'charges' | 'fields'> {
  return { refunded: 0, source: automaticSource(method), charges: [], fields: {}, ...startFields(now) };
}

/** Why a saved method can't be charged on a day (`YYYY-MM-DD` in the business unit's time zone), or null. */
export function chargeObstacle(
  { method, blocked, expiry }: Method,
  accepted: readonly PaymentMethod[],
  day: string,
): ChargeObstacle | null {
  if (blocked !== undefined) return 'blocked';
  if (!accepted.includes(method)) return 'not_accepted';
  return expiry === undefined || checkExpiry(expiry, day) === null ? null : 'expired';
}

export function isFull(methods: readonly unknown[]): boolean {
  return methods.length >= MAX_METHODS;
}

export function defaultAmong(methods: readonly Method[], current: string | null): string | null {
  if (methods.some((method) => method.id === current)) return current;
  return methods[0]?.id ?? null;
}

/** Returns the reason why a method can't be removed, for the payer, or null. */
export function removalBlockedBy(uses: readonly MethodUse[]): { message: string; reason: Reason } | null {
  if (uses.includes('autopay')) {
    const message = 'AutoPay uses this payment method. Change it there first.';
    return { message, reason: 'used_by_autopay' };
  }
  if (uses.includes('scheduled-payment')) {
    const message = 'A scheduled payment uses this payment method. Cancel that first.';
    return { message, reason: 'used_by_scheduled' };
  }
  return null;
}
