/** One press of Pay, one scheduled payment or one AutoPay charge, from before the processor call to its final outcome. */
import type { PaymentMethod } from '@embedded-sessions/server-types';
import { nextLookup, open, detailsOf } from '../../processor/rules/operation.js';
import type { Operation, OperationRows, Open } from '../../processor/rules/operation.js';
import { defined } from '../../core/defined.js';
import type { WaitingRows } from '../../core/waiting-rows.js';
import type { LookupOutcome, RequiresAction, ProcessorResult } from '../../processor/rules/port.js';

/**
 * `scheduled`: waits for its day; the processor has not been called. `canceled`: was canceled before that day.
 * `processing`: the processor's answer is not known yet. `pending`: it accepted a bank payment that has not settled.
 */
export type AttemptStatus =
  | 'scheduled'
  | 'canceled'
  | 'processing'
  | 'succeeded'
  | 'declined'
  | 'pending'
  | 'returned';

/** The status of an attempt that the processor was, or will be, asked about. */
export type BegunStatus = Exclude<AttemptStatus, 'scheduled' | 'canceled'>;

export function hasStarted(status: AttemptStatus): status is BegunStatus {
  return status !== 'scheduled' && status !== 'canceled';
}

export interface Attempt extends Operation {
  readonly sessionId: string;
  /** The page's `attemptId`, unique within its session: a resubmitted payment is the same payment. */
  readonly requestId: string;
  /** The scheduled payment that this executes. */
  readonly scheduledId?: string;
  /** The account whose AutoPay this charges. */
  readonly accountId?: string;
  /** Reference of its session or of the AutoPay charge. */
  readonly clientReference?: string;
  readonly status: AttemptStatus;
  /** The day of a scheduled AutoPay charge, `YYYY-MM-DD` in the business unit's time zone. */
  readonly chargeOn?: string;
  /** Cents refunded or being refunded. */
  readonly refunded: number;
  /** For the payer's statement. */
  readonly descriptor?: string;
  readonly source: AttemptSource;
  /** The chosen charges, cents. */
  readonly charges: readonly ChosenCharge[];
  /** Values of the fields that the payer filled in. */
  readonly fields: Readonly<Record<string, string>>;
  /** When the processor's response became known, ms since the epoch. */
  readonly answeredAt?: number;
  /** When to remove more of the payer's data, ms since the epoch. */
  readonly forgetAt?: number;
  /** The authorization of a bank payment. */
  readonly authorizationId?: string;
  /** The challenge that the payer must pass, as long as the status is `processing`. */
  readonly action?: Challenge;
}

export interface Challenge {
  readonly url: string;
  /** When the service stops waiting for the payer, ms since the epoch. */
  readonly until: number;
}

export interface AttemptSource {
  readonly method: PaymentMethod;
  readonly token: string;
  readonly brand?: string;
  readonly last4: string;
  /** See `Tokenized`. */
  readonly fingerprint?: string;
  readonly expiry?: string;
  readonly holder: string;
  /** The saved method that was used, or that the attempt saved. */
  readonly methodId?: string;
  /** The payer asked to save it. It is saved once the processor accepts it. */
  readonly save: boolean;
}

export interface ChosenCharge {
  /** Position in the session's `Charges`. */
  readonly index: number;
  /** Cents. */
  readonly amount: number;
}

/** The columns of an attempt, without its JSON. */
export type AttemptHead = Omit<Attempt, 'source' | 'charges' | 'fields'>;

export interface Attempts extends OperationRows<Attempt, AttemptHead> {
  /** Finds an attempt by the page's id. */
  find(sessionId: string, requestId: string): Promise<Attempt | null>;
  /** The newest hundred, oldest first. Only sessions that enrolled or scheduled can have more. */
  ofSession(sessionId: string): Promise<Attempt[]>;
  /** False, without writing, if its session already has this `requestId`. */
  insert(attempt: Attempt): Promise<boolean>;
  /** Like `update`, and writes `createdAt` and the authorization: the attempt has waited for its day, which has begun. */
  begin(attempt: Attempt): Promise<void>;
  /**
   * Records what an attempt pays for an account. An enrollment of the account is written unchanged, so that an
   * AutoPay charge that begins at the same time conflicts with this transaction.
   */
  paysFor(accountId: string, attempt: Pick<Attempt, 'id' | 'amount'>): Promise<void>;
  /** Takes back {@link paysFor} of an attempt that pays nothing: it was canceled, declined or returned. */
  paysNoMore(attemptId: string): Promise<void>;
  /** What the attempts paid for an account that were settled at `since` (ms since the epoch) or later, or never. */
  paidFor(accountId: string, since: number): Promise<PaidFor>;
  /**
   * Deletes what the attempts of these sessions paid for accounts, unless it counts toward a balance that was synced before: a
   * later sync never asks for it.
   */
  forgetPaid(sessionIds: readonly string[]): Promise<void>;
  /** AutoPay charges of an account that wait for their day, the earliest first. */
  scheduledFor(accountId: string): Promise<AttemptHead[]>;
  /** AutoPay charges that wait for their day. */
  readonly waiting: WaitingRows;
  /** Attempts whose `forgetAt` has come, the earliest first. */
  toForget(now: number, limit: number): Promise<Attempt[]>;
  /**
   * Schedules the removal of payer data in these sessions, for payments that release 0.3 settled. @param now ms
   * since the epoch
   */
  forgetOlder(sessionIds: readonly string[], now: number): Promise<void>;
  /** Whether the outcome of an attempt with this method is unknown. Then its token may be charged again. */
  isCharging(methodId: string): Promise<boolean>;
  /** One page of a business unit's attempts, oldest first. The cost does not grow with the table. */
  page(filter: AttemptFilter): Promise<Attempt[]>;
}

