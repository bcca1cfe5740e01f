/** Charges the AutoPay method of an account. */
import type { PaymentMethod } from '@embedded-sessions/server-types';
import { hasStarted, type Attempt } from '../payments/rules/attempt.js';
import { ServiceError } from '../core/error.js';
import type { BackOfficeRequests } from '../core/requests.js';
import type { BusinessUnit } from '../platform/config/config.js';
import { paymentIn } from '../sessions/rules/session-details.js';
import type { Session } from '../sessions/rules/session.js';
import type { StoreTx, TxContext } from '../core/store.js';
import { derivedId } from '../platform/ids.js';
import type { ServiceEnvironment } from '../shared/environment.js';
import { automaticCharge, automaticSource, chargeObstacle, type Method } from '../wallet/rules.js';
import type { Enrollment } from './rules.js';
import { announce, type SessionFacts } from '../webhooks/announce.js';
import type { Account } from '../accounts/rules/account.js';
import { claimReference } from '../api/claim-reference.js';
import { dayIn, startOf } from '../core/day.js';
import { defined } from '../core/defined.js';

export interface ChargeContext {
  readonly env: ServiceEnvironment;
  readonly unit: Pick<BusinessUnit, 'slug' | 'paymentMethods' | 'timeZone'>;
  readonly requestId: string;
  /** Whether this is a retry after an unacknowledged COMMIT. */
  readonly repeated: boolean;
}

/** A charge with the session, method and authorization of an enrollment. */
export function byEnrollment(
  attempt: Attempt,
  { sessionId, authorizationId }: Enrollment,
  method: Method,
): Attempt {
  const { authorizationId: _, ...charge } = attempt;
  return { ...charge, sessionId, source: automaticSource(method), ...defined({ authorizationId }) };
}

/**
 * Writes the attempt. Unless it is scheduled, call the processor after the commit.
 *
 * @throws ServiceError `account_not_found`, `not_enrolled` or `client_reference_taken`
 */
export async function beginAutopay(
  tx: StoreTx,
  request: BackOfficeRequests['charge'],
  { env, unit, requestId, repeated }: ChargeContext,
  now: number,
): Promise<Attempt> {
  const { ClientReference: clientReference, ChargeOn: chargeOn, Description: descriptor } = request;
  const { AccountNumber, SubAccountNumber = '' } = request;
  const account = await tx.accounts.find(unit.slug, AccountNumber, SubAccountNumber);
  if (account === null)
    throw new ServiceError(
      'account_not_found',
      'No account has this AccountNumber and SubAccountNumber: check both.',
      { field: 'AccountNumber' },
    );

  const id = derivedId('pay_', 0, env, 'autopay', account.id, clientReference);
  const own = repeated ? await tx.attempts.get(id) : null;
  if (own?.requestId === requestId) return own;

  const enrollment = await tx.autopay.ofAccount(account.id);
  const method = enrollment && (await tx.methods.get(enrollment.methodId));
  if (!enrollment || !method) throw notEnrolled('This account is not enrolled in AutoPay.');

  const problem = chargeProblem(method, unit.paymentMethods, chargeOn ?? dayIn(now, unit.timeZone));
  if (problem !== null) throw notEnrolled(`${problem} The payer must choose another method.`);

  // The clock of the process that enrolled the account may be ahead. A charge belongs to the enrollment before it.
  const createdAt = Math.max(now, enrollment.enrolledAt);
  if (chargeOn !== undefined) await checkScheduled(tx, account, chargeOn, env);
  await claimReference(tx, unit.slug, clientReference);
  const attempt: Attempt = {
    id,
    businessUnit: unit.slug,
    sessionId: enrollment.sessionId,
    requestId,
    accountId: account.id,
    clientReference,
    ...defined({ authorizationId: enrollment.authorizationId, descriptor }),
    amount: request.Amount,
    ...(chargeOn === undefined
      ? automaticCharge(method, createdAt)
      : scheduledCharge(method, chargeOn, createdAt)),
  };
  await tx.attempts.insert(attempt);
  await tx.accountPayments.record(account.id, attempt);
  return attempt;
}

/** Limit per account, however often it was enrolled. Its payments and new bills read all of them. */
const MAX_SCHEDULED = 100;

/**
 * @throws ServiceError `invalid` if AutoPay has begun to charge a bill that is due on that day or later, or if the account has
 * too many scheduled charges
 */
