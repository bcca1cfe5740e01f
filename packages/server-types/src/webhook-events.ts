import type { WebhookData } from './events.js';
import type { SessionDetails } from './session.js';

type ChangeField = Exclude<keyof WebhookData, keyof SessionDetails>;

/** The definition of one type of webhook. */
export interface WebhookEventDefinition {
  /** When it is sent. */
  readonly when: string;
  /** Fields of its `data` in addition to the session. */
  readonly has: readonly ChangeField[];
  /** Fields of `has` that may be absent. */
  readonly mayLack?: readonly ChangeField[];
}

/**
 * Every type of webhook of this project's service. All of them also have `Account` and `Customer` if known.
 *
 * @example
 * const types = Object.keys(WEBHOOK_EVENTS); // ['payment.succeeded', …]
 */
export const WEBHOOK_EVENTS = {
  'payment.succeeded': { when: 'a payment succeeded', has: ['Payment'] },
  'payment.failed': { when: 'a payment was declined, or returned by the bank', has: ['Payment'] },
  'payment.pending': { when: 'a bank payment was accepted and has not settled yet', has: ['Payment'] },
  'refund.succeeded': { when: 'a refund succeeded', has: ['Payment', 'Refund'] },
  'refund.failed': { when: 'a refund failed, perhaps after it had succeeded', has: ['Payment', 'Refund'] },
  'session.expired': { when: 'the session expired before the payer finished', has: [] },
  'session.canceled': { when: 'the merchant canceled the session', has: [] },
  'autopay.enrolled': { when: 'the payer turned AutoPay on', has: ['PaymentMethod'] },
  'autopay.unenrolled': {
    when: 'the payer turned AutoPay off, or you sent `Accounts.UnenrollAutopay`',
    has: ['PaymentMethod'],
    mayLack: ['PaymentMethod'],
  },
  'paperless.changed': { when: 'the payer turned paperless billing on or off', has: ['Paperless'] },
  'scheduled_payment.created': { when: 'the payer scheduled a payment', has: ['ScheduledPayment'] },
  'scheduled_payment.canceled': {
    when: 'the payer or the merchant canceled a scheduled payment',
    has: ['ScheduledPayment'],
  },
  'scheduled_payment.executed': {
    when: 'a scheduled payment succeeded; from a bank account, once it settled',
    has: ['ScheduledPayment', 'Payment'],
  },
  'scheduled_payment.failed': {
    when: 'a scheduled payment was declined or returned; without a `Payment`, its method was no longer accepted',
    has: ['ScheduledPayment', 'Payment'],
    mayLack: ['Payment'],
  },
  'payment_method.added': {
    when: 'the payer saved a method, in the wallet, in another flow or during a payment',
    has: ['PaymentMethod'],
  },
  'payment_method.removed': { when: 'the payer removed a method from the wallet', has: ['PaymentMethod'] },
  'notifications.changed': {
    when: 'the payer saved preferences or stopped reminders',
    has: ['Notifications'],
  },
} as const;

// `satisfies` would need a written type (`isolatedDeclarations`).
type Checked<T extends Readonly<Record<string, WebhookEventDefinition>>> = T;
type Definitions = Checked<typeof WEBHOOK_EVENTS>;

/** The types of webhooks that this project's service sends. */
export type WebhookEventType = keyof Definitions;

type Has<T extends WebhookEventType> = Definitions[T]['has'][number];
type MayLack<T extends WebhookEventType> = Definitions[T] extends { mayLack: readonly (infer K)[] }
  ? K
  : never;

/**
 * The fields that the `data` of each type always has, in addition to the session.
 *
 * @example
 * const amount = (about: WebhookSubjects['payment.succeeded']) => about.Payment.Amount;
 */
export type WebhookSubjects = {
  [T in WebhookEventType]: Required<Pick<WebhookData, Exclude<Has<T>, MayLack<T>>>> &
    Partial<Pick<WebhookData, Has<T>>>;
};

/** A webhook of one type. */
export interface WebhookEventOf<T extends WebhookEventType> {
  type: T;
  /** Time of the event: ISO 8601, UTC. */
  timestamp: string;
  data: WebhookData & WebhookSubjects[T];
}

/** Body of a webhook of this project's service, discriminated by `type`; signed as in Standard Webhooks. */
export type WebhookEvent = { [T in WebhookEventType]: WebhookEventOf<T> }[WebhookEventType];
