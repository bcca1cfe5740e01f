/** Writes a webhook to the outbox in the transaction that it reports on. */
import type { WebhookData, WebhookEventType, WebhookSubjects } from '@embedded-sessions/server-types';
import { iso } from '../core/day.js';
import { accountReference, sessionDetails } from '../sessions/rules/session-details.js';
import type { Session } from '../sessions/rules/session.js';
import type { StoreTx, TxContext } from '../core/store.js';
import { notifyPayer } from '../messages/write.js';
import type { Account } from '../accounts/rules/account.js';
import type { Customer } from '../accounts/rules/customer.js';
import type { Attempt } from '../payments/rules/attempt.js';
import type { Method } from '../wallet/rules.js';
import { defined } from '../core/defined.js';
import { queuedNow } from '../core/queue-rows.js';
import { currentContext } from '../platform/context.js';
import { currentTraceparent } from '../platform/tracing.js';

export type About<T extends WebhookEventType> = WebhookSubjects[T] & { readonly accountId?: string };

export interface SessionFacts {
  readonly customer: Customer | null;
  readonly attempts: readonly Attempt[];
  /** The account that the message names, if the caller has read it. */
  readonly account?: Account | null;
}

export async function factsOf(tx: StoreTx, sessionId: string): Promise<SessionFacts> {
  const [customer, attempts] = await Promise.all([
    tx.customers.ofSession(sessionId),
    tx.attempts.ofSession(sessionId),
  ]);
  return { customer, attempts };
}

/** The facts once a payment has changed. */
export function withAttempt({ attempts, ...facts }: SessionFacts, changed: Attempt): SessionFacts {
  return { ...facts, attempts: attempts.map((attempt) => (attempt.id === changed.id ? changed : attempt)) };
}

/** Call it last: the message describes the session's final state. @param known saves a round trip if you have it */
export async function announce<T extends WebhookEventType>(
  tx: StoreTx,
  type: T,
  session: Session,
  { now, newId }: TxContext,
  { accountId, ...changed }: About<T>,
  known?: SessionFacts,
): Promise<void> {
  const [{ customer, attempts }, account] = await Promise.all([
    known ?? factsOf(tx, session.id),
    known?.account ?? (accountId === undefined ? null : tx.accounts.get(accountId)),
  ]);
  const event = {
    type,
    timestamp: iso(now),
    data: {
      ...sessionDetails(session, attempts, now),
      ...(customer ? { Customer: { EmailAddress: customer.emailAddress } } : {}),
      ...(account ? { Account: accountReference(account.accountNumber, account.subAccountNumber) } : {}),
      ...changed,
    },
  } satisfies { type: WebhookEventType; timestamp: string; data: WebhookData };
  const { requestId } = currentContext().log;
  await tx.outbox.insert({
    id: newId('msg_'),
    businessUnit: session.businessUnit,
    type,
    body: JSON.stringify(event),
    ...queuedNow(now),
    sessionId: session.id,
    ...defined({ requestId, traceparent: currentTraceparent() }),
  });
  await notifyPayer(tx, type, session, { now, newId }, { ...changed, ...defined({ accountId }) } as About<T>);
}

export function aboutMethod({ id, method, brand, last4 }: Method): WebhookSubjects['payment_method.added'] {
  return { PaymentMethod: defined({ Identifier: id, Method: method, Brand: brand, Last4: last4 }) };
}
