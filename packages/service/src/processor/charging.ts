/**
 * Asks the processor and records what it says. Whoever calls has committed the attempt before (the rule of the
 * port), so a crash at any point here leaves a row that {@link Charging.settleDue} settles by `lookup`.
 */
import { CHARGE_LEASE_MS } from '../domain/attempt.js';
import type { Attempt } from '../domain/attempt.js';
import type { Occasion } from '../domain/announce.js';
import { postponeLookup, settlePayment } from '../domain/transactions/payment.js';
import { ServiceError } from '../domain/error.js';
import type { LookupOutcome, PaymentProcessor } from '../domain/processor.js';
import type { Store } from '../domain/store.js';
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
export const CHARGE_WAIT_MS = 25_000;
/** How long a charge may take before `lookup` is asked instead, real ms. */
export const CHARGE_LIMIT_MS = 60_000;
/** How long `lookup` may take before it is asked again later, real ms: shorter than the attempt's lease. */
export const LOOKUP_LIMIT_MS = 8_000;
/** Attempts that are asked for at once. */
const LOOKUPS_AT_ONCE = 8;

export interface ChargingParts {
  readonly store: Store;
  readonly clock: { now(): number };
  readonly newId: Occasion['newId'];
  readonly processor: PaymentProcessor | null;
  readonly log: Log;
  readonly metrics?: Pick<Metrics, 'payment'>;
}

export function createCharging({ store, clock, newId, processor, log, metrics }: ChargingParts): Charging {
  const running = new Map<string, Promise<Attempt>>();
  const occasion = (): Occasion => ({ now: clock.now(), newId });

  const record = async (
    attempt: Attempt,
    outcome: Exclude<LookupOutcome, 'never_seen'>,
  ): Promise<Attempt> => {
    const at = occasion();
    const settled = (await store.transaction((tx) => settlePayment(tx, attempt.id, outcome, at))) ?? attempt;
    if (settled.status !== attempt.status && settled.status !== 'processing')
      metrics?.payment(settled.status);
    return settled;
  };

  /** Asks again later when the attempt is still open. */
  const postpone = (attempt: Attempt): Promise<Attempt> => {
    const { now } = occasion();
    return store.transaction(async (tx) => {
      const current = await tx.payments.get(attempt.id);
      if (!current || current.dueAt === undefined) return current ?? attempt;
      return postponeLookup(tx, current, now);
    });
  };

  /** Puts the time at which others may take the attempt over; false when it is settled or another's meanwhile. */
  const lease = (attempt: Attempt, claim: boolean): Promise<Attempt | null> => {
    const { now } = occasion();
    return store.transaction(async (tx) => {
      const current = await tx.payments.get(attempt.id);
      if (!current || current.dueAt === undefined || (claim && current.dueAt > now)) return null;
      const leased: Attempt = { ...current, dueAt: now + CHARGE_LEASE_MS };
      await tx.payments.update(leased);
      return leased;
    });
  };

  const ask = async (attempt: Attempt, to: PaymentProcessor): Promise<Attempt> => {
    const renewal = setInterval(() => {
      lease(attempt, false).catch((error: unknown) => {
        log.warn('A charge in flight could not renew its lease', { error: describeError(error) });
      });
    }, CHARGE_LEASE_MS / 3);
    const { signal, clear } = limit(CHARGE_LIMIT_MS);
    try {
      const { id: attemptId, source, amount } = attempt;
      const outcome = await Promise.race([to.charge({ attemptId, token: source.token, amount }), signal]);
      if (outcome === 'succeeded' || outcome === 'declined' || outcome === 'pending') {
        return await record(attempt, outcome);
      }
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
      clear();
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
    let outcome: LookupOutcome;
    try {
      outcome = await inTime(by.lookup(attempt.id), LOOKUP_LIMIT_MS, 'processor_timeout');
    } catch (error) {
      log.warn('The processor could not be asked for an attempt', {
        sessionId: attempt.sessionId,
        error: nameOnly(error),
      });
      await postpone(attempt);
      return;
    }
    if (outcome !== 'never_seen') await record(attempt, outcome);
    else if (attempt.status === 'processing') await charge(attempt);
    else {
      log.error('The processor does not know a bank payment that it took', { sessionId: attempt.sessionId });
      await postpone(attempt);
    }
  };

  return {
    charge,
    settleDue: async () => {
      if (!processor) return 0;
      const due = await store.transaction((tx) => tx.payments.due(clock.now(), 50));
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
