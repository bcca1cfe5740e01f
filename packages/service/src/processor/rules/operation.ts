/** A payment or refund that the processor is asked about until its final outcome is known. */

import { defined } from '../../core/defined.js';

export interface Operation {
  /** Our id, which is also the processor's idempotency key. */
  readonly id: string;
  readonly businessUnit: string;
  readonly status: string;
  /** Cents. */
  readonly amount: number;
  /** Ms since the epoch. */
  readonly createdAt: number;
  /** When to call the processor (again), ms since the epoch; absent once the final outcome is known. */
  readonly dueAt?: number;
  /** Lookups that the next retry delay grows with. */
  readonly lookups: number;
  /** The processor's last reason and reference. */
  readonly reason?: string;
  readonly reference?: string;
  /** The status that the ledger has an entry for. */
  readonly booked?: string;
}

/**
 * Repository of payments or of refunds.
 * @typeParam H the part of a row that is readable even if its JSON isn't
 */
export interface OperationRows<R extends Operation, H extends Operation = R> {
  get(id: string): Promise<R | null>;
  /** The only row with this reference of the processor; null if there is none or several. */
  byReference(reference: string): Promise<R | null>;
  /** Writes what the processor's responses and the payer change. The ids, the amount and `createdAt` stay. */
  update(row: R): Promise<void>;
  /** Due rows, of one business unit if given, oldest first, including unreadable ones. */
  due(now: number, limit: number, businessUnit?: string): Promise<H[]>;
  unitsDue(now: number): Promise<string[]>;
  list(businessUnit: string): Promise<R[]>;
  /** Rows that moved money without an entry in the ledger: those that an older release settled. */
  unbooked(limit: number): Promise<{ readonly id: string }[]>;
}

/**
 * Lease of a row during a processor call, ms, renewed while the call runs. If the process dies, another one takes
 * over after this time.
 */
export const CHARGE_LEASE_MS = 10_000;

/** Fields of a new row that commits before the processor call; its writer holds the first lease. */
export function startFields(
  now: number,
): Required<Pick<Operation, 'createdAt' | 'dueAt' | 'lookups'>> & { readonly status: 'processing' } {
  return { status: 'processing', createdAt: now, dueAt: now + CHARGE_LEASE_MS, lookups: 0 };
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** First and longest retry delay after a call without a final outcome, ms. */
const RETRY_DELAYS: Readonly<Record<OpenStatus, { first: number; longest: number }>> = {
  processing: { first: 5_000, longest: HOUR_MS },
  pending: { first: HOUR_MS, longest: 6 * HOUR_MS },
  succeeded: { first: DAY_MS, longest: 7 * DAY_MS },
};

type OpenStatus = 'processing' | 'pending' | 'succeeded';

/** When to retry, ms since the epoch: after 5 s, or an hour if pending, or a day if settled, then doubling. */
export function nextLookup(status: OpenStatus, lookups: number, now: number): number {
  const { first, longest } = RETRY_DELAYS[status];
  const delay = first * 2 ** lookups;
  return now + (delay < longest ? delay : longest);
}

/** A row whose outcome may still change. */
export type Open<R extends Operation> = R & { readonly status: OpenStatus };

export function open<R extends Operation>(row: R): row is Open<R> {
  return row.dueAt !== undefined && row.status in RETRY_DELAYS;
}

/** Details of a response in stored form. */
export function detailsOf({
  reason,
  reference,
}: Pick<Operation, 'reason' | 'reference'>): Pick<Operation, 'reason' | 'reference'> {
  return defined({ reason, reference });
}

/**
 * Stores the processor's reference, if it is new, from a result that changes nothing else, and schedules no more
 * lookups. Later events and refunds may name only the reference.
 */
export async function keepReference<R extends Operation>(
  rows: Pick<OperationRows<R>, 'update'>,
  row: R,
  { reference }: Pick<Operation, 'reference'>,
): Promise<R> {
  const isNew = reference !== undefined && row.reference === undefined;
  if (!isNew && row.dueAt === undefined) return row;
  const { dueAt: _, ...rest } = row;
  const kept = { ...rest, ...(isNew ? { reference } : {}) } as R;
  await rows.update(kept);
  return kept;
}

/** Schedules a retry under the same id, with exponential backoff. An event may have settled the row during the call. */
export async function postpone<R extends Operation>(
  rows: Pick<OperationRows<R>, 'get' | 'update'>,
  called: R,
  now: number,
): Promise<R | null> {
  const row = await rows.get(called.id);
  if (!row || !open(row)) return row;
  const { lookups } = row;
  const { status } = open(called) ? called : row;
  const later = { ...row, lookups: lookups + 1, dueAt: nextLookup(status, lookups, now) };
  await rows.update(later);
  return later;
}
