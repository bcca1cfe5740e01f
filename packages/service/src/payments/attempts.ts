/** The two transactions of a payment: one before the processor call, one after its response. */
import { factsOf, withAttempt, type SessionFacts } from '../webhooks/announce.js';
import { bookPayment, recordPayment, type BookedPayment } from '../ledger/book.js';
import { linesOfCharges } from '../ledger/rules.js';
import { dayIn } from '../core/day.js';
import { startFields, recordReference, open, type ResultSource } from '../processor/rules/operation.js';
import {
  applyResult,
  applyChallenge,
  canChange,
  contradicts,
  isAccepted,
  isAutomatic,
  NOT_SENT,
  paysBill,
  UNSENT,
} from './rules/attempt.js';
import type { AttemptResult, Attempt, AttemptSource, AttemptStatus, ChosenCharge } from './rules/attempt.js';
import { PAID_AUTOMATICALLY } from './rules/account-payments.js';
import { planForgetting } from './rules/forget.js';
import { transition, type PaymentSession, type Refusal } from '../sessions/rules/session.js';
import type { StoreTx, TxContext } from '../core/store.js';
import {
  ok,
  invalid,
  refused,
  type Invalid,
  type Result,
  type Problem,
  type Refused,
} from '../core/result.js';
import type { Method } from '../wallet/rules.js';
import {
  accountKey,
  accountsOfCharges,
  accountText,
  type AccountKey,
} from '../accounts/rules/account-sync.js';
import type { RequiresAction } from '../processor/rules/port.js';
import { announcePayment } from '../autopay/charge.js';
import { asEnrolled, dueRepeatProblem, type AutopayUnit, type RepeatProblem } from '../autopay/due.js';
import {
  announceAdded,
  blockProblem,
  blockReturned,
  saveMethod,
  methodBlocked,
  methodRemoved,
} from '../wallet/methods.js';
import { authorize } from '../wallet/record-authorization.js';
import { settleScheduled } from '../schedules/scheduling.js';
import { defined } from '../core/defined.js';
import type { BusinessUnit, ServiceConfig } from '../platform/config/config.js';
import { timeZoneOf } from '../webhooks/served-units.js';

export interface PaymentInput {
  /** May still be read from the database. */
  readonly id: string | Promise<string>;
  /** As read before. Only its status may have changed. */
  readonly session: PaymentSession;
  readonly requestId: string;
  readonly source: AttemptSource;
  readonly charges: readonly ChosenCharge[];
  readonly total: number;
  readonly fields: Readonly<Record<string, string>>;
  /** The text that the payer agreed to; null for cards, which need no authorization. */
  readonly authorization: string | null;
}

/**
 * Writes the attempt and moves the session to `Processing`. Call the processor only after the commit. A repeated
 * `requestId` returns its attempt and ignores the rest of the request.
 */
export async function beginPayment(
  tx: StoreTx,
  input: PaymentInput,
  context: TxContext & Pick<BusinessUnit, 'timeZone'>,
  repeated = false,
): Promise<Result<StartedPayment>> {
  const { now } = context;
  const { id: sessionId, businessUnit, request } = input.session;
  const lines = linesOfCharges(input.charges, request.Charges).filter(
    ({ accountNumber }) => accountNumber !== '',
  );
  // Concurrent, because each round trip to the database delays the payer.
  const [id, existing, session, problem, automatic] = await Promise.all([
    input.id,
    tx.attempts.find(sessionId, input.requestId),
    tx.sessions.get(sessionId),
    sourceProblem(tx, input),
    automaticPayments(tx, input.session, context, lines),
  ]);
  // A repeated transaction finds its own attempt if the COMMIT was never acknowledged.
  if (existing)
    return ok({
      attempt: existing,
      isNew: repeated && existing.id === id && existing.createdAt === now,
    });
  if (session?.flow !== 'payment') return refused('not_found', 'There is no such payment session.');

  const next = transition(session, 'attempt-started', now);
  if (typeof next === 'string') return ATTEMPT_REFUSED[next];
  if (session.abandoned?.includes(input.requestId)) return ABANDONED;
  if (problem) return invalid(problem);
  const refusal = refuseAutomatic(input.charges, request.Charges, automatic);
  if (refusal) return refusal;

  const { authorization: text, source } = input;
  const authorized =
    text === null ? {} : await authorize(tx, { ...session, method: source.method }, text, context);
  const attempt = { ...newAttempt(id, input, session, now), ...authorized };
  await tx.attempts.insert(attempt);
  await tx.accountPayments.recordLines(businessUnit, attempt.id, lines);
  await tx.sessions.update(next);
  return ok({ attempt, isNew: true });
}

