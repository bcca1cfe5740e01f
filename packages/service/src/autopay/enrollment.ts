/** Changes an account's AutoPay enrollment, for a payer or a merchant's event (R-57, E-4). */
import { dayIn } from '../core/day.js';
import { aboutMethod, announce } from '../webhooks/announce.js';
import { authorize, revokeAuthorization } from '../wallet/record-authorization.js';
import type { Enrollment } from './rules.js';
import type { AccountSession } from '../sessions/rules/session.js';
import type { StoreTx, TxContext } from '../core/store.js';
import { ok, refused, type Result } from '../core/result.js';
import type { BusinessUnit } from '../platform/config/config.js';
import { defined } from '../core/defined.js';
import { usableMethod } from '../wallet/methods.js';
import type { Method } from '../wallet/rules.js';

export interface EnrollRequest {
  readonly methodId: unknown;
  /** The text that the payer agreed to. */
  readonly authorization: string;
}

/** Enrolls the account, or changes the method if this customer has already enrolled it. */
export async function enroll(
  tx: StoreTx,
  session: AccountSession,
  request: EnrollRequest,
  unit: Pick<BusinessUnit, 'paymentMethods' | 'timeZone'>,
  context: TxContext,
): Promise<Result<Enrollment>> {
  const current = await tx.autopay.ofAccount(session.accountId);
  if (current && current.customerId !== session.customerId) {
    return refused(
      'conflict',
      'Another customer already pays this account by AutoPay.',
      'enrolled_by_another',
    );
  }
  const { customerId } = session;
  const day = dayIn(context.now, unit.timeZone);
  const found = await usableMethod(tx, request.methodId, { customerId, methods: unit.paymentMethods, day });
  if (!found.ok) return found;

  const method = found.value;
  if (current?.methodId === method.id && (await hasAgreed(tx, current, method, request))) return ok(current);

  // Lock the account, so that a concurrent sync of the due date finds the enrollment. Lock it before the method, as in
  // `schedulePayment`, to avoid deadlocks.
  const account = await tx.accounts.lock(session.accountId);
  await tx.methods.touch(method.id);
  const authorized = await authorize(tx, method, request.authorization, context);
  if (current) {
    await revokeAuthorization(tx, current, context.now);
    const { authorizationId: _, ...rest } = current;
    const changed: Enrollment = { ...rest, methodId: method.id, ...authorized };
    await tx.autopay.update(changed);
    return ok(changed);
  }
  const enrollment: Enrollment = {
    businessUnit: session.businessUnit,
    accountId: session.accountId,
    customerId,
    methodId: method.id,
    sessionId: session.id,
    enrolledAt: context.now,
    ...defined({ dueDate: account?.fields.DueDate }),
    ...authorized,
  };
  await tx.autopay.insert(enrollment);
  await announce(tx, 'autopay.enrolled', session, context, {
    accountId: session.accountId,
    ...aboutMethod(method),
  });
  return ok(enrollment);
}

/** Whether the enrollment has the text that the payer agrees to now. Cards have none. */
async function hasAgreed(
  tx: StoreTx,
  { authorizationId }: Enrollment,
  { method }: Method,
  { authorization }: EnrollRequest,
): Promise<boolean> {
  if (method !== 'ACH') return true;
  const stored = authorizationId === undefined ? null : await tx.authorizations.get(authorizationId);
  return stored?.text === authorization;
}

export async function changeMethod(
  tx: StoreTx,
  session: AccountSession,
  request: EnrollRequest,
  unit: Pick<BusinessUnit, 'paymentMethods' | 'timeZone'>,
  context: TxContext,
): Promise<Result<Enrollment>> {
  const current = await tx.autopay.ofAccount(session.accountId);
  if (!current) {
    const message = 'This account is no longer enrolled in AutoPay. Enroll it again.';
    return refused('conflict', message, 'not_enrolled');
  }
  return enroll(tx, session, request, unit, context);
}

export async function unenrollOwn(
  tx: StoreTx,
  session: AccountSession,
  context: TxContext,
): Promise<Result<null>> {
  const current = await tx.autopay.ofAccount(session.accountId);
  if (current && current.customerId !== session.customerId) {
    return refused('conflict', 'Another customer pays this account by AutoPay.', 'enrolled_by_another');
  }
  await unenroll(tx, session.accountId, context);
  return ok(null);
}

/** E-4: unenrolls the account for any customer. A no-op if it isn't enrolled. */
export async function unenroll(tx: StoreTx, accountId: string, context: TxContext): Promise<void> {
  const current = await tx.autopay.ofAccount(accountId);
  if (!current) return;

  await tx.accounts.lock(accountId);
  await tx.autopay.remove(accountId);
  await revokeAuthorization(tx, current, context.now);
  const session = await tx.sessions.get(current.sessionId);
  const method = await tx.methods.get(current.methodId);
  if (session) {
    await announce(tx, 'autopay.unenrolled', session, context, {
      accountId,
      ...(method ? aboutMethod(method) : {}),
    });
  }
}
