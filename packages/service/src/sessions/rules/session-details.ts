/** Session details for the query and webhooks, without link, secret and card data. */
import type { Payment, PaymentFields, SessionDetails, SessionPayment } from '@embedded-sessions/server-types';
import type { Attempt } from '../../payments/rules/attempt.js';
import { iso } from '../../core/day.js';
import { statusAt, type Session } from './session.js';
import { defined } from '../../core/defined.js';

/** @param attempts of this session, oldest first */
export function sessionDetails(session: Session, attempts: readonly Attempt[], now: number): SessionDetails {
  const request = session.flow === 'payment' ? session.request : undefined;
  const by = (wanted: Attempt['status']) => attempts.findLast(({ status }) => status === wanted);
  // After a return, the merchant must know which bills are unpaid again.
  const accepted = by('succeeded') ?? by('pending') ?? by('returned');
  // Parsed JSON contains no `undefined`.
  const fields = { ...request?.PaymentFields, ...accepted?.fields } as PaymentFields;
  return defined({
    PaymentSessionIdentifier: session.id,
    Flow: session.flow,
    Status: statusAt(session, now),
    ClientReference: request?.ClientReference,
    CustomMeta: request?.CustomMeta,
    PaymentFields: Object.keys(fields).length > 0 ? fields : undefined,
    Charges: (request?.Charges ?? []).map(({ Amount, ClientAccount: account, ...about }, index) => {
      const paidAmount = accepted?.charges.find((chosen) => chosen.index === index)?.amount ?? 0;
      return defined({
        Amount,
        PaidAmount: accepted ? paidAmount : undefined,
        ...about,
        ClientAccount: account && accountReference(account.AccountNumber, account.SubAccountNumber),
      });
    }),
    Payments: attempts.map(paymentDetails),
    CreatedAt: iso(session.createdAt),
    ExpiresAt: iso(session.expiresAt),
  });
}

/** a payment as in the query, webhooks and lists. */
export function paymentDetails(attempt: Attempt): SessionPayment {
  const { id, amount, refunded, source, status, reason, reference, createdAt } = attempt;
  return defined({
    Id: id,
    Amount: amount,
    Refunded: refunded,
    Method: source.method,
    Status: status === 'processing' ? 'pending' : status,
    Last4: source.last4,
    Reason: reason,
    Reference: reference,
    CreatedAt: iso(createdAt),
  });
}

export function paymentIn(attempt: Attempt): Payment {
  const { sessionId, clientReference } = attempt;
  return defined({
    PaymentSessionIdentifier: sessionId,
    ...paymentDetails(attempt),
    ClientReference: clientReference,
  });
}

/** An account as in the API, which omits empty sub-account numbers. */
export function accountReference(
  accountNumber: string,
  subAccountNumber: string | undefined,
): { AccountNumber: string; SubAccountNumber?: string } {
  return defined({ AccountNumber: accountNumber, SubAccountNumber: subAccountNumber || undefined });
}
