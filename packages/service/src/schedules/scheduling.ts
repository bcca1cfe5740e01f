/** Schedules, cancels and executes payments. */
import { announce, type About, type SessionFacts } from '../webhooks/announce.js';
import { authorize, revokeAuthorization } from '../wallet/record-authorization.js';
import { checkAgreed, type PageLanguages } from '../payments/rules/authorization.js';
import { wordingOf } from '../texts/wording.js';
import { scheduledText } from '../shared/authorization-text.js';
import { NOT_SENT, wasNeverSent, type Attempt } from '../payments/rules/attempt.js';
import { dayIn, startOf } from '../core/day.js';
import { PAID_AUTOMATICALLY } from '../payments/rules/account-payments.js';
import { chargeProblem, hasBegunDueCharge, notAccepted } from '../autopay/charge.js';
import { isBillDue } from '../autopay/due.js';
import { dayHasBegun } from '../autopay/scheduled-charge.js';
import { idSecret } from '../accounts/sync.js';
import { checkSchedule, MAX_UPCOMING, type Schedule, type ScheduleInput } from './rules.js';
import { paymentIn } from '../sessions/rules/session-details.js';
import type { AccountSession, Session } from '../sessions/rules/session.js';
import type { StoreTx, TxContext } from '../core/store.js';
import { invalid, ok, refused, type Result } from '../core/result.js';
import { checkRequestId } from '../core/page-ids.js';
import { NO_PROCESSOR } from '../processor/rules/port.js';
import { derivedId } from '../platform/ids.js';
import { automaticCharge } from '../wallet/rules.js';
import { usableMethod } from '../wallet/methods.js';
import { defined } from '../core/defined.js';
import type { ServiceEnvironment } from '../shared/environment.js';
import type { BusinessUnit } from '../platform/config/config.js';

interface ScheduleContext extends TxContext {
  readonly env: ServiceEnvironment;
}

/**
 * Schedules a payment; idempotent by `requestId`. Refused if another is scheduled that the page doesn't list, so that two
 * tabs, a reloaded page and a late request make one payment.
 */
export async function schedulePayment(
  tx: StoreTx,
  session: AccountSession,
  input: Record<string, unknown>,
  unit: PageLanguages & Pick<BusinessUnit, 'autopay' | 'name' | 'paymentMethods' | 'timeZone'>,
  { env, canCharge, ...context }: ScheduleContext & { readonly canCharge: boolean },
): Promise<Result<Schedule>> {
  const requestId = checkRequestId(input, 'requestId');
  if (!requestId.ok) return requestId;

  const { customerId } = session;
  const existing = await tx.schedules.findByRequest(customerId, requestId.value);
  if (existing && existing.accountId !== session.accountId)
    return refused('conflict', 'This requestId was used for another account.');
  // The page would say that it is scheduled.
  if (existing?.status === 'canceled' || existing?.status === 'failed')
    return refused('conflict', 'This payment was canceled, or failed. Schedule it with another requestId.');
  if (existing) return ok(existing);
  if (!canCharge) return refused('payments_unavailable', NO_PROCESSOR);

  const today = dayIn(context.now, unit.timeZone);
  const checked = checkSchedule(input, today);
  if (!checked.ok) return checked;
  const { amount, date, methodId } = checked.value;
  // Other sessions may be scheduling too.
  const account = await tx.accounts.lock(session.accountId);
  if (await hasBegunDueCharge(tx, account, date, env))
    return invalid({ field: 'date', message: `Choose a day after ${date}.` });
  // The page may show a bill that has been paid since the session was created.
  const counted = session.automaticPayments?.[0] ?? account?.automaticPayments ?? 0;
  const than = { counted, today };
  const isPaid = account && (await tx.accountPayments.hasAutomatic(account.businessUnit, account, than));
  if (isPaid || (await isBillDue(tx, session.accountId, unit, { now: context.now, env })))
    return invalid({ ...PAID_AUTOMATICALLY, field: 'date' });

  const upcoming = await tx.schedules.upcoming(session.accountId, customerId);
  if (isUnlisted(checked.value, session, upcoming))
    return refused(
      'conflict',
      'A payment is already scheduled. Reload the page to see it.',
      'already_scheduled',
    );
  if (upcoming.length >= MAX_UPCOMING)
    return refused(
      'conflict',
      `${MAX_UPCOMING} payments are already scheduled. Cancel one to schedule another.`,
    );

  const agreed = checkAgreed(input, unit, { business: unit.name });
  if (!agreed.ok) return agreed;

  const text = scheduledText(wordingOf(agreed.value.language, unit.name), { amount, date });
  const found = await usableMethod(tx, methodId, { customerId, methods: unit.paymentMethods, day: date });
  if (!found.ok) return found;

  const method = found.value;
  await tx.methods.touch(method.id);
  const schedule: Schedule = {
    id: context.newId('sch_'),
    businessUnit: session.businessUnit,
    sessionId: session.id,
    requestId: requestId.value,
    accountId: session.accountId,
    customerId,
    methodId: method.id,
    amount,
    date,
    status: 'scheduled',
    createdAt: context.now,
    ...(await authorize(tx, method, text, context)),
  };
  await tx.schedules.insert(schedule);
  await announce(tx, 'scheduled_payment.created', session, context, aboutSchedule(schedule));
  return ok(schedule);
}

/**
 * Whether there is a scheduled payment that the page doesn't list. Pages of older releases don't send what they list,
 * so their sessions can schedule one payment each.
 */
function isUnlisted(
  { listed }: ScheduleInput,
  session: AccountSession,
  upcoming: readonly Schedule[],
): boolean {
  if (listed === undefined) return upcoming.some(({ sessionId }) => sessionId === session.id);
  const shown = new Set(listed);
  return upcoming.some(({ id }) => !shown.has(id));
}

