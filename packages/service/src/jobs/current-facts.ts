/** Checks before sending whether a message to a payer is still true: it may have waited for the mail server. */
import { billOf } from '../accounts/current-bill.js';
import type { StoreTx } from '../core/store.js';
import { isReceipt, isReminder, type MessageFacts, type PayerMessage } from '../messages/rules.js';
import { isConfirmable, type Attempt } from '../payments/rules/attempt.js';
import type { BusinessUnit } from '../platform/config/config.js';
import { reminderNow } from './remind.js';

/** The facts of a message as they are now, or null if it is no longer true. */
export async function currentFacts(
  tx: StoreTx,
  message: PayerMessage,
  unit: BusinessUnit,
  now: number,
): Promise<MessageFacts | null> {
  const { kind, about, facts } = message;
  if (isReminder(kind)) return reminderNow(tx, message, unit, now);

  const attempt = await tx.attempts.get(about);
  if (attempt === null) return facts;
  const isTrue = isReceipt(kind) ? isConfirmable(attempt) : await isOwed(tx, attempt);
  return isTrue ? facts : null;
}

/** Whether a payment that failed may still be owed, so that the message may ask for it. */
async function isOwed(tx: StoreTx, { accountId, amount, refunded }: Attempt): Promise<boolean> {
  if (refunded === amount) return false;

  const bill = accountId === undefined ? null : await billOf(tx, accountId);
  if (bill === null || bill.isWithdrawn || bill.paid === null) return true;
  return bill.balance > bill.paid.amount;
}
