/** AutoPay: what a payer, or the merchant's event, does with an account's enrollment (R-57, E-4). */
import { aboutMethod, announce } from '../announce.js';
import type { Occasion } from '../announce.js';
import type { Enrollment } from '../autopay.js';
import type { AccountSession } from '../session.js';
import type { StoreTx } from '../store.js';
import { refused } from './refused.js';
import type { Outcome } from './refused.js';
import { methodRemoved, ownMethod } from './wallet.js';

/** Enrolls the account, or changes its method when this customer enrolled it already. */
export async function enroll(
  tx: StoreTx,
  session: AccountSession,
  methodId: string,
  occasion: Occasion,
): Promise<Outcome<Enrollment>> {
  const current = await tx.autopay.ofAccount(session.accountId);
  if (current && current.customerId !== session.customerId) {
    return refused('conflict', 'Another customer pays this account by AutoPay already.', {
      reason: 'enrolled_by_another',
    });
  }
  const method = await ownMethod(tx, session.customerId, methodId);
  if (!method) return methodRemoved('methodId');
  if (current?.methodId === methodId) return { ok: true, value: current };
  await tx.methods.touch(methodId);
  if (current) {
    const changed: Enrollment = { ...current, methodId };
    await tx.autopay.update(changed);
    return { ok: true, value: changed };
  }
  const enrollment: Enrollment = {
    businessUnit: session.businessUnit,
    accountId: session.accountId,
    customerId: session.customerId,
    methodId,
    sessionId: session.id,
    enrolledAt: occasion.now,
  };
  await tx.autopay.insert(enrollment);
  await announce(tx, 'autopay.enrolled', session, occasion, {
    accountId: session.accountId,
    ...aboutMethod(method),
  });
  return { ok: true, value: enrollment };
}

/** Changes the method of an enrollment that must be there. */
export async function changeMethod(
  tx: StoreTx,
  session: AccountSession,
  methodId: string,
  occasion: Occasion,
): Promise<Outcome<Enrollment>> {
  const current = await tx.autopay.ofAccount(session.accountId);
  if (!current) {
    return refused('conflict', 'This account is not enrolled in AutoPay any more. Enroll it again.', {
      reason: 'not_enrolled',
    });
  }
  return enroll(tx, session, methodId, occasion);
}

/** What the payer does; another customer's enrollment stays. */
export async function unenrollOwn(
  tx: StoreTx,
  session: AccountSession,
  occasion: Occasion,
): Promise<Outcome<null>> {
  const current = await tx.autopay.ofAccount(session.accountId);
  if (current && current.customerId !== session.customerId) {
    return refused('conflict', 'Another customer pays this account by AutoPay.', {
      reason: 'enrolled_by_another',
    });
  }
  await unenroll(tx, session.accountId, occasion);
  return { ok: true, value: null };
}

/** E-4: unenrols the account, whoever enrolled it; where it is not enrolled, nothing changes. */
export async function unenroll(tx: StoreTx, accountId: string, occasion: Occasion): Promise<void> {
  const current = await tx.autopay.ofAccount(accountId);
  if (!current) return;
  await tx.autopay.remove(accountId);
  const session = await tx.sessions.get(current.sessionId);
  const method = await tx.methods.get(current.methodId);
  if (session) {
    await announce(tx, 'autopay.unenrolled', session, occasion, {
      accountId,
      ...(method ? aboutMethod(method) : {}),
    });
  }
}
