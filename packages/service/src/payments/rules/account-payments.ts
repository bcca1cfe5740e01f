/** How much of an account's bill has been paid. */
import type { AccountKey } from '../../accounts/rules/account-sync.js';
import type { Problem } from '../../core/result.js';
import type { Attempt } from './attempt.js';

/**
 * One row per account of an attempt, from its start until it fails or a new bill includes it. Everything that begins a
 * payment, or changes a bill or an enrollment, writes the account's row, so that concurrent changes conflict.
 */
export interface AccountPayments {
  /** Records the amount that an attempt pays for an account, once, and locks the account. */
  record(
    accountId: string,
    attempt: Pick<Attempt, 'id' | 'amount' | 'accountId' | 'scheduledId' | 'status'>,
  ): Promise<unknown>;
  /** Like `record`, for the accounts of a payment's charges, if they exist. */
  recordLines(
    businessUnit: string,
    attemptId: string,
    lines: readonly (AccountKey & Pick<Attempt, 'amount'>)[],
  ): Promise<unknown>;
  /** Locks the accounts of an attempt, as `Accounts.lock` does. */
  lock(attemptId: string): Promise<unknown>;
  /** Call it for an attempt that was canceled, declined, returned by a bank or refunded in full. */
  remove(attemptId: string): Promise<unknown>;
  /**
   * Sums what attempts pay of an account's bill. Null if there are more than 200, too many to sum.
   *
   * @param except an attempt to leave out
   */
  sum(accountId: string, except?: string): Promise<PaidFor | null>;
  /**
   * Deletes what the balance of an account's new bill already includes: attempts accepted before `before`, ms since the
   * epoch, and automatic payments begun before it, because they pay the bill that they began with. Resolves to false if
   * there are more than 1,000 and some may be left.
   */
  forget(accountId: string, before: number): Promise<boolean>;
  /**
   * What happened to an attempt's accounts after it began. `paid`: other payments covered its whole amount. `changed`:
   * there was another payment or a new bill. `unfinished`: another payment has no outcome yet.
   */
  overtaken(
    attempt: Pick<Attempt, 'id' | 'amount' | 'createdAt'>,
  ): Promise<'paid' | 'changed' | 'unfinished' | null>;
  /**
   * Lets `hasAutomatic` find an attempt that may be in flight: a scheduled charge that begins, or a payer's payment whose
   * processor hasn't answered. Locks its accounts.
   */
  markInFlight(attemptId: string): Promise<unknown>;
  /** Counts an automatic payment that was accepted, in `automaticPayments` of its accounts. */
  countAutomatic(attemptId: string): Promise<unknown>;
  /**
   * Whether an account has automatic payments beyond the `counted` ones: accepted, possibly in flight, or due `today`,
   * `YYYY-MM-DD`. May overlook some if the account has more payments than can be summed.
   */
  hasAutomatic(
    businessUnit: string,
    account: AccountKey,
    than: { readonly counted: number; readonly today: string },
  ): Promise<boolean>;
}

/** What attempts paid for one account. */
export interface PaidFor {
  /** Cents that were paid, or will be on a day that the merchant has set. Refunds of a part are not deducted. */
  readonly amount: number;
  /** Whether one of them has no outcome yet. */
  readonly unfinished: boolean;
}

/** Why a payer must not pay an account now: another payment may be paying it. */
export const PAID_AUTOMATICALLY: Pick<Problem, 'message' | 'reason'> = {
  message: 'Another payment for this account is being processed, or has just gone through.',
  reason: 'paid_automatically',
};