/** What attempts paid for one account. */
export interface PaidFor {
  /**
   * Cents that were paid, or will be on a day that the merchant has set. Each account bears its share of a refund, rounded
   * in the payer's favor.
   */
  readonly amount: number;
  /** True if the outcome of one of them is unknown. */
  readonly unfinished: boolean;
}

/** Filter for one page of the list. */
export interface AttemptFilter {
  readonly businessUnit: string;
  /** Created at `from` or later, and before `to`; ms since the epoch. */
  readonly from?: number;
  readonly to?: number;
  /** Any of these. */
  readonly statuses?: readonly AttemptStatus[];
  readonly clientReference?: string;
  /** The last attempt of the previous page. */
  readonly after?: { readonly createdAt: number; readonly id: string };
  readonly limit: number;
}

/** Rejects a range that ends before it begins: the empty result would suggest that nothing had been paid. */
export function endsTooSoon(
  { from, to }: Pick<AttemptFilter, 'from' | 'to'>,
  begin: string,
  end: string,
): string | null {
  // An open end is never too soon.
  return Number(from) > Number(to) ? `${begin} must not be after ${end}.` : null;
}

const DAY_MS = 86_400_000;

/** Bank payments settle after this, ms. */
export const SETTLEMENT_MS: number = 2 * DAY_MS;

/** How long after a bank payment an unauthorized return may arrive, ms. */
const RETURNS_UNTIL_MS = 62 * DAY_MS;

/** Until when a bank may return the payment, ms since the epoch. */
export function returnsEnd({ createdAt }: Attempt): number {
  return createdAt + RETURNS_UNTIL_MS;
}

/** How long after a bank payment a lookup that failed is retried, ms. The processor may have deleted the charge by then. */
const RETRIED_UNTIL_MS = RETURNS_UNTIL_MS + 30 * DAY_MS;

/** Whether a lookup of a settled payment that found nothing is the last one. */
export function isLastLookup({ status, createdAt }: Attempt, now: number): boolean {
  return status === 'succeeded' && now >= createdAt + RETRIED_UNTIL_MS;
}

/** How long to wait for the event about a bank payment before asking the processor, ms. Most settle in five days. */
const EVENT_OVERDUE_MS = 7 * DAY_MS;

/** how long after a payment the session's link shows the receipt, ms. */
const RECEIPT_SHOWN_MS = DAY_MS;

export function showsReceipt(attempt: Attempt, now: number): boolean {
  return now < receiptEnds(attempt);
}

/** When the link stops showing the receipt, ms since the epoch. */
export function receiptEnds({ answeredAt, createdAt }: Attempt): number {
  return (answeredAt ?? createdAt) + RECEIPT_SHOWN_MS;
}

/** The processor's response about an attempt that it has. */
export type Answered = ProcessorResult<Exclude<LookupOutcome, 'never_seen'>>;

/**
 * False if the attempt's outcome is final. A return is possible as long as the payment counts as paid. Only a bank can
 * decline a payment that it had accepted.
 */
export function mayChange(attempt: Attempt, { outcome }: Answered): attempt is Open<Attempt> {
  if (attempt.source.method !== 'ACH' && contradicts(attempt.status, outcome)) return false;
  return open(attempt) || (attempt.status === 'succeeded' && outcome === 'returned');
}

/** Whether an outcome contradicts the recorded one, so that someone has to investigate. */
export function contradicts(status: AttemptStatus, outcome: Answered['outcome']): boolean {
  switch (status) {
    case 'declined':
      return outcome === 'succeeded';
    case 'succeeded':
      return outcome === 'declined';
    case 'scheduled':
    case 'canceled':
      return true;
    case 'processing':
    case 'pending':
    case 'returned':
      return false;
  }
}

