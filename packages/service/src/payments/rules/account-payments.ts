/** What payments pay of an account's bill. */
import type { AccountKey } from '../../accounts/rules/account-sync.js';
import type { Attempt } from './attempt.js';

/**
 * One row per account of an attempt, from its beginning until it fails or a new bill includes it. Everything that begins a
 * payment, or changes a bill or an enrollment, writes the account's row, so that concurrent ones conflict.
 */
export interface AccountPayments {
  /** Records the amount that an attempt pays for an account, once, and locks the account. */
  record(
    accountId: string,
    attempt: Pick<Attempt, 'id' | 'amount' | 'accountId' | 'scheduledId'>,
  ): Promise<unknown>;
  /** The same for those accounts of a payment that exist. */
  recordLines(
    businessUnit: string,
    attemptId: string,
    lines: readonly (AccountKey & Pick<Attempt, 'amount'>)[],
  ): Promise<unknown>;
  /** Locks the accounts of an attempt, as `Accounts.lock` does. */
  lock(attemptId: string): Promise<unknown>;
  /** For an attempt that was canceled, declined or returned. */
  remove(attemptId: string): Promise<unknown>;
  /** Deducts a refund from what its payment paid for an account. */
  refund(
    accountId: string,
    refund: { readonly attemptId: string; readonly amount: number },
  ): Promise<unknown>;
  /**
   * What attempts pay of an account's bill. Null if there are more than 1,000, which are too many to sum.
   *
   * @param except an attempt to leave out
   */
  sum(accountId: string, except?: string): Promise<PaidFor | null>;
  /**
   * Deletes what attempts that were accepted before then, ms since the epoch, paid for an account, because its new bill
   * includes it. An automatic payment pays the bill that it began with, so it is deleted if it began before. Resolves to whether it deleted all: at most 1,000, or some may be left.
   */
  forget(accountId: string, before: number): Promise<boolean>;
  /** Counts an automatic payment that was accepted, in `automaticPayments` of its accounts. */
  countAutomatic(attemptId: string): Promise<unknown>;
  /**
   * Whether an account has had other automatic payments than those `counted`, one may be on its way that began since then,
   * ms since the epoch, or one is due today, `YYYY-MM-DD`. Ignores some for accounts with more payments than can be summed.
   */
  hasAutomatic(
    businessUnit: string,
    account: AccountKey,
    than: { readonly counted: number; readonly begunSince: number; readonly today: string },
  ): Promise<boolean>;
}

/** What attempts paid for one account. */
export interface PaidFor {
  /** Cents that were paid, or will be on a day that the merchant has set, minus the refunds in the ledger. */
  readonly amount: number;
  /** Whether one of them has no outcome yet. */
  readonly unfinished: boolean;
}
