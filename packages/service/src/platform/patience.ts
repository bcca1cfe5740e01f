/** How long a request waits for the database: whatever that does, the request is answered. */
import { unavailable } from '../core/error.js';
import type { Origin } from '../webhooks/rules.js';
import { LONGEST_WAIT_MS, type Store } from '../core/store.js';
import { inTime } from './in-time.js';

export interface Patience {
  /** What a wait is worth: itself, or `unavailable` once the request has waited long enough. */
  readonly wait: <T>(wait: Promise<T>) => Promise<T>;
  /** How long it may still wait, ms. */
  readonly leftMs: () => number;
}

/** @example const patience = requestPatience(); const caller = await keys.authenticate(key, patience.wait); */
export function requestPatience(ms: number = LONGEST_WAIT_MS): Patience {
  let leftMs = ms;
  return {
    leftMs: () => Math.max(0, leftMs),
    wait: async (wait) => {
      const from = performance.now();
      try {
        return await inTime(wait, leftMs, TOO_LATE);
      } catch (error) {
        throw isTooLate(error) ? unavailable(error) : error;
      } finally {
        leftMs -= performance.now() - from;
      }
    },
  };
}

/** The store, with a request's patience, and its name on what it writes. */
export function patientStore(store: Store, patience: Patience, origin?: Origin): Store {
  return {
    transaction: (work, options) =>
      patience.wait(store.transaction(work, origin === undefined ? options : { origin, ...options })),
    read: (work) => patience.wait(store.read(work)),
    onMessages: (listener) => store.onMessages(listener),
    close: () => store.close(),
  };
}

const TOO_LATE = 'database_too_late';
const isTooLate = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === TOO_LATE;
