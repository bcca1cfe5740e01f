/** A press of Pay, a scheduled payment or an AutoPay charge, from before the processor call to its final outcome. */
import { DAY_MS } from '../../core/day.js';
import type { PaymentMethod } from '@embedded-sessions/server-types';
import { nextLookup, open, referenceAfter } from '../../processor/rules/operation.js';
import type { Operation, OperationRows, Open, ResultSource } from '../../processor/rules/operation.js';
import { defined } from '../../core/defined.js';
import type { ForgettableRows, WaitingRows } from '../../core/queue-rows.js';
import type { LookupOutcome, RequiresAction, ProcessorResult } from '../../processor/rules/port.js';

/**
 * `scheduled`: not due yet; the processor has not been called. `canceled`: canceled before its day. `processing`: no
 * outcome yet. `pending`: a bank payment that was accepted but has not settled.
 */
export type AttemptStatus =
  | 'scheduled'
  | 'canceled'
  | 'processing'
  | 'succeeded'
  | 'declined'
  | 'pending'
  | 'returned';

/** Whether the attempt has been, or will be, sent to the processor. */
export function hasStarted(
  status: AttemptStatus,
): status is Exclude<AttemptStatus, 'scheduled' | 'canceled'> {
  return status !== 'scheduled' && status !== 'canceled';
}

/** Whether the payment counts as paid. A bank may still return it. */
export function isAccepted(status: AttemptStatus): boolean {
  return status === 'succeeded' || status === 'pending';
}

/** Whether the payment was accepted and not refunded in full. A message must not confirm others. */
export function isConfirmable({ status, amount, refunded }: Attempt): boolean {
  return isAccepted(status) && refunded < amount;
}

export interface Attempt extends Operation {
  readonly sessionId: string;
  /** The page's `attemptId`, unique within its session, which makes payments idempotent. */
  readonly requestId: string;
  readonly scheduledId?: string;
  /** AutoPay charges only. */
  readonly accountId?: string;
  /** The session's or AutoPay charge's reference. */
  readonly clientReference?: string;
  readonly status: AttemptStatus;
  /** The day of a scheduled AutoPay charge, `YYYY-MM-DD` in the business unit's time zone. */
  readonly chargeOn?: string;
  /** Cents refunded or being refunded. */
  readonly refunded: number;
  readonly descriptor?: string;
  readonly source: AttemptSource;
  readonly charges: readonly ChosenCharge[];
  /** The payment fields that the payer filled in. */
  readonly fields: Readonly<Record<string, string>>;
  /** When the processor's response was recorded, ms since the epoch. */
  readonly answeredAt?: number;
  /** When to remove personal data next, ms since the epoch. */
  readonly forgetAt?: number;
  readonly authorizationId?: string;
  /**
   * When the charge was last sent again, ms since the epoch. {@link UNSENT}: it never arrived and waits to be sent again.
   * Absent: the first call may have arrived.
   */
  readonly sentAt?: number;
  /** Address of the challenge that the payer must pass, while the status is `processing`. */
  readonly actionUrl?: string;
  /** When the service stops waiting for the payer to pass it, ms since the epoch. */
  readonly actionUntil?: number;
}

/** The stored part of a payment method, without number and security code. */
export interface TokenizedSource {
  readonly method: PaymentMethod;
  readonly token: string;
  readonly brand?: string;
  readonly last4: string;
  /** See `Tokenized`. */
  readonly fingerprint?: string;
  /** `MM/YY`, cards only. */
  readonly expiry?: string;
  readonly holder: string;
}

export interface AttemptSource extends TokenizedSource {
  /** The saved method that the attempt used or saved. */
  readonly methodId?: string;
  /** Whether to save the source once the processor accepts it. */
  readonly save: boolean;
}

export interface ChosenCharge {
  /** Position in the session's `Charges`. */
  readonly index: number;
  readonly amount: number;
}

/** The columns of an attempt without JSON. */
export type AttemptHead = Omit<Attempt, 'source' | 'charges' | 'fields'>;

