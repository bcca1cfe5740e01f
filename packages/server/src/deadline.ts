/** Time limits: every wait of this package ends by one of them. */

/** Why a wait ended early: the caller's signal, or the option that ran out. */
export type Stop = 'signal' | 'timeoutMs' | 'totalTimeoutMs';

/** A signal that is aborted after `ms` milliseconds, or as soon as `parent` is; its reason is a {@link Stop}. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** To be called when the work has ended. */
  readonly clear: () => void;
}

export function deadline(
  ms: number,
  stop: Stop,
  parent: AbortSignal | undefined,
  parentStop?: Stop,
): Deadline {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(stop), ms);
  const follow = () => controller.abort(parentStop ?? parent?.reason);
  if (parent?.aborted) follow();
  // Nothing is begun that has no time: a timer would give it some.
  if (ms <= 0) controller.abort(stop);
  parent?.addEventListener('abort', follow);
  return {
    signal: controller.signal,
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
  return Promise.race([stopped, work()]);
}

/** Waits `ms` milliseconds. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout>;
  const wait = () => new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  return until(signal, wait).finally(() => clearTimeout(timer));
}
