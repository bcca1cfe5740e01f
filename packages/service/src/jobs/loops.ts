/** Runs rounds of a job, one at a time. A run requested after the clock moved sees the moved clock. */
export class JobLoop {
  readonly #round: () => Promise<number>;
  #current: Promise<void> = Promise.resolve();

  /** @param round resolves to the number of items it processed */
  constructor(round: () => Promise<number>) {
    this.#round = round;
  }

  begin(): Promise<void> {
    return this.drain();
  }

  drain(): Promise<void> {
    const rounds = async (): Promise<void> => {
      for (let count = 0; count < MAX_ROUNDS && (await this.#round()) > 0; count++);
    };
    this.#current = this.#current.then(rounds, rounds);
    return this.#current;
  }

  idle(): Promise<void> {
    return this.#current;
  }
}

/** Limit of rounds without a pause. A job that always finds work continues at the next poll. */
const MAX_ROUNDS = 1_000;

/** Repeats the work until none is left or the process stops. Resolves to the number of items. */
export async function repeatUntilIdle(work: () => Promise<number>, signal: AbortSignal): Promise<number> {
  let total = 0;
  for (let count = 1; count > 0 && !signal.aborted; total += count) count = await work();
  return total;
}

/** Runs the work when called. Calls during a run cause one more run. */
export function coalesce(work: () => Promise<void>): () => void {
  let running = false;
  let again = false;

  const run = (): void => {
    again = running;
    if (running) return;

    running = true;
    void work().finally(() => {
      running = false;
      if (again) run();
    });
  };
  return run;
}

/** Repeats the work, with a pause after each run, until the signal aborts. */
export function repeat(work: () => Promise<void>, pauseMs: number, signal: AbortSignal): void {
  let timer: NodeJS.Timeout;

  const after = (ms: number): void => {
    const run = (): void =>
      void work().finally(() => {
        if (!signal.aborted) after(pauseMs);
      });
    timer = setTimeout(run, ms);
  };
  after(0);
  signal.addEventListener('abort', () => clearTimeout(timer));
}
