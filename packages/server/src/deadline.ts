/** Time limits: every wait of this package ends by one of them. */
import { ServiceError } from './error.js';
import type { Limits } from './limits.js';

/** A signal that is aborted when its time is over, or as soon as its parent is; its reason is a ServiceError. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** By the clock of `performance.now()`. */
  readonly endsAt: number;
  /** Throws where it is over: also where its timer is late, since something held up the process. */
  readonly heed: () => void;
  /** To be called when the work has ended. */
  readonly clear: () => void;
}

/** A deadline in `ms` milliseconds, which `option` asks for. `parent`: another one, or what has the caller's signal. */
export function deadline(
  ms: number,
  option: keyof Limits,
  { signal: parent, heed }: Partial<Pick<Deadline, 'heed'>> & { signal?: AbortSignal | undefined },
): Deadline {
  const controller = new AbortController();
  const { signal } = controller;
  const endsAt = performance.now() + ms;
  const end = () => controller.abort(new ServiceError('timeout', `No answer within ${option}.`));
  const follow = () =>
    controller.abort(
      heed ? parent!.reason : new ServiceError('aborted', 'Aborted.', { cause: parent!.reason }),
    );
  // Before the timer, which nobody would clear where this is no signal.
  parent?.addEventListener('abort', follow);
  if (parent?.aborted) follow();
  const timer = setTimeout(end, ms);
  return {
    signal,
    endsAt,
    heed() {
      heed?.();
      if (performance.now() >= endsAt) end();
      signal.throwIfAborted();
    },
    clear: () => {
      clearTimeout(timer);
      parent?.removeEventListener('abort', follow);
    },
  };
}

/** Settles with the work or, at the latest, with the signal: also where the work does not listen to it. */
export async function until<T>(signal: AbortSignal, work: () => T | Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const stopped = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });
  // Where the work throws at once, `stopped` has somebody who hears of it all the same.
  return Promise.race([stopped, (async () => work())()]);
}

/** Waits `ms` milliseconds. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout>;
  const wait = () => new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  return until(signal, wait).finally(() => clearTimeout(timer));
}
