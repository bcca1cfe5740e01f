/** AutoPay by the service: charges the balance of an enrolled account on its due date. */
import { billOf, type CurrentBill } from '../accounts/current-bill.js';
import { addDays, dayIn } from '../core/day.js';
import { defined } from '../core/defined.js';
import type { StoreTx, TxContext } from '../core/store.js';
import { applyResult, NOT_SENT, type Attempt } from '../payments/rules/attempt.js';
import type { BusinessUnit } from '../platform/config/config.js';
import type { ServiceEnvironment } from '../shared/environment.js';
import { automaticCharge, chargeObstacle } from '../wallet/rules.js';
import { announcePayment, byEnrollment, chargeProblem, dueChargeId } from './charge.js';
import type { Enrollment } from './rules.js';

/** Charges more than this late are skipped. */
const LATE_DAYS = 3;
/** Later than any due date. */
const LAST_DAY = '9999-12-31';

export type AutopayUnit = Pick<BusinessUnit, 'autopay' | 'paymentMethods' | 'timeZone'>;

export interface DueContext {
  readonly now: number;
  readonly env: ServiceEnvironment;
}

/**
 * Writes the attempt that pays an account's bill. Call the processor only after the commit. Resolves to `later` while
 * another payment for the account is unfinished, to `done` if there is nothing to charge, and to null if the account was
 * unenrolled or its due date changed.
 */
export async function beginDueAutopay(
  tx: StoreTx,
  accountId: string,
  unit: AutopayUnit,
  context: TxContext & { readonly env: ServiceEnvironment },
): Promise<Attempt | MissedBill | 'done' | 'later' | null> {
  const { now, env } = context;
  const today = dayIn(now, unit.timeZone);
  const enrollment = await tx.autopay.ofAccount(accountId);
  const dueDate = enrollment?.dueDate;
  if (enrollment === null || dueDate === undefined || dueDate > today) return null;

  const { businessUnit } = enrollment;
  const id = dueChargeId(env, accountId, dueDate);
  if ((await tx.attempts.get(id)) !== null) return finish();

  const charges = await tx.attempts.scheduledFor(accountId);
  const isChargeDue = charges.some(({ chargeOn = today }) => chargeOn <= today);
  if (isChargeDue || (await tx.schedules.hasDue(accountId, today))) return 'later';

  const next = nextCharge(await billOf(tx, accountId), enrollment, unit, now);
  if (next === null) return finish();
  if (typeof next === 'string') {
    await finish();
    return { missed: next, dueDate };
  }

  if (next.unfinished) return 'later';

  const { amount } = next;
  const method = await tx.methods.get(enrollment.methodId);
  if (method === null) throw new Error('The method of an enrollment is missing.');

  const attempt = {
    id,
    businessUnit,
    sessionId: enrollment.sessionId,
    requestId: id,
    accountId,
    ...defined({ authorizationId: enrollment.authorizationId }),
    amount,
    ...automaticCharge(method, now),
  } satisfies Attempt;
  const reason = chargeProblem(method, unit.paymentMethods, today);
  if (reason === null) {
    await tx.attempts.insert(attempt);
    await tx.accountPayments.record(accountId, attempt);
    await finish();
    return attempt;
  }

  const declined = applyResult(attempt, { outcome: 'declined', reason }, { now });
  await tx.attempts.insert(declined);
  await announcePayment(tx, await tx.sessions.get(enrollment.sessionId), declined, context);
  return finish();

  async function finish(): Promise<'done'> {
    await tx.autopay.setDueDate(accountId, null);
    return 'done';
  }
}

/**
 * Why a bill is not charged. `late`: it or the enrollment came after the due date, or the due date is too long ago.
 * `too_many_payments`: the account has more than can be summed.
 */
export type MissedReason = 'late' | 'too_many_payments';

export interface MissedBill {
  readonly missed: MissedReason;
  readonly dueDate: string;
}

export interface NextCharge {
  /** Cents: the balance minus payments since it was first synced. */
  readonly amount: number;
  readonly date: string;
  /** Whether another payment for the account has no outcome yet. */
  readonly unfinished: boolean;
}

