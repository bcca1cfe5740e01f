/** Scheduled work: expiry, charges, settlement, refunds, webhooks and clean-up. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Deps } from '../deps.js';
import { settleDueEvents } from '../inbox/settle.js';
import { createMessageQueues } from '../messages/deliver.js';
import { syncClockIn } from '../platform/clock.js';
import { runInContext } from '../platform/context.js';
import { withTimeout } from '../platform/timeouts.js';
import { ItemRunner } from '../platform/item-runner.js';
import { describeError } from '../platform/log/log.js';
import type { JobName } from '../platform/metrics.js';
import { shareOf } from '../platform/slots.js';
import { UnitQueues } from '../platform/unit-queues.js';
import { createDeliveries } from '../webhooks/deliver.js';
import { send } from '../webhooks/send.js';
import { DueCharges } from './due-charges.js';
import { areJobsHeld } from './restore-marker.js';
import { Forgetting } from '../payments/forgetting.js';
import { currentFacts } from './current-facts.js';
import { Reminders } from './remind.js';
import { sweep } from './sweep.js';
import { announce } from '../webhooks/announce.js';
import type { TxContext, Upcoming } from '../core/store.js';
import { transition } from '../sessions/rules/session.js';

/** Polling interval, real ms. A process delivers its own messages immediately. */
const POLL_MS = 1_000;
/** Time that `stop` waits for running jobs, real ms. Other processes take over the rest. */
const STOP_WAIT_MS = 5_000;
const SWEEP_MS = 60_000;
/** A job that always finds work continues at the next poll. */
const MAX_ROUNDS = 1_000;
const HELD =
  'A backup was restored: no jobs run until "embedded-sessions jobs resume". See "Backup and restore" in docs/operating.md';

type Job = Exclude<JobName, 'look'>;

interface ProcessorWork {
  dueUnits(): Promise<readonly string[]>;
  /** Handles up to `max` due rows of a business unit. Resolves to the number of rows; 0 if none is due. */
  handleDue(businessUnit: string, max: number): Promise<number>;
}

