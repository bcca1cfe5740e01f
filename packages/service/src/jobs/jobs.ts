/** What happens without anybody asking: on the clock, in every process, no one thing done by two of them. */
import type { Deps } from '../deps.js';
import { announce } from '../webhooks/announce.js';
import type { Occasion } from '../core/occasion.js';
import { beginScheduled } from '../schedules/scheduling.js';
import { dayOf } from '../core/day.js';
import { transition } from '../sessions/rules/session.js';
import { unitOf } from '../platform/config/config.js';
import { createApart } from '../platform/apart.js';
import type { Apart } from '../platform/apart.js';
import { inTime } from '../platform/in-time.js';
import { describeError } from '../platform/log/log.js';
import type { JobName } from '../platform/metrics.js';
import { createDeliveries } from '../webhooks/deliver.js';
import { sweep } from './sweep.js';

export interface Jobs {
  /** Runs what is due, and what becomes due by that, and resolves when nothing is any more. */
  runDue(): Promise<void>;
  /** Runs what is due again and again until it is stopped. */
  start(): void;
  /** Resolves when nothing of it runs any more. */
  stop(): Promise<void>;
}

/** Real ms between two looks at what is due; messages of this process are delivered at once. */
const LOOK_MS = 1_000;
/** Scheduled payments that are charged at once: one slow charge holds up no more than these. */
const AT_ONCE = 8;
/** What takes longer than this after the last answer went out is left to the next process, real ms. */
const STOP_WAIT_MS = 5_000;
/** Real ms between two sweeps. */
const SWEEP_MS = 60_000;
/** More rounds than any backlog of one moment needs; the rest is left to the next time. */
const MOST_ROUNDS = 1_000;

export function createJobs(deps: Deps): Jobs {
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async (name: JobName, job: () => Promise<number>): Promise<number> => {
    if (signal.aborted) return 0;
    try {
      return await job();
    } catch (error) {
      deps.metrics?.jobFailed(name);
      deps.log.error('A job failed, it is tried again', { job: name, error: describeError(error) });
      return 0;
    }
  };

  const [expiring, executing] = [createApart(deps, 'expire'), createApart(deps, 'execute')];
  const payments = oneByOne(async () => {
    const expired = await run('expire', () => expireDue(deps, expiring));
    const executed = await run('execute', () => executeDue(deps, executing));
    const settled = await run('settle', () => deps.charging.settleDue());
    const refunded = await run('refund', () => deps.refunding.settleDue());
    return expired + executed + settled + refunded;
  });
  // Apart from the others: a merchant's server that does not answer must not hold up a payment.
  const webhooks = createDeliveries({ ...deps, signal }, (job) => run('deliver', job));
  // Apart too: after a long stop there may be much of it.
  const sweeping = createApart(deps, 'sweep');
  const sweeps = oneByOne(() =>
    run('sweep', async () => {
      await sweep(deps, sweeping, signal);
      return 0;
    }),
  );

  const runDue = async (): Promise<void> => {
    await payments.untilNothingIsDue();
    await webhooks.untilNothingIsDue();
    await sweeps.untilNothingIsDue();
  };

  const timers = new Set<NodeJS.Timeout>();
  const repeat = (work: () => Promise<void>, everyMs: number): void => {
    const after = (pause: number): void => {
      const timer = setTimeout(() => {
        timers.delete(timer);
        void logged(work)().finally(() => {
          if (!signal.aborted) after(everyMs);
        });
      }, pause);
      timers.add(timer);
    };
    after(0);
  };

  const logged = (work: () => Promise<void>) => (): Promise<void> =>
    work().catch((error: unknown) => {
      deps.metrics?.jobFailed('look');
      deps.log.error('The jobs could not run, they are tried again', { error: describeError(error) });
    });
  const settle = onceAtATime(logged(() => payments.untilNothingIsDue()));
  const deliver = onceAtATime(logged(() => webhooks.begin()));
  /** The business units of the last look: what is expected of others is told to the database. */
  let units: unknown;

  return {
    runDue,
    start: () => {
      deps.store.onMessages(deliver);
      repeat(async () => {
        const due = await lookUp(deps);
        if (due.payments) settle();
        if (due.messages || deps.config.businessUnits !== units) deliver();
        units = deps.config.businessUnits;
      }, LOOK_MS);
      repeat(() => sweeps.untilNothingIsDue(), SWEEP_MS);
    },
    stop: async () => {
      stopping.abort();
      for (const timer of timers) clearTimeout(timer);
      const idle = Promise.all([
        payments.idle(),
        webhooks.idle(),
        sweeps.idle(),
        deps.charging.idle(),
        deps.refunding.idle(),
      ]);
      await inTime(idle, STOP_WAIT_MS, 'stop').catch(() => undefined);
    },
  };
}

