/** A full or partial refund, from before the processor call to its final outcome. */
import type { Attempt } from '../payments/rules/attempt.js';
import {
  nextLookup,
  detailsOf,
  type Operation,
  type OperationRows,
  type Open,
} from '../processor/rules/operation.js';
import type { RefundOutcome, ProcessorResult } from '../processor/rules/port.js';

/** `processing`: the processor's response is not known yet. */
export type RefundStatus = 'processing' | RefundOutcome;

export interface Refund extends Operation {
  readonly attemptId: string;
  readonly status: RefundStatus;
  /** Remaining cents of the payment after this refund when it began, or, for a failed refund, when it failed. */
  readonly left: number;
  /** The merchant's own reason. */
  readonly why?: string;
}

export interface Refunds extends OperationRows<Refund> {
  insert(refund: Refund): Promise<void>;
  /** Whether a payment has this many refunds that did not fail. */
  hasMany(attemptId: string, count: number): Promise<boolean>;
}

/** Cents of a payment that can still be refunded; 0 until a bank payment has settled. */
export function refundable({ status, amount, refunded }: Attempt): number {
  return status === 'succeeded' ? amount - refunded : 0;
}

/** The refund after a response. While it is `pending`, the processor is called again. */
export function answered(refund: Open<Refund>, answer: ProcessorResult<RefundOutcome>, now: number): Refund {
  const { dueAt: _, reason: __, ...rest } = refund;
  const { outcome } = answer;
  const waits = refund.status === outcome ? refund.lookups : 0;
  return {
    ...rest,
    status: outcome,
    lookups: waits + 1,
    ...detailsOf(answer),
    ...(outcome === 'pending' ? { dueAt: nextLookup('pending', waits, now) } : {}),
  };
}
