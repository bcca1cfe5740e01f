/**
 * Asks the processor to give money back and records what it says. Whoever calls has committed the refund before, so a
 * crash at any point here leaves a row that {@link Refunding.settleDue} asks for again, under the same id.
 */
import type { Attempt } from '../domain/attempt.js';
import { CHARGE_LEASE_MS } from '../domain/attempt.js';
import type { Occasion } from '../domain/occasion.js';
import { processorContext } from '../domain/processor.js';
import type { PaymentProcessor } from '../domain/processor.js';
import { readRefund } from '../domain/processor-answer.js';
import type { Refund } from '../domain/refund.js';
import type { Store } from '../domain/store.js';
import { postponeRefund, settleRefund } from '../domain/transactions/refund.js';
import { inTime } from '../runtime/in-time.js';
import { describeError } from '../runtime/log.js';
import type { Log } from '../runtime/log.js';
import type { ServiceEnvironment } from '../shared/environment.js';
import { nameOnly } from './charging.js';

export interface Refunding {
  /** False: this processor gives nothing back. */
  readonly possible: boolean;
  /** Asks for a committed refund. Resolves what is known of it after at most `waitMs`, real ms. */
  refund(refund: Refund, waitMs: number): Promise<Refund>;
  /** Asks again for those whose time has come. Resolves how many. */
  settleDue(): Promise<number>;
  /** Resolves when none is in flight any more. */
  idle(): Promise<void>;
}

/** How long a refund may take before it is asked for again, real ms: shorter than its lease. */
const REFUND_LIMIT_MS = CHARGE_LEASE_MS - 2_000;
const AT_ONCE = 8;

export interface RefundingParts {
  readonly env: ServiceEnvironment;
  readonly store: Store;
  readonly clock: { now(): number };
  readonly newId: Occasion['newId'];
  readonly processor: PaymentProcessor | null;
  readonly log: Log;
}

export function createRefunding({ env, store, clock, newId, processor, log }: RefundingParts): Refunding {
  const running = new Map<string, Promise<Refund>>();

  const ask = async (refund: Refund): Promise<Refund> => {
    const postponed = async (): Promise<Refund> =>
      (await store.transaction((tx) => postponeRefund(tx, refund.id, clock.now()))) ?? refund;
    const payment = await store.read((tx) => tx.attempts.get(refund.attemptId));
    if (!payment || !processor?.refund) return postponed();
    const { sessionId, source } = payment;
    try {
      const asked = processor.refund({
        refundId: refund.id,
        attemptId: payment.id,
        amount: refund.amount,
        context: contextOf(payment),
      });
      const answer = readRefund(await inTime(asked, REFUND_LIMIT_MS, 'processor_timeout'), source.last4);
      const at: Occasion = { now: clock.now(), newId };
      if (answer) return (await store.transaction((tx) => settleRefund(tx, refund.id, answer, at))) ?? refund;
      log.error('The processor answered a refund with something else than an outcome', { sessionId });
    } catch (error) {
      log.warn('A refund has no known outcome, the processor will be asked for it again', {
        sessionId,
        error: nameOnly(error),
      });
    }
    return postponed();
  };

  const contextOf = ({ businessUnit, descriptor, sessionId, source: { method } }: Attempt) =>
    processorContext({ businessUnit, descriptor, sessionId, method, environment: env });

  const run = (refund: Refund): Promise<Refund> => {
    const known = running.get(refund.id);
    if (known) return known;
    const asking = ask(refund)
      .catch((error: unknown) => {
        log.error('A refund could not be recorded, the processor will be asked for it again', {
          error: describeError(error),
        });
        return refund;
      })
      .finally(() => running.delete(refund.id));
    running.set(refund.id, asking);
    return asking;
  };

  /** Puts the time at which others may take it over; null when it is settled or another's meanwhile. */
  const lease = ({ id }: Refund): Promise<Refund | null> => {
    const now = clock.now();
    return store.transaction(async (tx) => {
      const current = await tx.refunds.get(id);
      if (!current || current.dueAt === undefined || current.dueAt > now) return null;
      const leased: Refund = { ...current, dueAt: now + CHARGE_LEASE_MS };
      await tx.refunds.update(leased);
      return leased;
    });
  };

  return {
    possible: typeof processor?.refund === 'function',
    refund: async (refund, waitMs) => {
      try {
        return await inTime(run(refund), waitMs, 'processor_timeout');
      } catch {
        // It goes on, and is recorded when it ends.
        return refund;
      }
    },
    settleDue: async () => {
      if (!processor?.refund) return 0;
      const due = await store.read((tx) => tx.refunds.due(clock.now(), 50));
      const next = due.filter(({ id }) => !running.has(id)).slice(0, AT_ONCE);
      const asked = await Promise.all(
        next.map(async (refund) => {
          const leased = await lease(refund);
          if (leased) await run(leased);
          return leased !== null;
        }),
      );
      return asked.filter(Boolean).length;
    },
    idle: async () => {
      while (running.size > 0) await Promise.allSettled(running.values());
    },
  };
}
