/** What a merchant's back office asks about money, beyond sessions: this project's service alone. */
import type { Payment, PaymentStatus } from './session.js';

/**
 * Body of `POST /integrations/payments/refund`: gives back a payment that has succeeded, whole or in part.
 *
 * @example
 * const request: RefundRequest = {
 *   BusinessUnitSlug: 'harborlight-water',
 *   PaymentIdentifier: 'pay_1',
 *   Amount: 2_500, // without it, all that is left
 *   Reason: 'Billed twice',
 * };
 */
export interface RefundRequest {
  BusinessUnitSlug: string;
  /** `Id` of the payment, as query, list and webhooks tell it. */
  PaymentIdentifier: string;
  /** Integer cents, at least 1 and at most what is left of the payment; left out: all that is left. */
  Amount?: number | undefined;
  /** Why, in the merchant's own words; at most 255 characters. */
  Reason?: string | undefined;
}

/** States of a refund; `pending` is settled later and told by webhook. */
export type RefundStatus = 'succeeded' | 'failed' | 'pending';

/** A refund as it stands. */
export interface Refund {
  RefundIdentifier: string;
  PaymentIdentifier: string;
  /** Integer cents. */
  Amount: number;
  Status: RefundStatus | (string & {});
  /** Integer cents that can still be given back of the payment. */
  Refundable: number;
  /** Why it failed, in the processor's word. */
  Reason?: string;
}

/**
 * Body of `POST /integrations/payments/list`: one page of a business unit's payments, oldest first.
 *
 * @example
 * const request: ListRequest = { BusinessUnitSlug: 'harborlight-water', From: '2026-11-01', To: '2026-12-01' };
 */
export interface ListRequest {
  BusinessUnitSlug: string;
  /** Created at or after: ISO 8601, an instant, or a day, which begins at midnight UTC. */
  From?: string | undefined;
  /** Created before: ISO 8601, an instant, or a day, which begins at midnight UTC. */
  To?: string | undefined;
  Status?: PaymentStatus | undefined;
  /** That of the payment's session, or of the AutoPay charge. */
  ClientReference?: string | undefined;
  /** `NextCursor` of the page before. */
  Cursor?: string | undefined;
  /** Most payments of one page, 1 to {@link MAX_LIST_LIMIT}; 100. */
  Limit?: number | undefined;
}

/** One page of payments. */
export interface PaymentList {
  Payments: Payment[];
  /** For the next page; absent on the last. Payments that arrive meanwhile are neither skipped nor told twice. */
  NextCursor?: string;
}

/** Body of `POST /integrations/embedded/cancel`: an open session is closed for good, its link too. */
export interface CancelRequest {
  BusinessUnitSlug: string;
  PaymentSessionIdentifier: string;
}

/** Answer to a cancel; canceling once more answers the same. */
export interface CanceledSession {
  Status: 'Canceled' | (string & {});
}

/**
 * Body of `POST /integrations/autopay/charge`: charges the method that the account is enrolled with, once per
 * `ClientReference`.
 *
 * @example
 * const request: AutopayChargeRequest = {
 *   BusinessUnitSlug: 'harborlight-water',
 *   AccountNumber: '1001',
 *   Amount: 7_630,
 *   ClientReference: 'bill-2026-11-1001',
 * };
 */
export interface AutopayChargeRequest {
  BusinessUnitSlug: string;
  AccountNumber: string;
  /** Left out, or empty, where the account has none. */
  SubAccountNumber?: string | undefined;
  /** Integer cents, at least 1. */
  Amount: number;
  /** The caller's reference: unique per business unit, for ever, over sessions and charges. */
  ClientReference: string;
  /** For the payer's statement: the processor is told it, as it is told a session's `PaymentDescriptor`. */
  Description?: string | undefined;
}

/** An AutoPay charge as it stands; what becomes of it later is told by webhook, as for any payment. */
export interface AutopayCharge {
  /** `Id` of the payment. */
  PaymentIdentifier: string;
  Status: PaymentStatus | (string & {});
}

/** A call of the back office, named as the client's methods are. */
export type BackOfficeCall = 'refund' | 'list' | 'cancel' | 'charge';

/** The body that each call takes. */
export interface BackOfficeRequests {
  refund: RefundRequest;
  list: ListRequest;
  cancel: CancelRequest;
  charge: AutopayChargeRequest;
}

/** The data that each call answers with. */
export interface BackOfficeAnswers {
  refund: Refund;
  list: PaymentList;
  cancel: CanceledSession;
  charge: AutopayCharge;
}
