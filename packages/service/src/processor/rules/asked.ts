/** What the processor is asked about until its last word is known: a payment, or a refund. */

import { given } from '../../core/given.js';

export interface Asked {
  /** Ours, and the processor's idempotency key. */
  readonly id: string;
  readonly businessUnit: string;
  readonly status: string;
  /** Cents. */
  readonly amount: number;
  /** Ms since the epoch. */
  readonly createdAt: number;
  /** When the processor is asked (again), ms since the epoch; absent once its last word is known. */
  readonly dueAt?: number;
  /** How often it was asked since it last had something new to say. */
  readonly lookups: number;
  /** What the processor said with its last answer, and what it calls this. */
  readonly reason?: string;
  readonly reference?: string;
}

/**
 * Where those of one kind are kept.
 * @typeParam H what can be read of one even where its JSON cannot
 */
export interface AskedRows<R extends Asked, H extends Asked = R> {
  get(id: string): Promise<R | null>;
  update(row: R): Promise<void>;
  /** Those whose `dueAt` has come, oldest first: one that cannot be read is found with the others. */
  due(now: number, limit: number): Promise<H[]>;
  list(businessUnit: string): Promise<R[]>;
}

/**
 * How long a row is left to whoever asks for it, ms; renewed while the question runs. When its process has died, this
 * is how long it takes until another asks.
 */
export const CHARGE_LEASE_MS = 10_000;

/** Of a row that commits before the processor is asked: until its lease is over whoever wrote it asks. */
export function begunAt(
  now: number,
): Required<Pick<Asked, 'createdAt' | 'dueAt' | 'lookups'>> & { readonly status: 'processing' } {
  return { status: 'processing', createdAt: now, dueAt: now + CHARGE_LEASE_MS, lookups: 0 };
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Ms: how long after a question in vain the processor is asked again, and the longest that this is doubled to. */
const PATIENCE: Readonly<Record<OpenStatus, { first: number; longest: number }>> = {
  processing: { first: 5_000, longest: HOUR_MS },
  pending: { first: HOUR_MS, longest: 6 * HOUR_MS },
  succeeded: { first: DAY_MS, longest: 7 * DAY_MS },
};

type OpenStatus = 'processing' | 'pending' | 'succeeded';

/** When to ask again, ms since the epoch: after 5 s, of what is pending an hour, of a settled payment a day; doubling. */
export function nextLookup(status: OpenStatus, lookups: number, now: number): number {
  const { first, longest } = PATIENCE[status];
  const delay = first * 2 ** lookups;
  return now + (delay < longest ? delay : longest);
}

/** One of which the processor may have more to say. */
export type Open<R extends Asked> = R & { readonly status: OpenStatus; readonly dueAt: number };

export function open<R extends Asked>(row: R): row is Open<R> {
  return row.dueAt !== undefined && row.status in PATIENCE;
}

/** What goes with an answer, as it is kept. */
export function told({
  reason,
  reference,
}: Pick<Asked, 'reason' | 'reference'>): Pick<Asked, 'reason' | 'reference'> {
  return given({ reason, reference });
}

/** After a question in vain: it is asked again, under the same id, with growing patience. */
export async function postpone<R extends Asked>(
  rows: Pick<AskedRows<R>, 'get' | 'update'>,
  id: string,
  now: number,
): Promise<R | null> {
  const row = await rows.get(id);
  if (!row || !open(row)) return row;
  const { status, lookups } = row;
  const later = { ...row, lookups: lookups + 1, dueAt: nextLookup(status, lookups, now) };
  await rows.update(later);
  return later;
}
