/** Work on many things of which one that fails holds up no other. */
import { ServiceError } from '../core/error.js';
import { describeError } from './log/log.js';
import type { Log, LogFields } from './log/log.js';
import type { JobName, Metrics } from './metrics.js';

export interface ApartParts {
  readonly clock: { now(): number };
  readonly log: Pick<Log, 'error'>;
  readonly metrics?: Pick<Metrics, 'jobFailed'>;
}

export interface Batch<T extends { readonly id: string }> {
  /** What is due, the oldest first. */
  readonly find: (limit: number) => Promise<readonly T[]>;
  /** Worked on in one call, and of those how many at once. */
  readonly limit: number;
  readonly atOnce?: number;
  /** What the log calls one by, where there is anything to call it by. */
  readonly about?: (item: T) => LogFields;
  /** True when there was something to do; `later` leaves the item for a while without reporting a failure. */
  readonly work: (item: T) => Promise<boolean | 'later'>;
}

export interface Apart {
  /**
   * Works on what is due. One that throws is named in the log and left for a while that doubles, in which those behind
   * it have its place. Resolves how many were dealt with: where that is 0, nothing is due.
   * @throws ServiceError `unavailable`: that is no item's fault, and the next would meet the same
   */
  each<T extends { readonly id: string }>(batch: Batch<T>): Promise<number>;
}

/** Ms: how long one that failed is left, and the longest that this is doubled to. */
const FIRST_MS = 5_000;
const LONGEST_MS = 3_600_000;
/** Remembered of a job; the one that failed longest ago is forgotten first. */
const MOST_LEFT = 1_000;
/** Lines of one batch; those beyond them are counted. */
const MOST_NAMED = 10;

/**
 * @param job for the log and the metrics
 * @example
 * const apart = createApart({ clock, log }, 'expire');
 * await apart.each({ find, limit: 100, about: ({ id }) => ({ sessionId: id }), work: ({ id }) => expire(id) });
 */
export function createApart({ clock, log, metrics }: ApartParts, job: JobName): Apart {
  const left = new Map<string, { readonly until: number; readonly times: number }>();
  const isLeft = (id: string, now: number): boolean => (left.get(id)?.until ?? 0) > now;
  const leave = (id: string): void => {
    const times = (left.get(id)?.times ?? 0) + 1;
    const wait = Math.min(FIRST_MS * 2 ** (times - 1), LONGEST_MS);
    left.delete(id);
    left.set(id, { until: clock.now() + wait, times });
    const [oldest] = left.keys();
    if (left.size > MOST_LEFT && oldest !== undefined) left.delete(oldest);
  };

  return {
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
          // It has made room: there may be more behind it.
          if (left.size < MOST_LEFT) worked++;
          metrics?.jobFailed(job);
          if (++failed <= MOST_NAMED)
            log.error('A job failed at one of many, it is tried again later', {
              job,
              ...about?.(item),
              error: describeError(error),
            });
        }
      };
      for (let place = 0; place < waiting.length && away.length === 0; place += atOnce)
        await Promise.all(waiting.slice(place, place + atOnce).map(one));
      if (failed > MOST_NAMED)
        log.error('A job failed at more of them, they are tried again later', {
          job,
          count: failed - MOST_NAMED,
        });
      if (away[0]) throw away[0];
      return worked;
    },
  };
}
