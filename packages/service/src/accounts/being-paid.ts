/** Keeps a payer from paying what another payment may be paying. */
import type { Account } from './rules/account.js';
import type { Problem } from '../core/result.js';
import type { StoreTx } from '../core/store.js';

export const PAID_AUTOMATICALLY: Pick<Problem, 'message' | 'reason'> = {
  message: 'Another payment of this account is being processed, or has just gone through.',
  reason: 'paid_automatically',
};

/** Whether a payment of the account without an answer may be on its way, or a scheduled one is due `today`. */
export function isBeingPaid(tx: StoreTx, account: Account, today: string): Promise<boolean> {
  const { businessUnit, automaticPayments: counted = 0 } = account;
  return tx.accountPayments.hasAutomatic(businessUnit, account, { counted, today });
}
