/** A full or partial refund, from before the processor call to its final outcome. */
import type { Attempt } from '../payments/rules/attempt.js';
import { defined } from '../core/defined.js';
import {
  nextLookup,
  open,
  referenceAfter,
  type Operation,
  type OperationRows,
  type Open,
  type ResultSource,
} from '../processor/rules/operation.js';
import type { RefundOutcome, ProcessorResult } from '../processor/rules/port.js';

/** `processing`: no response from the processor yet. */
export type RefundStatus = 'processing' | RefundOutcome;

export interface Refund extends Operation {
  readonly attemptId: string;
  readonly status: RefundStatus;
  /** The payment's remaining balance after this refund, cents, as of when it began or failed. */
  readonly leftOver: number;
  /** The merchant's own reason. */
  readonly why?: string;
}

export interface Refunds extends OperationRows<Refund> {
  insert(refund: Refund): Promise<unknown>;
  /** A payment's succeeded refunds, oldest first. */
  succeeded(attemptId: string): Promise<Refund[]>;
  /** Whether a payment has at least `count` refunds that didn't fail. */
  hasAtLeast(attemptId: string, count: number): Promise<boolean>;
  /** Whether a payment has at least `count` refunds, failed ones included. */
  hasTriedAtLeast(attemptId: string, count: number): Promise<boolean>;
}

/** The refundable balance of a payment, cents. Bank payments must have settled. */
export function refundable({ status, amount, refunded }: Attempt): number {
  return status === 'succeeded' ? amount - refunded : 0;
}

/** Whether the result may change the refund: its outcome isn't final, or a refund that had succeeded has failed. */
export function canChange(
  refund: Refund,
  { outcome }: ProcessorResult<RefundOutcome>,
): refund is Open<Refund> {
  return open(refund) || (refund.status === 'succeeded' && outcome === 'failed');
}

/** Whether an outcome contradicts the recorded one, so that someone must investigate. */
export function contradicts(status: RefundStatus, outcome: RefundOutcome): boolean {
  return status === 'failed' && outcome === 'succeeded';
}

/** Applies the processor's result to a refund. While `pending`, the call is repeated. */
export function applyResult(
  refund: Open<Refund>,
  result: ProcessorResult<RefundOutcome>,
  { now, isResponse = false }: Pick<ResultSource, 'isResponse'> & { readonly now: number },
): Refund {
  const { dueAt: _, reason: __, reference: ___, ...rest } = refund;
  const { outcome } = result;
  const lookups = refund.status === outcome ? refund.lookups : 0;
  const isReversal = refund.status === 'succeeded';
  const reference = referenceAfter(refund, result.reference, { isResponse, isReversal });
  return {
    ...rest,
    status: outcome,
    lookups: lookups + 1,
    ...defined({ reason: result.reason, reference }),
    ...(outcome === 'pending' ? { dueAt: nextLookup('pending', lookups, now) } : {}),
  };
}
