/** Scheduled payments: schedule, cancel, execute. */
import { announce } from '../announce.js';
import type { About, Occasion } from '../announce.js';
import { CHARGE_LEASE_MS } from '../attempt.js';
import type { Attempt } from '../attempt.js';
import { dayOf } from '../day.js';
import type { Schedule, ScheduleWish } from '../schedule.js';
import { paymentIn } from '../session-details.js';
import type { AccountSession } from '../session.js';
import type { StoreTx } from '../store.js';
import { refused } from './refused.js';
import type { Outcome } from './refused.js';
import { methodRemoved, ownMethod } from './wallet.js';

/** Schedules a payment; the same `requestId` does it once. */
export async function schedulePayment(
  tx: StoreTx,
  session: AccountSession,
  requestId: string,
  wish: ScheduleWish,
  occasion: Occasion,
): Promise<Outcome<Schedule>> {
  const known = await tx.schedules.findByRequest(session.customerId, requestId);
  if (known) return { ok: true, value: known };
  const method = await ownMethod(tx, session.customerId, wish.methodId);
  if (!method) return methodRemoved('methodId');
  await tx.methods.touch(method.id);
  const schedule: Schedule = {
    id: occasion.newId('sch_'),
    businessUnit: session.businessUnit,
    sessionId: session.id,
    requestId,
    accountId: session.accountId,
    customerId: session.customerId,
    methodId: method.id,
    amount: wish.amount,
    date: wish.date,
    status: 'scheduled',
    createdAt: occasion.now,
  };
  await tx.schedules.insert(schedule);
  await announce(tx, 'scheduled_payment.created', session, occasion, aboutSchedule(schedule));
  return { ok: true, value: schedule };
}

/** Cancels a payment that was not begun; canceling it again changes nothing. */
export async function cancelScheduled(
  tx: StoreTx,
  session: AccountSession,
  scheduledId: string,
  occasion: Occasion,
): Promise<Outcome<Schedule>> {
  const schedule = await tx.schedules.get(scheduledId);
  if (schedule?.accountId !== session.accountId || schedule.customerId !== session.customerId) {
    return refused('not_found', 'There is no such scheduled payment.');
  }
  if (schedule.status === 'canceled') return { ok: true, value: schedule };
  if (schedule.status !== 'scheduled') {
    return refused('conflict', 'This payment has been started and cannot be canceled any more.', {
      reason: 'payment_started',
    });
  }
  const canceled: Schedule = { ...schedule, status: 'canceled' };
  await tx.schedules.update(canceled);
  await announce(tx, 'scheduled_payment.canceled', session, occasion, aboutSchedule(canceled));
  return { ok: true, value: canceled };
}

/**
 * Writes the attempt that executes a scheduled payment: when it has committed, the processor may be asked. Null when
 * the payment is not due, was canceled, or another process has begun it.
 */
export async function beginScheduled(
  tx: StoreTx,
  scheduledId: string,
  { now, newId }: Occasion,
): Promise<Attempt | null> {
  const schedule = await tx.schedules.get(scheduledId);
  if (schedule?.status !== 'scheduled' || schedule.date > dayOf(now)) return null;
  const method = await tx.methods.get(schedule.methodId);
  if (!method) return null;
  const { token, brand, last4, expiry, holder } = method;
  const attempt: Attempt = {
    id: newId('pay_'),
    businessUnit: schedule.businessUnit,
    sessionId: schedule.sessionId,
    requestId: schedule.id,
    scheduledId: schedule.id,
    status: 'processing',
    amount: schedule.amount,
    refunded: 0,
    source: {
      method: method.method,
      token,
      ...(brand === undefined ? {} : { brand }),
      last4,
      ...(expiry === undefined ? {} : { expiry }),
      holder,
      methodId: method.id,
      save: false,
    },
    charges: [],
    fields: {},
    createdAt: now,
    dueAt: now + CHARGE_LEASE_MS,
    lookups: 0,
  };
  await tx.schedules.update({ ...schedule, status: 'executing' });
  await tx.payments.insert(attempt);
  return attempt;
}

/** Brings the scheduled payment to what its attempt came to; a bank payment is `executing` until it settles. */
export async function settleScheduled(tx: StoreTx, attempt: Attempt, occasion: Occasion): Promise<void> {
  const schedule = await tx.schedules.get(attempt.scheduledId ?? '');
  const session = schedule && (await tx.sessions.get(schedule.sessionId));
  if (!schedule || !session || attempt.status === 'pending') return;
  const status = attempt.status === 'succeeded' ? 'executed' : 'failed';
  const settled: Schedule = {
    ...schedule,
    status,
    ...(attempt.status === 'declined' ? { reason: 'The payment was declined.' } : {}),
    ...(attempt.status === 'returned' ? { reason: 'The bank returned the payment.' } : {}),
  };
  await tx.schedules.update(settled);
  await announce(tx, `scheduled_payment.${status}`, session, occasion, {
    ...aboutSchedule(settled),
    Payment: paymentIn(session, attempt),
  });
}

function aboutSchedule({ accountId, id, amount, date, status, reason }: Schedule): About {
  return {
    accountId,
    ScheduledPayment: {
      Identifier: id,
      Amount: amount,
      Date: date,
      Status: status,
      ...(reason === undefined ? {} : { Reason: reason }),
    },
  };
}
