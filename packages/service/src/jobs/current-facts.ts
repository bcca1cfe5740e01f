/** Checks before sending whether a message to a payer is still true: it may have waited for the mail server. */
import { billIn } from '../accounts/current-bill.js';
import type { Account } from '../accounts/rules/account.js';
import { dayIn } from '../core/day.js';
import type { StoreTx } from '../core/store.js';
import { isReminder, type MessageFacts, type MessageKind, type PayerMessage } from '../messages/rules.js';
import { linesOf } from '../ledger/book.js';
import { isConfirmable } from '../payments/rules/attempt.js';
import type { BusinessUnit } from '../platform/config/config.js';
import type { DueContext } from '../autopay/due.js';
import { isChargingBill } from '../autopay/charge.js';
import { reminderNow } from './remind.js';

export async function currentFacts(
  tx: StoreTx,
  message: PayerMessage,
  unit: BusinessUnit,
  { now, env }: DueContext,
): Promise<MessageFacts | null> {
  const { kind, about, facts } = message;
  if (isReminder(kind)) return reminderNow(tx, message, unit, now);

  if (FAILURES.has(kind)) {
    const today = dayIn(now, unit.timeZone);
    // AutoPay reports its own failure.
    const isLeftToAutopay = async (account: Account) =>
      unit.autopay === 'service' && isChargingBill(tx, account, today, env);
    return (await isOwed(tx, message, isLeftToAutopay)) ? facts : null;
  }

  if (kind === 'refund') return (await tx.refunds.get(about))?.status === 'failed' ? null : facts;

  const attempt = await tx.attempts.get(about);
  if (attempt === null) return facts;
  if (!isConfirmable(attempt)) return null;
  if (attempt.refunded === 0) return facts;
  const refunds = await tx.refunds.succeeded(attempt.id);
  return {
    ...facts,
    refunds: refunds.map(({ amount, createdAt }) => ({ amount, date: dayIn(createdAt, unit.timeZone) })),
  };
}

const FAILURES: ReadonlySet<MessageKind> = new Set(['payment-failed', 'autopay-failed']);

/** Whether one of its accounts may still owe the failed amount, so that the message may ask for it. */
async function isOwed(
  tx: StoreTx,
  { about, createdAt }: PayerMessage,
  isLeftToAutopay: (account: Account) => Promise<boolean>,
): Promise<boolean> {
  const schedule = await tx.schedules.get(about);
  if (schedule !== null) {
    const account = await tx.accounts.get(schedule.accountId);
    return mayOwe(tx, account, { ...schedule, failedAt: createdAt }, isLeftToAutopay);
  }
  const attempt = await tx.attempts.get(about);
  if (attempt === null) return true;
  if (attempt.refunded === attempt.amount) return false;

  const session = await tx.sessions.get(attempt.sessionId);
  // The session has another payment that succeeded or may have.
  if (session?.status === 'Processing' || session?.status === 'Succeeded') return false;

  // Not concurrent, because the first account that owes is enough, and each may have many payments.
  for (const { accountNumber, subAccountNumber, amount } of await linesOf(tx, attempt, session)) {
    const account = await tx.accounts.find(attempt.businessUnit, accountNumber, subAccountNumber);
    if (await mayOwe(tx, account, { amount, failedAt: createdAt }, isLeftToAutopay)) return true;
  }
  return false;
}

interface Failed {
  /** Cents. */
  readonly amount: number;
  /** Ms since the epoch. */
  readonly failedAt: number;
}

async function mayOwe(
  tx: StoreTx,
  account: Account | null,
  { amount, failedAt }: Failed,
  isLeftToAutopay: (account: Account) => Promise<boolean>,
): Promise<boolean> {
  const bill = await billIn(tx, account);
  // A request without the balance doesn't change what is owed.
  const balance = account?.bill?.Balance ?? account?.fields.Balance;
  if (bill === null || bill.paid === null || balance === undefined) return true;

  if (account !== null && (await isLeftToAutopay(account))) return false;

  if (balance > bill.paid.amount) return true;

  // The charge may have been for more than the bill, such as a deposit.
  return bill.billedAt <= failedAt && bill.paid.amount < amount;
}
