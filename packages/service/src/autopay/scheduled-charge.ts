/** AutoPay charges that the merchant schedules (`ChargeOn`, R-95). */
import { addDays, dayIn } from '../core/day.js';
import { ServiceError, unknownIdentifier } from '../core/error.js';
import type { StoreTx, TxContext } from '../core/store.js';
import { applyResult, UNENROLLED, type Attempt } from '../payments/rules/attempt.js';
import type { BusinessUnit } from '../platform/config/config.js';
import { startFields } from '../processor/rules/operation.js';
import { announcePayment, byEnrollment, chargeProblem, invalidChargeOn } from './charge.js';

const MAX_DAYS_AHEAD = 60;

/** @throws ServiceError `invalid` if the day is in the past or too far ahead in the business unit's time zone */
export function checkChargeOn(chargeOn: string, timeZone: string, now: number): void {
  const today = dayIn(now, timeZone);
  const last = addDays(today, MAX_DAYS_AHEAD);
  if (chargeOn < today || chargeOn > last)
    throw invalidChargeOn(`ChargeOn must be a day from ${today} to ${last}.`);
}

/**
 * Begins a scheduled charge on its day, with the method and authorization that the payer has chosen by then. Fails if that
 * enrollment has ended, even if the account has another one. Call the processor only after the commit. Resolves to `done`
 * if it cannot be charged, and to null if it is no longer scheduled.
 */
export async function beginScheduledCharge(
  tx: StoreTx,
  id: string,
  unit: Pick<BusinessUnit, 'paymentMethods' | 'timeZone'>,
  context: TxContext,
): Promise<Attempt | 'done' | null> {
  const { now } = context;
  const scheduled = await tx.attempts.get(id);
  const { status, accountId, chargeOn } = scheduled ?? {};
  if (scheduled === null || status !== 'scheduled' || accountId === undefined || chargeOn === undefined)
    return null;
  const today = dayIn(now, unit.timeZone);
  if (chargeOn > today) return null;

  const current = await tx.autopay.ofAccount(accountId);
  const enrollment = current !== null && current.enrolledAt <= scheduled.createdAt ? current : null;
  const method = enrollment && (await tx.methods.get(enrollment.methodId));
  const { authorizationId: _, ...unauthorized } = scheduled;
  const charge = enrollment && method ? byEnrollment(scheduled, enrollment, method) : unauthorized;
  const attempt = { ...charge, ...startFields(now) } satisfies Attempt;
  const reason = method ? chargeProblem(method, unit.paymentMethods, today) : UNENROLLED;
  if (reason === null) {
    await tx.accountPayments.markInFlight(id);
    await tx.attempts.begin(attempt);
    return attempt;
  }

  const declined = applyResult(attempt, { outcome: 'declined', reason }, { now });
  await tx.attempts.begin(declined);
  await tx.accountPayments.remove(id);
  await announcePayment(tx, await tx.sessions.get(declined.sessionId), declined, context);
  return 'done';
}

/**
 * Cancels a scheduled charge before its day begins in the business unit's time zone. Canceling it again is a no-op.
 * @throws ServiceError `not_found` or `not_cancelable`
 */
export async function cancelScheduledCharge(
  tx: StoreTx,
  { slug, timeZone }: Pick<BusinessUnit, 'slug' | 'timeZone'>,
  id: string,
  now: number,
): Promise<void> {
  const attempt = await tx.attempts.get(id);
  if (attempt?.businessUnit !== slug) throw unknownIdentifier('payment');
  if (attempt.status === 'canceled') return;
  if (attempt.status !== 'scheduled' || attempt.chargeOn === undefined)
    throw notCancelable('Only a scheduled payment can be canceled: refund this one instead.');
  if (attempt.chargeOn <= dayIn(now, timeZone)) throw dayHasBegun(attempt.chargeOn);

  await tx.attempts.update({ ...attempt, status: 'canceled', answeredAt: now });
  await tx.accountPayments.remove(id);
}

export function dayHasBegun(day: string): ServiceError {
  return notCancelable(`The day of this payment, ${day}, has already started.`);
}

function notCancelable(message: string): ServiceError {
  return new ServiceError('not_cancelable', message, { field: 'PaymentIdentifier' });
}
