/** Charges payments and looks up their outcomes. */
import { challengeIsOver, hasBegun } from './rules/attempt.js';
import type { Answered, Attempt, AttemptHead } from './rules/attempt.js';
import type { Occasion } from '../core/occasion.js';
import { challengePayment, settlePayment } from './attempts.js';
import { isFramable, returnUrlOf } from './challenge.js';
import type { ServiceEnvironment } from '../shared/environment.js';
import { contextOf } from './context.js';
import type { PaymentProcessor, ProcessorContext, RequiresAction } from '../processor/rules/port.js';
import { readAction, readCharge, readLookup } from '../processor/rules/answer.js';
import { timeZoneOf, unitOf } from '../platform/config/config.js';
import type { ServiceConfig } from '../platform/config/config.js';
import type { Metrics } from '../platform/metrics.js';
import { createProcessorCalls } from '../processor/calls.js';
import type { CallTools, ProcessorCalls, ProcessorCallsParts, Kind } from '../processor/calls.js';

/** Time limit of `charge`, real ms. After that `lookup` finds the outcome. */
const CHARGE_LIMIT_MS = 60_000;
/** Time limit of `lookup`, real ms. After that it is retried later. */
export const LOOKUP_LIMIT_MS = 8_000;

/**
 * How long after a charge began `never_seen` is not believed, ms: the charge may still be on its way to the processor, or to
 * the index that the lookup reads.
 */
const UNSURE_MS = 2 * CHARGE_LIMIT_MS;

export interface ChargingParts extends ProcessorCallsParts {
  /** Base of the pages' addresses, without a trailing slash. */
  readonly publicUrl: string;
  readonly env: ServiceEnvironment;
  readonly config: Pick<ServiceConfig, 'businessUnits' | 'processor'>;
  readonly newId: Occasion['newId'];
  readonly processor: PaymentProcessor | null;
  readonly metrics?: Pick<Metrics, 'payment' | 'jobFailed'>;
}

export type Charging = ProcessorCalls<Attempt>;

export function createCharging(parts: ChargingParts): Charging {
  const { processor } = parts;
  return createProcessorCalls(parts, processor && ((of) => charges(of, processor)));
}

const about = ({ sessionId, id }: AttemptHead) => ({ sessionId, paymentId: id });

