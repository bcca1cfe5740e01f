/** Charges payments and looks up their outcomes. */
import { hasBegun, type Answered, type Attempt, type AttemptHead } from './rules/attempt.js';
import type { Occasion } from '../core/occasion.js';
import { settlePayment } from './attempts.js';
import type { ServiceEnvironment } from '../shared/environment.js';
import { contextOf } from './context.js';
import type { PaymentProcessor } from '../processor/rules/port.js';
import { readCharge, readLookup } from '../processor/rules/answer.js';
import { timeZoneOf, unitOf } from '../platform/config/config.js';
import type { ServiceConfig } from '../platform/config/config.js';
import type { Metrics } from '../platform/metrics.js';
import { createProcessorCalls } from '../processor/calls.js';
import type { CallTools, ProcessorCalls, ProcessorCallsParts, Kind } from '../processor/calls.js';

/** Time limit of `charge`, real ms. After that `lookup` finds the outcome. */
const CHARGE_LIMIT_MS = 60_000;
/** Time limit of `lookup`, real ms. After that it is retried later. */
export const LOOKUP_LIMIT_MS = 8_000;

export interface ChargingParts extends ProcessorCallsParts {
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
  const { config, store, clock, newId, log, metrics } = parts;
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

  /** */
  const mayCharge = ({ businessUnit, source: { method } }: Attempt): boolean =>
    unitOf(config, businessUnit)?.paymentMethods.includes(method) === true;

  const charge = (attempt: Attempt, { put }: CallTools<Attempt>): Promise<Attempt> => {
    const { id: attemptId, sessionId, source, amount } = attempt;
    return put({
      row: attempt,
      what: 'charge',
      sessionId,
      limitMs: CHARGE_LIMIT_MS,
      ask: async () => {
        const context = await contextOf(attempt, parts);
        return to.charge({ attemptId, token: source.token, amount, context });
      },
      heard: (said) => {
        const answer = readCharge(said, source.last4);
        return answer && record(attempt, answer);
      },
      onNoAnswer: () => metrics?.payment('unknown'),
    });
  };

  const neverSeen = (attempt: Attempt, asker: CallTools<Attempt>): Promise<Attempt> => {
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
    again: (attempt, asker) =>
      asker.put({
        row: attempt,
        what: 'lookup',
        sessionId: attempt.sessionId,
        limitMs: LOOKUP_LIMIT_MS,
        ask: async () => to.lookup(attempt.id, await contextOf(attempt, parts)),
        heard: (said) => {
          const answer = readLookup(said, attempt.source.last4);
          if (answer === null) return null;
          const { outcome } = answer;
          return outcome === 'never_seen'
            ? neverSeen(attempt, asker)
            : record(attempt, { ...answer, outcome });
        },
      }),
  };
}
