/** Processes many items; a failing item does not block the others. */
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
  /** Due items, oldest first. */
  readonly find: (limit: number) => Promise<readonly T[]>;
  /** Maximum items per call, and how many run concurrently. */
  readonly limit: number;
  readonly atOnce?: number;
  readonly about?: (item: T) => LogFields;
  /** True if there was work to do; `later` postpones the item without reporting a failure. */
  readonly work: (item: T) => Promise<boolean | 'later'>;
}

export interface ItemRunner {
  /**
   * Processes due items. An item that throws is logged and skipped for a while (exponential backoff), so the items
   * behind it get their turn. Resolves to the number of items processed; 0 means no work is due.
   * @throws ServiceError `unavailable`: the database is down, so the next item would fail too
   */
  each<T extends { readonly id: string }>(batch: Batch<T>): Promise<number>;
  /** Whether an item has failed and is skipped for now. */
  isLeft(id: string): boolean;
}

/** First and longest backoff of a failed item, ms. */
const FIRST_MS = 5_000;
const MAX_BACKOFF_MS = 3_600_000;
/** Failed items remembered per job; the oldest failure is forgotten first. */
const MAX_REMEMBERED = 1_000;
/** Failures logged per batch; the rest are only counted. */
const MAX_LOGGED = 10;

/** @param job for the log and the metrics */
export function createItemRunner({ clock, log, metrics }: ItemRunnerParts, job: JobName): ItemRunner {
  const left = new Map<string, { readonly until: number; readonly times: number }>();
  const isLeft = (id: string, now = clock.now()): boolean => (left.get(id)?.until ?? 0) > now;
  const leave = (id: string): void => {
    const times = (left.get(id)?.times ?? 0) + 1;
    const wait = Math.min(FIRST_MS * 2 ** (times - 1), MAX_BACKOFF_MS);
    left.delete(id);
    left.set(id, { until: clock.now() + wait, times });
    const [oldest] = left.keys();
    if (left.size > MAX_REMEMBERED && oldest !== undefined) left.delete(oldest);
  };

  return {
    isLeft,
    each: async ({ find, limit, atOnce = 1, about, work }) => {
      const now = clock.now();
      const due = await find(limit + left.size);
      const waiting = due.filter(({ id }) => !isLeft(id, now)).slice(0, limit);
      let worked = 0;
      let failed = 0;
      const away: ServiceError[] = [];
      const one = async (item: (typeof waiting)[number]): Promise<void> => {
        try {
          const result = await work(item);
          if (result === 'later') {
            leave(item.id);
            worked++;
            return;
          }
          if (result) worked++;
          left.delete(item.id);
        } catch (error) {
          if (error instanceof ServiceError && error.code === 'unavailable') {
            away.push(error);
            return;
          }
          leave(item.id);
          // A skipped item makes room, so there may be more behind it.
          if (left.size < MAX_REMEMBERED) worked++;
          metrics?.jobFailed(job);
          if (++failed <= MAX_LOGGED)
            log.error('A job failed for one item; it will be retried', {
              job,
              ...about?.(item),
              error: describeError(error),
            });
        }
      };
      for (let place = 0; place < waiting.length && away.length === 0; place += atOnce)
        await Promise.all(waiting.slice(place, place + atOnce).map(one));
      if (failed > MAX_LOGGED)
        log.error('A job failed for more items; they will be retried', {
          job,
          count: failed - MAX_LOGGED,
        });
      if (away[0]) throw away[0];
      return worked;
    },
  };
}