/**
 * Whether each of a session's accounts may be paid already: by AutoPay, a scheduled payment or an unanswered press of
 * Pay that is in flight, is due today, or was accepted since the session was created. Compares counts, not times: a
 * transaction may take seconds, and processes' clocks differ.
 *
 * @param chosen the accounts to ask about; default: all
 */
export async function automaticPayments(
  tx: StoreTx,
  { businessUnit, request, automaticPayments: before = [] }: PaymentSession,
  { now, timeZone }: Pick<TxContext, 'now'> & Pick<BusinessUnit, 'timeZone'>,
  chosen?: readonly AccountKey[],
): Promise<Map<string, boolean>> {
  const asked = chosen && new Set(chosen.map(accountText));
  const today = dayIn(now, timeZone);
  const found = accountsOfCharges(request.Charges).map(async ({ key }, index) => {
    const text = accountText(key);
    const than = { counted: before[index] ?? 0, today };
    const isAsked = asked?.has(text) ?? true;
    return [text, isAsked && (await tx.accountPayments.hasAutomatic(businessUnit, key, than))] as const;
  });
  return new Map(await Promise.all(found));
}

/** Refuses the account's charge if the payer can leave it out, else the payment. */
function refuseAutomatic(
  chosen: readonly ChosenCharge[],
  charges: PaymentSession['request']['Charges'],
  automatic: ReadonlyMap<string, boolean>,
): Refused | Invalid | null {
  const problems = new Map<string, Problem>();
  for (const { index } of chosen) {
    const account = charges[index]?.ClientAccount;
    const key = account && accountText(accountKey(account));
    if (key !== undefined && automatic.get(key) === true && !problems.has(key))
      problems.set(key, { ...PAID_AUTOMATICALLY, field: `charges.${index}.chosen` });
  }
  if (problems.size === 0) return null;
  if (automatic.size > 1) return invalid(...problems.values());
  return refused('conflict', `${PAID_AUTOMATICALLY.message} Go back and start again later.`);
}

/** Returns the reason why the source can't be charged, or null. Saved methods have a block of their own. */
async function sourceProblem(
  tx: StoreTx,
  { session: { businessUnit }, source }: PaymentInput,
): Promise<Problem | null> {
  const { methodId } = source;
  if (methodId === undefined) return blockProblem(tx, businessUnit, source);

  const saved = await tx.methods.get(methodId);
  if (!saved || saved.removedAt !== undefined) return methodRemoved('source.savedMethodId');
  return saved.blocked === undefined ? null : methodBlocked('source.savedMethodId');
}

/**
 * Marks a charge that never arrived as sent again. The charge of a bill may be marked as unsent instead: the payer can
 * then press Pay while it waits, because it isn't sent once the bill is paid. It is sent with the account's current
 * AutoPay method. Resolves to the current attempt and to why it must not be sent.
 *
 * @param unit undefined if it has left the config
 */
export async function prepareRepeat(
  tx: StoreTx,
  { id }: Pick<Attempt, 'id'>,
  unit: AutopayUnit | undefined,
  now: number,
): Promise<[Attempt | null, RepeatProblem]> {
  const begun = await tx.attempts.get(id);
  if (begun?.status !== 'processing') return [begun, null];

  const isBill = paysBill(begun);
  const attempt = isBill ? await asEnrolled(tx, begun) : begun;
  const problem = unit ? await repeatProblem(tx, attempt, unit, now) : 'later';
  const waits = problem === 'later' && isBill;
  if (problem === null || waits) {
    await tx.accountPayments.lock(id);
    await tx.attempts.begin({ ...attempt, sentAt: waits ? UNSENT : now });
  } else if (isBill) await tx.attempts.begin(attempt);
  return [attempt, problem];
}

/** Why it must not be sent again: AutoPay has ended, its method can't be charged, or the bill was paid or has changed. */
async function repeatProblem(
  tx: StoreTx,
  attempt: Attempt,
  unit: AutopayUnit,
  now: number,
): Promise<RepeatProblem> {
  const { businessUnit, accountId, source } = attempt;
  const { methodId, fingerprint } = source;
  const isBill = paysBill(attempt);
  const enrollment = accountId === undefined ? null : await tx.autopay.ofAccount(accountId);
  // The merchant's own charges belong to the enrollment that they began with.
  const isOver = enrollment === null || (!isBill && enrollment.enrolledAt > attempt.createdAt);
  if (accountId !== undefined && isOver) return { reason: NOT_SENT.autopayEnded };

  const saved = methodId === undefined ? null : await tx.methods.get(methodId);
  const blocked = saved?.blocked ?? (await tx.methods.blockOf(businessUnit, fingerprint));
  if (blocked !== null) return { reason: NOT_SENT.methodBlocked };
  if (saved?.removedAt !== undefined) return { reason: NOT_SENT.methodRemoved };
  if (!unit.paymentMethods.includes(source.method)) return { reason: NOT_SENT.methodNotAccepted };
  if (!isAutomatic(attempt)) return overtakenProblem(tx, attempt);
  if (enrollment === null) return null;
  if (enrollment.methodId !== methodId) return { reason: NOT_SENT.methodChanged };

  return isBill ? dueRepeatProblem(tx, attempt, enrollment, unit, now) : null;
}

