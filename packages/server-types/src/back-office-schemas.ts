/** Zod schemas of back-office requests. {@link exactly} proves that each one equals its interface. */
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
  component,
  count,
  day,
  dayOrInstant,
  exactly,
  identifier,
  line,
  optional,
  positiveCents,
  reference,
  requiredIdentifier,
  requiredText,
  shortText,
  slug,
} from './values.js';

/** Zod schema of `RefundRequest`. */
export const refundRequestSchema: z.ZodType<Normalized<RefundRequest>> = component(
  exactly<Normalized<RefundRequest>>()(
    z.object({
      BusinessUnitSlug: slug,
      PaymentIdentifier: requiredText,
      Amount: optional(positiveCents),
      Reason: optional(shortText),
    }),
  ),
  'RefundRequest',
  { description: 'Without Amount, the remaining balance is refunded.' },
);

/** Zod schema of `ListRequest`. */
export const listRequestSchema: z.ZodType<Normalized<ListRequest>> = component(
  exactly<Normalized<ListRequest>>()(
    z.object({
      BusinessUnitSlug: slug,
      From: optional(dayOrInstant),
      To: optional(dayOrInstant),
      Status: optional(z.enum(['succeeded', 'declined', 'pending', 'returned', 'scheduled', 'canceled'])),
      ClientReference: optional(reference),
      Cursor: optional(requiredText),
      Limit: optional(count(MAX_LIST_LIMIT)),
    }),
  ),
  'ListRequest',
  { description: 'From is inclusive, To is exclusive. A day begins at midnight UTC.' },
);

/** Zod schema of `CancelRequest`. */
export const cancelRequestSchema: z.ZodType<CancelRequest> = component(
  exactly<CancelRequest>()(z.object({ BusinessUnitSlug: slug, PaymentSessionIdentifier: requiredText })),
  'CancelRequest',
);

/** Zod schema of `AutopayChargeRequest`. */
export const autopayChargeRequestSchema: z.ZodType<Normalized<AutopayChargeRequest>> = component(
  exactly<Normalized<AutopayChargeRequest>>()(
    z.object({
      BusinessUnitSlug: slug,
      AccountNumber: requiredIdentifier,
      SubAccountNumber: optional(identifier),
      Amount: positiveCents,
      ClientReference: reference,
      Description: optional(line),
      ChargeOn: optional(day),
    }),
  ),
  'AutopayChargeRequest',
  { description: "Charges the account's AutoPay method, once per ClientReference. ChargeOn schedules it." },
);

/** Zod schema of `CancelPaymentRequest`. */
export const cancelPaymentRequestSchema: z.ZodType<CancelPaymentRequest> = component(
  exactly<CancelPaymentRequest>()(z.object({ BusinessUnitSlug: slug, PaymentIdentifier: requiredText })),
  'CancelPaymentRequest',
);

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
