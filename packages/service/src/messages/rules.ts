/** Messages to payers by e-mail and SMS: kinds, preferences and retries. */
import type { PaymentMethod } from '@embedded-sessions/server-types';
import { DAY_MS, HOUR_MS } from '../core/day.js';
import type { Queued, QueueRows } from '../core/queue-rows.js';
import type { NotificationKind } from '../shared/page.js';
import type { Language } from '../shared/languages.js';

/** In the order of docs/messages.md. */
export const MESSAGE_KINDS = [
  'receipt',
  'payment-failed',
  'refund',
  'autopay-receipt',
  'autopay-failed',
  'payment-reminder',
  'autopay-reminder',
  'card-expiring',
] as const;
export type MessageKind = (typeof MESSAGE_KINDS)[number];

export const CHANNELS = ['email', 'sms'] as const;
export type Channel = (typeof CHANNELS)[number];

export const PREFERENCE_OF: Readonly<Record<MessageKind, NotificationKind>> = {
  receipt: 'payment-confirmation',
  'payment-failed': 'payment-confirmation',
  refund: 'payment-confirmation',
  'autopay-receipt': 'autopay',
  'autopay-failed': 'autopay',
  'payment-reminder': 'payment-reminder',
  'autopay-reminder': 'autopay-reminder',
  'card-expiring': 'autopay-reminder',
};

const REMINDERS: ReadonlySet<MessageKind> = new Set([
  'payment-reminder',
  'autopay-reminder',
  'card-expiring',
]);

/** Reminders have an unsubscribe link (RFC 8058) and a separate switch in the config. */
export function isReminder(kind: MessageKind): boolean {
  return REMINDERS.has(kind);
}

export function isReceipt(kind: MessageKind): boolean {
  return kind === 'receipt' || kind === 'autopay-receipt';
}

export function isEnabled(kind: MessageKind, settings: MessageSettings | null): boolean {
  return settings !== null && (isReminder(kind) ? settings.reminders : settings.receipts);
}

/** A message's content. Must not identify a person. */
export interface MessageFacts {
  readonly amount?: number;
  readonly date?: string;
  /** A bank payment that has not settled. */
  readonly isPending?: true;
  readonly method?: PaymentMethod;
  readonly brand?: string;
  readonly last4?: string;
  readonly accountNumbers?: readonly string[];
  readonly receiptNumber?: string;
  /** Completed refunds: cents and `YYYY-MM-DD`. */
  readonly refunds?: readonly { readonly amount: number; readonly date: string }[];
}

/**
 * `unsent`: there is no SMTP server, as in `dev`, the message is unwanted or no longer true, or there were too many
 * texts. The inspector shows it.
 */
export type MessageStatus = 'pending' | 'sent' | 'unsent' | 'failed';

/** `id` is unguessable: part of the unsubscribe link. */
export interface PayerMessage extends Queued {
  readonly kind: MessageKind;
  readonly channel: Channel;
  /** Id of the subject, such as a payment. Each kind is sent once per subject. */
  readonly about: string;
  /** An e-mail address, or a phone number in E.164. */
  readonly recipient: string;
  /** Absent for a payer without a customer record. */
  readonly customerId?: string;
  readonly language: Language;
  readonly facts: MessageFacts;
  readonly status: MessageStatus;
}

/** The messages that a business unit sends, from the config. */
export interface MessageSettings {
  readonly channels: readonly Channel[];
  readonly receipts: boolean;
  readonly reminders: boolean;
  /** For payers whose language is unknown. */
  readonly language: Language;
}

type Leases = 'due' | 'unitsDue' | 'lease';

