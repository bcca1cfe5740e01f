/** AutoPay: changes an account's enrollment for a payer or a merchant's event (R-57, E-4). */
import { aboutMethod, announce } from '../webhooks/announce.js';
import { authorize, revokeAuthorization } from '../wallet/record-authorization.js';
import type { Agreement } from '../payments/rules/authorization.js';
import type { Occasion } from '../core/occasion.js';
import type { Enrollment } from './rules.js';
import type { AccountSession } from '../sessions/rules/session.js';
import type { StoreTx } from '../core/store.js';
import { done, refused, type Outcome } from '../core/outcome.js';
import type { PaymentMethod } from '@embedded-sessions/server-types';
import { given } from '../core/given.js';
import { usableMethod } from '../wallet/methods.js';

/** A page's enrollment request, and what its business unit allows. */
export interface AutopayWish {
  readonly methodId: unknown;
  readonly methods: readonly PaymentMethod[];
  /** What the payer saw and agreed to. */
  readonly authorization: Agreement;
}

/** Enrolls the account, or changes its method if this customer has already enrolled it. */
export async function enroll(
  tx: StoreTx,
  session: AccountSession,
  wish: AutopayWish,
  occasion: Occasion,
): Promise<Outcome<Enrollment>> {
  const current = await tx.autopay.ofAccount(session.accountId);
  if (current && current.customerId !== session.customerId) {
    return refused(
      'conflict',
      'Another customer already pays this account by AutoPay.',
      'enrolled_by_another',
    );
  }
  const { customerId } = session;
  const usable = { customerId, methods: wish.methods, instant: occasion.now };
  const found = await usableMethod(tx, wish.methodId, usable);
  if (!found.ok) return found;

  const method = found.value;
  if (current?.methodId === method.id) return done(current);

  await tx.methods.touch(method.id);
  const authorized = await authorize(tx, method, wish.authorization, occasion);
  if (current) {
    await revokeAuthorization(tx, current, occasion.now);
    const { authorizationId: _, ...kept } = current;
    const changed: Enrollment = { ...kept, methodId: method.id, ...authorized };
    await tx.autopay.update(changed);
    return done(changed);
  }
  const account = await tx.accounts.get(session.accountId);
  const enrollment: Enrollment = {
    businessUnit: session.businessUnit,
    accountId: session.accountId,
    customerId,
    methodId: method.id,
    sessionId: session.id,
    enrolledAt: occasion.now,
    ...given({ dueDate: account?.fields.DueDate }),
    ...authorized,
  };
  await tx.autopay.insert(enrollment);
  await announce(tx, 'autopay.enrolled', session, occasion, {
    accountId: session.accountId,
    ...aboutMethod(method),
  });
  return done(enrollment);
}

export async function changeMethod(
  tx: StoreTx,
  session: AccountSession,
  wish: AutopayWish,
  occasion: Occasion,
): Promise<Outcome<Enrollment>> {
  const current = await tx.autopay.ofAccount(session.accountId);
  if (!current) {
    const message = 'This account is no longer enrolled in AutoPay. Enroll it again.';
    return refused('conflict', message, 'not_enrolled');
  }
  return enroll(tx, session, wish, occasion);
}

/** Unenrolls for a payer; another customer's enrollment is kept. */
export async function unenrollOwn(
  tx: StoreTx,
  session: AccountSession,
  occasion: Occasion,
): Promise<Outcome<null>> {
  const current = await tx.autopay.ofAccount(session.accountId);
  if (current && current.customerId !== session.customerId) {
    return refused('conflict', 'Another customer pays this account by AutoPay.', 'enrolled_by_another');
  }
  await unenroll(tx, session.accountId, occasion);
  return done(null);
}

/** E-4: unenrolls the account, no matter which customer enrolled it. A no-op if it isn't enrolled. */
export async function unenroll(tx: StoreTx, accountId: string, occasion: Occasion): Promise<void> {
  const current = await tx.autopay.ofAccount(accountId);
  if (!current) return;

  await tx.autopay.remove(accountId);
  await revokeAuthorization(tx, current, occasion.now);
  const session = await tx.sessions.get(current.sessionId);
  const method = await tx.methods.get(current.methodId);
  if (session) {
    await announce(tx, 'autopay.unenrolled', session, occasion, {
      accountId,
      ...(method ? aboutMethod(method) : {}),
    });
  }
}
