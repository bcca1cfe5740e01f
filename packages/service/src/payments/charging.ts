/** Charges payments and looks up their outcomes. */
import {
  isAccepted,
  challengeIsOver,
  contradicts,
  hasStarted,
  isLastLookup,
  isAutomatic,
  isTooLate,
  NOT_SENT,
} from './rules/attempt.js';
import type { AttemptResult, Attempt, AttemptHead } from './rules/attempt.js';
import type { StoreTx } from '../core/store.js';
import { challengePayment, prepareRepeat, settlePayment } from './attempts.js';
import { isFramable, returnUrlOf } from './challenge.js';
import { contextOf } from './context.js';
import type { PaymentProcessor, ProcessorContext, RequiresAction } from '../processor/rules/port.js';
import { readAction, readCharge, readLookup, reasonCodes } from '../processor/rules/response.js';
import { unitOf } from '../platform/config/config.js';
import { ProcessorCalls, type ProcessorCallsParts } from '../processor/calls.js';

/** Timeout of `charge`, real ms. `lookup` finds the outcome later. */
const CHARGE_LIMIT_MS = 60_000;
/** Timeout of `lookup`, real ms. It is retried later. */
export const LOOKUP_LIMIT_MS = 8_000;

/**
 * Ignore `never_seen` for this long after the start of a charge, ms: it may not have reached the processor yet, or the
 * index that lookups read.
 */
const MAYBE_IN_TRANSIT_MS = 2 * CHARGE_LIMIT_MS;

export class Charging extends ProcessorCalls<Attempt, AttemptHead> {
  constructor(parts: ProcessorCallsParts) {
    super(parts, 'settle');
  }

  get isPossible(): boolean {
    return this.parts.processor !== null;
  }

  protected rows(tx: StoreTx): StoreTx['attempts'] {
    return tx.attempts;
  }

  protected about({ sessionId, id }: AttemptHead): { sessionId: string; paymentId: string } {
    return { sessionId, paymentId: id };
  }

  protected firstCall(attempt: Attempt): Promise<Attempt> {
    return this.#charge(attempt, attempt.createdAt + CHARGE_LIMIT_MS);
  }

