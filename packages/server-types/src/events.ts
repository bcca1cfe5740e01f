import type { AccountReference, SessionDetails } from './session.js';

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
  originalEmailAddress?: string;
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

/** What this project's service tells the merchant's server. */
export type WebhookEventType =
  | 'payment.succeeded'
  | 'payment.failed'
  | 'payment.pending'
  | 'session.expired'
  | 'autopay.enrolled'
  | 'autopay.unenrolled'
  | 'paperless.changed'
  | 'scheduled_payment.created'
  | 'scheduled_payment.canceled'
  | 'scheduled_payment.executed'
  | 'scheduled_payment.failed'
  | 'payment_method.added'
  | 'payment_method.removed'
  | 'notifications.changed';

/** The session that the event is about and, where it concerns one, the account. */
export interface WebhookData extends SessionDetails {
  Account?: AccountReference;
}

/** Body of a webhook of this project's service, signed by Standard Webhooks. */
export interface WebhookEvent {
  type: WebhookEventType;
  /** When it happened: ISO 8601, UTC. */
  timestamp: string;
  data: WebhookData;
}
