/** Work that the clock starts: expiry, charges, settlement, refunds, webhooks and clean-up. */
import type { Deps } from '../deps.js';
import { announce } from '../webhooks/announce.js';
import type { Occasion } from '../core/occasion.js';
import { transition } from '../sessions/rules/session.js';
import { createItemRunner } from '../platform/item-runner.js';
import type { ItemRunner } from '../platform/item-runner.js';
import { settleDueEvents } from '../inbox/settle.js';
import { runInContext } from '../platform/context.js';
import { inTime } from '../platform/in-time.js';
import { describeError } from '../platform/log/log.js';
import type { JobName } from '../platform/metrics.js';
import { UnitQueues } from '../platform/unit-queues.js';
import { createDeliveries } from '../webhooks/deliver.js';
import { createMessageQueues } from '../messages/deliver.js';
import { Reminders } from './remind.js';
import { send } from '../webhooks/send.js';
import { areJobsHeld } from './hold.js';
import { DueCharges } from './due-charges.js';
import { sweep } from './sweep.js';

export interface Jobs {
  /** Runs all due work, including work that becomes due as a result. */
  runDue(): Promise<void>;
  /** Polls for due work until `stop` is called. */
  start(): void;
  /** Resolves when no job is running. */
  stop(): Promise<void>;
}

/** Polling interval, real ms; a process delivers its own messages without waiting. */
const LOOK_MS = 1_000;
/** Maximum wait of a stop for running jobs, real ms; other processes take over the rest. */
const STOP_WAIT_MS = 5_000;
/** Real ms between two sweeps. */
const SWEEP_MS = 60_000;
const HELD =
  'A backup was restored: no jobs run until "embedded-sessions jobs resume". See "Backup and restore" in docs/operating.md';
/** Rounds without a pause; a job that always finds work continues at the next poll. */
const MAX_ROUNDS = 1_000;