/** The next charge, from the account's current balance. Null if there is nothing to charge: no due date or balance. */
function nextCharge(
  bill: CurrentBill | null,
  { dueDate, enrolledAt }: Pick<Enrollment, 'dueDate' | 'enrolledAt'>,
  { autopay, timeZone }: AutopayUnit,
  now: number,
): NextCharge | MissedReason | null {
  if (autopay === 'merchant' || dueDate === undefined || bill === null) return null;

  const { balance, billedAt, paid } = bill;
  if (paid === null) return balance > 0 ? 'too_many_payments' : null;

  const amount = balance - paid.amount;
  const enrolledOrBilledOn = dayIn(Math.max(billedAt, enrolledAt), timeZone);
  if (enrolledOrBilledOn > dueDate || isLate(dueDate, now, timeZone)) return amount > 0 ? 'late' : null;
  return amount > 0 || paid.unfinished ? { amount, date: dueDate, unfinished: paid.unfinished } : null;
}

/** Whether it is too late to charge a bill, because the payer no longer expects it. */
function isLate(dueDate: string, now: number, timeZone: string): boolean {
  return dueDate < addDays(dayIn(now, timeZone), -LATE_DAYS);
}

/** Why a charge must not be sent again, or null. `later` while another payment of its account is unfinished. */
export type RepeatProblem = { readonly reason: string } | 'later' | null;

/** A bill's charge that never arrived, under the account's current enrollment, which may have another method. */
export async function asEnrolled(tx: StoreTx, attempt: Attempt): Promise<Attempt> {
  const enrollment = await tx.autopay.ofAccount(attempt.accountId ?? '');
  const method = enrollment && (await tx.methods.get(enrollment.methodId));
  return enrollment && method ? byEnrollment(attempt, enrollment, method) : attempt;
}

/** A charge that never arrived is repeated if its account still owes the amount, and if it isn't too late. */
export async function dueRepeatProblem(
  tx: StoreTx,
  attempt: Attempt,
  { accountId, enrolledAt }: Enrollment,
  { autopay, timeZone }: AutopayUnit,
  now: number,
): Promise<RepeatProblem> {
  const bill = await billOf(tx, accountId, attempt.id);
  if (autopay === 'merchant' || bill === null || bill.paid === null) return { reason: NOT_SENT.tooLate };
  if (bill.isWithdrawn || bill.paid.unfinished) return 'later';

  const amount = bill.balance - bill.paid.amount;
  if (amount <= 0) return { reason: NOT_SENT.billPaid };

  const began = dayIn(attempt.createdAt, timeZone);
  const isOtherBill = dayIn(Math.max(bill.billedAt, enrolledAt), timeZone) > began;
  if (isOtherBill || isLate(bill.dueDate ?? began, now, timeZone)) return { reason: NOT_SENT.tooLate };
  return amount < attempt.amount ? { reason: NOT_SENT.billChanged } : null;
}

/** What AutoPay charges next if its method allows it. The account may have enrolled again after the charge of the due date. */
export async function shownCharge(
  tx: StoreTx,
  enrollment: Enrollment,
  bill: CurrentBill | null,
  unit: AutopayUnit,
  { now, env }: DueContext,
): Promise<NextCharge | null> {
  const next = await remainingCharge(tx, enrollment, bill, unit, now);
  const made = next && (await tx.attempts.get(dueChargeId(env, enrollment.accountId, next.date)));
  return made === null ? next : null;
}

/** Whether the service is about to charge an account's bill, or waits for the outcome of another payment to do so. */
export async function isBillDue(
  tx: StoreTx,
  accountId: string,
  unit: AutopayUnit,
  context: DueContext,
): Promise<boolean> {
  const enrollment = await tx.autopay.ofAccount(accountId);
  const today = dayIn(context.now, unit.timeZone);
  if (enrollment?.dueDate === undefined || enrollment.dueDate > today) return false;
  return (await shownCharge(tx, enrollment, await billOf(tx, accountId), unit, context)) !== null;
}

