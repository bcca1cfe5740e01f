/** Giving a payment back, whole or in part: from before the processor is asked to its last word. */
import type { Attempt } from '../payments/rules/attempt.js';
import { nextLookup, told } from '../processor/rules/asked.js';
import type { Asked, AskedRows, Open } from '../processor/rules/asked.js';
import type { RefundOutcome, Told } from '../processor/rules/port.js';

/** `processing`: the processor was or will be asked, and its answer is not known yet. */
export type RefundStatus = 'processing' | RefundOutcome;

export interface Refund extends Asked {
  /** The payment that is given back. */
  readonly attemptId: string;
  readonly status: RefundStatus;
  /** Cents that were left of the payment without these: when they were taken from it, or of a refund that failed, then. */
  readonly left: number;
  /** Why, in the merchant's words. */
  readonly why?: string;
}

export interface Refunds extends AskedRows<Refund> {
  insert(refund: Refund): Promise<void>;
}

/** Cents of a payment that can still be given back: a bank payment when it has settled. */
export function refundable({ status, amount, refunded }: Attempt): number {
  return status === 'succeeded' ? amount - refunded : 0;
}

/** The refund after the processor's answer; while it is `pending` the processor is asked again. */
export function answered(refund: Open<Refund>, answer: Told<RefundOutcome>, now: number): Refund {
  const { dueAt: _, reason: __, ...rest } = refund;
  const { outcome } = answer;
  const waits = refund.status === outcome ? refund.lookups : 0;
  return {
    ...rest,
    status: outcome,
    lookups: waits + 1,
    ...told(answer),
    ...(outcome === 'pending' ? { dueAt: nextLookup('pending', waits, now) } : {}),
  };
}
