import { ServiceError } from './error.js';
import type { Limits } from './limits.js';

/** Aborts when its time is up or its parent aborts. Every wait in this package has one. */
export class Deadline {
  /** On the clock of `performance.now()`. */
  readonly endsAt: number;
  readonly #controller = new AbortController();
  readonly #option: keyof Limits;
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #parent: Deadline | undefined;
  readonly #parentSignal: AbortSignal | undefined;
  readonly #onParentAbort: () => void;

  /** @param parent a deadline or the caller's signal, which also aborts this one */
  constructor(ms: number, option: keyof Limits, parent: Deadline | AbortSignal | undefined) {
    this.endsAt = performance.now() + ms;
    this.#option = option;
    this.#parent = parent instanceof Deadline ? parent : undefined;
    this.#parentSignal = parent instanceof Deadline ? parent.signal : parent;
    this.#onParentAbort = () => {
      const reason: unknown = this.#parentSignal?.reason;
      this.#controller.abort(
        this.#parent ? reason : new ServiceError('aborted', 'Aborted.', { cause: reason }),
      );
    };

    // Throws for an invalid `signal`, so do this before starting the timer.
    this.#parentSignal?.addEventListener('abort', this.#onParentAbort);
    if (this.#parentSignal?.aborted) this.#onParentAbort();
    this.#timer = setTimeout(() => this.#end(), ms);
  }

  /** Its abort reason is a ServiceError. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Throws if the time is up, even if a blocked event loop has delayed the timer. */
  throwIfOver(): void {
    this.#parent?.throwIfOver();
    if (performance.now() >= this.endsAt) this.#end();
    this.signal.throwIfAborted();
  }

  /** Removes the timer and the listener. Call it when the work has ended. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#parentSignal?.removeEventListener('abort', this.#onParentAbort);
  }

  #end(): void {
    this.#controller.abort(new ServiceError('timeout', `No response within ${this.#option}.`));
  }
}

/** Settles with the work. Rejects as soon as the signal aborts, even if the work ignores it. */
export function untilAborted<T>(signal: AbortSignal, work: () => T | Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    signal.throwIfAborted();
    const abort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', abort);

    (async () => work())()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Waits `ms` milliseconds. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout>;
  const wait = () => new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));

  return untilAborted(signal, wait).finally(() => clearTimeout(timer));
}
