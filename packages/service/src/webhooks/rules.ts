/** Messages to the merchant's server, written in the transaction that they report on and delivered later. */
import type { WebhookEventType } from '@embedded-sessions/server-types';
import type { Queued, QueueRows } from '../core/queue-rows.js';
import type { WebhookTry } from '../shared/inspector.js';

/** `pending`: not delivered yet. `failed`: given up. `disabled`: the endpoint returned 410. */
export type MessageStatus = 'pending' | 'delivered' | 'failed' | 'disabled';

export interface OutboxMessage extends OutboxHead {
  /** The exact bytes that are signed and sent. */
  readonly body: string;
}

/** `id` is sent as `webhook-id`, the same for every attempt. */
export interface OutboxHead extends Queued {
  readonly type: WebhookEventType;
  readonly status: MessageStatus;
  readonly requestId?: string;
  /** Trace context of that request; sent with the message. */
  readonly traceparent?: string;
}

export interface Outbox extends Omit<QueueRows<OutboxMessage>, 'latest'> {
  /** The latest `limit` messages, newest first. */
  latest(limit: number): Promise<OutboxHead[]>;
  insert(message: OutboxMessage): Promise<unknown>;
  /** Writes `status`, `attempts`, `dueAt`, `leasedUntil`, `lastError`. */
  update(message: OutboxMessage): Promise<unknown>;
  removePending(businessUnit: string, limit: number): Promise<number>;
  /** The pending messages of each business unit, counted up to `most`. */
  pending(most: number): Promise<PendingOfUnit[]>;
  anyLeased(systemNow: number): Promise<boolean>;
  /** The newest messages about a session, oldest first. */
  ofSession(businessUnit: string, sessionId: string, limit: number): Promise<OutboxHead[]>;
  /**
   * Reads the next `size` messages of all business units after the id `after`. Returns this unit's that were written at
   * or after `since`; `next` is absent at the end.
   */
  since(
    businessUnit: string,
    since: number,
    page: { readonly after: string; readonly size: number },
  ): Promise<{ messages: OutboxHead[]; next?: string }>;
  /** Makes messages pending, as if they had just been written. */
  sendAgain(ids: readonly string[], now: number): Promise<unknown>;
  /** Stops sending to an endpoint that returned 410 until it is enabled or its address changes. */
  disable(businessUnit: string, url: string, now: number): Promise<unknown>;
  disabled(businessUnit: string, url: string): Promise<boolean>;
  /** Addresses without user name, password and query. */
  disabledOf(businessUnit: string): Promise<{ url: string; disabledAt: number }[]>;
  enable(businessUnit: string): Promise<unknown>;
  /** Records that some process's config has a webhook for these business units. */
  recordReceivers(businessUnits: readonly string[]): Promise<unknown>;
  hasReceiver(businessUnit: string): Promise<boolean>;
}

export interface PendingOfUnit {
  readonly businessUnit: string;
  readonly count: number;
  /** When the oldest was written or resent, ms since the epoch. */
  readonly since: number;
}

export const DELIVERY_DEADLINE_MS = 10_000;
/** Lease of a delivery, real ms. Longer than a delivery can take. */
export const DELIVERY_LEASE_MS = 15_000;

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const MAX_WAIT_MS = 24 * HOUR;

/** Retention of settled messages, ms. */
export const WEBHOOK_RETENTION_MS: number = 90 * 24 * HOUR;

/** Give up on a message if no config has had a webhook for it for this long, ms. */
export const UNCLAIMED_MS: number = 3 * 24 * HOUR;

export const RETRY_WAITS_MS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

export type Delivery =
  | { type: 'answered'; status: number; retryAfterMs?: number; answer?: string }
  /** No response: connection refused, reset, or too slow. */
  | { type: 'unreachable'; reason: string }
  /** The address must not be called. */
  | { type: 'forbidden'; reason: string };

export type DeliveryAttempt = Omit<WebhookTry, 'at' | 'clock'> & { readonly messageId: string };

/** Applies an attempt to a message: 2xx delivers it, 410 disables the endpoint, anything else is retried. */
export function applyDelivery(message: OutboxMessage, delivery: Delivery, now: number): OutboxMessage {
  const { lastError: _, ...before } = message;
  const tried = { ...before, attempts: message.attempts + 1, leasedUntil: 0 };
  const answer = delivery.type === 'answered' ? delivery : null;
  if (answer && answer.status >= 200 && answer.status < 300)
    return { ...tried, status: 'delivered', dueAt: now };

  const lastError = delivery.type === 'answered' ? `HTTP ${delivery.status}` : delivery.reason;
  if (answer?.status === 410) return { ...tried, status: 'disabled', dueAt: now, lastError };

  const wait = RETRY_WAITS_MS[message.attempts];
  if (delivery.type === 'forbidden' || wait === undefined)
    return { ...tried, status: 'failed', dueAt: now, lastError };

  const longer = Math.max(wait, answer?.retryAfterMs ?? 0);
  return { ...tried, lastError, dueAt: now + Math.min(longer, MAX_WAIT_MS) };
}