export interface Attempts extends OperationRows<Attempt, AttemptHead>, ForgettableRows<Attempt> {
  find(sessionId: string, requestId: string): Promise<Attempt | null>;
  /**
   * The newest hundred, oldest first, without descriptors, and without the fields of declined ones. Only sessions that
   * enrolled or scheduled can have more.
   */
  ofSession(sessionId: string): Promise<Attempt[]>;
  /** Conflicts if the session already has this `requestId`. */
  insert(attempt: Attempt): Promise<unknown>;
  /** Updates a scheduled attempt whose day has started, including `createdAt`, session and authorization. */
  begin(attempt: Attempt): Promise<unknown>;
  /** Unfinished attempts that release 0.3 has begun, which recorded no payments for accounts. */
  begunIn03(limit: number): Promise<{ readonly id: string }[]>;
  /** Whether the business unit has attempts that release 0.3 began or settled and this release has not backfilled. */
  needsBackfill(businessUnit: string): Promise<boolean>;
  /** The scheduled charges of an account's enrollment, earliest first, without descriptors. */
  scheduledFor(accountId: string, limit?: number): Promise<AttemptHead[]>;
  /** Whether an account has this many scheduled charges, including those of earlier enrollments, which fail on their day. */
  hasScheduled(accountId: string, count: number): Promise<boolean>;
  /** Scheduled AutoPay charges. */
  readonly waiting: WaitingRows;
  /** Whether an attempt with this method has no outcome yet, so its token may be charged again. */
  isCharging(methodId: string): Promise<boolean>;
  /** A page of a business unit's attempts, oldest first, from an index. Its cost doesn't depend on the table's size. */
  positions(filter: AttemptFilter): Promise<AttemptPosition[]>;
  /** The attempts at these positions, oldest first, without fields and descriptors. */
  at(positions: readonly AttemptPosition[]): Promise<Attempt[]>;
}

export type AttemptPosition = Pick<Attempt, 'id' | 'createdAt'>;

export interface AttemptFilter {
  readonly businessUnit: string;
  /** Created at or after `from` and before `to`, ms since the epoch. */
  readonly from?: number;
  readonly to?: number;
  readonly statuses?: readonly AttemptStatus[];
  readonly clientReference?: string;
  /** The last attempt of the previous page. */
  readonly after?: AttemptPosition;
  readonly limit: number;
}

/** Whether no payer is present: charges of AutoPay and scheduled payments. */
export function isAutomatic({ scheduledId, accountId }: Pick<Attempt, 'scheduledId' | 'accountId'>): boolean {
  return scheduledId !== undefined || accountId !== undefined;
}

/** Whether AutoPay charges a bill on its own. The merchant decides about the charges that it requests. */
export function paysBill({ accountId, clientReference }: Attempt): boolean {
  return accountId !== undefined && clientReference === undefined;
}

/**
 * A charge that never arrived may be sent until this long after it began, ms. Later, the payer has left and may have paid
 * another way: every session that was open when they pressed Pay has ended.
 */
const SEND_LIMIT_MS = 30 * 60_000;
/** The same for automatic charges. */
const AUTOMATIC_SEND_LIMIT_MS = 3 * DAY_MS;

export function isTooLate(attempt: Attempt, now: number): boolean {
  return now > attempt.createdAt + (isAutomatic(attempt) ? AUTOMATIC_SEND_LIMIT_MS : SEND_LIMIT_MS);
}

/** `sentAt` of a charge that never arrived and is not in flight. */
export const UNSENT = 0;

/** The service's own reason for declining a scheduled charge whose payer has left AutoPay. */
export const UNENROLLED = 'The account was unenrolled from AutoPay before the day of the charge.';

/** The service's own reasons for declining a charge that never arrived. */
export const NOT_SENT = {
  tooLate: 'too_late',
  billPaid: 'bill_paid',
  billChanged: 'bill_changed',
  autopayEnded: 'autopay_ended',
  methodChanged: 'method_changed',
  methodRemoved: 'method_removed',
  methodBlocked: 'method_blocked',
  methodNotAccepted: 'method_not_accepted',
} as const;

