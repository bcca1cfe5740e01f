/** Processes many items. Failing items don't block the others. */
import { ServiceError } from '../core/error.js';
import { describeError, type Log } from './log/log.js';
import type { LogFields } from './log/fields.js';
import type { JobName, Metrics } from './metrics.js';

export interface ItemRunnerParts {
  readonly clock: { now(): number };
  readonly log: Pick<Log, 'error'>;
  readonly metrics?: Pick<Metrics, 'jobFailed'>;
}

export interface Batch<T extends { readonly id: string }> {
  readonly find: (limit: number) => Promise<readonly T[]>;
  /** Maximum number of items per call. */
  readonly limit: number;
  /** Default: one item at a time. */
  readonly concurrency?: number;
  readonly about?: (item: T) => LogFields;
  /** Resolves to whether there was work to do. `later` postpones the item without reporting a failure. */
  readonly work: (item: T) => Promise<boolean | 'later'>;
  /** Makes a failed item due later. Without it, failed items are remembered, and each search reads past them. */
  readonly postpone?: (item: T) => Promise<unknown>;
}

/** First and longest backoff of a failed item, ms. */
const FIRST_MS = 5_000;
const MAX_BACKOFF_MS = 3_600_000;
/** Failed items tracked per job. The oldest is dropped first. */
const MAX_REMEMBERED = 20_000;

export class ItemRunner {
  readonly #parts: ItemRunnerParts;
  readonly #job: JobName;
  /** Skipped items, with their number of failures. */
  readonly #skipped = new Map<string, { readonly until: number; readonly times: number }>();

  constructor(parts: ItemRunnerParts, job: JobName) {
    this.#parts = parts;
    this.#job = job;
  }

  /**
   * Processes due items. Logs an item that throws and skips it for a while (exponential backoff), so later items get
   * their turn. Resolves to the number of items processed; 0 means no work is due.
   * @throws ServiceError `unavailable`: the database is down, so the next item would fail too
   */
  async each<T extends { readonly id: string }>(batch: Batch<T>): Promise<number> {
    const { find, limit, concurrency = 1 } = batch;
    const due = await find(limit + this.#skipped.size);
    const waiting = due.filter(({ id }) => !this.#isSkipped(id)).slice(0, limit);
    const round: Round = { worked: 0 };
    for (let place = 0; place < waiting.length && !round.unavailable; place += concurrency)
      await Promise.all(
        waiting.slice(place, place + concurrency).map((item) => this.#one(item, batch, round)),
      );

    if (round.unavailable) throw round.unavailable;
    return round.worked;
  }

  #isSkipped(id: string): boolean {
    return (this.#skipped.get(id)?.until ?? 0) > this.#parts.clock.now();
  }

  async #one<T extends { readonly id: string }>(
    item: T,
    { work, about, postpone }: Batch<T>,
    round: Round,
  ): Promise<void> {
    try {
      const result = await work(item);
      if (result === 'later') return this.#later(item, round);
      if (result) round.worked++;
      this.#skipped.delete(item.id);
    } catch (error) {
      if (isUnavailable(error)) {
        round.unavailable ??= error;
        return;
      }
      this.#parts.metrics?.jobFailed(this.#job);
      this.#parts.log.error('A job failed for one item; it will be retried', {
        job: this.#job,
        ...about?.(item),
        error: describeError(error),
      });
      if (postpone === undefined) this.#later(item, round);
      else
        await postpone(item).then(
          () => (round.worked += 1),
          (failure: unknown) => {
            if (isUnavailable(failure)) round.unavailable ??= failure;
            else this.#later(item, round);
          },
        );
    }
  }

  /**
   * Skips an item for a while. Counts as work, because the next search finds the items behind it. Once too many are skipped
   * to remember, it doesn't count: the next search would find the same ones.
   */
  #later({ id }: { readonly id: string }, round: Round): void {
    const times = (this.#skipped.get(id)?.times ?? 0) + 1;
    const wait = Math.min(FIRST_MS * 2 ** (times - 1), MAX_BACKOFF_MS);
    this.#skipped.delete(id);
    this.#skipped.set(id, { until: this.#parts.clock.now() + wait, times });
    const [oldest] = this.#skipped.keys();
    if (this.#skipped.size < MAX_REMEMBERED) round.worked++;
    else if (this.#skipped.size > MAX_REMEMBERED && oldest !== undefined) this.#skipped.delete(oldest);
  }
}

interface Round {
  worked: number;
  /** Why the rest of the batch was not tried. */
  unavailable?: ServiceError;
}

function isUnavailable(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code === 'unavailable';
}
