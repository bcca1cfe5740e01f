/** Time limits: every wait of this package ends by one of them. */

/** What ended a wait early: the caller's signal, the time of one attempt, or the time of the whole call. */
export type Stop = { by: 'caller'; reason: unknown } | { by: 'attempt' } | { by: 'total' };

/** The reason that a {@link Deadline}'s signal is aborted with. */
export class Stopped extends Error {
  constructor(readonly stop: Stop) {
    super(stop.by);
  }
}

/** A signal that is aborted after `ms` milliseconds, or as soon as `parent` is. Must be cleared. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #endsAt: number;
  readonly clear: () => void;

  constructor(ms: number, by: 'attempt' | 'total', parent: AbortSignal | undefined) {
    this.#endsAt = performance.now() + ms;
    const timer = setTimeout(() => this.#controller.abort(new Stopped({ by })), ms);
    const follow = () => {
      const reason: unknown = parent?.reason;
      this.#controller.abort(reason instanceof Stopped ? reason : new Stopped({ by: 'caller', reason }));
    };
    this.clear = () => {
      clearTimeout(timer);
      parent?.removeEventListener('abort', follow);
    };
    if (parent?.aborted === true) follow();
    else parent?.addEventListener('abort', follow, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Milliseconds that are left. */
  remainingMs(): number {
    return this.#endsAt - performance.now();
  }
}

/** Settles with the work or, at the latest, with the signal: also where the work does not listen to it. */
export function until<T>(signal: AbortSignal, work: () => T | Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) {
      stop();
      return;
    }
    signal.addEventListener('abort', stop, { once: true });
    Promise.resolve()
      .then(work)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', stop));
  });
}

/** Waits `ms` milliseconds, or rejects with the signal's reason. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout>;
  return until(signal, () => new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)))).finally(() =>
    clearTimeout(timer),
  );
}
