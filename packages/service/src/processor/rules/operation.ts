/** A payment or refund, which the processor is called for until the outcome is final. */

import { DAY_MS, HOUR_MS } from '../../core/day.js';
import { defined } from '../../core/defined.js';

export interface Operation {
  /** Our id, and the processor's idempotency key. */
  readonly id: string;
  readonly businessUnit: string;
  readonly status: string;
  readonly amount: number;
  readonly createdAt: number;
  /** When to call the processor next, ms since the epoch; absent once the outcome is final. */
  readonly dueAt?: number;
  /** Number of lookups so far, for the backoff. */
  readonly lookups: number;
  readonly reason?: string;
  readonly reference?: string;
  /** The status recorded in the ledger. Payments begin with `nothing`, but not those that release 0.3 begins. */
  readonly booked?: string;
}

/** @typeParam H the columns without JSON, which can be read even if the JSON is invalid */
export interface OperationRows<R extends Operation, H extends Operation = R> {
  get(id: string): Promise<R | null>;
  /** The row with this processor reference; null unless there is exactly one. */
  byReference(reference: string): Promise<R | null>;
  /** Writes all fields except the ids, `amount` and `createdAt`. */
  update(row: R): Promise<unknown>;
  /** Due rows of a business unit, oldest first, including unreadable ones. */
  due(businessUnit: string, now: number, limit: number): Promise<H[]>;
  unitsDue(now: number): Promise<string[]>;
  list(businessUnit: string): Promise<R[]>;
  /** Rows that moved money but have no ledger entry because an older release settled them. */
  unbooked(limit: number): Promise<{ readonly id: string }[]>;
}

/**
 * Lease of a row during a processor call, ms. It is renewed while the call runs. If the process dies, another takes over
 * when it expires.
 */
export const CHARGE_LEASE_MS = 10_000;

/** Initial fields of a row, written before the processor call. Its writer holds the first lease. */
export function startFields(
  now: number,
): Required<Pick<Operation, 'createdAt' | 'dueAt' | 'lookups'>> & { readonly status: 'processing' } {
  return { status: 'processing', createdAt: now, dueAt: now + CHARGE_LEASE_MS, lookups: 0 };
}

/** First and maximum retry delay after a call without a final outcome, ms. */
const RETRY_DELAYS: Readonly<Record<OpenStatus, { first: number; max: number }>> = {
  processing: { first: 5_000, max: HOUR_MS },
  pending: { first: HOUR_MS, max: 6 * HOUR_MS },
  succeeded: { first: DAY_MS, max: 7 * DAY_MS },
};

type OpenStatus = 'processing' | 'pending' | 'succeeded';

/** When to retry, ms since the epoch: after 5 s, or an hour if pending, or a day if settled, then doubling. */
export function nextLookup(status: OpenStatus, lookups: number, now: number): number {
  const { first, max } = RETRY_DELAYS[status];
  return now + Math.min(first * 2 ** lookups, max);
}

/** A row whose outcome may still change. */
export type Open<R extends Operation> = R & { readonly status: OpenStatus };

export function open<R extends Operation>(row: R): row is Open<R> {
  return row.dueAt !== undefined && row.status in RETRY_DELAYS;
}

/** Where a result comes from. */
export interface ResultSource {
  readonly byEvent?: boolean;
  /**
   * Whether it is the response of `charge` or `refund` that accepts the call. Later events and refunds may contain only its
   * reference, so it replaces that of an event that came first.
   */
  readonly isResponse?: boolean;
}

/**
 * The reference that later events contain, after a result: the call's. A reversal, which is a return or a refund that
 * failed after it had succeeded, may have its own, and so may the event of a settlement.
 */
export function referenceAfter(
  { status, reference }: Pick<Operation, 'status' | 'reference'>,
  reported: string | undefined,
  { isResponse = false, isReversal }: Pick<ResultSource, 'isResponse'> & { readonly isReversal: boolean },
): string | undefined {
  if (status === 'processing' || isResponse) return reported ?? reference;
  return reference ?? (isReversal ? undefined : reported);
}

/** Stores a missing reference from a result that changes nothing else. */
export async function addReference<R extends Operation>(
  rows: Pick<OperationRows<R>, 'update'>,
  row: R,
  { reference }: Pick<Operation, 'reference'>,
): Promise<void> {
  if (reference !== undefined && row.reference === undefined) await rows.update({ ...row, reference });
}

/** Like {@link addReference}, and stops lookups. `replaces`: even if there is one. */
export async function recordReference<R extends Operation>(
  rows: Pick<OperationRows<R>, 'update'>,
  row: R,
  { reference: reported }: Pick<Operation, 'reference'>,
  replaces: boolean,
): Promise<R> {
  const reference = replaces ? (reported ?? row.reference) : (row.reference ?? reported);
  if (reference === row.reference && row.dueAt === undefined) return row;

  const { dueAt: _, ...rest } = row;
  const updated = { ...rest, ...defined({ reference }) } as R;
  await rows.update(updated);
  return updated;
}

/** Schedules a retry under the same id, with exponential backoff, unless an event has already settled the row. */
export async function postpone<R extends Operation>(
  rows: Pick<OperationRows<R>, 'get' | 'update'>,
  called: R,
  now: number,
): Promise<R | null> {
  const row = await rows.get(called.id);
  if (!row || !open(row)) return row;
  const { lookups } = row;
  const { status } = open(called) ? called : row;
  const postponed = { ...row, lookups: lookups + 1, dueAt: nextLookup(status, lookups, now) };
  await rows.update(postponed);
  return postponed;
}