interface AnsweredAt {
  /** Ms since the epoch. */
  readonly now: number;
  /** True if the processor reports events, so bank payments need no polling. */
  readonly hasEvents?: boolean;
  /** True if an event reported the outcome. */
  readonly byEvent?: boolean;
}

/** The attempt after the processor's response. */
export function answered(
  attempt: Open<Attempt>,
  answer: Answered,
  { now, hasEvents = false, byEvent = false }: AnsweredAt,
): Attempt & { readonly status: BegunStatus } {
  const { dueAt: _, reason: __, action: ___, ...rest } = attempt;
  const status = after(attempt.status, answer.outcome);
  const details = detailsOf(answer);
  // Later events may name only the reference. The response to the charge has it; if that is lost, a lookup finds it.
  const lacksReference =
    byEvent && attempt.status === 'processing' && (details.reference ?? attempt.reference) === undefined;
  const isPaid = status === 'succeeded' || status === 'pending';
  const settledAt = hasEvents ? overdueAt(status, now) : polledAt(attempt, status, now);
  const dueAt = lacksReference && isPaid && attempt.dueAt !== undefined ? attempt.dueAt : settledAt;
  return {
    ...rest,
    status,
    lookups: 0,
    answeredAt: attempt.answeredAt ?? now,
    ...(attempt.answeredAt === undefined ? { forgetAt: now } : {}),
    ...details,
    ...(dueAt === null ? {} : { dueAt }),
  };
}

/** how long the payer may take for a challenge, ms. Banks give up after ten minutes. */
export const CHALLENGE_MS: number = 15 * 60_000;

/** How often to ask the processor during a challenge, ms. */
const CHALLENGE_LOOKUP_MS = 5_000;

/** The attempt after the processor has required the payer. */
export function challenged(
  attempt: Open<Attempt>,
  { action: { url }, reference }: RequiresAction,
  now: number,
): Attempt {
  const until = attempt.action?.until ?? now + CHALLENGE_MS;
  const lookups = now < until ? 0 : attempt.lookups + 1;
  const dueAt = now < until ? now + CHALLENGE_LOOKUP_MS : nextLookup('processing', lookups, now);
  return { ...attempt, ...defined({ reference }), action: { url, until }, lookups, dueAt };
}

/** Whether the payer can pass the challenge now. */
export function awaitsPayer({ status, action }: Attempt, now: number): boolean {
  return status === 'processing' && action !== undefined && now < action.until;
}

/** Whether the payer gave up the challenge, or took too long. */
export function challengeIsOver({ status, action }: Attempt, now: number): boolean {
  return status === 'processing' && action !== undefined && now >= action.until;
}

/**
 * A bank payment that was accepted and then refused counts as returned, whatever the processor calls it. A settled
 * one can only be returned.
 */
function after(before: Open<Attempt>['status'], outcome: Answered['outcome']): BegunStatus {
  if (before === 'processing') return outcome;
  if (outcome === 'declined' || outcome === 'returned') return 'returned';
  return before === 'succeeded' ? before : outcome;
}

/** When the event about a bank payment is overdue, ms since the epoch. */
function overdueAt(status: AttemptStatus, now: number): number | null {
  return status === 'pending' ? now + EVENT_OVERDUE_MS : null;
}

/** Longest and shortest wait between two lookups of a bank payment, ms. */
const MAX_WAIT_MS = 7 * DAY_MS;
const MIN_WAIT_MS = DAY_MS;

/**
 * When to look up a bank payment next, ms since the epoch; null once the outcome is final. The first lookup is when it
 * should have settled, the next ones after half of its age: the older the payment, the longer a change may go
 * unnoticed, and 62 days take 13 lookups.
 */
function polledAt(attempt: Attempt, status: AttemptStatus, now: number): number | null {
  const { id, source, createdAt, lookups } = attempt;
  if (status === 'pending') {
    // The bank counts from when it accepted the charge, which is before its response arrives.
    const acceptedAt = attempt.status === 'processing' && lookups === 0 ? now : createdAt;
    const settlesAt = acceptedAt + SETTLEMENT_MS;
    if (settlesAt > now) return settlesAt;
  } else if (status !== 'succeeded' || source.method !== 'ACH' || now >= returnsEnd(attempt)) return null;
  const half = (now - createdAt) / 2;
  const wait = spread(id) * (half < MIN_WAIT_MS ? MIN_WAIT_MS : half > MAX_WAIT_MS ? MAX_WAIT_MS : half);
  return now + wait - (wait % 1);
}

/**
 * A factor from 0.75 to 1.25, derived from the payment's id, so that payments of one hour are not all looked up in the
 * same hour.
 */
function spread(id: string): number {
  let hash = 0;
  for (let at = 0; at < id.length; at++) hash = (hash * 31 + id.charCodeAt(at)) % 2 ** 32;
  return 0.75 + hash / 2 ** 33;
}
