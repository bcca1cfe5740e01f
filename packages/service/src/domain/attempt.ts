/** One press of Pay, or one execution of a scheduled payment: from before the processor is asked to its last word. */
import type { PaymentMethod } from '@embedded-sessions/server-types';

/**
 * `processing`: the processor was or will be asked, and its answer is not known yet. `pending`: it took a bank
 * payment that has not settled.
 */
export type AttemptStatus = 'processing' | 'succeeded' | 'declined' | 'pending' | 'returned';

export interface Attempt {
  /** Ours, and the processor's idempotency key. */
  readonly id: string;
  readonly businessUnit: string;
  readonly sessionId: string;
  /** The page's `attemptId`: unique within its session, so that a resubmitted payment is the same payment. */
  readonly requestId: string;
  /** The scheduled payment that this executes. */
  readonly scheduledId?: string;
  readonly status: AttemptStatus;
  /** Cents. */
  readonly amount: number;
  readonly source: AttemptSource;
  /** The chosen charges, cents. */
  readonly charges: readonly ChosenCharge[];
  /** Values of the fields that the payer filled in. */
  readonly fields: Readonly<Record<string, string>>;
  /** Ms since the epoch. */
  readonly createdAt: number;
  /** When the processor's answer became known, ms since the epoch. */
  readonly answeredAt?: number;
  /** When the processor is asked what became of it, ms since the epoch; absent once that is known for good. */
  readonly dueAt?: number;
  /** How often it was asked. */
  readonly lookups: number;
}

export interface AttemptSource {
  readonly method: PaymentMethod;
  readonly token: string;
  readonly brand?: string;
  readonly last4: string;
  readonly expiry?: string;
  readonly holder: string;
  /** The saved method that was used, or that the attempt saved. */
  readonly methodId?: string;
  /** The payer asked to keep it; done when the processor takes it. */
  readonly save: boolean;
}

export interface ChosenCharge {
  /** Position in the session's `Charges`. */
  readonly index: number;
  /** Cents. */
  readonly amount: number;
}

export interface Attempts {
  get(id: string): Promise<Attempt | null>;
  /** By the page's id. */
  find(sessionId: string, requestId: string): Promise<Attempt | null>;
  /** Oldest first. */
  ofSession(sessionId: string): Promise<Attempt[]>;
  insert(attempt: Attempt): Promise<void>;
  update(attempt: Attempt): Promise<void>;
  /** Those whose `dueAt` has come, oldest first. */
  due(now: number, limit: number): Promise<Attempt[]>;
  list(businessUnit: string): Promise<Attempt[]>;
}

/**
 * How long an attempt is left to whoever charges it, ms; renewed while the charge runs. When its process has died,
 * this is how long it takes until another asks the processor.
 */
export const CHARGE_LEASE_MS = 10_000;

/** Bank payments are asked for after so many ms. */
export const SETTLEMENT_MS: number = 2 * 86_400_000;

const HOUR_MS = 3_600_000;

/** When to ask again, ms since the epoch: a bank payment hourly, else after 5 s, doubling to an hour. */
export function nextLookup({ status, lookups }: Pick<Attempt, 'status' | 'lookups'>, now: number): number {
  const delay = status === 'pending' ? HOUR_MS : 5_000 * 2 ** lookups;
  return now + (delay < HOUR_MS ? delay : HOUR_MS);
}

/** True while the processor has not said its last word. */
export function unsettled(attempt: Attempt): boolean {
  return attempt.status === 'processing' || attempt.status === 'pending';
}

/** The attempt after the processor's answer, ms since the epoch. */
export function answered(
  attempt: Attempt,
  status: Exclude<AttemptStatus, 'processing'>,
  now: number,
): Attempt {
  const { dueAt: _, ...rest } = attempt;
  // The bank counts from when it took the payment, which was before it said so.
  const settlesAt = (attempt.lookups === 0 ? now : attempt.createdAt) + SETTLEMENT_MS;
  return {
    ...rest,
    status,
    answeredAt: attempt.answeredAt ?? now,
    ...(status === 'pending'
      ? { dueAt: settlesAt > now ? settlesAt : nextLookup({ ...attempt, status }, now) }
      : {}),
  };
}