function charges(parts: ChargingParts, to: PaymentProcessor): Kind<Attempt, AttemptHead> {
  const { config, store, clock, newId, log, metrics, publicUrl } = parts;
  const record = async (attempt: Attempt, answer: Answered): Promise<Attempt> => {
    const at = {
      now: clock.now(),
      newId,
      timeZone: timeZoneOf(config, attempt.businessUnit),
      hasEvents: to.receive !== undefined,
    };
    const settled =
      (await store.transaction((tx) => settlePayment(tx, attempt, answer, at), { repeatable: true })) ??
      attempt;
    // Another process may have recorded and counted the answer first, even in this millisecond.
    const isOurs = settled.answeredAt === at.now && settled.status === answer.outcome;
    const isFirst = attempt.status !== 'processing' || isOurs;
    if (
      isFirst &&
      settled.status !== attempt.status &&
      hasBegun(settled.status) &&
      settled.status !== 'processing'
    )
      metrics?.payment(settled.status);
    return settled;
  };

  const contextFor = async (attempt: Attempt): Promise<ProcessorContext> => ({
    ...(await contextOf(attempt, parts)),
    ...(isAway(attempt) ? {} : { returnUrl: returnUrlOf(publicUrl, attempt.sessionId) }),
  });

  /** Records that the processor asks for the payer; null if the challenge cannot be shown. */
  const awaitPayer = (
    attempt: Attempt,
    asked: RequiresAction,
    asker: CallTools<Attempt>,
  ): Promise<Attempt> | null => {
    if (isAway(attempt)) return cancel(attempt, asker);
    if (!isFramable(asked.action.url, to, publicUrl)) {
      log.error("A challenge is not on one of the processor's frameOrigins", about(attempt));
      return null;
    }
    const now = clock.now();
    return store
      .transaction((tx) => challengePayment(tx, attempt, asked, now), { repeatable: true })
      .then((next) => next ?? attempt);
  };

  /** Ends a challenge that nobody will pass. Until the processor says that it has ended, the outcome is unknown. */
  const cancel = (attempt: Attempt, asker: CallTools<Attempt>): Promise<Attempt> => {
    if (to.cancel === undefined) return record(attempt, AWAY);
    return asker.put({
      row: attempt,
      what: 'cancel',
      sessionId: attempt.sessionId,
      limitMs: LOOKUP_LIMIT_MS,
      ask: async () => to.cancel?.(attempt.id, await contextFor(attempt)),
      heard: (said) => {
        const answer = readLookup(said, attempt.source.last4);
        if (answer === null || answer.outcome === 'never_seen') return null;
        const { outcome } = answer;
        return record(attempt, {
          ...answer,
          ...(isAway(attempt) && outcome === 'declined' ? AWAY : { outcome }),
        });
      },
    });
  };

  /** */
  const mayCharge = ({ businessUnit, source: { method } }: Attempt): boolean =>
    unitOf(config, businessUnit)?.paymentMethods.includes(method) === true;

  const charge = (attempt: Attempt, asker: CallTools<Attempt>): Promise<Attempt> => {
    const { id: attemptId, sessionId, source, amount } = attempt;
    return asker.put({
      row: attempt,
      what: 'charge',
      sessionId,
      limitMs: CHARGE_LIMIT_MS,
      ask: async () => {
        const context = await contextFor(attempt);
        return to.charge({ attemptId, token: source.token, amount, context });
      },
      heard: (said) => {
        const asked = readAction(said, source.last4);
        if (asked) return awaitPayer(attempt, asked, asker);
        const answer = readCharge(said, source.last4);
        return answer && record(attempt, answer);
      },
      onNoAnswer: () => metrics?.payment('unknown'),
    });
  };

  const neverSeen = (attempt: Attempt, asker: CallTools<Attempt>): Promise<Attempt> => {
    if (attempt.status === 'processing' && clock.now() < attempt.createdAt + UNSURE_MS)
      return asker.postpone(attempt);
    if (attempt.status === 'processing' && mayCharge(attempt)) return charge(attempt, asker);
    if (attempt.status === 'processing')
      log.warn('A charge that did not arrive is not made: its business unit takes it no more', {
        ...about(attempt),
        businessUnit: attempt.businessUnit,
      });
    else log.error('The processor does not know a payment that it took', about(attempt));
    return asker.postpone(attempt);
  };

  return {
    job: 'settle',
    rows: (tx) => tx.attempts,
    about,
    first: charge,
    again: (attempt, asker) => {
      if (to.cancel && challengeIsOver(attempt, clock.now())) return cancel(attempt, asker);
      return asker.put({
        row: attempt,
        what: 'lookup',
        sessionId: attempt.sessionId,
        limitMs: LOOKUP_LIMIT_MS,
        ask: async () => to.lookup(attempt.id, await contextFor(attempt)),
        heard: (said) => {
          const asked = readAction(said, attempt.source.last4);
          if (asked && attempt.status === 'processing') return awaitPayer(attempt, asked, asker);
          const answer = readLookup(said, attempt.source.last4);
          if (answer === null) return null;
          const { outcome } = answer;
          return outcome === 'never_seen'
            ? neverSeen(attempt, asker)
            : record(attempt, { ...answer, outcome });
        },
      });
    },
  };
}

/** The payer is not there to pass a challenge. */
const isAway = ({ scheduledId, accountId }: Attempt): boolean =>
  scheduledId !== undefined || accountId !== undefined;

const AWAY = { outcome: 'declined', reason: 'authentication_required' } as const;
