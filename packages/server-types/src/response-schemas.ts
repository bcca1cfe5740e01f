/** Zod schemas of this project's responses and webhooks. */
import { z } from 'zod';
import type { AutopayCharge, CanceledPayment, CanceledSession, PaymentList, Refund } from './back-office.js';
import type { ErrorItem, FailureEnvelope } from './envelope.js';
import { ERROR_STATUS, errorPage } from './error-status.js';
import type { WebhookData } from './events.js';
import { FLOWS } from './flows.js';
import {
  PAYMENT_METHODS,
  type AccountReference,
  type ManagementSession,
  type Payment,
  type PaymentSession,
  type SessionCharge,
  type SessionDetails,
  type SessionPayment,
} from './session.js';
import { component, customMeta, instant, keysOf, known, mergedSchemaOf, objectOf } from './values.js';
import { WEBHOOK_EVENTS, type WebhookEvent } from './webhook-events.js';

const text = z.string();
const cents = z.int();

/** Zod schema of `ErrorItem`. */
export const errorItemSchema: z.ZodType<ErrorItem> = objectOf(
  'ErrorItem',
  `field is a path in the request, such as Charges[3].Amount. Each code is documented at ${errorPage('service')}#CODE`,
)({
  code: known(keysOf(ERROR_STATUS)),
  message: text,
  field: text.exactOptional(),
});

/** Zod schema of `FailureEnvelope`. */
export const failureEnvelopeSchema: z.ZodType<FailureEnvelope> = objectOf('FailureEnvelope')({
  hasErrors: z.literal(true),
  errors: z.array(errorItemSchema),
  data: z.null(),
});

/** Zod schema of `PaymentSession`. */
export const paymentSessionSchema: z.ZodType<PaymentSession> = objectOf('PaymentSession')({
  PaymentSessionIdentifier: text,
  PaymentLogInLink: z.url(),
  Status: known(['RequiresPaymentSource', 'Processing', 'Succeeded', 'Failed', 'Expired', 'Canceled']),
});

/** Zod schema of `ManagementSession`. */
export const managementSessionSchema: z.ZodType<ManagementSession> = objectOf('ManagementSession')({
  PaymentSessionIdentifier: text,
  PaymentLogInLink: z.url(),
  Status: known(['Open', 'Completed', 'Expired', 'Canceled']),
});

/** Zod schema of `AccountReference`. */
export const accountReferenceSchema: z.ZodType<AccountReference> = objectOf('AccountReference')({
  AccountNumber: text,
  SubAccountNumber: text.exactOptional(),
});

/** Zod schema of `SessionCharge`. */
export const sessionChargeSchema: z.ZodType<SessionCharge> = objectOf('SessionCharge')({
  Amount: cents,
  PaidAmount: cents.exactOptional(),
  Description: text.exactOptional(),
  ChargeType: text.exactOptional(),
  CustomMeta: customMeta.exactOptional(),
  ClientAccount: accountReferenceSchema.exactOptional(),
});

const PAYMENT_STATUSES = ['succeeded', 'declined', 'pending', 'returned', 'scheduled', 'canceled'] as const;
const payment = {
  Id: text,
  Amount: cents,
  Refunded: cents,
  Method: known(PAYMENT_METHODS),
  Status: known(PAYMENT_STATUSES),
  Last4: text,
  Reason: text.exactOptional(),
  Reference: text.exactOptional(),
  CreatedAt: instant,
};

/** Zod schema of `SessionPayment`. */
export const sessionPaymentSchema: z.ZodType<SessionPayment> = objectOf('SessionPayment')(payment);

/** Zod schema of `Payment`. */
export const paymentSchema: z.ZodType<Payment> = objectOf('Payment')({
  ...payment,
  PaymentSessionIdentifier: text.exactOptional(),
  ClientReference: text.exactOptional(),
});

/** Zod schema of `Refund`. */
export const refundSchema: z.ZodType<Refund> = objectOf('Refund')({
  RefundIdentifier: text,
  PaymentIdentifier: text,
  Amount: cents,
  Status: known(['succeeded', 'failed', 'pending']),
  Refundable: cents,
  Reason: text.exactOptional(),
});

/** Zod schema of `PaymentList`. */
export const paymentListSchema: z.ZodType<PaymentList> = objectOf('PaymentList')({
  Payments: z.array(paymentSchema),
  NextCursor: text.exactOptional(),
});

/** Zod schema of `CanceledSession`. */
export const canceledSessionSchema: z.ZodType<CanceledSession> = objectOf('CanceledSession')({
  Status: known(['Canceled']),
});

/** Zod schema of `AutopayCharge`. */
export const autopayChargeSchema: z.ZodType<AutopayCharge> = objectOf('AutopayCharge')({
  PaymentIdentifier: text,
  Status: known([...PAYMENT_STATUSES, 'Scheduled']),
});

/** Zod schema of `CanceledPayment`. */
export const canceledPaymentSchema: z.ZodType<CanceledPayment> = objectOf('CanceledPayment')({
  Status: known(['Canceled']),
});

const details = {
  PaymentSessionIdentifier: text,
  Flow: z.enum(keysOf(FLOWS)),
  Status: known([
    'RequiresPaymentSource',
    'Processing',
    'Succeeded',
    'Failed',
    'Expired',
    'Canceled',
    'Open',
    'Completed',
  ]),
  ClientReference: text.exactOptional(),
  CustomMeta: customMeta.exactOptional(),
  PaymentFields: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).exactOptional(),
  Charges: z.array(sessionChargeSchema),
  Payments: z.array(sessionPaymentSchema),
  CreatedAt: instant,
  ExpiresAt: instant,
};

/** Zod schema of `SessionDetails`. */
export const sessionDetailsSchema: z.ZodType<SessionDetails> = objectOf('SessionDetails')(details);

const channels = z.object({ Email: z.boolean(), Sms: z.boolean() });
const changes = {
  Account: accountReferenceSchema.exactOptional(),
  Customer: z.object({ EmailAddress: text }).exactOptional(),
  Payment: paymentSchema.exactOptional(),
  Refund: refundSchema.exactOptional(),
  PaymentMethod: z
    .object({
      Identifier: text,
      Method: known(PAYMENT_METHODS),
      Brand: text.exactOptional(),
      Last4: text,
    })
    .exactOptional(),
  Paperless: z.object({ Enrolled: z.boolean() }).exactOptional(),
  ScheduledPayment: z
    .object({
      Identifier: text,
      Amount: cents,
      Date: text,
      Status: known(['scheduled', 'executing', 'executed', 'failed', 'canceled']),
      Reason: text.exactOptional(),
    })
    .exactOptional(),
  Notifications: z
    .object({
      PhoneNumber: text.exactOptional(),
      Kinds: z.object({
        'payment-confirmation': channels,
        'payment-reminder': channels,
        'bill-ready': channels,
        autopay: channels,
        'autopay-reminder': channels,
      }),
    })
    .exactOptional(),
};

const webhookData: z.ZodType<WebhookData> = objectOf('WebhookData')({ ...details, ...changes });

/** Zod schema of `WebhookEvent`: one shape for all types. Only the TypeScript type narrows `data` by type. */
export const webhookEventSchema = component(
  mergedSchemaOf<Omit<WebhookEvent, 'data'> & { data: WebhookData }>()(
    z.object({ type: z.enum(keysOf(WEBHOOK_EVENTS)), timestamp: instant, data: webhookData }),
  ),
  'WebhookEvent',
) as z.ZodType<WebhookEvent>;
