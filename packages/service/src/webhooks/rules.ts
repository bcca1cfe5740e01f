/** Messages to the merchant's server: written with what they tell, delivered later. */
import type { WebhookEventType } from '@embedded-sessions/server-types';
import { SKEW_MS } from '../core/clock.js';

/** `pending` is tried again, `failed` was given up, `disabled`: the endpoint had answered 410. */
export type MessageStatus = 'pending' | 'delivered' | 'failed' | 'disabled';

/** Which request something is done for: what it logs, writes and asks names it. */
export interface Origin {
  readonly requestId: string;
  /** As its caller sent it, W3C Trace Context. */
  readonly traceparent?: string;
}

export interface OutboxMessage {
  /** Goes out as `webhook-id`: the same over all attempts. */
  readonly id: string;
  readonly businessUnit: string;
  readonly type: WebhookEventType;
  /** The body, exactly as it is signed and sent. */
  readonly body: string;
  readonly status: MessageStatus;
  readonly attempts: number;
  /** Ms since the epoch. */
  readonly createdAt: number;
  /** When it is tried next, or, of one that is not pending, when that was settled; ms since the epoch. */
  readonly dueAt: number;
  /** Until when a process is delivering it, in the system's time: a moved clock must not make two of one. */
  readonly leasedUntil: number;
  /** What the last attempt met, for the operator. */
  readonly lastError?: string;
  /** The session that it tells of. */
  readonly sessionId?: string;
  /** The request in which it was written, if it was one. */
  readonly requestId?: string;
  /** Of that request; goes out with the message. */
  readonly traceparent?: string;
}

export interface Outbox {
  get(id: string): Promise<OutboxMessage | null>;
  insert(message: OutboxMessage): Promise<void>;
  /** Writes `status`, `attempts`, `dueAt`, `leasedUntil`, `lastError`. */
  update(message: OutboxMessage): Promise<void>;
  /** Leaves these to one process. */
  lease(ids: readonly string[], until: number): Promise<void>;
  /** At most `limit` of a business unit's pending ones; resolves how many that were. */
  removePending(businessUnit: string, limit: number): Promise<number>;
  /** Pending ones whose time has come and that nobody is delivering, oldest first. */
  due(businessUnit: string, now: number, systemNow: number, limit: number): Promise<OutboxMessage[]>;
  /** The business units that have any of these, the one that has waited longest first. */
  unitsDue(now: number, systemNow: number): Promise<string[]>;
  /** What is due, or left to a process, for longer than ever was written before the clock was set back: not any more. */
  hasten(now: number, systemNow: number): Promise<void>;
  /** Whether any is being delivered. */
  anyLeased(systemNow: number): Promise<boolean>;
  list(businessUnit: string): Promise<OutboxMessage[]>;
  /** At most `limit` of these business units, the newest first. */
  latest(businessUnits: readonly string[], limit: number): Promise<OutboxMessage[]>;
  /** Those that tell of a session, oldest first. */
  ofSession(businessUnit: string, sessionId: string): Promise<OutboxMessage[]>;
  /** A page of those that were written at `since` or later and come after the id `after`, in the order of ids. */
  since(businessUnit: string, since: number, after: string, limit: number): Promise<OutboxMessage[]>;
  /** At most `limit` of those that were settled at `until` or before; resolves how many that were. */
  deleteSettled(until: number, limit: number): Promise<number>;
  /** An endpoint that answered 410 gets nothing any more, until it is enabled or its address in the config changes. */
  disable(businessUnit: string, url: string, now: number): Promise<void>;
  disabled(businessUnit: string, url: string): Promise<boolean>;
  /** The addresses of a business unit that are disabled. */
  disabledOf(businessUnit: string): Promise<{ url: string; disabledAt: number }[]>;
  enable(businessUnit: string): Promise<void>;
  /** Remembers that these business units have a webhook: some process knows where. */
  expectOf(businessUnits: readonly string[]): Promise<void>;
  /** Whether any process ever said so. */
  isExpected(businessUnit: string): Promise<boolean>;
}

/** A delivery ends by then, real ms. */
export const DELIVERY_DEADLINE_MS = 10_000;
/** A delivery is left to its process for so long, real ms: longer than it can take. */
export const DELIVERY_LEASE_MS = 15_000;

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The longest wait between two attempts, ms. */
const LONGEST_WAIT_MS = 24 * HOUR;
/** Ms: what is due, or left to a process, for longer than this is so by a clock that was set back. */
export const FURTHEST_MS: Readonly<Record<'due' | 'leased', number>> = {
  due: LONGEST_WAIT_MS + SKEW_MS,
  leased: DELIVERY_LEASE_MS + SKEW_MS,
};

/** How long a message that is not tried again can still be looked up, ms. */
export const SETTLED_KEPT_MS: number = 90 * 24 * HOUR;

/** A message that no process could deliver for so long, for want of a webhook in any config, is given up; ms. */
export const UNCLAIMED_MS: number = 3 * 24 * HOUR;

/** Waits between attempts, ms: ten attempts over three days. */
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
  /** No answer: refused, reset, too slow. */
  | { type: 'unreachable'; reason: string }
  /** The address must not be called. */
  | { type: 'forbidden'; reason: string };

/** What came of one attempt, for whoever looks on. */
export interface Delivered {
  readonly messageId: string;
  /** Real ms. */
  readonly ms: number;
  readonly status?: number;
  readonly error?: string;
  /** How it begins. */
  readonly answer?: string;
}

/** The message after one attempt to deliver it: 2xx is delivered, 410 disables, anything else is tried again. */
export function afterDelivery(message: OutboxMessage, delivery: Delivery, now: number): OutboxMessage {
  const attempts = message.attempts + 1;
  const { lastError: _, ...unleased } = { ...message, leasedUntil: 0 };
  const rest: OutboxMessage = unleased;
  const answer = delivery.type === 'answered' ? delivery : null;
  const status = answer?.status ?? 0;
  if (status >= 200 && status < 300) {
    return { ...rest, attempts, status: 'delivered', dueAt: now };
  }
  const lastError = delivery.type === 'answered' ? `HTTP ${status}` : delivery.reason;
  if (status === 410) {
    return { ...rest, attempts, status: 'disabled', dueAt: now, lastError };
  }
  const wait = RETRY_WAITS_MS[message.attempts];
  if (delivery.type === 'forbidden' || wait === undefined) {
    return { ...rest, attempts, status: 'failed', dueAt: now, lastError };
  }
  const asked = answer?.retryAfterMs ?? 0;
  const longest = asked > wait ? asked : wait;
  return {
    ...rest,
    attempts,
    lastError,
    dueAt: now + (longest < LONGEST_WAIT_MS ? longest : LONGEST_WAIT_MS),
  };
}
