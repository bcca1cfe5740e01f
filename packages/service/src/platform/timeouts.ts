import { setTimeout as delay } from 'node:timers/promises';
import { unavailable } from '../core/error.js';
import { MAX_WAIT_MS, type Store } from '../core/store.js';

/** Real ms since a `performance.now()`, with one decimal. */
export function msSince(start: number): number {
  return Math.round((performance.now() - start) * 10) / 10;
}

/** Waits as long as a transaction took, because on SQLite every other writer had to wait for it. */
export async function pauseSince(start: number): Promise<void> {
  await delay(performance.now() - start);
}

/** Resolves like `promise`, or rejects with `code` after `ms`, real time. */
export function withTimeout<T>(promise: Promise<T>, ms: number, code: string): Promise<T> {
  // Create the error lazily, because capturing a stack costs more than the rest.
  return onDelay(promise, ms, (reject) =>
    reject(Object.assign(new Error(`no promise in ${ms} ms`), { code })),
  );
}

/** Resolves like `promise`. After `ms`, real time, calls `late`, which may reject. */
export function onDelay<T>(
  promise: Promise<T>,
  ms: number,
  late: (reject: (error: unknown) => void) => void,
): Promise<T> {
  // `Promise.race` would create six more promises per call.
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(late, ms, reject);
    const inTime =
      <V>(settle: (value: V) => void) =>
      (value: V): void => {
        clearTimeout(timer);
        settle(value);
      };
    promise.then(inTime(resolve), inTime(reject));
  });
}

/** Limits database waits, so that requests get a response even if the database hangs. */
export interface TimeLimit {
  /** Resolves like the promise, or rejects with `unavailable` once the time is up. */
  readonly wait: <T>(wait: Promise<T>) => Promise<T>;
  readonly leftMs: () => number;
  /** Whether a wait has been rejected. */
  readonly isUp: () => boolean;
}

export function requestTimeLimit(ms: number = MAX_WAIT_MS): TimeLimit {
  let leftMs = ms;
  let isUp = false;
  return {
    isUp: () => isUp,
    leftMs: () => Math.max(0, leftMs),
    wait: async (wait) => {
      const from = performance.now();
      try {
        return await onDelay(wait, leftMs, (reject) => {
          isUp = true;
          reject(unavailable(new Error(`no response in ${ms} ms`)));
        });
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
    background: deps.background ?? store,
    store: {
      ...store,
      transaction: (work, options) => timeLimit.wait(store.transaction(work, options)),
      read: (work) => timeLimit.wait(store.read(work)),
    },
  };
}
