/** The charge of a bill by the service: one per account and due date. */
import type { Account } from '../accounts/rules/account.js';
import { startOf } from '../core/day.js';
import type { StoreTx } from '../core/store.js';
import { derivedId } from '../platform/ids.js';
import type { ServiceEnvironment } from '../shared/environment.js';

export function dueChargeId(env: ServiceEnvironment, accountId: string, dueDate: string): string {
  return derivedId('pay_', startOf(dueDate) ?? 0, env, 'autopay-due', accountId, dueDate);
}

/**
 * Whether the service has begun to charge an account's bill that is due on this day or later. It did not deduct a
 * charge that is scheduled for the day only now, by a process that may not know that the day has begun.
 */
export async function hasBegunDueCharge(
  tx: StoreTx,
  account: Account | null,
  day: string,
  env: ServiceEnvironment,
): Promise<boolean> {
  if (account === null) return false;

  // A later sync may have taken the bill's due date away.
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

/** Whether the service will charge an enrolled account's bill at once, or is charging it. */
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
