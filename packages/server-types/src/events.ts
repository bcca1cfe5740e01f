import type { Refund } from './back-office.js';
import type { AccountReference, Payment, PaymentMethod, SessionDetails } from './session.js';

/** The two events that a merchant can send. The service refuses all others (E-5). */
export type EventType = 'Accounts.ManageCustomer' | 'Accounts.UnenrollAutopay';

/**
 * Body of `POST /integrations/events`.
 *
 * @example
 * const request: EventRequest = {
 *   eventType: 'Accounts.UnenrollAutopay',
 *   payload: JSON.stringify({ accountNumber: '1001', subAccountNumber: '' }),
 *   businessUnitSlug: 'harborlight-water',
 * };
 */
export interface EventRequest {
  eventType: EventType;
  /** The event's data as a JSON **string**, not an object (E-1). */
  payload: string;
  businessUnitSlug: string;
}

/** Payload of `Accounts.ManageCustomer`: creates or updates the customer account (E-2). */
export interface ManageCustomerPayload {
  accountNumber: string;
  /** Empty string if not applicable. */
  subAccountNumber: string;
  firstName: string;
  /** May be an empty string, for a business. */
  lastName: string;
  emailAddress: string;
  /** The previous address, only if the address changes. Identifies the existing record (E-3). */
  originalEmailAddress?: string | null | undefined;
}

/** Payload of `Accounts.UnenrollAutopay`: unenrolls the account from AutoPay (E-4). */
export interface UnenrollAutopayPayload {
  accountNumber: string;
  /** Empty string if the business unit has no sub-accounts. */
  subAccountNumber: string;
}

/** The payload of each event type. */
export interface EventPayloads {
  'Accounts.ManageCustomer': ManageCustomerPayload;
  'Accounts.UnenrollAutopay': UnenrollAutopayPayload;
}

/** A saved payment method in a webhook. */
export interface WebhookPaymentMethod {
  Identifier: string;
  Method: PaymentMethod | (string & {});
  /** `Visa`, `Mastercard`, …; absent for bank accounts. */
  Brand?: string;
  /** Last four digits of the card or bank account. */
  Last4: string;
}

/** A scheduled payment in a webhook. */
export interface WebhookScheduledPayment {
  Identifier: string;
  /** Integer cents. */
  Amount: number;
  /** `YYYY-MM-DD` */
  Date: string;
  Status: 'scheduled' | 'executing' | 'executed' | 'failed' | 'canceled' | (string & {});
  /** The reason for a failure. */
  Reason?: string;
}

/** Notification preferences in a webhook. */
export interface WebhookNotifications {
  /** E.164; present if any kind is sent by SMS. */
  PhoneNumber?: string;
  Kinds: Record<NotificationKind, { Email: boolean; Sms: boolean }>;
}

/** The kinds of notifications. */
export type NotificationKind =
  | 'payment-confirmation'
  | 'payment-reminder'
  | 'bill-ready'
  | 'autopay'
  | 'autopay-reminder';

/** The session of the event, its account and customer, and the change. */
export interface WebhookData extends SessionDetails {
  Account?: AccountReference;
  /** The customer of the session, if it has one. */
  Customer?: { EmailAddress: string };
  /** On `payment.*`, `refund.*`, `scheduled_payment.executed` and `.failed`. */
  Payment?: Payment;
  /** On `refund.*`. */
  Refund?: Refund;
  /** On `payment_method.*`; on `autopay.*` the method that AutoPay charges. */
  PaymentMethod?: WebhookPaymentMethod;
  /** On `paperless.changed`. */
  Paperless?: { Enrolled: boolean };
  /** On `scheduled_payment.*`. */
  ScheduledPayment?: WebhookScheduledPayment;
  /** On `notifications.changed`. */
  Notifications?: WebhookNotifications;
}
