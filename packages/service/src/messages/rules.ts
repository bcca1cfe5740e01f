/** Messages to payers by e-mail and SMS: kinds, preferences and repetition. */
import type { PaymentMethod } from '@embedded-sessions/server-types';
import type { NotificationKind } from '../shared/notification.js';
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

export type Channel = 'email' | 'sms';

/** Which of the payer's preferences decides about a kind. */
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

/** Reminders can be ended with one click (RFC 8058), and have a separate switch in the config. */
export function isReminder(kind: MessageKind): boolean {
  return REMINDERS.has(kind);
}

/** What a message says. Nothing in it identifies a person. */
export interface MessageFacts {
  /** Cents. */
  readonly amount?: number;
  /** `YYYY-MM-DD` in the business unit's time zone. */
  readonly date?: string;
  /** A bank payment that has not settled. */
  readonly isPending?: true;
  readonly method?: PaymentMethod;
  /** Brand of the card, if it is known. */
  readonly brand?: string;
  readonly last4?: string;
  readonly accountNumber?: string;
  readonly receiptNumber?: string;
}

/** `unsent`: there is no SMTP server, as in `dev`, or the payer no longer wants it. It is only shown. */
export type MessageStatus = 'pending' | 'sent' | 'unsent' | 'failed';

export interface PayerMessage {
  /** Cannot be guessed. It is the Message-ID, and opens the page that ends reminders. */
  readonly id: string;
  readonly businessUnit: string;
  readonly kind: MessageKind;
  readonly channel: Channel;
  /** Id of what it reports on. Each kind is sent once per id. */
  readonly about: string;
  /** An e-mail address, or a phone number in E.164. */
  readonly recipient: string;
  /** Absent for a payer without a customer record. */
  readonly customerId?: string;
  readonly sessionId?: string;
  readonly language: Language;
  readonly facts: MessageFacts;
  readonly status: MessageStatus;
  readonly attempts: number;
  /** Ms since the epoch. */
  readonly createdAt: number;
  /** When to try next, or when it was settled; ms since the epoch. */
  readonly dueAt: number;
  /** End of a process's lease, in system time. */
  readonly leasedUntil: number;
  /** Why the last attempt failed, without the recipient. */
  readonly lastError?: string;
}

/** Which messages the config wants for a business unit. */
export interface MessageSettings {
  readonly channels: readonly Channel[];
  readonly receipts: boolean;
  readonly reminders: boolean;
  /** For payers whose language is unknown. */
  readonly language: Language;
}

export interface Messages {
  /** Null if the business unit sends none. */
  settingsOf(businessUnit: string): MessageSettings | null;
  /** Writes nothing if this was written before. */
  insert(message: PayerMessage): Promise<void>;
  get(id: string): Promise<PayerMessage | null>;
  unitsDue(now: number, systemNow: number): Promise<string[]>;
  /** Leases due messages of a business unit, so that no other process takes them. */
  take(businessUnit: string, due: DueMessages): Promise<PayerMessage[]>;
  /** Writes status, attempts, `dueAt`, `leasedUntil` and `lastError`. False if another process has taken it over. */
  update(message: PayerMessage): Promise<boolean>;
  /** Oldest first. */
  list(businessUnit: string): Promise<PayerMessage[]>;
  /** Newest first. */
  latest(businessUnits: readonly string[], limit: number): Promise<PayerMessage[]>;
  /** Whether a message of this kind reports on it. */
  isWritten(about: string, kind: MessageKind): Promise<boolean>;
  /** How many messages to a recipient report on something. */
  countAbout(about: string): Promise<number>;
  /** Deletes at most `limit` messages settled at `until` or before. Resolves to their number. */
  deleteSettled(until: number, limit: number): Promise<number>;
  /** Scheduled payments, AutoPay charges and expiring cards that nobody was reminded of. */
  readonly upcoming: UpcomingReminders;
}

export interface DueMessages {
  readonly now: number;
  readonly systemNow: number;
  readonly limit: number;
}

/** Something to remind a customer of. */
export interface Upcoming {
  readonly about: string;
  readonly customerId: string;
  readonly sessionId: string;
  readonly accountId: string;
  readonly methodId: string;
  /** Cents; absent if it follows from the account's balance. */
  readonly amount?: number;
  /** `YYYY-MM-DD` */
  readonly date?: string;
}

export interface UpcomingReminders {
  /** Scheduled payments of a day. */
  scheduled(businessUnit: string, day: string, limit: number): Promise<Upcoming[]>;
  /** AutoPay charges due from one day to another. */
  autopay(businessUnit: string, from: string, to: string, limit: number): Promise<Upcoming[]>;
  /** Cards with this expiry, `MM/YY`, that AutoPay charges. */
  expiring(businessUnit: string, expiry: string, limit: number): Promise<Upcoming[]>;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Lease of a message, real ms: longer than sending can take. */
export const MESSAGE_LEASE_MS: number = 5 * MINUTE;

/** Waits between attempts, ms. The last one repeats. */
const RETRY_WAITS_MS: readonly number[] = [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 4 * HOUR];

/** A message is given up after this, ms. */
const GIVE_UP_MS = 24 * HOUR;

/** Retention of settled messages, ms. Until then, their links end reminders. */
export const MESSAGES_KEPT_MS: number = 90 * 24 * HOUR;

/** A failed attempt. `isFinal`: repeating it is useless, for example because the address does not exist. */
export interface MessageFailure {
  readonly error: string;
  readonly isFinal: boolean;
}

export function afterSending(
  message: PayerMessage,
  outcome: 'sent' | 'unsent' | MessageFailure,
  now: number,
): PayerMessage {
  const { lastError: _, ...rest } = message;
  const attempts = message.attempts + 1;
  if (typeof outcome === 'string') return { ...rest, attempts, status: outcome, dueAt: now };

  const failed = { ...rest, attempts, lastError: outcome.error };
  const wait = RETRY_WAITS_MS[message.attempts] ?? RETRY_WAITS_MS.at(-1) ?? HOUR;
  const isOver = outcome.isFinal || now + wait > message.createdAt + GIVE_UP_MS;
  return isOver
    ? { ...failed, status: 'failed', dueAt: now }
    : { ...failed, status: 'pending', dueAt: now + wait };
}