/** Whether the service declined a charge that never arrived: nobody refused the card, and the payer may have left. */
export function wasNeverSent(reason: string | undefined): boolean {
  return Object.values<unknown>(NOT_SENT).includes(reason);
}

/** Whether the service gives a decline this reason. */
export function isOwnReason(reason: string | undefined): boolean {
  return wasNeverSent(reason) || reason === UNENROLLED;
}

/** Time until bank payments settle, ms. */
export const SETTLEMENT_MS: number = 2 * DAY_MS;

/** Banks may return a payment as unauthorized for this long, ms: settlement, 60 days and one banking day. */
const RETURN_WINDOW_MS = 70 * DAY_MS;

/** When the bank can no longer return the payment, ms since the epoch. */
export function returnsEnd({ createdAt }: Attempt): number {
  return createdAt + RETURN_WINDOW_MS;
}

/** Failed lookups are retried until this age of a bank payment, ms. Later, the processor may have deleted it. */
const LAST_LOOKUP_MS = RETURN_WINDOW_MS + 30 * DAY_MS;

/** Whether to stop looking up a settled payment after a failed lookup. */
export function isLastLookup({ status, createdAt }: Attempt, now: number): boolean {
  return status === 'succeeded' && now >= createdAt + LAST_LOOKUP_MS;
}

/** Look up a bank payment if no event has arrived for this long, ms. Most settle within five days. */
const EVENT_OVERDUE_MS = 7 * DAY_MS;

/** the session's link shows the receipt for this long, ms. */
const RECEIPT_LIFETIME_MS = DAY_MS;

export function showsReceipt(attempt: Attempt, now: number): boolean {
  return now < receiptEnds(attempt);
}

export function receiptEnds({ answeredAt, createdAt }: Attempt): number {
  return (answeredAt ?? createdAt) + RECEIPT_LIFETIME_MS;
}

/** The processor's result for an attempt that it has seen. */
export type AttemptResult = ProcessorResult<Exclude<LookupOutcome, 'never_seen'>>;

/**
 * Whether the result may change the attempt: its outcome isn't final, or a settled payment was returned. Only bank
 * payments can be declined after they were accepted.
 */
export function canChange(attempt: Attempt, { outcome }: AttemptResult): attempt is Open<Attempt> {
  if (attempt.source.method !== 'ACH' && contradicts(attempt.status, outcome)) return false;
  return open(attempt) || (attempt.status === 'succeeded' && outcome === 'returned');
}

/** Whether an outcome contradicts the recorded one, so that someone must investigate. */
export function contradicts(status: AttemptStatus, outcome: AttemptResult['outcome']): boolean {
  if (status === 'scheduled' || status === 'canceled') return true;
  return isAccepted(outcome)
    ? status === 'declined' || status === 'returned'
    : status === 'succeeded' && outcome === 'declined';
}

interface ResultContext extends ResultSource {
  readonly now: number;
  /** Whether the processor sends events, so that bank payments need no polling. */
  readonly hasEvents?: boolean;
}

export function applyResult(
  attempt: Open<Attempt>,
  result: AttemptResult,
  { now, hasEvents = false, byEvent = false, isResponse = false }: ResultContext,
): Attempt & { readonly status: AttemptResult['outcome'] } {
  const status = nextStatus(attempt.status, result.outcome);
  const isReversal = byEvent && status === 'returned';
  const reference = referenceAfter(attempt, result.reference, { isResponse, isReversal });
  const nextLookupAt = hasEvents ? overdueAt(status, now) : polledAt(attempt, status, now);
  const isUnknown = byEvent && isAccepted(status) && (result.reference ?? reference) === undefined;
  return defined({
    ...attempt,
    status,
    lookups: 0,
    answeredAt: attempt.answeredAt ?? now,
    forgetAt: attempt.answeredAt === undefined ? now : attempt.forgetAt,
    reason: result.reason,
    reference,
    // Later events may contain only the reference. If the charge's response was lost, a lookup finds it.
    dueAt: (isUnknown ? pendingLookup(attempt, now) : undefined) ?? nextLookupAt,
    actionUrl: undefined,
    actionUntil: undefined,
  });
}