/**
 * The total that reminders announce: all AutoPay charges on the due date, including the merchant's own (`ChargeOn`).
 */
export async function remindedCharge(
  tx: StoreTx,
  enrollment: Enrollment,
  bill: CurrentBill | null,
  unit: AutopayUnit,
  now: number,
): Promise<Pick<NextCharge, 'amount' | 'date'> | null> {
  const { accountId, dueDate: date } = enrollment;
  if (unit.autopay === 'merchant' || date === undefined) return null;

  const next = await remainingCharge(tx, enrollment, bill, unit, now);
  const scheduled = await tx.attempts.scheduledFor(accountId);
  const amount = scheduled
    .filter(({ chargeOn }) => chargeOn === date)
    .reduce((sum, charge) => sum + charge.amount, next?.amount ?? 0);
  const method = amount > 0 ? await tx.methods.get(enrollment.methodId) : null;
  return method && chargeObstacle(method, unit.paymentMethods, date) === null ? { amount, date } : null;
}

/** The next charge minus scheduled payments. */
async function remainingCharge(
  tx: StoreTx,
  enrollment: Enrollment,
  bill: CurrentBill | null,
  unit: AutopayUnit,
  now: number,
): Promise<NextCharge | null> {
  const next = nextCharge(bill, enrollment, unit, now);
  if (next === null || typeof next === 'string') return null;

  const amount = next.amount - (await scheduledAmount(tx, enrollment.accountId, next.date, unit));
  return amount > 0 ? { ...next, amount } : null;
}

/** Cents that scheduled payments will pay for an account by the end of a day. Omits those that will fail. */
async function scheduledAmount(
  tx: StoreTx,
  accountId: string,
  day: string,
  { paymentMethods }: AutopayUnit,
): Promise<number> {
  const due = await tx.schedules.due(accountId, day);
  const found = await tx.methods.getMany([...new Set(due.map(({ methodId }) => methodId))]);
  const methods = new Map(found.map((method) => [method.id, method]));
  return due.reduce((sum, { amount, date, methodId }) => {
    const method = methods.get(methodId);
    const isCharged = method !== undefined && chargeObstacle(method, paymentMethods, date) === null;
    return isCharged ? sum + amount : sum;
  }, 0);
}

/**
 * Why the payer must pay the current bill although the account is enrolled: AutoPay's charge `failed`, or the bill is
 * `overdue` because AutoPay has finished with its due date. Null if scheduled payments cover the bill.
 */
export async function whyPayerMustPay(
  tx: StoreTx,
  enrollment: Enrollment,
  bill: CurrentBill | null,
  unit: AutopayUnit,
  context: DueContext,
): Promise<'failed' | 'overdue' | null> {
  const why = await whyNotCharged(tx, enrollment, bill, unit, context);
  if (why === null || !bill?.paid) return null;

  const scheduled = await scheduledAmount(tx, enrollment.accountId, LAST_DAY, unit);
  return bill.balance > bill.paid.amount + scheduled ? why : null;
}

/** Why AutoPay won't charge the rest of an unpaid bill, or null. */
async function whyNotCharged(
  tx: StoreTx,
  { accountId, dueDate: nextDueDate, enrolledAt }: Enrollment,
  bill: CurrentBill | null,
  unit: AutopayUnit,
  { now, env }: DueContext,
): Promise<'failed' | 'overdue' | null> {
  if (bill?.dueDate === undefined) return null;

  const { balance, dueDate, paid } = bill;
  if (paid === null || balance <= paid.amount) return null;

  const attempt = await tx.attempts.get(dueChargeId(env, accountId, dueDate));
  if (attempt?.status === 'declined' || attempt?.status === 'returned') return 'failed';
  if (unit.autopay === 'merchant' || paid.unfinished) return null;

  const isOver = dueDate !== nextDueDate && dueDate <= dayIn(now, unit.timeZone);
  return isOver || nextCharge(bill, { dueDate, enrolledAt }, unit, now) === 'late' ? 'overdue' : null;
}
