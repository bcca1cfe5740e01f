/** Reads what is owed for an account. */
import type { Account } from './rules/account.js';
import { defined } from '../core/defined.js';
import type { StoreTx } from '../core/store.js';
import type { PaidFor } from '../payments/rules/account-payments.js';

/** The bill of an account that was synced with a balance. */
export interface CurrentBill {
  /** Cents. */
  readonly balance: number;
  readonly dueDate?: string;
  readonly billedAt: number;
  /** The last request lacked balance or due date, so nothing is charged until a later request has both. */
  readonly isWithdrawn: boolean;
  /** What has been paid since then, or null if the account has too many payments to sum. */
  readonly paid: PaidFor | null;
}

/** @param begunId the charge that never arrived, if it is to be repeated */
export async function billOf(tx: StoreTx, accountId: string, begunId?: string): Promise<CurrentBill | null> {
  return billIn(tx, await tx.accounts.get(accountId), begunId);
}

/** Like {@link billOf}, for an account that was read before. */
export async function billIn(
  tx: StoreTx,
  account: Account | null,
  begunId?: string,
): Promise<CurrentBill | null> {
  if (account?.billedAt === undefined) return null;

  const { id, billedAt, fields, bill } = account;
  const { Balance, DueDate: dueDate } = fields;
  const isWithdrawn = Balance === undefined || dueDate === undefined;
  const paid = bill?.isUnsummed === true ? null : await tx.accountPayments.sum(id, begunId);
  return { balance: Balance ?? 0, billedAt, isWithdrawn, paid, ...defined({ dueDate }) };
}
