/** Zod schemas of back-office requests. {@link objectOf} proves that each one equals its interface. */
import { z } from 'zod';
import {
  MAX_LIST_LIMIT,
  type AutopayChargeRequest,
  type BackOfficeCall,
  type CancelPaymentRequest,
  type CancelRequest,
  type ListRequest,
  type NormalizedBackOfficeRequests,
  type RefundRequest,
} from './back-office.js';
import type { Normalized } from './session.js';
import {
  count,
  day,
  dayOrInstant,
  line,
  objectOf,
  optional,
  positiveCents,
  reference,
  requiredIdentifier,
  requiredText,
  shortText,
  slug,
  subAccountNumber,
} from './values.js';

/** Zod schema of `RefundRequest`. */
export const refundRequestSchema: z.ZodType<Normalized<RefundRequest>> = objectOf(
  'RefundRequest',
  'Without Amount, the remaining balance is refunded.',
)({
  BusinessUnitSlug: slug,
  PaymentIdentifier: requiredText,
  Amount: optional(positiveCents),
  Reason: optional(shortText),
});

/** Zod schema of `ListRequest`. */
export const listRequestSchema: z.ZodType<Normalized<ListRequest>> = objectOf(
  'ListRequest',
  'From is inclusive, To is exclusive. A day begins at midnight UTC.',
)({
  BusinessUnitSlug: slug,
  From: optional(dayOrInstant),
  To: optional(dayOrInstant),
  Status: optional(z.enum(['succeeded', 'declined', 'pending', 'returned', 'scheduled', 'canceled'])),
  ClientReference: optional(reference),
  Cursor: optional(requiredText),
  Limit: optional(count(MAX_LIST_LIMIT)),
});

/** Zod schema of `CancelRequest`. */
export const cancelRequestSchema: z.ZodType<CancelRequest> = objectOf('CancelRequest')({
  BusinessUnitSlug: slug,
  PaymentSessionIdentifier: requiredText,
});

/** Zod schema of `AutopayChargeRequest`. */
export const autopayChargeRequestSchema: z.ZodType<Normalized<AutopayChargeRequest>> = objectOf(
  'AutopayChargeRequest',
  "Charges the account's AutoPay method, once per ClientReference. ChargeOn schedules it.",
)({
  BusinessUnitSlug: slug,
  AccountNumber: requiredIdentifier,
  SubAccountNumber: optional(subAccountNumber),
  Amount: positiveCents,
  ClientReference: reference,
  Description: optional(line),
  ChargeOn: optional(day),
});

/** Zod schema of `CancelPaymentRequest`. */
export const cancelPaymentRequestSchema: z.ZodType<CancelPaymentRequest> = objectOf('CancelPaymentRequest')({
  BusinessUnitSlug: slug,
  PaymentIdentifier: requiredText,
});

/** The request schema of each back-office call. */
export const backOfficeSchemas: {
  readonly [C in BackOfficeCall]: z.ZodType<NormalizedBackOfficeRequests[C]>;
} = {
  refund: refundRequestSchema,
  list: listRequestSchema,
  cancel: cancelRequestSchema,
  charge: autopayChargeRequestSchema,
  cancelPayment: cancelPaymentRequestSchema,
};
