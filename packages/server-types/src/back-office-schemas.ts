/** What a merchant's back office may ask, as Zod schemas; each proven equal to its interface by {@link exactly}. */
import { z } from 'zod';
import type {
  AutopayChargeRequest,
  BackOfficeCall,
  BackOfficeRequests,
  CancelRequest,
  ListRequest,
  RefundRequest,
} from './back-office.js';
import { MAX_LIST_LIMIT } from './flows.js';
import {
  component,
  count,
  dayOrInstant,
  exactly,
  identifier,
  optionalIdentifier,
  positiveCents,
  reference,
  requiredText,
  shortText,
  slug,
  text,
} from './values.js';

/** Zod schema of `RefundRequest`. */
export const refundRequestSchema: z.ZodType<RefundRequest> = component(
  exactly<RefundRequest>()(
    z.object({
      BusinessUnitSlug: slug,
      PaymentIdentifier: requiredText,
      Amount: positiveCents.optional(),
      Reason: shortText.optional(),
    }),
  ),
  'RefundRequest',
  { description: 'Without Amount all that is left of the payment is given back.' },
);

/** Zod schema of `ListRequest`. */
export const listRequestSchema: z.ZodType<ListRequest> = component(
  exactly<ListRequest>()(
    z.object({
      BusinessUnitSlug: slug,
      From: dayOrInstant.optional(),
      To: dayOrInstant.optional(),
      Status: z.enum(['succeeded', 'declined', 'pending', 'returned']).optional(),
      ClientReference: reference.optional(),
      Cursor: requiredText.optional(),
      Limit: count(MAX_LIST_LIMIT).optional(),
    }),
  ),
  'ListRequest',
  { description: 'From is inclusive, To is not; a day begins at midnight UTC.' },
);

/** Zod schema of `CancelRequest`. */
export const cancelRequestSchema: z.ZodType<CancelRequest> = component(
  exactly<CancelRequest>()(z.object({ BusinessUnitSlug: slug, PaymentSessionIdentifier: requiredText })),
  'CancelRequest',
);

/** Zod schema of `AutopayChargeRequest`. */
export const autopayChargeRequestSchema: z.ZodType<AutopayChargeRequest> = component(
  exactly<AutopayChargeRequest>()(
    z.object({
      BusinessUnitSlug: slug,
      AccountNumber: identifier,
      SubAccountNumber: optionalIdentifier.optional(),
      Amount: positiveCents,
      ClientReference: reference,
      Description: text.optional(),
    }),
  ),
  'AutopayChargeRequest',
  { description: 'Charges the method that the account is enrolled with, once per ClientReference.' },
);

/** The schema of each back-office call's request. */
export const backOfficeSchemas: { readonly [C in BackOfficeCall]: z.ZodType<BackOfficeRequests[C]> } = {
  refund: refundRequestSchema,
  list: listRequestSchema,
  cancel: cancelRequestSchema,
  charge: autopayChargeRequestSchema,
};