export function createJobs(deps: Deps): Jobs {
  const stopping = new AbortController();
  const { signal } = stopping;
  /** Undefined until the first look. */
  let areHeld: boolean | undefined;
  const run = async (name: JobName, job: () => Promise<number>): Promise<number> => {
    if (signal.aborted || areHeld !== false) return 0;
    try {
      return await runInContext({ log: { job: name } }, job);
    } catch (error) {
      deps.metrics?.jobFailed(name);
      deps.log.error('A job failed, it is tried again', { job: name, error: describeError(error) });
      return 0;
    }
  };

  // Each job has its own loop, so that slow charges delay neither expiry nor lookups.
  const expiring = createItemRunner(deps, 'expire');
  const charges = new DueCharges(deps);
  const expire = new JobLoop(() => run('expire', () => expireDue(deps, expiring)));
  // Those that wait for the processor have a queue per business unit.
  const queues = (
    name: JobName,
    due: () => Promise<string[]>,
    work: (slug: string) => Promise<number>,
  ): UnitQueues =>
    new UnitQueues({
      due,
      work: (slug) => untilNone(() => work(slug), signal),
      run: (job) => run(name, job),
    });
  const { charging, refunding } = deps;
  const execute = queues(
    'execute',
    () => charges.dueUnits(),
    (slug) => charges.chargeDue(slug),
  );
  const settle = queues(
    'settle',
    () => charging.dueUnits(),
    (slug) => charging.settleDue(slug),
  );
  const refund = queues(
    'refund',
    () => refunding.dueUnits(),
    (slug) => refunding.settleDue(slug),
  );
  const receiving = createItemRunner(deps, 'receive');
  const receive = new JobLoop(() => run('receive', () => settleDueEvents(deps, receiving)));
  // Events first: what they settle needs no lookup.
  const payments = [expire, execute, receive, settle, refund];

  const webhooks = createDeliveries({ ...deps, signal }, (job) => run('deliver', job));
  const messages = createMessageQueues({ ...deps, post: send, signal }, (job) => run('send', job));
  const reminders = new Reminders(deps);
  const reminding = createItemRunner(deps, 'send');
  const sweeping = createItemRunner(deps, 'sweep');
  const sweeps = new JobLoop(() =>
    run('sweep', async () => {
      await sweep(deps, sweeping, signal);
      await reminders.write(reminding, signal);
      return 0;
    }),
  );

  const runDue = async (): Promise<void> => {
    areHeld = await deps.store.read(areJobsHeld);
    for (const loop of payments) await loop.untilNothingIsDue();
    await webhooks.untilNothingIsDue();
    await sweeps.untilNothingIsDue();
    await messages.untilNothingIsDue();
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
  const wake = new Map<unknown, () => void>(
    payments.map((loop) => [loop, onceAtATime(logged(() => loop.begin()))]),
  );
  const deliver = onceAtATime(logged(() => webhooks.begin()));
  const sendMessages = onceAtATime(logged(() => messages.begin()));
  /**
   * Business units at the last poll. After a config change, delivery runs even without due messages, to store which
   * units have webhooks.
   */
  let units: unknown;
  let areSweepsStarted = false;

  const look = async (): Promise<void> => {
    await deps.marker?.beat(deps.store);
    const due = await lookUp(deps, charges);
    if (due.areHeld && areHeld !== true) deps.log.error(HELD);
    areHeld = due.areHeld;
    if (areHeld) return;

    if (!areSweepsStarted) repeat(() => sweeps.untilNothingIsDue(), SWEEP_MS);
    areSweepsStarted = true;
    if (due.expiry) wake.get(expire)?.();
    if (due.charge) wake.get(execute)?.();
    if (due.attempt) wake.get(settle)?.();
    if (due.event) wake.get(receive)?.();
    if (due.refund) wake.get(refund)?.();
    if (due.messages || deps.config.businessUnits !== units) deliver();
    units = deps.config.businessUnits;
    if (due.payerMessages) sendMessages();
  };

  return {
    runDue,
    start: () => {
      deps.store.onMessages(deliver);
      repeat(look, LOOK_MS);
    },
    stop: async () => {
      stopping.abort();
      for (const timer of timers) clearTimeout(timer);
      const idle = Promise.all([
        ...payments.map((loop) => loop.idle()),
        webhooks.idle(),
        messages.idle(),
        sweeps.idle(),
        deps.charging.idle(),
        deps.refunding.idle(),
      ]);
      await inTime(idle, STOP_WAIT_MS, 'stop').catch(() => undefined);
    },
  };
}

/** Runs rounds of one job, never two at a time. A run requested after the clock moved sees the moved clock. */
class JobLoop {
  readonly #round: () => Promise<number>;
  #current: Promise<void> = Promise.resolve();

  constructor(round: () => Promise<number>) {
    this.#round = round;
  }

  begin(): Promise<void> {
    return this.untilNothingIsDue();
  }

  untilNothingIsDue(): Promise<void> {
    const rounds = async (): Promise<void> => {
      for (let count = 0; count < MAX_ROUNDS && (await this.#round()) > 0; count++);
    };
    this.#current = this.#current.then(rounds, rounds);
    return this.#current;
  }

  idle(): Promise<void> {
    return this.#current;
  }
}

/** Repeats the work until it finds none or the process stops. Resolves to the number of items. */
async function untilNone(work: () => Promise<number>, signal: AbortSignal): Promise<number> {
  let total = 0;
  for (let count = 1; count > 0 && !signal.aborted; total += count) count = await work();
  return total;
}

/** Runs the work when called; a call during a run causes one more run after it. */
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

interface DueWork {
  readonly areHeld: boolean;
  readonly expiry: boolean;
  readonly charge: boolean;
  readonly attempt: boolean;
  readonly refund: boolean;
  readonly event: boolean;
  readonly messages: boolean;
  readonly payerMessages: boolean;
}

/** Looks up with one statement which jobs have work. */
async function lookUp({ env, store, clock }: Deps, charges: DueCharges): Promise<DueWork> {
  const before = clock.offset;
  const next = await store.read((tx) => tx.agenda.next(Date.now()));
  // If this process has moved the clock since, the offset just read may be older.
  if (env !== 'production' && clock.offset === before) clock.set(next.clockOffset);

  const now = clock.now();
  const isDue = (at: number | null): boolean => at !== null && at <= now;
  return {
    areHeld: next.areJobsHeld,
    expiry: isDue(next.expiry),
    charge: charges.mayBeDue(next.chargeDay),
    attempt: isDue(next.attempt),
    refund: isDue(next.refund),
    event: isDue(next.event),
    messages: isDue(next.message),
    payerMessages: isDue(next.payerMessage),
  };
}

/** expires sessions whose time is up. */
async function expireDue({ store, clock, newId }: Deps, runner: ItemRunner): Promise<number> {
  const at: Occasion = { now: clock.now(), newId };
  return runner.each({
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
