import type { Refund } from './back-office.js';
import type { AccountReference, Payment, PaymentMethod, SessionDetails } from './session.js';

/** The two events that a merchant sends (E-5: any other is refused). */
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
  /** The event's data as a **string** of JSON, not as an object (E-1). */
  payload: string;
  businessUnitSlug: string;
}

/** Payload of `Accounts.ManageCustomer`: creates the customer account, or updates it (E-2). */
export interface ManageCustomerPayload {
  accountNumber: string;
  /** Empty string when not applicable. */
  subAccountNumber: string;
  firstName: string;
  lastName: string;
  emailAddress: string;
  /** The previous address, only when it changes; finds the existing record (E-3). */
  originalEmailAddress?: string | undefined;
}

/** Payload of `Accounts.UnenrollAutopay`: unenrols the account from AutoPay (E-4). */
export interface UnenrollAutopayPayload {
  accountNumber: string;
  /** Empty string when the business unit has no sub-accounts. */
  subAccountNumber: string;
}

/** The payload that belongs to each event type. */
export interface EventPayloads {
  'Accounts.ManageCustomer': ManageCustomerPayload;
  'Accounts.UnenrollAutopay': UnenrollAutopayPayload;
}

/** A saved payment method, as a webhook tells it. */
export interface WebhookPaymentMethod {
  Identifier: string;
  Method: PaymentMethod | (string & {});
  /** `Visa`, `Mastercard`, …; absent for bank accounts. */
  Brand?: string;
  /** Last four digits of the card or bank account. */
  Last4: string;
}

/** A scheduled payment, as a webhook tells it. */
export interface WebhookScheduledPayment {
  Identifier: string;
  /** Integer cents. */
  Amount: number;
  /** `YYYY-MM-DD` */
  Date: string;
  Status: 'scheduled' | 'executing' | 'executed' | 'failed' | 'canceled' | (string & {});
  /** Why it failed. */
  Reason?: string;
}

/** Notification preferences, as a webhook tells them. */
export interface WebhookNotifications {
  /** E.164; given as soon as one kind is sent by SMS. */
  PhoneNumber?: string;
  Kinds: Record<NotificationKind, { Email: boolean; Sms: boolean }>;
}

/** What a customer can be notified of. */
export type NotificationKind = 'payment-confirmation' | 'payment-reminder' | 'bill-ready' | 'autopay';

/** The session in which it happened, the account and the customer that it concerns, and what changed. */
export interface WebhookData extends SessionDetails {
  Account?: AccountReference;
  /** The customer of the session, where it has one. */
  Customer?: { EmailAddress: string };
  /** On `payment.*`, `refund.*`, `scheduled_payment.executed` and `.failed`: the payment that it is about. */
  Payment?: Payment;
  /** On `refund.*`. */
  Refund?: Refund;
  /** On `payment_method.*`, and on `autopay.*` the one that AutoPay charges. */
  PaymentMethod?: WebhookPaymentMethod;
  /** On `paperless.changed`. */
  Paperless?: { Enrolled: boolean };
  /** On `scheduled_payment.*`. */
  ScheduledPayment?: WebhookScheduledPayment;
  /** On `notifications.changed`. */
  Notifications?: WebhookNotifications;
}

type Has<K extends keyof WebhookData> = Required<Pick<WebhookData, K>>;

/**
 * What the `data` of each type always has besides the session.
 *
 * @example
 * const amount = (about: WebhookSubjects['payment.succeeded']) => about.Payment.Amount;
 */
export interface WebhookSubjects {
  'payment.succeeded': Has<'Payment'>;
  'payment.failed': Has<'Payment'>;
  'payment.pending': Has<'Payment'>;
  'refund.succeeded': Has<'Payment' | 'Refund'>;
  'refund.failed': Has<'Payment' | 'Refund'>;
  'session.expired': object;
  'session.canceled': object;
  'autopay.enrolled': Has<'PaymentMethod'>;
  /** Where it is known still. */
  'autopay.unenrolled': Partial<Has<'PaymentMethod'>>;
  'paperless.changed': Has<'Paperless'>;
  'scheduled_payment.created': Has<'ScheduledPayment'>;
  'scheduled_payment.canceled': Has<'ScheduledPayment'>;
  'scheduled_payment.executed': Has<'ScheduledPayment' | 'Payment'>;
  /** Without a payment where none was asked for. */
  'scheduled_payment.failed': Has<'ScheduledPayment'> & Partial<Has<'Payment'>>;
  'payment_method.added': Has<'PaymentMethod'>;
  'payment_method.removed': Has<'PaymentMethod'>;
  'notifications.changed': Has<'Notifications'>;
}

/** What this project's service tells the merchant's server. */
export type WebhookEventType = keyof WebhookSubjects;

/** A webhook of one type: its `data` has what such a one is about. */
export interface WebhookEventOf<T extends WebhookEventType> {
  type: T;
  /** When it happened: ISO 8601, UTC. */
  timestamp: string;
  data: WebhookData & WebhookSubjects[T];
}

/** Body of a webhook of this project's service, told apart by `type` and signed by Standard Webhooks. */
export type WebhookEvent = { [T in WebhookEventType]: WebhookEventOf<T> }[WebhookEventType];
