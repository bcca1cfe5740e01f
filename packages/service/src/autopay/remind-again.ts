/**
 * Reminds payers of AutoPay charges that a sync increases or makes due soon. The daily job does the
 * rest.
 */
import { billIn } from '../accounts/current-bill.js';
import type { Account } from '../accounts/rules/account.js';
import { addDays, dayIn, hourIn } from '../core/day.js';
import type { StoreTx, TxContext } from '../core/store.js';
import { reminderFacts, writeNotice } from '../messages/write.js';
import { FIRST_HOUR } from '../messages/rules.js';
import type { BusinessUnit } from '../platform/config/config.js';
import { fullNumber } from '../accounts/rules/account-sync.js';
import { remindedCharge, type AutopayUnit } from './due.js';

/** Days between a reminder and its charge. Regulation E requires ten if amounts vary. */
export const REMINDER_DAYS = 10;

/**
 * Writes a reminder if the charge of a new bill exceeds the announced amount, or if it is due soon and today's reminders
 * have been written. Call it after the sync.
 */
export async function remindAgain(
  tx: StoreTx,
  { found, synced }: { readonly found: Account | null; readonly synced: Account },
  unit: AutopayUnit & Pick<BusinessUnit, 'slug'>,
  context: TxContext,
): Promise<void> {
  if (found === null || tx.messages.settingsOf(unit.slug)?.reminders !== true) return;
  const { id: accountId, fields, billedAt } = synced;
  const { Balance, DueDate } = fields;
  const isSame = DueDate === found.fields.DueDate && Balance === found.fields.Balance;
  // Without both, the bill is withdrawn.
  if (Balance === undefined || DueDate === undefined || (isSame && billedAt === found.billedAt)) return;

  const { now } = context;
  const enrollment = await tx.autopay.ofAccount(accountId);
  const today = dayIn(now, unit.timeZone);
  if (enrollment?.dueDate === undefined || enrollment.dueDate <= today) return;

  const { customerId, sessionId, methodId } = enrollment;
  // As the daily job names it.
  const about = `${accountId} ${enrollment.dueDate} ${customerId}`;
  const hour = hourIn(now, unit.timeZone);
  const reminders = await tx.messages.ofSubject(about, 'autopay-reminder');
  const isMissed = enrollment.dueDate <= addDays(today, REMINDER_DAYS) && hour >= FIRST_HOUR;
  if (reminders.length === 0 && !isMissed) return;

  // A pending one will name the amount at the time of sending.
  const systemNow = Date.now();
  if (reminders.some(({ status, leasedUntil }) => status === 'pending' && leasedUntil <= systemNow)) return;

  // Last, because it sums the account's payments.
  const next = await remindedCharge(tx, enrollment, await billIn(tx, synced), unit, now);
  if (!next || reminders.some(({ facts }) => (facts.amount ?? 0) >= next.amount)) return;

  const { amount, date } = next;
  const facts = await reminderFacts(tx, methodId, { amount, date, accountNumbers: [fullNumber(found)] });
  if (facts === null) return;

  await tx.messages.supersede(about, 'autopay-reminder');
  // Earlier, it would disturb the payer, and today's reminders are still to be written.
  if (hour < FIRST_HOUR) return;

  const to = { customerId, businessUnit: unit.slug, id: sessionId };
  await writeNotice(tx, { kind: 'autopay-reminder', about, facts }, to, context);
}