async function checkScheduled(
  tx: StoreTx,
  account: Account,
  chargeOn: string,
  env: ServiceEnvironment,
): Promise<void> {
  if (await hasBegunDueCharge(tx, account, chargeOn, env))
    throw invalidChargeOn(
      `AutoPay has begun to charge the bill that is due on ${chargeOn} or later: choose a later ChargeOn, or omit it to charge the account again now.`,
    );
  if (await tx.attempts.hasScheduled(account.id, MAX_SCHEDULED))
    throw invalidChargeOn(
      `This account already has ${MAX_SCHEDULED} scheduled charges: cancel one to schedule another.`,
    );
}

export function invalidChargeOn(message: string): ServiceError {
  return new ServiceError('invalid', message, { field: 'ChargeOn' });
}

/** Returns the reason why a method can't be charged on a day (`YYYY-MM-DD` in the business unit's time zone), or null. */
export function chargeProblem(method: Method, methods: readonly PaymentMethod[], day: string): string | null {
  switch (chargeObstacle(method, methods, day)) {
    case 'blocked':
      return `The bank does not allow this method to be charged again (${method.blocked}).`;
    case 'not_accepted':
      return notAccepted(method.method);
    case 'expired':
      return 'The card has expired.';
    case null:
      return null;
  }
}

export const notAccepted = (method: PaymentMethod): string => `${method} is no longer accepted.`;

/** A scheduled charge gets its source on its day, because the payer may remove the method before. */
function scheduledCharge({ method, brand, last4 }: Method, chargeOn: string, createdAt: number) {
  const source = defined({ method, token: '', brand, last4, holder: '', save: false });
  const status = 'scheduled' as const;
  return { refunded: 0, source, charges: [], fields: {}, status, chargeOn, createdAt, lookups: 0 };
}

function notEnrolled(message: string): ServiceError {
  return new ServiceError('not_enrolled', message, { field: 'AccountNumber' });
}

const EVENTS = {
  succeeded: 'payment.succeeded',
  pending: 'payment.pending',
  declined: 'payment.failed',
  returned: 'payment.failed',
} as const;

/** Announces a payment's outcome under its session; for AutoPay, the one in which the payer enrolled. */
export async function announcePayment(
  tx: StoreTx,
  session: Session | null,
  attempt: Attempt,
  context: TxContext,
  known?: SessionFacts,
): Promise<void> {
  const { status } = attempt;
  if (session === null || status === 'processing' || !hasStarted(status)) return;

  const about = { ...defined({ accountId: attempt.accountId }), Payment: paymentIn(attempt) };
  await announce(tx, EVENTS[status], session, context, about, known);
}

/** The id of the service's charge of a bill: one per account and due date. */
export function dueChargeId(env: ServiceEnvironment, accountId: string, dueDate: string): string {
  return derivedId('pay_', startOf(dueDate) ?? 0, env, 'autopay-due', accountId, dueDate);
}

/**
 * Whether the service has begun to charge an account's bill that is due on this day or later. Otherwise, a process
 * whose clock is behind could schedule a charge that the bill's charge did not deduct.
 */
export async function hasBegunDueCharge(
  tx: StoreTx,
  account: Account | null,
  day: string,
  env: ServiceEnvironment,
): Promise<boolean> {
  if (account === null) return false;

  // A later sync may have removed the due date.
  const dueDates = new Set([day, account.fields.DueDate ?? day, account.bill?.DueDate ?? day]);
  const charges = await Promise.all(
    [...dueDates]
      .filter((dueDate) => dueDate >= day)
      .map((dueDate) => tx.attempts.get(dueChargeId(env, account.id, dueDate))),
  );
  return charges.some(
    (charge) => charge !== null && charge.status !== 'declined' && charge.status !== 'returned',
  );
}

/** Whether the service will charge an enrolled account's bill immediately, or is charging it. */
export async function isChargingBill(
  tx: StoreTx,
  { id, fields: { DueDate } }: Account,
  day: string,
  env: ServiceEnvironment,
): Promise<boolean> {
  const enrollment = await tx.autopay.ofAccount(id);
  if (enrollment === null || DueDate === undefined) return false;
  if (enrollment.dueDate !== undefined) return enrollment.dueDate <= day;

  const charge = await tx.attempts.get(dueChargeId(env, id, DueDate));
  return charge?.status === 'processing';
}
