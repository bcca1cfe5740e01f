/** Writes a webhook into the outbox, in the transaction of what it tells. */
import type { WebhookData, WebhookEvent, WebhookEventType } from '@embedded-sessions/server-types';
import { iso } from '../day.js';
import type { Occasion } from '../occasion.js';
import { accountReference, sessionDetails } from '../session-details.js';
import type { Session } from '../session.js';
import type { StoreTx } from '../store.js';
import type { Method } from '../wallet.js';
import { given } from '../given.js';

type Has<K extends keyof WebhookData> = Required<Pick<WebhookData, K>>;

/** What a webhook of each type tells besides its session, account and customer. */
export interface Subjects {
  'payment.succeeded': Has<'Payment'>;
  'payment.failed': Has<'Payment'>;
  'payment.pending': Has<'Payment'>;
  'refund.succeeded': Has<'Payment' | 'Refund'>;
  'refund.failed': Has<'Payment' | 'Refund'>;
  'session.expired': object;
  'session.canceled': object;
  'autopay.enrolled': Has<'PaymentMethod'>;
  'autopay.unenrolled': Partial<Has<'PaymentMethod'>>;
  'paperless.changed': Has<'Paperless'>;
  'scheduled_payment.created': Has<'ScheduledPayment'>;
  'scheduled_payment.canceled': Has<'ScheduledPayment'>;
  'scheduled_payment.executed': Has<'ScheduledPayment' | 'Payment'>;
  /** Without a payment where none was asked for. */
  'scheduled_payment.failed': Has<'ScheduledPayment'> & Partial<Has<'Payment'>>;
  'payment_method.added': Has<'PaymentMethod'>;
  'payment_method.removed': Has<'PaymentMethod'>;
  'notifications.changed': Has<'Notifications'>;
}

export type About<T extends WebhookEventType> = Subjects[T] & { readonly accountId?: string };

/** Call it after everything else was written: the message tells the session as the transaction leaves it. */
export async function announce<T extends WebhookEventType>(
  tx: StoreTx,
  type: T,
  session: Session,
  { now, newId }: Occasion,
  { accountId, ...changed }: About<T>,
): Promise<void> {
  const [customer, account, attempts] = await Promise.all([
    session.customerId === undefined ? null : tx.customers.get(session.customerId),
    accountId === undefined ? null : tx.accounts.get(accountId),
    tx.attempts.ofSession(session.id),
  ]);
  const event: WebhookEvent = {
    type,
    timestamp: iso(now),
    data: {
      ...sessionDetails(session, attempts, now),
      ...(customer ? { Customer: { EmailAddress: customer.emailAddress } } : {}),
      ...(account ? { Account: accountReference(account.accountNumber, account.subAccountNumber) } : {}),
      ...changed,
    },
  };
  await tx.outbox.insert({
    id: newId('msg_'),
    businessUnit: session.businessUnit,
    type,
    body: JSON.stringify(event),
    status: 'pending',
    attempts: 0,
    createdAt: now,
    dueAt: now,
    leasedUntil: 0,
    sessionId: session.id,
  });
}

/** A saved method as webhooks tell it. */
export function aboutMethod({ id, method, brand, last4 }: Method): Has<'PaymentMethod'> {
  return {
    PaymentMethod: {
      Identifier: id,
      Method: method,
      ...given({ Brand: brand }),
      Last4: last4,
    },
  };
}
