/**
 * Refunds, lists, cancellations and AutoPay charges. Not part of the contract: only this project's service
 * has them.
 */
import type { Normalized, Payment, PaymentStatus } from './session.js';

/**
 * Body of `POST /integrations/payments/refund`: refunds a succeeded payment, in whole or in part.
 *
 * @example
 * const request: RefundRequest = {
 *   BusinessUnitSlug: 'harborlight-water',
 *   PaymentIdentifier: 'pay_1',
 *   Amount: 2_500, // without it, the remaining balance
 *   Reason: 'Billed twice',
 * };
 */
export interface RefundRequest {
  BusinessUnitSlug: string;
  /** `Id` of the payment, as the query, lists and webhooks return it. */
  PaymentIdentifier: string;
  /** Integer cents, from 1 to the remaining balance of the payment. Default: the remaining balance. */
  Amount?: number | null | undefined;
  /** Your own reason, at most 255 characters. */
  Reason?: string | null | undefined;
}

/** States of a refund. A `pending` refund settles later; a webhook reports the result. */
export type RefundStatus = 'succeeded' | 'failed' | 'pending';

/** A refund and its current state. */
export interface Refund {
  RefundIdentifier: string;
  PaymentIdentifier: string;
  /** Integer cents. */
  Amount: number;
  Status: RefundStatus | (string & {});
  /** Integer cents of the payment that can still be refunded. */
  Refundable: number;
  /** The processor's reason for a failure. */
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
  /** Inclusive start: an ISO 8601 instant, or a day (from midnight UTC). */
  From?: string | null | undefined;
  /** Exclusive end: an ISO 8601 instant, or a day (from midnight UTC). */
  To?: string | null | undefined;
  Status?: PaymentStatus | null | undefined;
  /** The reference of the payment's session or AutoPay charge. */
  ClientReference?: string | null | undefined;
  /** `NextCursor` of the previous page. */
  Cursor?: string | null | undefined;
  /** Payments per page, 1 to {@link MAX_LIST_LIMIT}; default: 100. */
  Limit?: number | null | undefined;
}

/** One page of payments. */
export interface PaymentList {
  Payments: Payment[];
  /** Cursor of the next page; absent on the last page. New payments cause no gaps or duplicates. */
  NextCursor?: string;
}

/**
 * Body of `POST /integrations/embedded/cancel`: permanently closes a payment session that is not paid, or an open or completed
 * session of another flow.
 */
export interface CancelRequest {
  BusinessUnitSlug: string;
  PaymentSessionIdentifier: string;
}

/** Response to canceling a session. Canceling again returns the same response. */
export interface CanceledSession {
  Status: 'Canceled' | (string & {});
}

/**
 * Body of `POST /integrations/autopay/charge`: charges the account's AutoPay method, once per `ClientReference`.
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
  /** Omit it, or send an empty string, if the account has no sub-account number. */
  SubAccountNumber?: string | null | undefined;
  /** Integer cents, at least 1. */
  Amount: number;
  /** Your own reference. Must be unique per business unit, forever, across sessions and charges. */
  ClientReference: string;
  /** For the payer's statement, one line of at most 10,000 characters. The processor receives it like a session's `PaymentDescriptor`. */
  Description?: string | null | undefined;
  /**
   * Schedules the charge for this day, `YYYY-MM-DD`, from today to 60 days ahead in the business unit's time zone.
   * Default: now.
   */
  ChargeOn?: string | null | undefined;
}

/** An AutoPay charge and its current state. Webhooks report later changes, as for any payment. */
export interface AutopayCharge {
  /** `Id` of the payment. */
  PaymentIdentifier: string;
  /** `Scheduled` until the day of `ChargeOn`. */
  Status: PaymentStatus | 'Scheduled' | (string & {});
}

/**
 * Body of `POST /integrations/payments/cancel`: cancels a scheduled payment or AutoPay charge before its day.
 *
 * @example
 * const request: CancelPaymentRequest = { BusinessUnitSlug: 'harborlight-water', PaymentIdentifier: 'pay_1' };
 */
export interface CancelPaymentRequest {
  BusinessUnitSlug: string;
  /** `PaymentIdentifier` of the scheduled charge, or `Identifier` of a payer's `ScheduledPayment` in a webhook. */
  PaymentIdentifier: string;
}

/** Response to canceling a scheduled payment or charge. */
export interface CanceledPayment {
  Status: 'Canceled' | (string & {});
}

/** A call of the back office. */
export type BackOfficeCall = 'refund' | 'list' | 'cancel' | 'charge' | 'cancelPayment';

/** The request body of each call. */
export interface BackOfficeRequests {
  refund: RefundRequest;
  list: ListRequest;
  cancel: CancelRequest;
  charge: AutopayChargeRequest;
  cancelPayment: CancelPaymentRequest;
}

/** The request of each call, {@link Normalized}. */
export type NormalizedBackOfficeRequests = { [C in BackOfficeCall]: Normalized<BackOfficeRequests[C]> };

/** The data that each call returns. */
export interface BackOfficeResponses {
  refund: Refund;
  list: PaymentList;
  cancel: CanceledSession;
  charge: AutopayCharge;
  cancelPayment: CanceledPayment;
}

/** Path of each call, relative to the API base URL. */
export const BACK_OFFICE_ENDPOINTS: Readonly<Record<BackOfficeCall, `/integrations/${string}`>> = {
  refund: '/integrations/payments/refund',
  list: '/integrations/payments/list',
  cancel: '/integrations/embedded/cancel',
  charge: '/integrations/autopay/charge',
  cancelPayment: '/integrations/payments/cancel',
};

/** Payments per page of a list without a `Limit`. */
export const DEFAULT_LIST_LIMIT = 100;

/** Maximum number of payments per page of a list. */
export const MAX_LIST_LIMIT = 500;
