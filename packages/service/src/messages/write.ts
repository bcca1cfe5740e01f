/** Writes messages to payers in the transaction that they report on. */
import {
  receiptNumber,
  type Payment,
  type WebhookData,
  type WebhookEventType,
  type WebhookSubjects,
} from '@embedded-sessions/server-types';
import { accountKey, accountText, fullNumber } from '../accounts/rules/account-sync.js';
import { DAY_MS } from '../core/day.js';
import { defined } from '../core/defined.js';
import { queuedNow } from '../core/queue-rows.js';
import type { StoreTx, TxContext } from '../core/store.js';
import { isDisputed } from '../ledger/rules.js';
import { NOT_SENT, UNENROLLED, wasNeverSent, type Attempt } from '../payments/rules/attempt.js';
import type { Method } from '../wallet/rules.js';
import { paymentIn } from '../sessions/rules/session-details.js';
import type { Session } from '../sessions/rules/session.js';
import { isEnabled, type MessageFacts, type MessageKind } from './rules.js';
import { recipientsOf } from './recipients.js';

/** A message to a customer, before its channels are known. */
export interface Notice {
  readonly kind: MessageKind;
  readonly about: string;
  readonly facts: MessageFacts;
}

/** Notifies the payer of an event that a webhook reports to the merchant, if the payer wants that. */
export async function notifyPayer<T extends WebhookEventType>(
  tx: StoreTx,
  type: T,
  session: Session,
  context: TxContext,
  about: WebhookSubjects[T] & { readonly accountId?: string },
): Promise<void> {
  if (session.customerId === undefined || tx.messages.settingsOf(session.businessUnit) === null) return;

  const notice = noticeOf(type, session, context, about as About);
  if (notice === null) return;
  const { Payment } = about as About;
  const attempt = Payment === undefined ? null : await tx.attempts.get(Payment.Id);
  // The cardholder already has the money back.
  if (notice.kind !== 'refund' && attempt !== null && (await isDisputed(tx.ledger, attempt))) return;
  const { accountId = '' } = about;
  // AutoPay charges the bill that has replaced this one.
  const isReplaced = session.flow === 'autopay' && Payment?.Reason === NOT_SENT.billChanged;
  if (isReplaced && (await tx.autopay.ofAccount(accountId))?.dueDate !== undefined) return;
  const account = accountId === '' ? null : await tx.accounts.get(accountId);
  const facts = {
    ...notice.facts,
    ...(attempt ? paidFacts(session, attempt) : {}),
    ...(account ? { accountNumbers: [fullNumber(account)] } : {}),
  };
  // Until the session ends, the page shows the failure and lets the payer pay again.
  const endsAt = notice.kind === 'payment-failed' && session.flow === 'payment' ? session.expiresAt : 0;
  const to = { ...session, customerId: session.customerId };
  await writeNotice(tx, { ...notice, facts }, to, context, Math.max(context.now, endsAt));
}

/** @param dueAt when to send it, ms since the epoch */
export async function writeNotice(
  tx: StoreTx,
  { kind, about, facts }: Notice,
  to: { readonly customerId: string; readonly businessUnit: string; readonly id: string },
  { now, newId }: TxContext,
  dueAt: number = now,
): Promise<void> {
  const settings = tx.messages.settingsOf(to.businessUnit);
  if (settings === null || !isEnabled(kind, settings)) return;

  // A bank payment's receipt may have been sent when it was accepted, perhaps to an older address.
  if (await tx.messages.exists(about, kind)) return;
  const customer = await tx.customers.get(to.customerId);
  const recipients = await recipientsOf(tx, to.customerId, kind);
  for (const channel of settings.channels) {
    const recipient = recipients[channel];
    if (recipient === undefined) continue;
    const isTooMany = channel === 'sms' && !(await mayText(tx, to, recipient, now));
    await tx.messages.insert({
      id: newId('eml_'),
      businessUnit: to.businessUnit,
      kind,
      channel,
      about,
      recipient,
      customerId: to.customerId,
      sessionId: to.id,
      language: customer?.language ?? settings.language,
      facts,
      ...queuedNow(now),
      dueAt,
      ...(isTooMany ? { status: 'unsent' } : {}),
    });
  }
}