/** A payer who pressed Pay may have paid the same bill in another session meanwhile. */
async function overtakenProblem(tx: StoreTx, attempt: Attempt): Promise<RepeatProblem> {
  const overtaken = await tx.accountPayments.overtaken(attempt);
  if (overtaken === null) return null;
  if (overtaken === 'unfinished') return 'later';
  return { reason: overtaken === 'paid' ? NOT_SENT.billPaid : NOT_SENT.billChanged };
}

function newAttempt(
  id: string,
  { requestId, total, source, charges, fields }: PaymentInput,
  { id: sessionId, businessUnit, request }: PaymentSession,
  now: number,
): Attempt {
  const { PaymentDescriptor: descriptor, ClientReference: clientReference } = request;
  return {
    id,
    businessUnit,
    sessionId,
    requestId,
    amount: total,
    refunded: 0,
    ...defined({ descriptor, clientReference }),
    source,
    charges,
    fields,
    ...startFields(now),
  };
}

export interface StartedPayment {
  readonly attempt: Attempt;
  /** False if the request was sent before. */
  readonly isNew: boolean;
}

const MAX_ABANDONED = 100;

const TOO_MANY_ABANDONED = refused('too_many_attempts', 'Too many payments for this session were abandoned.');

const ABANDONED = refused('conflict', 'The page that sent this payment has abandoned it.');

/**
 * Abandons an attempt that never began, so that the page can say that nothing was charged: late requests for it are
 * refused. Resolves to the attempt if it did begin.
 */
export async function abandonAttempt(
  tx: StoreTx,
  sessionId: string,
  requestId: string,
): Promise<Result<Attempt | null>> {
  const attempt = await tx.attempts.find(sessionId, requestId);
  const session = await tx.sessions.get(sessionId);
  if (attempt || !session) return ok(attempt);

  const { abandoned = [] } = session;
  if (abandoned.includes(requestId)) return ok(null);
  if (abandoned.length >= MAX_ABANDONED) return TOO_MANY_ABANDONED;

  await tx.sessions.update({ ...session, abandoned: [...abandoned, requestId] });
  return ok(null);
}

export const ATTEMPT_REFUSED: Readonly<Record<Refusal, Refused>> = {
  expired: refused('expired', 'This session has expired. Go back and start again; nothing was charged.'),
  canceled: refused('canceled', 'This session was canceled. Go back and start again; nothing was charged.'),
  'in-flight': refused('conflict', 'A payment is already being processed. Wait for its result.'),
  'already-paid': refused('conflict', 'This session has already been paid.'),
  failed: refused('conflict', 'The bank returned this payment. Go back and start again.'),
  'too-many-attempts': refused(
    'too_many_attempts',
    'Too many payments were declined. Go back and start again.',
  ),
  'not-now': refused('conflict', 'This session accepts no payments.'),
};

/**
 * Records that the processor requires a challenge, unless the attempt already has an outcome. Resolves to the
 * current attempt.
 */
export async function challengePayment(
  tx: StoreTx,
  { id }: Pick<Attempt, 'id'>,
  required: RequiresAction,
  now: number,
): Promise<Attempt | null> {
  const attempt = await tx.attempts.get(id);
  if (attempt?.status !== 'processing' || !open(attempt)) return attempt;
  const next = applyChallenge(attempt, required, now);
  await tx.attempts.update(next);
  return next;
}

export interface SettleContext extends TxContext, ResultSource {
  readonly config: Pick<ServiceConfig, 'businessUnits'>;
  readonly hasEvents?: boolean;
  readonly hasForget?: boolean;
}

