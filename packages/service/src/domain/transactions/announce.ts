/** Writes a webhook into the outbox, in the transaction of what it tells. */
import type { WebhookData, WebhookEvent, WebhookEventType } from '@embedded-sessions/server-types';
import { iso } from '../day.js';
import type { Occasion } from '../occasion.js';
import { accountReference, sessionDetails } from '../session-details.js';
import type { Session } from '../session.js';
import type { StoreTx } from '../store.js';
import type { Method } from '../wallet.js';

/** What an event is about besides its session. */
export interface About extends Pick<
  WebhookData,
  'Payment' | 'PaymentMethod' | 'Paperless' | 'ScheduledPayment' | 'Notifications'
> {
  readonly accountId?: string;
}

/** Call it after everything else was written: the message tells the session as the transaction leaves it. */
export async function announce(
  tx: StoreTx,
  type: WebhookEventType,
  session: Session,
  { now, newId }: Occasion,
  { accountId, ...changed }: About = {},
): Promise<void> {
  const customer = session.customerId === undefined ? null : await tx.customers.get(session.customerId);
  const account = accountId === undefined ? null : await tx.accounts.get(accountId);
  const event: WebhookEvent = {
    type,
    timestamp: iso(now),
    data: {
      ...sessionDetails(session, await tx.attempts.ofSession(session.id), now),
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
  });
}

/** A saved method as webhooks tell it. */
export function aboutMethod({ id, method, brand, last4 }: Method): About {
  return {
    PaymentMethod: {
      Identifier: id,
      Method: method,
      ...(brand === undefined ? {} : { Brand: brand }),
      Last4: last4,
    },
  };
}