/**
 * Limit of text messages from a business unit in 24 hours, per number and per customer: the operator pays for each, and
 * payers can enter any number.
 */
const MAX_TEXTS_PER_DAY = 20;

async function mayText(
  tx: StoreTx,
  { businessUnit, customerId }: { readonly businessUnit: string; readonly customerId: string },
  phoneNumber: string,
  now: number,
): Promise<boolean> {
  const since = now - DAY_MS;
  const counts = await Promise.all(
    [{ businessUnit, phoneNumber }, { customerId }].map((to) =>
      tx.messages.countTexts(to, since, MAX_TEXTS_PER_DAY),
    ),
  );
  return counts.every((count) => count < MAX_TEXTS_PER_DAY);
}

type About = Partial<Pick<WebhookData, 'Payment' | 'Refund' | 'ScheduledPayment'>>;

/** Returns null for declines that the payer sees on the page while the session lasts. */
function noticeOf(
  type: WebhookEventType,
  { flow, expiresAt }: Session,
  { now }: Pick<TxContext, 'now'>,
  { Payment, Refund, ScheduledPayment }: About,
): Notice | null {
  const isAutopay = flow === 'autopay';
  if (type === 'scheduled_payment.failed' && ScheduledPayment)
    return {
      kind: 'payment-failed',
      about: ScheduledPayment.Identifier,
      facts: { amount: ScheduledPayment.Amount, date: ScheduledPayment.Date },
    };
  if (!Payment) return null;

  if (Payment.Reason === NOT_SENT.billPaid || Payment.Reason === UNENROLLED) return null;
  // A payer who left AutoPay has no method to check.
  if (isAutopay && Payment.Reason === NOT_SENT.autopayEnded) return null;

  const facts = factsOf(Payment);
  if (type === 'refund.succeeded' && Refund)
    return { kind: 'refund', about: Refund.RefundIdentifier, facts: { ...facts, amount: Refund.Amount } };
  const isOver = flow === 'payment' && now >= expiresAt;
  const hasLeft = isAutopay || isOver || Payment.Status === 'returned' || wasNeverSent(Payment.Reason);
  if (type === 'payment.failed' && hasLeft)
    return { kind: isAutopay ? 'autopay-failed' : 'payment-failed', about: Payment.Id, facts };
  if (PAID.has(type)) return { kind: isAutopay ? 'autopay-receipt' : 'receipt', about: Payment.Id, facts };
  return null;
}

const PAID: ReadonlySet<WebhookEventType> = new Set([
  'payment.succeeded',
  'payment.pending',
  'scheduled_payment.executed',
]);

/** The facts of a reminder, with its payment method. Resolves to null if the method is gone. */
export async function reminderFacts(
  tx: StoreTx,
  methodId: string,
  facts: MessageFacts,
): Promise<MessageFacts | null> {
  const method = await tx.methods.get(methodId);
  return method && { ...facts, ...sourceFacts(method) };
}

export function receiptFacts(session: Session, attempt: Attempt): MessageFacts {
  return { ...factsOf(paymentIn(attempt)), ...paidFacts(session, attempt) };
}

function paidFacts(session: Session, { source, charges }: Attempt): MessageFacts {
  const requested = session.flow === 'payment' ? session.request.Charges : [];
  const accounts = charges.flatMap(({ index }) => requested[index]?.ClientAccount ?? []);
  const keys = new Map(accounts.map(accountKey).map((key) => [accountText(key), key]));
  return { ...sourceFacts(source), accountNumbers: [...keys.values()].map(fullNumber) };
}

export function sourceFacts(source: Pick<Method, 'method' | 'brand' | 'last4'>): MessageFacts {
  const { method, last4, brand } = source;
  return defined({ method, last4, brand });
}

function factsOf({ Id, Amount, Status }: Payment): MessageFacts {
  const isPending = Status === 'pending' || undefined;
  // A declined payment never had a receipt. A returned one did, and the number identifies it.
  const number = Status === 'declined' ? undefined : receiptNumber(Id);
  return defined({ amount: Amount, receiptNumber: number, isPending });
}
