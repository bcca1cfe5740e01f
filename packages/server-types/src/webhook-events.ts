import type { WebhookData, WebhookEventType } from './events.js';
import type { SessionDetails } from './session.js';

/** What one type of webhook tells. */
export interface WebhookEventDefinition {
  /** What happened. */
  readonly when: string;
  /** What its `data` has besides the session. */
  readonly has: readonly Exclude<keyof WebhookData, keyof SessionDetails>[];
}

/**
 * Every type of webhook of this project's service; `Account` and `Customer` come with each that has one.
 *
 * @example
 * const types = Object.keys(WEBHOOK_EVENTS); // ['payment.succeeded', …]
 */
export const WEBHOOK_EVENTS: Readonly<Record<WebhookEventType, WebhookEventDefinition>> = {
  'payment.succeeded': { when: 'a payment was taken', has: ['Payment'] },
  'payment.failed': { when: 'a payment was declined, or returned by the bank', has: ['Payment'] },
  'payment.pending': { when: 'a bank accepted a payment', has: ['Payment'] },
  'refund.succeeded': { when: 'a payment was given back', has: ['Payment', 'Refund'] },
  'refund.failed': { when: 'a payment could not be given back', has: ['Payment', 'Refund'] },
  'session.expired': { when: 'nobody finished in time', has: [] },
  'session.canceled': { when: 'the merchant canceled it', has: [] },
  'autopay.enrolled': { when: 'the payer turned AutoPay on', has: ['PaymentMethod'] },
  'autopay.unenrolled': {
    when: 'by the payer, or by `Accounts.UnenrollAutopay`',
    has: ['PaymentMethod'],
  },
  'paperless.changed': { when: 'enrolled or left', has: ['Paperless'] },
  'scheduled_payment.created': { when: 'the payer scheduled it', has: ['ScheduledPayment'] },
  'scheduled_payment.canceled': { when: 'the payer canceled it', has: ['ScheduledPayment'] },
  'scheduled_payment.executed': {
    when: 'it was paid; from a bank account, when it settled',
    has: ['ScheduledPayment', 'Payment'],
  },
  'scheduled_payment.failed': {
    when: 'it was declined or returned; without a `Payment`, its method is not accepted any more',
    has: ['ScheduledPayment', 'Payment'],
  },
  'payment_method.added': { when: 'in the wallet or while paying', has: ['PaymentMethod'] },
  'payment_method.removed': { when: 'in the wallet', has: ['PaymentMethod'] },
  'notifications.changed': { when: 'preferences were saved', has: ['Notifications'] },
};
