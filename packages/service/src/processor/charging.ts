/**
 * Asks the processor and records what it says. Whoever calls has committed the attempt before (the rule of the
 * port), so a crash at any point here leaves a row that {@link Charging.settleDue} settles by `lookup`.
 */
import { CHARGE_LEASE_MS } from '../domain/attempt.js';
import type { Answered, Attempt } from '../domain/attempt.js';
import type { Occasion } from '../domain/occasion.js';
import { postponeLookup, settlePayment } from '../domain/transactions/payment.js';
import { ServiceError } from '../domain/error.js';
import type { ServiceEnvironment } from '../shared/environment.js';
import { processorContext } from '../domain/processor.js';
import type { PaymentProcessor, ProcessorContext } from '../domain/processor.js';
import { readCharge, readLookup } from '../domain/processor-answer.js';
import type { Store } from '../domain/store.js';
import { unitOf } from '../runtime/config.js';
import type { ServiceConfig } from '../runtime/config.js';
import { inTime } from '../runtime/in-time.js';
import { describeError } from '../runtime/log.js';
import type { Log } from '../runtime/log.js';
import type { Metrics } from '../runtime/metrics.js';

export interface Charging {
  /**
   * Charges a committed attempt. Resolves what is known of it after at most {@link CHARGE_WAIT_MS}; a charge that
   * takes longer goes on and is recorded when it ends.
   */
  charge(attempt: Attempt): Promise<Attempt>;
  /** Settles attempts whose time has come: left behind by a crash, or bank payments. Resolves how many. */
  settleDue(): Promise<number>;
  /** Resolves when no charge is in flight any more. */
  idle(): Promise<void>;
}

/** How long a payer is kept waiting for an answer, real ms. */
export const CHARGE_WAIT_MS = 15_000;
/** How long a charge may take before `lookup` is asked instead, real ms. */
export const CHARGE_LIMIT_MS = 60_000;
/** How long `lookup` may take before it is asked again later, real ms: shorter than the attempt's lease. */
export const LOOKUP_LIMIT_MS = 8_000;
/** Attempts that are asked for at once. */
const LOOKUPS_AT_ONCE = 8;

export interface ChargingParts {
  readonly env: ServiceEnvironment;
  readonly config: Pick<ServiceConfig, 'businessUnits'>;
  readonly store: Store;
  readonly clock: { now(): number };
  readonly newId: Occasion['newId'];
  readonly processor: PaymentProcessor | null;
  readonly log: Log;
  readonly metrics?: Pick<Metrics, 'payment'>;
}