  /** @param sendBy deadline for sending it, ms since the epoch: soon after, another process may declare it unsent */
  #charge(attempt: Attempt, sendBy: number): Promise<Attempt> {
    const { id: attemptId, sessionId, source, amount } = attempt;
    return this.call({
      row: attempt,
      operation: 'charge',
      sessionId,
      limitMs: CHARGE_LIMIT_MS,
      send: async () => {
        const context = await this.#contextOf(attempt);
        // This process may have been suspended since its commit.
        if (this.parts.clock.now() > sendBy)
          throw Object.assign(new Error('It is too late to send this charge.'), { code: NOT_SENT.tooLate });
        return this.#processor.charge({ attemptId, token: source.token, amount, context });
      },
      record: (response) => {
        const required = readAction(response);
        if (required) return this.#awaitPayer(attempt, required);
        const charged = readCharge(response, amount);
        return charged && this.#record(attempt, charged, isAccepted(charged.outcome));
      },
    });
  }

  /** Looks up the outcome, or ends a challenge that has timed out. */
  protected retryCall(attempt: Attempt): Promise<Attempt> {
    const { status, amount } = attempt;
    if (this.#processor.cancel && challengeIsOver(attempt, this.parts.clock.now()))
      return this.#cancel(attempt);

    return this.call({
      row: attempt,
      operation: 'lookup',
      sessionId: attempt.sessionId,
      limitMs: LOOKUP_LIMIT_MS,
      send: async () => this.#processor.lookup(attempt.id, await this.#contextOf(attempt)),
      record: (response) => {
        const required = readAction(response);
        if (required && status === 'processing') return this.#awaitPayer(attempt, required);

        const found = readLookup(response, amount);
        if (found === null) return null;

        const { outcome } = found;
        return outcome === 'never_seen'
          ? this.#neverSeen(attempt)
          : this.#record(attempt, { ...found, outcome });
      },
    });
  }

  protected override async postpone(attempt: Attempt): Promise<Attempt> {
    if (isLastLookup(attempt, this.parts.clock.now())) return this.#record(attempt, { outcome: 'succeeded' });

    const isUnanswered = attempt.status === 'processing' && !isAutomatic(attempt);
    return super.postpone(
      attempt,
      isUnanswered ? (tx) => tx.accountPayments.markInFlight(attempt.id) : undefined,
    );
  }

  get #processor(): PaymentProcessor {
    const { processor } = this.parts;
    if (processor === null) throw new Error('The service has no processor.');
    return processor;
  }

  async #contextOf(attempt: Attempt): Promise<ProcessorContext> {
    const context = await contextOf(attempt, this.parts);
    if (isAutomatic(attempt)) return context;
    return { ...context, returnUrl: returnUrlOf(this.parts.publicUrl, attempt.sessionId) };
  }

  async #record(attempt: Attempt, response: AttemptResult, isResponse = false): Promise<Attempt> {
    const { store, clock, newId, config, log } = this.parts;
    const context = {
      now: clock.now(),
      newId,
      config,
      hasEvents: this.#processor.receive !== undefined,
      hasForget: this.#processor.forget !== undefined,
      isResponse,
    };
    const settled =
      (await store.transaction((tx) => settlePayment(tx, attempt, response, context), {
        repeatable: true,
      })) ?? attempt;
    if (contradicts(settled.status, response.outcome))
      log.error('The processor returned an outcome that contradicts the recorded one', {
        ...this.about(attempt),
        outcome: response.outcome,
      });
    // Another process may have recorded and counted the response first, even in the same millisecond.
    const isOurs = settled.answeredAt === context.now && settled.status === response.outcome;
    const isFirst = attempt.status !== 'processing' || isOurs;
    if (isFirst && settled.status !== attempt.status) reportPayment(this.parts, settled);
    return settled;
  }

  /** Records a challenge. Returns null if it can't be shown. */
  #awaitPayer(attempt: Attempt, required: RequiresAction): Promise<Attempt> | null {
    const { store, clock, log, publicUrl } = this.parts;
    if (isAutomatic(attempt)) return this.#cancel(attempt);
    if (!isFramable(required.action.url, this.#processor, publicUrl)) {
      log.error("A challenge is not on one of the processor's frameOrigins", this.about(attempt));
      return this.#processor.cancel ? this.#cancel(attempt) : null;
    }
    const now = clock.now();
    return store
      .transaction((tx) => challengePayment(tx, attempt, required, now), { repeatable: true })
      .then((next) => next ?? attempt);
  }

  /** Ends an abandoned challenge. The outcome is unknown until the processor confirms it. */
  #cancel(attempt: Attempt): Promise<Attempt> {
    if (this.#processor.cancel === undefined) return this.#record(attempt, NEEDS_PAYER);

    return this.call({
      row: attempt,
      operation: 'cancel',
      sessionId: attempt.sessionId,
      limitMs: LOOKUP_LIMIT_MS,
      send: async () => this.#processor.cancel?.(attempt.id, await this.#contextOf(attempt)),
      record: (response) => {
        if (readAction(response)) return this.postpone(attempt);

        const found = readLookup(response, attempt.amount);
        if (found === null) return null;

        const { outcome } = found;
        if (outcome === 'never_seen' && this.#mayStillArrive(attempt)) return this.postpone(attempt);

        if (outcome !== 'never_seen' && outcome !== 'declined')
          return this.#record(attempt, { ...found, outcome });
        if (isAutomatic(attempt)) return this.#record(attempt, { ...found, ...NEEDS_PAYER });
        return this.#record(attempt, { ...CHALLENGE_ABANDONED, ...found, outcome: 'declined' });
      },
    });
  }

  /** Whether the charge may still reach the processor. */
  #mayStillArrive({ createdAt, sentAt = createdAt }: Attempt): boolean {
    return this.parts.clock.now() < sentAt + MAYBE_IN_TRANSIT_MS;
  }

  /** Charges again if the charge never arrived and is still allowed. */
  async #neverSeen(attempt: Attempt): Promise<Attempt> {
    const { config, log, store, clock } = this.parts;
    const { status, businessUnit } = attempt;
    if (status !== 'processing') {
      log.error('The processor does not know a payment that it had accepted', this.about(attempt));
      return this.postpone(attempt);
    }
    if (this.#mayStillArrive(attempt)) return this.postpone(attempt);
    if (isTooLate(attempt, clock.now()))
      return this.#record(attempt, { outcome: 'declined', reason: NOT_SENT.tooLate });

    const unit = unitOf(config, businessUnit);
    if (unit === undefined)
      log.warn(
        'A charge that never arrived is not sent again: its business unit is no longer in the config',
        {
          ...this.about(attempt),
          businessUnit,
        },
      );
    const now = clock.now();
    const [current, problem] = await store.transaction((tx) => prepareRepeat(tx, attempt, unit, now), {
      repeatable: true,
    });
    // An event may have settled it during the lookup.
    if (current?.status !== 'processing') return current ?? attempt;
    if (problem === 'later') return this.postpone(attempt);
    return problem === null
      ? this.#charge(current, now + CHARGE_LIMIT_MS)
      : this.#record(current, { outcome: 'declined', ...problem });
  }
}

/** Counts and logs a payment's new status. Call once per status, after the commit. */
export function reportPayment(
  { log, metrics }: Pick<ProcessorCallsParts, 'log' | 'metrics'>,
  { id: paymentId, sessionId, businessUnit, status, reason }: Attempt,
): void {
  if (!hasStarted(status) || status === 'processing') return;
  metrics?.payment(status);
  const about = { paymentId, sessionId, businessUnit, outcome: status, ...reasonCodes(reason) };
  log.info('Payment outcome recorded', about);
}

/** The payer never passed the challenge, and the processor gave no reason. */
const CHALLENGE_ABANDONED = { outcome: 'declined', reason: 'authentication_canceled' } as const;

const NEEDS_PAYER = { outcome: 'declined', reason: 'authentication_required' } as const;
