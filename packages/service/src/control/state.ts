/** `GET /state` of the control API: a business unit's stored data, for tests to check. */
import type { Deps } from '../deps.js';
import { unitOf } from '../platform/config/config.js';
import type { AttemptStatus } from '../payments/rules/attempt.js';
import type { Authorization } from '../payments/rules/authorization.js';
import { iso } from '../core/day.js';
import { defined } from '../core/defined.js';
import { languageOf, renderMessage, unsubscribeUrl, type MessageUnit } from '../messages/render.js';
import type { PayerMessage } from '../messages/rules.js';
import type { RefundStatus } from '../refunds/rules.js';
import { statusAt } from '../sessions/rules/session.js';
import type { StoreTx } from '../core/store.js';

/** Missing and removed fields are absent. Amounts are cents, dates ISO 8601. */
export interface ControlState {
  accounts: Record<string, unknown>[];
  customers: { EmailAddress: string; FirstName?: string; LastName?: string }[];
  sessions: { id: string; flow: string; status: string }[];
  payments: {
    sessionId: string;
    amount: number;
    method: string;
    status: Exclude<AttemptStatus, 'processing'>;
    last4: string;
    reason?: string;
    reference?: string;
    refunded?: number;
  }[];
  /** Authorizations of bank payments, if any. Times are ISO 8601. */
  authorizations?: { text: string; agreedAt: string; revokedAt?: string }[];
  refunds: { paymentId: string; amount: number; status: Exclude<RefundStatus, 'processing'> }[];
  paymentMethods: { id: string; EmailAddress: string; method: string; last4: string }[];
  autopay: Enrollment[];
  paperless: Enrollment[];
  scheduledPayments: { id: string; AccountNumber: string; amount: number; date: string; status: string }[];
  notifications: Record<string, unknown>[];
  messages?: {
    kind: string;
    channel: string;
    to: string;
    language: string;
    subject: string;
    text: string;
    status: string;
  }[];
  webhooks: { type: string; status: string; attempts: number }[];
}

interface Enrollment {
  AccountNumber: string;
  SubAccountNumber: string;
  EmailAddress: string;
}

/** @param now ms since the epoch; sessions past their lifetime are `Expired` */
export async function stateOf(
  tx: StoreTx,
  businessUnit: string,
  now: number,
  { config, publicUrl }: Pick<Deps, 'config' | 'publicUrl'>,
): Promise<ControlState> {
  const unit = unitOf(config, businessUnit);
  const messages = unit
    ? (await tx.messages.list(businessUnit)).map((message) => messageState(message, unit, publicUrl))
    : [];
  const accounts = await tx.accounts.list(businessUnit);
  const customers = await tx.customers.list(businessUnit);
  const emails = new Map(customers.map(({ id, emailAddress }) => [id, emailAddress]));
  const numbers = new Map(accounts.map((account) => [account.id, account]));
  const emailOf = (customerId: string): string => emails.get(customerId) ?? '';
  const enrollmentOf = (enrolled: { accountId: string; customerId: string }): Enrollment => ({
    AccountNumber: numbers.get(enrolled.accountId)?.accountNumber ?? '',
    SubAccountNumber: numbers.get(enrolled.accountId)?.subAccountNumber ?? '',
    EmailAddress: emailOf(enrolled.customerId),
  });
  const authorizations = await tx.authorizations.list(businessUnit);
  const associated = await Promise.all(accounts.map(({ id }) => tx.customers.ofAccount(id)));
  return {
    accounts: accounts.map(({ accountNumber, subAccountNumber, fields }, place) => ({
      AccountNumber: accountNumber,
      SubAccountNumber: subAccountNumber,
      ...fields,
      customers: (associated[place] ?? []).map(({ emailAddress }) => emailAddress),
    })),
    customers: customers.map(({ emailAddress, firstName, lastName }) => ({
      EmailAddress: emailAddress,
      ...defined({ FirstName: firstName, LastName: lastName }),
    })),
    sessions: (await tx.sessions.list(businessUnit)).map((session) => ({
      id: session.id,
      flow: session.flow,
      status: statusAt(session, now),
    })),
    payments: (await tx.attempts.list(businessUnit)).map((attempt) => ({
      sessionId: attempt.sessionId,
      amount: attempt.amount,
      method: attempt.source.method,
      status: attempt.status === 'processing' ? 'pending' : attempt.status,
      last4: attempt.source.last4,
      ...defined({
        refunded: attempt.refunded || undefined,
        reason: attempt.reason,
        reference: attempt.reference,
      }),
    })),
    ...(authorizations.length === 0 ? {} : { authorizations: authorizations.map(authorizationState) }),
    refunds: (await tx.refunds.list(businessUnit)).map(({ attemptId, amount, status }) => ({
      paymentId: attemptId,
      amount,
      status: status === 'processing' ? 'pending' : status,
    })),
    paymentMethods: (await tx.methods.list(businessUnit)).map(({ id, customerId, method, last4 }) => ({
      id,
      EmailAddress: emailOf(customerId),
      method,
      last4,
    })),
    autopay: (await tx.autopay.list(businessUnit)).map(enrollmentOf),
    paperless: (await tx.paperless.list(businessUnit)).map(enrollmentOf),
    scheduledPayments: (await tx.schedules.list(businessUnit)).map(
      ({ id, accountId, amount, date, status }) => ({
        id,
        AccountNumber: numbers.get(accountId)?.accountNumber ?? '',
        amount,
        date,
        status,
      }),
    ),
    notifications: (await tx.notifications.list(businessUnit)).map(({ customerId, preferences }) => ({
      EmailAddress: emailOf(customerId),
      ...preferences,
    })),
    ...(messages.length === 0 ? {} : { messages }),
    webhooks: (await tx.outbox.list(businessUnit)).map(({ type, status, attempts }) => ({
      type,
      status,
      attempts,
    })),
  };
}

function messageState(message: PayerMessage, unit: MessageUnit, publicUrl: string) {
  const { kind, channel, recipient, status } = message;
  const { subject, text, sms } = renderMessage(message, unit, unsubscribeUrl(publicUrl, message));
  const language = languageOf(message, unit);
  return { kind, channel, to: recipient, language, subject, text: channel === 'sms' ? sms : text, status };
}

function authorizationState({ text, agreedAt, revokedAt }: Authorization) {
  return defined({
    text,
    agreedAt: iso(agreedAt),
    revokedAt: revokedAt === undefined ? undefined : iso(revokedAt),
  });
}
