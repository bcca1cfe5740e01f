/** The processor's own events, from the delivery that brought them until they are settled. */
import { contradicts, type AttemptResult, type AttemptStatus } from '../payments/rules/attempt.js';
import type { ProcessorEvent, RefundOutcome } from '../processor/rules/port.js';
import type { RefundStatus } from '../refunds/rules.js';

export interface WaitingEvent extends Readonly<ProcessorEvent> {
  /** The same for the same event, so a replay is stored once. */
  readonly id: string;
  /** Ms since the epoch. */
  readonly receivedAt: number;
  /** When to try to settle it, ms since the epoch. */
  readonly dueAt: number;
}

export interface Inbox {
  get(id: string): Promise<WaitingEvent | null>;
  /** No-op if the same event is waiting already. */
  insert(event: WaitingEvent): Promise<void>;
  postpone(id: string, dueAt: number): Promise<void>;
  remove(id: string): Promise<void>;
  /** Due events, oldest first. */
  due(now: number, limit: number): Promise<WaitingEvent[]>;
}

const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 3_600_000;
/** How long an event waits for the payment or refund that it is about. */
const KEPT_MS = 86_400_000;

/**
 * When to look again for the payment of an event, ms since the epoch; null after a day. The delay doubles, because the
 * response to the payment usually follows within seconds.
 */
export function nextTry({ receivedAt }: Pick<WaitingEvent, 'receivedAt'>, now: number): number | null {
  const age = now - receivedAt;
  if (age >= KEPT_MS) return null;
  const wait = age < FIRST_WAIT_MS ? FIRST_WAIT_MS : age;
  return now + (wait < MAX_WAIT_MS ? wait : MAX_WAIT_MS);
}

/**
 * What an event does to a payment or refund. `known`: a replay, or an older event that arrives late. `contradicts`: it
 * contradicts the recorded outcome, and someone has to investigate.
 */
export type Effect = 'settles' | 'known' | 'contradicts';

export function effectOnPayment(status: AttemptStatus, outcome: AttemptResult['outcome']): Effect {
  switch (status) {
    case 'processing':
      return 'settles';
    case 'pending':
      return outcome === 'pending' ? 'known' : 'settles';
    case 'succeeded':
      return outcome === 'declined' || outcome === 'returned' ? 'settles' : 'known';
    case 'declined':
    case 'returned':
    case 'scheduled':
    case 'canceled':
      return contradicts(status, outcome) ? 'contradicts' : 'known';
  }
}

export function effectOnRefund(status: RefundStatus, outcome: RefundOutcome): Effect {
  switch (status) {
    case 'processing':
      return 'settles';
    case 'pending':
      return outcome === 'pending' ? 'known' : 'settles';
    case 'succeeded':
      return outcome === 'failed' ? 'contradicts' : 'known';
    case 'failed':
      return outcome === 'succeeded' ? 'contradicts' : 'known';
  }
}
