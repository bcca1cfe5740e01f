import { ServiceError } from './error.js';
import type { Limits } from './surface.js';

/** Aborts when its time is up or its parent aborts. Every wait in this package has one. */
export interface Deadline {
  /** On the clock of `performance.now()`. */
  endsAt: number;
  /** Its abort reason is a ServiceError. */
  signal: AbortSignal;
  /** Removes the timer and the listener. Call it when the work has ended. */
  clear: () => void;
}

/**
 * Starts a deadline.
 *
 * @param caller the caller's signal, which also aborts it
 * @param parent a deadline that also aborts it
 */
export function startDeadline(
  ms: number,
  option: keyof Limits,
  caller: AbortSignal | undefined,
  parent?: Deadline,
): Deadline {
  const endsAt = performance.now() + ms;
  const controller = new AbortController();
  const { signal } = controller;
  const outer = parent?.signal ?? caller;
  const end = () => controller.abort(new ServiceError('timeout', `No response within ${option}.`));
  const abort = () => {
    const cause: unknown = outer?.reason;
    controller.abort(parent ? cause : new ServiceError('aborted', 'Aborted.', { cause }));
  };

  // Throws for an invalid `signal`, so do this before starting the timer.
  outer?.addEventListener('abort', abort);
  if (outer?.aborted) abort();
  const timer = setTimeout(end, ms);

  return {
    endsAt,
    signal,
    clear() {
      clearTimeout(timer);
      outer?.removeEventListener('abort', abort);
    },
  };
}

/**
 * Settles with the work. Rejects as soon as the signal aborts, even if the work ignores it. `signal` must be a deadline's,
 * because the listener stays on it.
 */
export function untilAborted<T>(signal: AbortSignal, work: () => T | Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    signal.throwIfAborted();
    signal.addEventListener('abort', () => reject(signal.reason as Error));
    (async () => work())().then(resolve, reject);
  });
}

export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout>;
  const wait = () => new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));

  return untilAborted(signal, wait).finally(() => clearTimeout(timer));
}