/** When to look up a charge whose response was lost, ms since the epoch. Undefined if it wasn't lost. */
function pendingLookup({ status, dueAt, answeredAt }: Attempt, now: number): number | undefined {
  if (dueAt === undefined) return undefined;
  const overdue = overdueAt(status, answeredAt ?? now);
  return overdue === undefined || dueAt < overdue ? dueAt : undefined;
}

/** time limit of a challenge, ms. Banks give up after ten minutes. */
const CHALLENGE_MS = 15 * 60_000;

/** Interval of lookups during a challenge, ms. */
const CHALLENGE_LOOKUP_MS = 5_000;

export function applyChallenge(
  attempt: Open<Attempt>,
  { action: { url: actionUrl }, reference }: RequiresAction,
  now: number,
): Attempt {
  const { actionUntil = now + CHALLENGE_MS } = attempt;
  const isOver = now >= actionUntil;
  // Sessions that a failed lookup blocks stay blocked, so the count doesn't return to 0.
  const lookups = isOver ? attempt.lookups + 1 : Math.min(attempt.lookups, 1);
  const dueAt = isOver ? nextLookup('processing', lookups, now) : now + CHALLENGE_LOOKUP_MS;
  return { ...attempt, ...defined({ reference }), actionUrl, actionUntil, lookups, dueAt };
}

/** Whether the payer can still pass the challenge. */
export function awaitsPayer({ status, actionUntil }: Attempt, now: number): boolean {
  return status === 'processing' && actionUntil !== undefined && now < actionUntil;
}

/** Whether the payer canceled the challenge or ran out of time. */
export function challengeIsOver({ status, actionUntil }: Attempt, now: number): boolean {
  return status === 'processing' && actionUntil !== undefined && now >= actionUntil;
}

/**
 * An accepted bank payment that is refused later counts as returned, even if the processor calls it declined. A settled
 * payment can only be returned.
 */
function nextStatus(
  current: Open<Attempt>['status'],
  outcome: AttemptResult['outcome'],
): AttemptResult['outcome'] {
  if (current === 'processing') return outcome;
  if (outcome === 'declined' || outcome === 'returned') return 'returned';
  return current === 'succeeded' ? current : outcome;
}

/** When a bank payment's event is overdue, ms since the epoch. */
function overdueAt(status: AttemptStatus, now: number): number | undefined {
  return status === 'pending' ? now + EVENT_OVERDUE_MS : undefined;
}

/** Limits of the delay between lookups of a bank payment, ms. */
const MAX_WAIT_MS = 7 * DAY_MS;
const MIN_WAIT_MS = DAY_MS;

/**
 * When to look up a bank payment next, ms since the epoch; undefined once the outcome is final. The first lookup is when it
 * should have settled. Each further delay is half of the payment's age, so 70 days take 14 lookups.
 */
function polledAt(attempt: Attempt, status: AttemptStatus, now: number): number | undefined {
  const { id, source, createdAt, lookups } = attempt;
  if (status === 'pending') {
    // Settlement starts when the bank accepts the charge, before its response arrives.
    const acceptedAt = attempt.status === 'processing' && lookups === 0 ? now : createdAt;
    const settlesAt = acceptedAt + SETTLEMENT_MS;
    if (settlesAt > now) return settlesAt;
  } else if (status !== 'succeeded' || source.method !== 'ACH' || now >= returnsEnd(attempt))
    return undefined;
  const wait = Math.min(Math.max((now - createdAt) / 2, MIN_WAIT_MS), MAX_WAIT_MS);
  return now + Math.floor(spread(id) * wait);
}

/**
 * A factor from 0.75 to 1.25, derived from the payment's id, so that payments made in the same hour are not all looked up
 * in the same hour.
 */
function spread(id: string): number {
  let hash = 0;
  for (let i = 0; i < id.length; i++) hash = (hash * 31 + id.charCodeAt(i)) % 2 ** 32;
  return 0.75 + hash / 2 ** 33;
}