export class Jobs {
  readonly #deps: Deps;
  readonly #charges: DueCharges;
  readonly #stopping = new AbortController();
  readonly #work: Readonly<Record<Job, UnitQueues>>;
  #poll: Promise<void> = Promise.resolve();
  /** Undefined until the first poll. */
  #areHeld: boolean | undefined;
  #areSweepsStarted = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#charges = new DueCharges(deps, this.#stopping.signal);
    this.#work = this.#createWork();
  }

  /** Runs all due work, including work that becomes due as a result. */
  async runDue(): Promise<void> {
    this.#areHeld = await this.#deps.store.read(areJobsHeld);

    const { expire, execute, receive, settle, refund, forget, deliver, sweep, send } = this.#work;
    // Events first, because they may make lookups unnecessary. Sweeps before webhooks and messages, because they may write
    // some.
    for (const work of [expire, execute, receive, settle, refund, forget, sweep, deliver, send])
      await work.drain();
  }

  start(): void {
    this.#deps.store.onMessages((businessUnits) => this.#work.deliver.wake(businessUnits));
    void this.#repeat(() => (this.#poll = this.#logged(this.#look())), POLL_MS);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();

    const { charging, refunding } = this.#deps;
    const works = Object.values(this.#work);
    const idle = Promise.all([this.#poll, ...[...works, charging, refunding].map((work) => work.idle())]);
    await withTimeout(idle, STOP_WAIT_MS, 'stop').catch(() => undefined);
  }

  /** Each job has its own queues, so that slow charges delay neither expiry nor lookups. */
  #createWork(): Record<Job, UnitQueues> {
    const deps = this.#deps;
    const { charging, refunding } = deps;
    const { signal } = this.#stopping;
    const expiring = new ItemRunner(deps, 'expire');
    const receiving = new ItemRunner(deps, 'receive');
    const sweeping = new ItemRunner(deps, 'sweep');
    const reminding = new ItemRunner(deps, 'send');
    const reminders = new Reminders(deps);
    return {
      expire: this.#queue('expire', () => expireDue(deps, expiring)),
      execute: this.#queues('execute', this.#charges),
      receive: this.#queue('receive', () => settleDueEvents(deps, receiving)),
      settle: this.#queues('settle', charging),
      refund: this.#queues('refund', refunding),
      forget: this.#queues('forget', new Forgetting(deps)),
      deliver: createDeliveries({ ...deps, signal }, (job) => this.#run('deliver', job)),
      sweep: this.#queue('sweep', async () => {
        await sweep(deps, sweeping, signal);
        await reminders.write(reminding, signal);
        return 0;
      }),
      send: createMessageQueues({ ...deps, post: send, currentFacts, signal }, (job) =>
        this.#run('send', job),
      ),
    };
  }

  /**
   * Jobs that wait for the processor have a queue per business unit. Each begins with its share of the slots, because
   * only its first calls show whether they are slow.
   */
  #queues(name: Job, work: ProcessorWork): UnitQueues {
    const { config } = this.#deps;
    let units = 1;
    return new UnitQueues({
      due: async () => {
        const slugs = await work.dueUnits();
        units = slugs.length;
        return slugs;
      },
      work: async (slug) => {
        const { concurrency, perBusinessUnit } = config.processor;
        let max = Math.min(shareOf(concurrency, units), perBusinessUnit);
        let total = 0;
        for (let count = 1; count > 0 && !this.#isStopped(); total += count) {
          count = await work.handleDue(slug, max);
          max = perBusinessUnit;
        }
        return total;
      },
      run: (job) => this.#run(name, job),
    });
  }

  /** A job that has one queue for all business units. */
  #queue(name: Job, round: () => Promise<number>): UnitQueues {
    return new UnitQueues({
      due: async () => [name],
      work: async () => {
        for (let count = 0; count < MAX_ROUNDS && !this.#isStopped() && (await round()) > 0; count++);
        return 0;
      },
      run: (job) => this.#run(name, job),
    });
  }

  /** Resolves to the number of items processed; 0 if the job failed or jobs are held. */
  async #run(name: Job, job: () => Promise<number>): Promise<number> {
    if (this.#isStopped()) return 0;

    const { metrics, log } = this.#deps;
    try {
      return await runInContext({ log: { job: name } }, job);
    } catch (error) {
      metrics?.jobFailed(name);
      log.error('A job failed; will retry', { job: name, error: describeError(error) });
      return 0;
    }
  }

  #isStopped(): boolean {
    return this.#stopping.signal.aborted || this.#areHeld !== false;
  }

  async #logged(work: Promise<void>): Promise<void> {
    const { metrics, log } = this.#deps;
    try {
      await work;
    } catch (error) {
      metrics?.jobFailed('look');
      log.error('The jobs could not run; will retry', { error: describeError(error) });
    }
  }

  async #look(): Promise<void> {
    const { marker, store, log } = this.#deps;
    const { areJobsHeld, restoreMark, due } = await this.#lookUp();
    const areHeld = areJobsHeld || ((await marker?.beat(store, restoreMark)) ?? false);
    if (areHeld && this.#areHeld !== true) log.error(HELD);
    this.#areHeld = areHeld;
    if (areHeld) return;

    if (!this.#areSweepsStarted) {
      const { sweep: sweeps, forget } = this.#work;
      void this.#repeat(() => this.#logged(sweeps.begin().then(() => sweeps.idle())), SWEEP_MS);
      void this.#repeat(() => this.#logged(forget.begin()), SWEEP_MS);
    }
    this.#areSweepsStarted = true;

    for (const job of due) void this.#logged(this.#work[job].begin());
  }

  async #repeat(work: () => Promise<void>, pauseMs: number): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await work();
      await delay(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Finds the jobs that have work. In production, with one statement. */
  async #lookUp(): Promise<Pick<Upcoming, 'areJobsHeld' | 'restoreMark'> & { due: Job[] }> {
    const { store, clock } = this.#deps;
    const [{ areJobsHeld, restoreMark, chargeDay, ...dueAt }] = await store.read((tx) =>
      Promise.all([tx.agenda.next(Date.now()), syncClockIn(tx, this.#deps)]),
    );
    const now = clock.now();
    const due: Job[] = (Object.keys(dueAt) as (keyof typeof dueAt)[]).filter(
      (job) => (dueAt[job] ?? Infinity) <= now,
    );
    if (this.#charges.mayBeDue(chargeDay)) due.push('execute');
    return { areJobsHeld, restoreMark, due };
  }
}

/** Sessions expired concurrently. One at a time, a single API key could create them faster than they expire. */
const CONCURRENCY = 5;

/** expires sessions. Resolves to the number expired. */
async function expireDue({ store, clock, newId }: Deps, runner: ItemRunner): Promise<number> {
  const at: TxContext = { now: clock.now(), newId };
  return runner.each({
    find: (limit) => store.read((tx) => tx.sessions.due(at.now, limit)),
    limit: 100,
    concurrency: CONCURRENCY,
    about: ({ id }) => ({ sessionId: id }),
    work: ({ id }) =>
      store.transaction(async (tx) => {
        const session = await tx.sessions.get(id);
        if (!session) return false;

        const next = transition(session, 'expired', at.now);
        if (typeof next === 'string') return true;

        await tx.sessions.update(next);
        await announce(tx, 'session.expired', next, at, {});
        return true;
      }),
  });
}