export interface Messages extends Omit<QueueRows<PayerMessage>, Leases> {
  /** Each channel has its own queues, because a gateway that hangs must not delay e-mail. */
  ofChannel(channel: Channel): Pick<QueueRows<PayerMessage>, Leases>;
  /** Returns null if the business unit sends no messages. */
  settingsOf(businessUnit: string): MessageSettings | null;
  /** A no-op if the message exists. */
  insert(message: PayerMessage): Promise<unknown>;
  setContent(message: Pick<PayerMessage, 'id' | 'facts' | 'recipient'>): Promise<unknown>;
  exists(about: string, kind: MessageKind): Promise<boolean>;
  /** One per channel and recipient, without those that were superseded. */
  ofSubject(about: string, kind: MessageKind): Promise<PayerMessage[]>;
  /** Lets a newer message be written about the same subject. With a status, supersedes only messages of that status. */
  supersede(about: string, kind: MessageKind, status?: MessageStatus): Promise<unknown>;
  countAbout(about: string): Promise<number>;
  /** Counts text messages since a time, ms since the epoch, up to a limit. Unsent ones don't count. */
  countTexts(
    to: { readonly businessUnit: string; readonly phoneNumber: string } | { readonly customerId: string },
    since: number,
    limit: number,
  ): Promise<number>;
  /** Deletes messages that were due before a time, ms since the epoch, but whose unit or channel left the config. */
  deleteAbandoned(until: number, limit: number): Promise<number>;
  /** Scheduled payments, AutoPay charges and expiring cards without a reminder. */
  readonly upcoming: ReminderSubjects;
}

/** A scheduled payment or an enrollment that may need a reminder. */
export interface ReminderSubject {
  /** Absent if there is nothing to write. */
  readonly about?: string;
  readonly key: string;
  readonly customerId: string;
  readonly sessionId: string;
  readonly accountId: string;
  readonly date?: string;
}

/** The next rows after `after`. Each list reads `limit` rows, even if there is nothing to write for them. */
export interface ReminderSubjects {
  scheduled(businessUnit: string, day: string, page: ReminderPage): Promise<ReminderSubject[]>;
  /** AutoPay charges due between two days, inclusive. */
  autopay(
    businessUnit: string,
    days: { readonly from: string; readonly to: string },
    page: ReminderPage,
  ): Promise<ReminderSubject[]>;
  /** Enrollments, to find cards with this expiry, `MM/YY`. */
  expiringCards(businessUnit: string, expiry: string, page: ReminderPage): Promise<ReminderSubject[]>;
}

export interface ReminderPage {
  readonly after: ReminderSubject | null;
  readonly limit: number;
}

/** Reminders are sent from this hour on, in the business unit's time zone. */
export const FIRST_HOUR = 9;

const MINUTE_MS = 60_000;

/** Lease of a message, real ms. Longer than sending can take. */
export const MESSAGE_LEASE_MS: number = 5 * MINUTE_MS;

/** Delays between attempts, ms. The last repeats. */
const RETRY_WAITS_MS: readonly number[] = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS, 4 * HOUR_MS];

const GIVE_UP_MS = DAY_MS;

/** Retention of sent messages, ms. Their unsubscribe links work until then. */
export const MESSAGE_RETENTION_MS: number = 90 * DAY_MS;

/** A failed attempt. `isFinal`: don't retry, for example because the address doesn't exist. */
export interface MessageFailure {
  readonly error: string;
  readonly isFinal: boolean;
}

export function applyOutcome(
  message: PayerMessage,
  outcome: 'sent' | 'unsent' | MessageFailure,
  now: number,
): PayerMessage {
  const { lastError: _, ...rest } = message;
  const attempts = message.attempts + 1;
  if (typeof outcome === 'string') return { ...rest, attempts, status: outcome, dueAt: now };

  const failed = { ...rest, attempts, lastError: outcome.error };
  const wait = RETRY_WAITS_MS[message.attempts] ?? RETRY_WAITS_MS.at(-1) ?? HOUR_MS;
  const isFinal = outcome.isFinal || now + wait > message.createdAt + GIVE_UP_MS;
  return isFinal
    ? { ...failed, status: 'failed', dueAt: now }
    : { ...failed, status: 'pending', dueAt: now + wait };
}