/** Runs rounds one after the other: what is asked for after the clock moved begins after that, with the moved clock. */
function oneByOne(round: () => Promise<number>): {
  untilNothingIsDue(): Promise<void>;
  idle(): Promise<void>;
} {
  let current: Promise<void> = Promise.resolve();
  const rounds = async (): Promise<void> => {
    for (let count = 0; count < MOST_ROUNDS && (await round()) > 0; count++);
  };
  return {
    untilNothingIsDue: () => {
      current = current.then(rounds, rounds);
      return current;
    },
    idle: () => current,
  };
}

/** Runs the work when it is asked for; asked for meanwhile, once more after it. */
function onceAtATime(work: () => Promise<void>): () => void {
  let running = false;
  let again = false;
  const run = (): void => {
    again = running;
    if (running) return;
    running = true;
    void work().finally(() => {
      running = false;
      if (again) run();
    });
  };
  return run;
}

/** What there is to do now, in one look at everything that waits for its time. */
async function lookUp({ env, store, clock }: Deps): Promise<{ payments: boolean; messages: boolean }> {
  const before = clock.offset;
  const next = await store.read((tx) => tx.agenda.next(Date.now()));
  // Moved by this very process meanwhile: what was read may be older.
  if (env !== 'production' && clock.offset === before) clock.set(next.clockOffset);
  const now = clock.now();
  const isDue = (at: number | null): boolean => at !== null && at <= now;
  return {
    payments:
      [next.expiry, next.attempt, next.refund].some(isDue) ||
      (next.scheduledDay !== null && next.scheduledDay <= dayOf(now)),
    messages: isDue(next.message),
  };
}

/** sessions whose time is over. */
async function expireDue({ store, clock, newId }: Deps, apart: Apart): Promise<number> {
  const at: Occasion = { now: clock.now(), newId };
  return apart.each({
    find: (limit) => store.read((tx) => tx.sessions.due(at.now, limit)),
    limit: 100,
    about: ({ id }) => ({ sessionId: id }),
    work: ({ id }) =>
      store.transaction(async (tx) => {
        const session = await tx.sessions.get(id);
        if (!session) return false;
        const [next, effects] = transition(session, { type: 'expired' }, at.now);
        await tx.sessions.update(next);
        for (const effect of effects)
          if (effect.type === 'notify') await announce(tx, effect.event, next, at, {});
        return true;
      }),
  });
}

/**
 * Scheduled payments whose day has begun. Without a processor they wait for one, and those of a business unit that
 * is not in the config wait for that.
 */
async function executeDue(
  { store, config, clock, newId, processor, charging }: Deps,
  apart: Apart,
): Promise<number> {
  if (!processor) return 0;
  const at: Occasion = { now: clock.now(), newId };
  const day = dayOf(at.now);
  const slugs = config.businessUnits.map(({ slug }) => slug);
  return apart.each({
    find: (limit) => store.read((tx) => tx.schedules.due(day, slugs, limit)),
    limit: AT_ONCE,
    atOnce: AT_ONCE,
    about: ({ id, businessUnit, sessionId }) => ({ scheduledId: id, businessUnit, sessionId }),
    work: async ({ id, businessUnit }) => {
      const unit = unitOf(config, businessUnit);
      // It has left the config since it was looked at.
      if (!unit) return false;
      const attempt = await store.transaction((tx) => beginScheduled(tx, id, unit.paymentMethods, at));
      if (attempt !== null && attempt !== 'failed') await charging.ask(attempt);
      return attempt !== null;
    },
  });
}
