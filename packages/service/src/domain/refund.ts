/** Giving a payment back, whole or in part: from before the processor is asked to its last word. */
import type { Attempt } from './attempt.js';
import { nextLookup } from './attempt.js';
import type { RefundOutcome, Told } from './processor.js';

/** `processing`: the processor was or will be asked, and its answer is not known yet. */
export type RefundStatus = 'processing' | RefundOutcome;

export interface Refund {
  /** Ours, and the processor's idempotency key. */
  readonly id: string;
  readonly businessUnit: string;
  /** The payment that is given back. */
  readonly attemptId: string;
  readonly status: RefundStatus;
  /** Cents. */
  readonly amount: number;
  /** Cents that were left of the payment when this was taken from it. */
  readonly left: number;
  /** Why, in the merchant's words. */
  readonly why?: string;
  /** Ms since the epoch. */
  readonly createdAt: number;
  /** When the processor is asked again, ms since the epoch; absent once its last word is known. */
  readonly dueAt?: number;
  /** How often it was asked since it last had an answer. */
  readonly lookups: number;
  /** What the processor said with its last answer, and what it calls the refund. */
  readonly reason?: string;
  readonly reference?: string;
}

export interface Refunds {
  get(id: string): Promise<Refund | null>;
  insert(refund: Refund): Promise<void>;
  update(refund: Refund): Promise<void>;
  /** Those whose `dueAt` has come, oldest first. */
  due(now: number, limit: number): Promise<Refund[]>;
  list(businessUnit: string): Promise<Refund[]>;
}

/** Cents of a payment that can still be given back: a bank payment when it has settled. */
export function refundable({ status, amount, refunded }: Attempt): number {
  return status === 'succeeded' ? amount - refunded : 0;
}

/** A refund without the processor's last word. */
export type Unsettled = Refund & { readonly status: 'processing' | 'pending' };

export function unsettled(refund: Refund): refund is Unsettled {
  return refund.status === 'processing' || refund.status === 'pending';
}

/** The refund after the processor's answer; while it is `pending` the processor is asked again. */
export function answered(
  refund: Unsettled,
  { outcome, reason, reference }: Told<RefundOutcome>,
  now: number,
): Refund {
  const { dueAt: _, reason: __, ...rest } = refund;
  const waits = refund.status === outcome ? refund.lookups : 0;
  return {
    ...rest,
    status: outcome,
    lookups: waits + 1,
    ...(reason === undefined ? {} : { reason }),
    ...(reference === undefined ? {} : { reference }),
    ...(outcome === 'pending' ? { dueAt: nextLookup('pending', waits, now) } : {}),
  };
}

/** The refund after a question in vain: it is asked again, under the same id. */
export function askedInVain(refund: Unsettled, now: number): Refund {
  const { status, lookups } = refund;
  return { ...refund, lookups: lookups + 1, dueAt: nextLookup(status, lookups, now) };
}
