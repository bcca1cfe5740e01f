/** One press of Pay, or one execution of a scheduled payment: from before the processor is asked to its last word. */
import type { PaymentMethod } from '@embedded-sessions/server-types';
import type { LookupOutcome, Told } from './processor.js';

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
  /** Cents of it that were given back, or are being given back. */
  readonly refunded: number;
  /** For the payer's statement. */
  readonly descriptor?: string;
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
  /** How often it was asked in vain since it last had an answer. */
  readonly lookups: number;
  /** What the processor said with its last answer, and what it calls the charge. */
  readonly reason?: string;
  readonly reference?: string;
  /** What the payer agreed to, of a bank account. */
  readonly authorizationId?: string;
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
  /** False where its session has one with this `requestId` already: nothing was written then. */
  insert(attempt: Attempt): Promise<boolean>;
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

/** Ms: how long after a question in vain the processor is asked again, and the longest that this is doubled to. */
const PATIENCE: Readonly<Record<'processing' | 'pending', { first: number; longest: number }>> = {
  processing: { first: 5_000, longest: HOUR_MS },
  pending: { first: HOUR_MS, longest: 6 * HOUR_MS },
};

/** When to ask again, ms since the epoch: of a bank payment after an hour, else after 5 s, doubling. */
export function nextLookup(status: keyof typeof PATIENCE, lookups: number, now: number): number {
  const { first, longest } = PATIENCE[status];
  const delay = first * 2 ** lookups;
  return now + (delay < longest ? delay : longest);
}

/** An attempt without the processor's last word. */
export type Unsettled = Attempt & { readonly status: 'processing' | 'pending' };

export function unsettled(attempt: Attempt): attempt is Unsettled {
  return attempt.status === 'processing' || attempt.status === 'pending';
}

/** What the processor says of an attempt that it knows. */
export type Answered = Told<Exclude<LookupOutcome, 'never_seen'>>;

/** The attempt after the processor's answer, ms since the epoch. */
export function answered(attempt: Unsettled, answer: Answered, now: number): Attempt {
  const { dueAt: _, reason: __, ...rest } = attempt;
  // A bank payment that was taken and then refused has come back, by whatever name.
  const status = attempt.status === 'pending' && answer.outcome === 'declined' ? 'returned' : answer.outcome;
  return {
    ...rest,
    status,
    lookups: 0,
    answeredAt: attempt.answeredAt ?? now,
    ...(answer.reason === undefined ? {} : { reason: answer.reason }),
    ...(answer.reference === undefined ? {} : { reference: answer.reference }),
    ...(status === 'pending' ? { dueAt: settlesAt(attempt, now) } : {}),
  };
}

/** When a bank payment is asked for: the bank counts from when it took it, which was before it said so. */
function settlesAt(attempt: Unsettled, now: number): number {
  const takenAt = attempt.status === 'processing' && attempt.lookups === 0 ? now : attempt.createdAt;
  const due = takenAt + SETTLEMENT_MS;
  return due > now ? due : nextLookup('pending', 0, now);
}

/** The attempt after a question in vain. */
export function askedInVain(attempt: Unsettled, now: number): Attempt {
  const { status, lookups } = attempt;
  return { ...attempt, lookups: lookups + 1, dueAt: nextLookup(status, lookups, now) };
}
