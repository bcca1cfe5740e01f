/**
 * Group commit for the one connection to an embedded database. Transactions requested while another one runs share the
 * next BEGIN, COMMIT and disk sync, which cost more than the writes of any one of them.
 */
import { setImmediate } from 'node:timers';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { inThisContext } from '../context.js';
import type { TransactionOptions } from './connection.js';

type Mode = TransactionOptions['mode'];

export interface TransactionControl {
  begin(mode: Mode): void;
  commit(): void;
  rollback(): void;
  /** Whether a transaction is open. An error may have ended it. */
  readonly isOpen: boolean;
  readonly writes: number;
  /** The disk sync in progress. It doesn't cover later commits, so a new sync must wait for it. */
  currentSync(): Promise<void> | null;
  /** Minimum time between the starts of shared transactions, ms, so that more members share each disk sync. */
  readonly spacingMs: number;
}

interface Job {
  readonly mode: Mode | 'exclusive';
  readonly work: () => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Limits of members per transaction and of their time, real ms, because nothing else runs meanwhile. */
const MAX_SHARED = 32;
const MAX_SHARED_MS = 50;

/** With fewer concurrent writers, transactions are not spaced. */
const MIN_SHARED_TO_SPACE = 4;

export class TransactionQueue {
  readonly #control: TransactionControl;
  readonly #reads: Job[] = [];
  readonly #writes: Job[] = [];
  #isScheduled = false;
  #isRunning = false;
  #lastWrite = { members: 0, startedAt: -Infinity };
  #spacing: Promise<void> | null = null;

  constructor(control: TransactionControl) {
    this.#control = control;
  }

  /**
   * Runs `work` in a transaction that others may share, and resolves once it is committed. `exclusive` work runs while no
   * transaction is open.
   */
  run<T>(mode: Mode | 'exclusive', work: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const jobs = mode === 'read' ? this.#reads : this.#writes;
      // May run in a transaction that another request began.
      jobs.push({ mode, work: inThisContext(work), resolve: resolve as Job['resolve'], reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isRunning) return;
    this.#isScheduled = true;
    // Let requests that have already arrived join.
    setImmediate(() => void this.#runNext());
  }

  async #runNext(): Promise<void> {
    this.#isScheduled = false;
    this.#isRunning = true;
    if (this.#reads.length > 0) await this.#share('read', this.#reads.splice(0, MAX_SHARED));
    if (this.#writes.length > 0 && this.#writeDelay() === null) await this.#write();
    this.#isRunning = false;

    if (this.#reads.length > 0) this.#schedule();
    else if (this.#writes.length > 0)
      void (this.#writeDelay() ?? Promise.resolve()).then(() => this.#schedule());
  }

  /** Resolves when the next write may start. */
  #writeDelay(): Promise<void> | null {
    const sync = this.#control.currentSync();
    const { members, startedAt } = this.#lastWrite;
    if (sync !== null || members < MIN_SHARED_TO_SPACE || this.#writes.length >= MAX_SHARED) return sync;

    const remainingMs = startedAt + this.#control.spacingMs - performance.now();
    if (remainingMs <= 0) return null;

    this.#spacing ??= delay(remainingMs).then(() => void (this.#spacing = null));
    return this.#spacing;
  }

  async #write(): Promise<void> {
    // Only plain writes share a transaction.
    const alone = this.#writes.findIndex(({ mode }) => mode !== 'write');
    const available = alone < 0 ? this.#writes.length : Math.max(1, alone);
    const jobs = this.#writes.splice(0, Math.min(MAX_SHARED, available));
    this.#lastWrite = { members: jobs.length, startedAt: performance.now() };

    const [{ mode, work, resolve, reject }] = jobs as [Job];
    if (mode === 'exclusive') await work().then(resolve, reject);
    else await this.#share(mode, jobs);
  }

  /**
   * Runs jobs in one transaction. Each gets its result after the commit, because it may depend on other jobs' writes. If one
   * fails after a write, which is rare, each runs again in a transaction of its own.
   */
  async #share(mode: Mode, jobs: readonly Job[]): Promise<void> {
    const control = this.#control;
    const settle: (() => void)[] = [];
    const endAt = performance.now() + MAX_SHARED_MS;
    let members = jobs;
    try {
      this.#endOpen();
      control.begin(mode);
      for (const [place, { work, resolve, reject }] of jobs.entries()) {
        if (place > 0 && performance.now() > endAt) {
          members = jobs.slice(0, place);
          (mode === 'read' ? this.#reads : this.#writes).unshift(...jobs.slice(place));
          break;
        }
        const writesBefore = control.writes;
        try {
          const value = await work();
          settle.push(() => resolve(value));
        } catch (error) {
          if (jobs.length === 1 || !control.isOpen) throw error;
          if (control.writes > writesBefore) {
            for (const job of jobs) {
              await this.#share(mode, [job]);
              await nextTurn();
            }
            return;
          }
          settle.push(() => reject(error));
        }
      }
      control.commit();
    } catch (error) {
      try {
        this.#endOpen();
      } catch {
        // The next transaction tries again and fails with this error if it persists.
      }
      for (const { reject } of members) reject(error);
      return;
    }
    for (const settleJob of settle) settleJob();
  }

  #endOpen(): void {
    if (this.#control.isOpen) this.#control.rollback();
  }
}
