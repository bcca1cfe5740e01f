/** Writes ledger entries in the transaction that records the processor's response. */
import type { StoreTx } from '../core/store.js';
import {
  accountsOfCharges,
  accountText,
  byAccount,
  type AccountKey,
} from '../accounts/rules/account-sync.js';
import type { Account, AccountFields } from '../accounts/rules/account.js';
import { BILLED_BY_OLDER, billedByOlder, mayPayOlder } from '../accounts/rules/bill.js';
import { isAccepted, type Attempt } from '../payments/rules/attempt.js';
import type { Refund } from '../refunds/rules.js';
import type { Session } from '../sessions/rules/session.js';
import {
  failureEntries,
  linesOfCharges,
  paymentEntries,
  refundEntries,
  returnEntries,
  type AccountLine,
  type LedgerEntry,
} from './rules.js';

export interface Booking {
  readonly date: string;
  /** Whether the payment had succeeded before it was returned. */
  readonly hadSucceeded: boolean;
  /** The account of an AutoPay charge, if the caller has read it. */
  readonly account?: Account | null;
  /** The processor's id in the result; a return's may differ from the payment's. */
  readonly reference?: string;
}

/** An attempt and its new ledger entries. Write both in one transaction. */
export interface BookedPayment {
  readonly attempt: Attempt;
  readonly entries: readonly LedgerEntry[];
}

/** The entries for an attempt's new status. If release 0.3 began the attempt, also records what it pays for accounts. */
export async function bookPayment(
  tx: StoreTx,
  begun: Attempt,
  session: Session | null,
  { date, hadSucceeded, account, reference = begun.reference }: Booking,
): Promise<BookedPayment> {
  const { status } = begun;
  if (begun.booked === undefined && status !== 'declined' && status !== 'returned')
    await recordAccountPayments(tx, begun, session);

  const attempt = { ...begun, booked: begun.booked ?? 'nothing' };
  if (status !== 'succeeded' && status !== 'returned') return { attempt, entries: [] };

  const booked = { ...attempt, booked: status };
  const returning = { id: attempt.id, reference };
  if (attempt.booked === 'succeeded')
    return {
      attempt: booked,
      entries: returnEntries(returning, await tx.ledger.ofMovement(attempt.id, attempt.id), date),
    };
  if (status === 'returned' && !hadSucceeded) return { attempt: booked, entries: [] };

  const paid = paymentEntries(attempt, await linesOf(tx, attempt, session, account), date);
  const returned = status === 'returned' ? returnEntries(returning, paid, date) : [];
  return { attempt: booked, entries: [...paid, ...returned] };
}

export async function recordPayment(tx: StoreTx, { attempt, entries }: BookedPayment): Promise<void> {
  // Concurrent, because each round trip to the database delays the payer.
  await Promise.all([tx.attempts.update(attempt), tx.ledger.insert(entries)]);
}

/** Books a successful refund if its payment is booked. Write the returned refund, which has `booked` set. */
export async function bookRefund(tx: StoreTx, refund: Refund, date: string): Promise<Refund> {
  if (refund.status !== 'succeeded') return refund;

  const left = await tx.ledger.sharesLeft(refund.attemptId);
  if (left.length === 0) return refund;

  const entries = refundEntries(refund, left, date);
  await tx.ledger.insert(entries);
  // Only the merchant knows whether a refunded part is owed again.
  const isLast = refund.amount === left.reduce((sum, { amount }) => sum + amount, 0);
  if (isLast) await tx.accountPayments.remove(refund.attemptId);
  return { ...refund, booked: 'succeeded' };
}

/**
 * Books back a refund that failed after it had succeeded. If nothing was left of the payment, it counts for its
 * accounts again.
 */
export async function bookFailure(
  tx: StoreTx,
  refund: Pick<Refund, 'id' | 'reference'>,
  {
    payment,
    session,
    date,
  }: { readonly payment: Attempt; readonly session: Session | null; readonly date: string },
): Promise<void> {
  const shares = await tx.ledger.sharesLeft(payment.id);
  await tx.ledger.insert(failureEntries(refund, await tx.ledger.ofMovement(payment.id, refund.id), date));
  if (shares.some(({ amount }) => amount > 0) || !isAccepted(payment.status)) return;

  await recordAccountPayments(tx, payment, session);
  // Sessions that were created while the bill was open again must not pay it.
  await tx.accountPayments.countAutomatic(payment.id);
}

/** Omits payments reported before an account's bill was synced, because its balance already excludes them. */
async function recordAccountPayments(tx: StoreTx, attempt: Attempt, session: Session | null): Promise<void> {
  const { businessUnit, answeredAt } = attempt;
  for (const line of (await linesOf(tx, attempt, session)).toSorted(byAccount)) {
    const { accountNumber, subAccountNumber, amount } = line;
    if (accountNumber === '') continue;
    const account = await tx.accounts.find(businessUnit, accountNumber, subAccountNumber);
    if (account === null) continue;
    if (answeredAt === undefined || isOfBill(account, answeredAt, syncedBy(session, line)))
      await tx.accountPayments.record(account.id, { ...attempt, amount });
  }
}

/** @param synced the account's fields as the payment's own session synced them */
function isOfBill({ billedAt, fields }: Account, answeredAt: number, synced: AccountFields): boolean {
  const begunAt = billedAt ?? billedByOlder(fields);
  if (begunAt !== BILLED_BY_OLDER) return begunAt !== undefined && begunAt <= answeredAt;

  const { Balance = fields.Balance, DueDate = fields.DueDate } = synced;
  const isSame = Balance === fields.Balance && DueDate === fields.DueDate;
  const isKnown = synced.Balance !== undefined && synced.DueDate !== undefined;
  return isSame && (isKnown || mayPayOlder(fields, answeredAt));
}

function syncedBy(session: Session | null, account: AccountKey): AccountFields {
  if (session?.flow !== 'payment') return {};
  const synced = accountsOfCharges(session.request.Charges);
  return synced.find(({ key }) => accountText(key) === accountText(account))?.fields ?? {};
}

/** The amounts that an attempt pays, or would have paid, by account. */
export async function linesOf(
  tx: StoreTx,
  attempt: Attempt,
  session: Session | null,
  known: Account | null = null,
): Promise<AccountLine[]> {
  if (session?.flow === 'payment') return linesOfCharges(attempt.charges, session.request.Charges);

  // An operator may have archived the session.
  const source = session ?? (await tx.schedules.get(attempt.scheduledId ?? ''));
  const accountId = attempt.accountId ?? (source && 'accountId' in source ? source.accountId : undefined);
  const account = known ?? (accountId === undefined ? null : await tx.accounts.get(accountId));
  return [
    {
      accountNumber: account?.accountNumber ?? '',
      subAccountNumber: account?.subAccountNumber ?? '',
      description: attempt.scheduledId === undefined ? 'AutoPay' : 'Scheduled payment',
      amount: attempt.amount,
    },
  ];
}
