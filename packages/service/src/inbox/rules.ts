/** The processor's own events, from their delivery until they are settled. */
import type { ProcessorEvent } from '../processor/rules/port.js';

export interface StoredEvent extends Readonly<ProcessorEvent> {
  /** Derived from the event, so replays are stored once. */
  readonly id: string;
  readonly receivedAt: number;
  /** When to try to settle it, ms since the epoch. */
  readonly dueAt: number;
}

export interface Inbox {
  get(id: string): Promise<StoredEvent | null>;
  /** A no-op if the event is already stored. */
  insert(event: StoredEvent): Promise<unknown>;
  postpone(id: string, dueAt: number): Promise<unknown>;
  remove(id: string): Promise<unknown>;
  /** Due events, oldest first. */
  due(now: number, limit: number): Promise<StoredEvent[]>;
}

const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 3_600_000;
/** Give up on an event whose payment or refund is still unknown after this, ms. */
const MAX_AGE_MS = 86_400_000;

/**
 * When to try to settle an event again, ms since the epoch; null after a day. The delay doubles, because the charge's
 * response usually follows within seconds.
 */
export function nextAttempt({ receivedAt }: Pick<StoredEvent, 'receivedAt'>, now: number): number | null {
  const age = now - receivedAt;
  if (age >= MAX_AGE_MS) return null;
  return now + Math.min(Math.max(age, FIRST_WAIT_MS), MAX_WAIT_MS);
}
