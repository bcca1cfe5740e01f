/** E-mails a payment's receipt to an address that the payer typed. */
import { queuedNow } from '../core/queue-rows.js';
import { ok, refused, type Result } from '../core/result.js';
import type { StoreTx } from '../core/store.js';
import { isConfirmable, showsReceipt } from '../payments/rules/attempt.js';
import type { Buckets } from '../platform/http/buckets.js';
import type { PaymentSession } from '../sessions/rules/session.js';
import type { Language } from '../shared/languages.js';
import { deliveredTo, mailboxOf } from './recipients.js';
import { receiptFacts } from './write.js';

/** Receipts per payment that a page may request. More would let payers send mail to strangers. */
const MAX_RECEIPTS = 3;

/** Whether a payer without a customer record can have the receipt e-mailed. */
export function emailsReceipts(tx: StoreTx, { businessUnit, customerId }: PaymentSession): boolean {
  const settings = customerId === undefined ? tx.messages.settingsOf(businessUnit) : null;
  return settings?.receipts === true && settings.channels.includes('email');
}

interface Recipient {
  readonly session: PaymentSession;
  readonly emailAddress: string;
  readonly language: Language;
}

/**
 * Idempotent, but sends again if the earlier receipt to that address failed.
 * @param requestId the page's id of the attempt
 */
export async function emailReceipt(
  tx: StoreTx,
  requestId: string,
  { session, emailAddress, language }: Recipient,
  limits: Buckets,
  now: number,
): Promise<Result<null>> {
  const { id: sessionId, businessUnit } = session;
  const attempt = await tx.attempts.find(sessionId, requestId);
  const hasReceipt = attempt !== null && isConfirmable(attempt) && showsReceipt(attempt, now);
  if (!hasReceipt || !emailsReceipts(tx, session))
    return refused('not_found', 'There is no receipt to send.');

  const receipts = await tx.messages.ofSubject(attempt.id, 'receipt');
  const address = deliveredTo(emailAddress);
  const toAddress = receipts.filter(({ recipient }) => deliveredTo(recipient) === address);
  if (toAddress.some(({ status }) => status === 'pending' || status === 'sent')) return ok(null);
  // A mail server may refuse one spelling only.
  const earlier = toAddress.find(({ recipient }) => recipient === emailAddress);

  const count = await tx.messages.countAbout(attempt.id);
  if (!earlier && count >= MAX_RECEIPTS)
    return refused('conflict', 'This receipt was already sent several times.');
  // Counted only if it is sent, because strangers could otherwise block receipts to an address.
  if (limits.take(`${businessUnit} ${mailboxOf(emailAddress)}`) > 0)
    return refused('conflict', 'Too many receipts were sent to this address today.');

  if (earlier) await tx.messages.updateLeased({ ...earlier, ...queuedNow(now) }, earlier.leasedUntil);
  else
    await tx.messages.insert({
      // Concurrent requests compete for this id, so they can't exceed the limit.
      id: `eml_${attempt.id.replace(/^\w+?_/, '')}_${count}`,
      businessUnit,
      kind: 'receipt',
      channel: 'email',
      about: attempt.id,
      recipient: emailAddress,
      sessionId,
      language,
      facts: receiptFacts(session, attempt),
      ...queuedNow(now),
    });
  return ok(null);
}
