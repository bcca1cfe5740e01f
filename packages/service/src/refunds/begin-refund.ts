/** The two transactions of a refund: one before the processor call, one after its response. */
import { startFields, keepReference, open } from '../processor/rules/operation.js';
import type { Attempt } from '../payments/rules/attempt.js';
import { ServiceError } from '../core/error.js';
import { dayIn } from '../core/day.js';
import type { TxContext } from '../core/tx-context.js';
import type { RefundOutcome, ProcessorResult } from '../processor/rules/port.js';
import { answered, refundable, type Refund } from './rules.js';
import { paymentIn } from '../sessions/rules/session-details.js';
import type { StoreTx } from '../core/store.js';
import { bookRefund } from '../ledger/book.js';
import { announce } from '../webhooks/announce.js';
import { defined } from '../core/defined.js';
import { addToLog } from '../platform/context.js';

export interface RefundWish {
  readonly id: string;
  readonly businessUnit: string;
  readonly paymentId: string;
  /** Cents. Default: everything left. */
  readonly amount?: number;
  readonly why?: string;
  /** Whether the processor supports refunds. */
  readonly canRefund: boolean;
}

/**
 * Reserves the amount on the payment. Only call the processor after it has committed. Two refunds of one payment write the
 * same row, so the loser runs again and finds less left.
 * @throws ServiceError `not_found`, `not_refundable`, or `invalid` on `Amount`
 */
export async function beginRefund(
  tx: StoreTx,
  { id, businessUnit, paymentId, amount: wanted, why, canRefund }: RefundWish,
  now: number,
): Promise<Refund> {
  const payment = await tx.attempts.get(paymentId);
  if (payment?.businessUnit !== businessUnit)
    throw new ServiceError(
      'not_found',
      'There is no payment with this PaymentIdentifier in this business unit.',
      {
        field: 'PaymentIdentifier',
      },
    );

  addToLog({ sessionId: payment.sessionId });
  const left = refundable(payment);
  const amount = wanted ?? left;
  const reason =
    whyNot(payment, canRefund) ??
    (amount === 0 ? NOTHING_LEFT : null) ??
    ((await tx.refunds.hasMany(payment.id, MAX_REFUNDS)) ? TOO_MANY : null);
  if (reason !== null) throw new ServiceError('not_refundable', reason, { field: 'PaymentIdentifier' });
  if (amount > left)
    throw new ServiceError(
      'invalid',
      `Amount exceeds the remaining balance of this payment: ${left} cents.`,
      {
        field: 'Amount',
      },
    );

  const refund: Refund = {
    id,
    businessUnit,
    attemptId: payment.id,
    amount,
    left: left - amount,
    ...defined({ why }),
    ...startFields(now),
  };
  await tx.attempts.update({ ...payment, refunded: payment.refunded + amount });
  await tx.refunds.insert(refund);
  return refund;
}

const NOTHING_LEFT = 'This payment has been refunded in full.';

/** Refunds of a payment. Each reads what the ones before it have given back to each account. */
const MAX_REFUNDS = 100;
const TOO_MANY = `This payment has been refunded ${MAX_REFUNDS} times. Refund the rest at the processor.`;

function whyNot({ status }: Attempt, canRefund: boolean): string | null {
  if (status !== 'succeeded')
    return status === 'pending'
      ? 'This payment has not settled yet. Refund it after it has.'
      : 'This payment has not succeeded, so there is nothing to refund.';
  return canRefund
    ? null
    : "This service's payment processor does not support refunds through the API. Refund it at the processor.";
}

/** Records the processor's response once. A failed refund releases its amount. */
export async function settleRefund(
  tx: StoreTx,
  refundId: string,
  answer: ProcessorResult<RefundOutcome>,
  context: TxContext & { readonly timeZone: string },
): Promise<Refund | null> {
  const refund = await tx.refunds.get(refundId);
  if (!refund) return null;
  if (!open(refund)) return keepReference(tx.refunds, refund, answer);

  const updated = answered(refund, answer, context.now);
  const payment = await tx.attempts.get(refund.attemptId);
  const session = payment && (await tx.sessions.get(payment.sessionId));
  if (updated.status === 'pending' || updated.status === 'processing' || !payment || !session) {
    await tx.refunds.update(updated);
    return updated;
  }
  const { id, amount, status, reason } = updated;
  const failed = status === 'failed';
  const after: Attempt = failed ? { ...payment, refunded: payment.refunded - amount } : payment;
  // Other refunds may have begun since, so compute the current balance.
  const settled: Refund = failed
    ? { ...updated, left: refundable(after) - amount }
    : await bookRefund(tx, updated, dayIn(context.now, context.timeZone));
  await tx.refunds.update(settled);
  await tx.attempts.update(after);
  const accountId = payment.accountId ?? ('accountId' in session ? session.accountId : undefined);
  await announce(tx, `refund.${status}`, session, context, {
    ...defined({ accountId }),
    Payment: paymentIn(after),
    Refund: {
      RefundIdentifier: id,
      PaymentIdentifier: payment.id,
      Amount: amount,
      Status: status,
      Refundable: refundable(after),
      ...defined({ Reason: reason }),
    },
  });
  return settled;
}