export function createCharging({
  env,
  config,
  store,
  clock,
  newId,
  processor,
  log,
  metrics,
}: ChargingParts): Charging {
  const running = new Map<string, Promise<Attempt>>();
  const occasion = (): Occasion => ({ now: clock.now(), newId });

  const record = async (attempt: Attempt, answer: Answered): Promise<Attempt> => {
    const at = occasion();
    const settled =
      (await store.transaction((tx) => settlePayment(tx, attempt, answer, at), { repeatable: true })) ??
      attempt;
    if (settled.status !== attempt.status && settled.status !== 'processing')
      metrics?.payment(settled.status);
    return settled;
  };

  const postpone = async (attempt: Attempt): Promise<Attempt> => {
    const { now } = occasion();
    return (await store.transaction((tx) => postponeLookup(tx, attempt.id, now))) ?? attempt;
  };

  /** */
  const mayCharge = ({ businessUnit, source: { method } }: Attempt): boolean =>
    unitOf(config, businessUnit)?.paymentMethods.includes(method) === true;

  const contextOf = ({
    businessUnit,
    descriptor,
    sessionId,
    source: { method },
  }: Attempt): ProcessorContext =>
    processorContext({ businessUnit, descriptor, sessionId, method, environment: env });

  /** Puts the time at which others may take the attempt over; false when it is settled or another's meanwhile. */
  const lease = (attempt: Attempt, claim: boolean): Promise<Attempt | null> => {
    const { now } = occasion();
    return store.transaction(async (tx) => {
      const current = await tx.attempts.get(attempt.id);
      if (!current || current.dueAt === undefined || (claim && current.dueAt > now)) return null;
      const leased: Attempt = { ...current, dueAt: now + CHARGE_LEASE_MS };
      await tx.attempts.update(leased);
      return leased;
    });
  };

  const ask = async (attempt: Attempt, to: PaymentProcessor): Promise<Attempt> => {
    const renewal = setInterval(() => {
      lease(attempt, false).catch((error: unknown) => {
        log.warn('A charge in flight could not renew its lease', { error: describeError(error) });
      });
    }, CHARGE_LEASE_MS / 3);
    try {
      const { id: attemptId, source, amount } = attempt;
      const charged = to.charge({ attemptId, token: source.token, amount, context: contextOf(attempt) });
      const said = await inTime(charged, CHARGE_LIMIT_MS, 'processor_timeout');
      const answer = readCharge(said, source.last4);
      if (answer) return await record(attempt, answer);
      log.error('The processor answered a charge with something else than an outcome', {
        sessionId: attempt.sessionId,
      });
    } catch (error) {
      log.warn('A charge has no known outcome, the processor will be asked for it', {
        sessionId: attempt.sessionId,
        error: nameOnly(error),
      });
    } finally {
      clearInterval(renewal);
    }
    metrics?.payment('unknown');
    return postpone(attempt);
  };

  const charge = async (attempt: Attempt): Promise<Attempt> => {
    if (!processor || running.has(attempt.id)) return attempt;
    const run = ask(attempt, processor)
      .catch((error: unknown) => {
        log.error('A charge could not be recorded, the processor will be asked for it', {
          sessionId: attempt.sessionId,
          error: describeError(error),
        });
        return attempt;
      })
      .finally(() => running.delete(attempt.id));
    running.set(attempt.id, run);
    const { signal, clear } = limit(CHARGE_WAIT_MS);
    try {
      return (await Promise.race([run, signal])) ?? attempt;
    } finally {
      clear();
    }
  };

  const settle = async (attempt: Attempt, by: PaymentProcessor): Promise<void> => {
    const { sessionId } = attempt;
    let said: unknown;
    try {
      said = await inTime(by.lookup(attempt.id, contextOf(attempt)), LOOKUP_LIMIT_MS, 'processor_timeout');
    } catch (error) {
      log.warn('The processor could not be asked for an attempt', { sessionId, error: nameOnly(error) });
      await postpone(attempt);
      return;
    }
    const answer = readLookup(said, attempt.source.last4);
    if (answer === null) {
      log.error('The processor answered a lookup with something else than an outcome', { sessionId });
      await postpone(attempt);
    } else if (answer.outcome !== 'never_seen') {
      await record(attempt, { ...answer, outcome: answer.outcome });
    } else if (attempt.status === 'pending') {
      log.error('The processor does not know a bank payment that it took', { sessionId });
      await postpone(attempt);
    } else if (mayCharge(attempt)) {
      await charge(attempt);
    } else {
      const { businessUnit } = attempt;
      log.warn('A charge that did not arrive is not made: its business unit takes it no more', {
        sessionId,
        businessUnit,
      });
      await postpone(attempt);
    }
  };

  return {
    charge,
    settleDue: async () => {
      if (!processor) return 0;
      const due = await store.read((tx) => tx.attempts.due(clock.now(), 50));
      const next = due.filter(({ id }) => !running.has(id)).slice(0, LOOKUPS_AT_ONCE);
      const settled = await Promise.all(
        next.map(async (attempt) => {
          const claimed = await lease(attempt, true);
          if (claimed) await settle(claimed, processor);
          return claimed !== null;
        }),
      );
      return settled.filter(Boolean).length;
    },
    idle: async () => {
      while (running.size > 0) await Promise.allSettled(running.values());
    },
  };
}

function limit(ms: number): { signal: Promise<null>; clear: () => void } {
  let timer: NodeJS.Timeout;
  const signal = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, ms, null);
  });
  return { signal, clear: () => clearTimeout(timer) };
}

/** A processor's own words may hold what the payer typed: its message stays out of the log. */
export function nameOnly(error: unknown): { name: string; code?: string; message: string } {
  if (error instanceof ServiceError) return describeError(error);
  const { name, code } = describeError(error);
  return {
    name,
    ...(code === undefined ? {} : { code }),
    message: 'The message of the processor is not logged.',
  };
}
