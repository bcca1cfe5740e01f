/** Limits database waits, so that requests get a response even if the database hangs. */
import { TOO_SLOW, unavailable } from '../core/error.js';
import { MAX_WAIT_MS, type Store } from '../core/store.js';
import { withTimeout } from './timeouts.js';

export interface TimeLimit {
  /** Resolves like the promise, or rejects with `unavailable` once the time is up. */
  readonly wait: <T>(wait: Promise<T>) => Promise<T>;
  readonly leftMs: () => number;
}

export function requestTimeLimit(ms: number = MAX_WAIT_MS): TimeLimit {
  let leftMs = ms;
  return {
    leftMs: () => Math.max(0, leftMs),
    wait: async (wait) => {
      const from = performance.now();
      try {
        return await withTimeout(wait, leftMs, TOO_LATE);
      } catch (error) {
        throw isTooLate(error) ? unavailable(error, TOO_SLOW) : error;
      } finally {
        leftMs -= performance.now() - from;
      }
    },
  };
}

/** A request's dependencies: all its store calls share the time limit. */
export function limited<D extends { readonly store: Store; readonly background?: Store }>(
  deps: D,
  timeLimit: TimeLimit = requestTimeLimit(),
): D {
  const { store } = deps;
  return {
    ...deps,
    background: store,
    store: {
      ...store,
      transaction: (work, options) => timeLimit.wait(store.transaction(work, options)),
      read: (work) => timeLimit.wait(store.read(work)),
    },
  };
}

const TOO_LATE = 'database_too_late';
const isTooLate = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === TOO_LATE;
