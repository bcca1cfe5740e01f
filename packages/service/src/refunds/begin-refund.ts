/** The two transactions of a refund: one before the processor call, one after its response. */
import { startFields, recordReference, type ResultSource } from '../processor/rules/operation.js';
import type { Attempt } from '../payments/rules/attempt.js';
import { ServiceError, unknownIdentifier } from '../core/error.js';
import { dayIn } from '../core/day.js';
import type { RefundOutcome, ProcessorResult } from '../processor/rules/port.js';
import { applyResult, canChange, contradicts, refundable, type Refund } from './rules.js';
import { paymentIn } from '../sessions/rules/session-details.js';
import type { StoreTx, TxContext } from '../core/store.js';
import { bookFailure, bookRefund } from '../ledger/book.js';
import { announce, factsOf, withAttempt } from '../webhooks/announce.js';
import { defined } from '../core/defined.js';
import type { ServiceConfig } from '../platform/config/config.js';
import { timeZoneOf } from '../webhooks/served-units.js';
import { addToLog, expectParsed } from '../platform/context.js';

export interface RefundInput {
  readonly id: string;
  readonly businessUnit: string;
  readonly paymentId: string;
  /** Cents. Default: the remaining balance. */
  readonly amount?: number;
  readonly why?: string;
  readonly canRefund: boolean;
}

/**
 * Reserves the amount on the payment. Call the processor only after the commit. Concurrent refunds of a payment write the
 * same row, so the loser is retried and sees the new balance.
 * @throws ServiceError `not_found`, `not_refundable`, or `invalid` on `Amount`
 */
export async function beginRefund(
  tx: StoreTx,
  { id, businessUnit, paymentId, amount: requested, why, canRefund }: RefundInput,
  now: number,
): Promise<Refund> {
  const [payment, isAtLimit, isTooOften] = await Promise.all([
    tx.attempts.get(paymentId),
    tx.refunds.hasAtLeast(paymentId, MAX_REFUNDS),
    tx.refunds.hasTriedAtLeast(paymentId, MAX_TRIES),
  ]);
  if (payment?.businessUnit !== businessUnit) throw unknownIdentifier('payment');

  addToLog({ sessionId: payment.sessionId });
  const left = refundable(payment);
  const amount = requested ?? left;
  const reason =
    refundProblem(payment, canRefund) ??
    (amount === 0 ? NOTHING_LEFT : null) ??
    (isAtLimit ? TOO_MANY : null) ??
    (isTooOften ? TOO_OFTEN : null);
  if (reason !== null) throw new ServiceError('not_refundable', reason, { field: 'PaymentIdentifier' });
  if (amount > left)
    throw new ServiceError(
      'invalid',
      `Amount exceeds the remaining balance of this payment: ${left} cents.`,
      { field: 'Amount' },
    );

  // The webhook contains the session's request.
  expectParsed(await tx.sessions.requestBytes(payment.sessionId));
  const refund: Refund = {
    id,
    businessUnit,
    attemptId: payment.id,
    amount,
    leftOver: left - amount,
    ...defined({ why }),
    ...startFields(now),
  };
  await tx.attempts.update({ ...payment, refunded: payment.refunded + amount });
  await tx.refunds.insert(refund);
  return refund;
}

const NOTHING_LEFT = 'This payment has been refunded in full.';

/** Limit per payment. Each refund reads how the earlier ones were split among accounts. */
const MAX_REFUNDS = 100;
const TOO_MANY = `This payment has been refunded ${MAX_REFUNDS} times. Refund the rest at the processor.`;
/** Includes refunds that failed, because the ledger has those that had succeeded. */
const MAX_TRIES = 200;
const TOO_OFTEN = `This payment has had ${MAX_TRIES} refunds, most of which failed. Refund it at the processor.`;

function refundProblem({ status }: Attempt, canRefund: boolean): string | null {
  if (status !== 'succeeded')
    return status === 'pending'
      ? 'This payment has not settled yet. Refund it once it has.'
      : 'This payment has not succeeded, so there is nothing to refund.';
  return canRefund
    ? null
    : "This service's payment processor does not support refunds through the API. Refund it at the processor.";
}

interface SettleContext extends TxContext, Pick<ResultSource, 'isResponse'> {
  readonly config: Pick<ServiceConfig, 'businessUnits'>;
}

/** Records the processor's result once. A failed refund releases its amount, even if it had succeeded. */
export async function settleRefund(
  tx: StoreTx,
  { id, sessionId }: { readonly id: string; readonly sessionId: string },
  result: ProcessorResult<RefundOutcome>,
  context: SettleContext,
): Promise<Refund | null> {
  // Concurrent, because each round trip costs the service and the database CPU time.
  const [refund, session, before] = await Promise.all([
    tx.refunds.get(id),
    tx.sessions.get(sessionId),
    factsOf(tx, sessionId),
  ]);
  if (!refund) return null;
  if (!canChange(refund, result)) {
    const replaces = context.isResponse === true && !contradicts(refund.status, result.outcome);
    return recordReference(tx.refunds, refund, result, replaces);
  }

  const updated = applyResult(refund, result, context);
  const payment =
    before.attempts.find((one) => one.id === refund.attemptId) ?? (await tx.attempts.get(refund.attemptId));
  if (updated.status === 'pending' || updated.status === 'processing' || !payment) {
    await tx.refunds.update(updated);
    return updated;
  }
  const { amount, status, reason } = updated;
  const failed = status === 'failed';
  const updatedPayment: Attempt = failed ? { ...payment, refunded: payment.refunded - amount } : payment;
  const date = dayIn(context.now, await timeZoneOf(tx, context.config, refund.businessUnit));
  if (refund.status === 'succeeded')
    await bookFailure(tx, { id, ...defined({ reference: result.reference }) }, { payment, session, date });
  // Other refunds may have started in the meantime, so compute the current balance.
  const settled: Refund = failed
    ? { ...updated, leftOver: refundable(updatedPayment) - amount }
    : await bookRefund(tx, updated, date);
  await tx.refunds.update(settled);
  await tx.attempts.update(updatedPayment);
  const accountId = payment.accountId ?? (session && 'accountId' in session ? session.accountId : undefined);
  const about = {
    ...defined({ accountId }),
    Payment: paymentIn(updatedPayment),
    Refund: {
      RefundIdentifier: id,
      PaymentIdentifier: payment.id,
      Amount: amount,
      Status: status,
      Refundable: refundable(updatedPayment),
      ...defined({ Reason: reason }),
    },
  };
  if (session)
    await announce(tx, `refund.${status}`, session, context, about, withAttempt(before, updatedPayment));
  return settled;
}