/** Cancels a payment that has not begun; canceling it again is a no-op. */
export async function cancelScheduled(
  tx: StoreTx,
  session: AccountSession,
  scheduledId: string,
  context: TxContext,
): Promise<Result<Schedule>> {
  const schedule = await tx.schedules.get(scheduledId);
  if (schedule?.accountId !== session.accountId || schedule.customerId !== session.customerId) {
    return refused('not_found', 'There is no such scheduled payment.');
  }
  if (schedule.status === 'canceled') return ok(schedule);
  if (schedule.status !== 'scheduled') {
    const message = 'This payment has started and can no longer be canceled.';
    return refused('conflict', message, 'payment_started');
  }
  return ok(await cancel(tx, schedule, session, context));
}

/**
 * Cancels a payment for the merchant before its day begins in the business unit's time zone; canceling it again is a no-op.
 * @throws ServiceError `not_cancelable`
 */
export async function cancelForMerchant(
  tx: StoreTx,
  schedule: Schedule,
  { timeZone }: Pick<BusinessUnit, 'timeZone'>,
  context: TxContext,
): Promise<void> {
  const { status, date } = schedule;
  if (status === 'canceled') return;
  if (status !== 'scheduled' || date <= dayIn(context.now, timeZone)) throw dayHasBegun(date);

  await cancel(tx, schedule, await tx.sessions.get(schedule.sessionId), context);
}

async function cancel(
  tx: StoreTx,
  schedule: Schedule,
  session: Session | null,
  context: TxContext,
): Promise<Schedule> {
  const canceled: Schedule = { ...schedule, status: 'canceled' };
  await tx.schedules.update(canceled);
  await revokeAuthorization(tx, canceled, context.now);
  if (session) await announce(tx, 'scheduled_payment.canceled', session, context, aboutSchedule(canceled));
  return canceled;
}

/**
 * Writes the attempt that executes a scheduled payment. Call the processor only after the commit. Resolves to null if the
 * payment isn't due, was canceled or another process has begun it, and to `done` if its method can't be charged.
 *
 * @param unit as configured today
 */
export async function beginScheduled(
  tx: StoreTx,
  scheduledId: string,
  { paymentMethods, timeZone }: Pick<BusinessUnit, 'paymentMethods' | 'timeZone'>,
  context: ScheduleContext,
): Promise<Attempt | 'done' | null> {
  const { now, env } = context;
  const schedule = await tx.schedules.get(scheduledId);
  if (schedule?.status !== 'scheduled' || schedule.date > dayIn(now, timeZone)) return null;

  const [method, secret] = await Promise.all([tx.methods.get(schedule.methodId), idSecret(tx)]);
  if (!method) throw new Error('The method of this scheduled payment is missing.');

  const reason = chargeProblem(method, paymentMethods, schedule.date);
  if (reason !== null) {
    await endScheduled(tx, { ...schedule, status: 'failed', reason }, context);
    return 'done';
  }
  const attempt: Attempt = {
    // Includes the secret, because the payer knows the schedule's id.
    id: derivedId('pay_', startOf(schedule.date) ?? now, secret, env, 'schedule', schedule.id),
    businessUnit: schedule.businessUnit,
    sessionId: schedule.sessionId,
    requestId: schedule.id,
    scheduledId: schedule.id,
    amount: schedule.amount,
    ...automaticCharge(method, now),
    ...defined({ authorizationId: schedule.authorizationId }),
  };
  await tx.schedules.update({ ...schedule, status: 'executing' });
  await tx.attempts.insert(attempt);
  await tx.accountPayments.record(schedule.accountId, attempt);
  return attempt;
}

/** Copies the attempt's outcome to the scheduled payment. A bank payment is `executing` until it settles. */
export async function settleScheduled(
  tx: StoreTx,
  attempt: Attempt,
  context: TxContext,
  known: SessionFacts,
): Promise<void> {
  const schedule = await tx.schedules.get(attempt.scheduledId ?? '');
  if (!schedule || attempt.status === 'pending') return;

  const reason = failureOf(attempt);
  const ended: EndedSchedule =
    reason === undefined ? { ...schedule, status: 'executed' } : { ...schedule, status: 'failed', reason };
  await endScheduled(tx, ended, context, { attempt, known });
}

function failureOf({ status, reason, source: { method } }: Attempt): string | undefined {
  if (status === 'returned') return 'The bank returned the payment.';
  if (status !== 'declined') return undefined;
  if (reason === NOT_SENT.methodNotAccepted) return notAccepted(method);
  if (reason === NOT_SENT.methodBlocked) return 'The bank does not allow this method to be charged again.';
  return wasNeverSent(reason) ? 'The payment could not be sent.' : 'The payment was declined.';
}

type EndedSchedule = Schedule & { readonly status: 'executed' | 'failed' };

async function endScheduled(
  tx: StoreTx,
  ended: EndedSchedule,
  context: TxContext,
  charged?: { readonly attempt: Attempt; readonly known: SessionFacts },
): Promise<void> {
  await tx.schedules.update(ended);
  const session = await tx.sessions.get(ended.sessionId);
  if (!session) return;

  const about = {
    ...aboutSchedule(ended),
    ...(charged ? { Payment: paymentIn(charged.attempt) } : {}),
  };
  await announce(tx, `scheduled_payment.${ended.status}`, session, context, about, charged?.known);
}

function aboutSchedule({
  accountId,
  id,
  amount,
  date,
  status,
  reason,
}: Schedule): About<'scheduled_payment.created'> {
  return {
    accountId,
    ScheduledPayment: {
      Identifier: id,
      Amount: amount,
      Date: date,
      Status: status,
      ...defined({ Reason: reason }),
    },
  };
}