/** Records the processor's response. Idempotent. Resolves to the current attempt. */
export async function settlePayment(
  tx: StoreTx,
  {
    id,
    businessUnit,
    sessionId,
    accountId,
  }: Pick<Attempt, 'id' | 'businessUnit' | 'sessionId' | 'accountId'>,
  result: AttemptResult,
  context: SettleContext,
): Promise<Attempt | null> {
  // Concurrent, because each round trip to the database delays the payer.
  const [session, facts, account, timeZone] = await Promise.all([
    tx.sessions.get(sessionId),
    factsOf(tx, sessionId),
    accountId === undefined ? null : tx.accounts.get(accountId),
    timeZoneOf(tx, context.config, businessUnit),
  ]);
  const before = { ...facts, account };
  const attempt = before.attempts.find((one) => one.id === id) ?? (await tx.attempts.get(id));
  // An enrollment outlives its session if an operator has archived that.
  if (!attempt || (!session && !isAutomatic(attempt))) return null;
  if (!canChange(attempt, result)) {
    const replaces = context.isResponse === true && !contradicts(attempt.status, result.outcome);
    return recordReference(tx.attempts, attempt, result, replaces);
  }

  const next = applyResult(attempt, result, context);
  if (next.status === attempt.status) {
    await tx.attempts.update(next);
    return next;
  }

  const booked = await bookPayment(tx, planForgetting(next, context.now, context.hasForget), session, {
    date: dayIn(context.now, timeZone),
    hadSucceeded: attempt.status === 'succeeded',
    account,
    ...defined({ reference: result.reference }),
  });
  if (next.status === 'returned') await blockReturned(tx, booked.attempt, context.now);
  if (reopensBill(attempt.status, next)) await tx.accountPayments.remove(id);
  else if (attempt.status === 'processing' && (isAutomatic(next) || attempt.lookups > 0))
    await tx.accountPayments.countAutomatic(id);

  if (session?.flow === 'payment') {
    const change = { from: attempt.status, to: next.status };
    return settlePagePayment(tx, session, booked, change, before, context);
  }
  await recordPayment(tx, booked);
  const after = withAttempt(before, booked.attempt);
  if (attempt.scheduledId === undefined) await announcePayment(tx, session, booked.attempt, context, after);
  else await settleScheduled(tx, booked.attempt, context, after);
  return booked.attempt;
}

/** A disputed card payment still counts as paid: whether the bill is owed again is up to the merchant. */
function reopensBill(before: AttemptStatus, { status, source }: Attempt): boolean {
  const isDisputed = status === 'returned' && source.method === 'Credit Card' && before === 'succeeded';
  return !isAccepted(status) && !isDisputed;
}

/** Records a payment that a payer made with Pay, saves its method and settles its session. Resolves to the attempt. */
async function settlePagePayment(
  tx: StoreTx,
  session: PaymentSession,
  { attempt, entries }: BookedPayment,
  { from, to }: { readonly from: AttemptStatus; readonly to: AttemptResult['outcome'] },
  before: SessionFacts,
  context: TxContext,
): Promise<Attempt> {
  const request = { session, requestId: savingRequest(attempt) };
  // Later outcomes must not save it again, because the payer may have removed it.
  const method =
    from === 'processing' && isAccepted(to) ? await saveSource(tx, attempt, request, context) : null;
  const source = { ...attempt.source, ...(method && { methodId: method.id }) };
  const settled = { ...attempt, source };
  await recordPayment(tx, { attempt: settled, entries });

  const facts = withAttempt(before, settled);
  const nextSession = await settleSession(tx, session, settled, to, context, facts);
  if (method) await announceAdded(tx, method, { ...request, session: nextSession }, context);
  return settled;
}

async function saveSource(
  tx: StoreTx,
  { source }: Attempt,
  request: { readonly session: PaymentSession; readonly requestId: string },
  context: TxContext,
): Promise<Method | null> {
  const { customerId } = request.session;
  if (!source.save || customerId === undefined) return null;

  const saved = await saveMethod(tx, { ...source, ...request, customerId }, context);
  return saved.ok ? saved.value : null;
}

/** No page can send it, because of the colon: a method with this id would keep the payment from being recorded. */
const savingRequest = ({ id }: Attempt): string => `payment:${id}`;

/** Updates the session to its attempt's status and announces it. Resolves to the session. */
async function settleSession(
  tx: StoreTx,
  session: PaymentSession,
  attempt: Attempt,
  status: AttemptResult['outcome'],
  context: TxContext,
  facts: SessionFacts,
): Promise<PaymentSession> {
  const next = status === 'pending' ? session : transition(session, `attempt-${status}`, context.now);
  if (typeof next === 'string') return session;

  if (next !== session) await tx.sessions.update(next);
  await announcePayment(tx, next, attempt, context, facts);
  return next;
}
