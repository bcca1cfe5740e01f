/**
 * One queue per business unit, so that one unit's backlog or slow responses don't delay another. Some jobs have
 * a single queue.
 */
export interface UnitQueuesParts {
  readonly due: () => Promise<readonly string[]>;
  /** Does a business unit's due work. Resolves to the number of items. */
  readonly work: (slug: string) => Promise<number>;
  /** Runs a job. If it fails, reports the error and resolves to 0. */
  readonly run: (job: () => Promise<number>) => Promise<number>;
  /** Whether a queue may begin while others run. Default: always. */
  readonly mayBegin?: (slug: string, running: readonly string[]) => boolean;
}

export class UnitQueues {
  readonly #parts: UnitQueuesParts;
  /** Running queues, by slug. Each resolves to its number of items. */
  readonly #running = new Map<string, Promise<number>>();
  /** Slugs of running queues that must check for work again, because some may have become due after they checked. */
  readonly #again = new Set<string>();
  #polls: Promise<unknown> = Promise.resolve();
  /** Set while {@link begin} looks for due work. */
  #beginning: Promise<unknown> | undefined;

  constructor(parts: UnitQueuesParts) {
    this.#parts = parts;
  }

  /** Starts a queue for each business unit that has due work and no running queue, without waiting for the work. */
  async begin(): Promise<void> {
    await (this.#beginning ??= this.#beginDue().finally(() => (this.#beginning = undefined)));
  }

  wake(slugs: readonly string[]): void {
    for (const slug of slugs)
      if (this.#running.has(slug)) this.#again.add(slug);
      else if (this.#mayBegin(slug)) void this.#queue(slug);
  }

  /** Does all due work, including work that becomes due during the run. */
  async drain(): Promise<void> {
    // A queue that began before the clock moved may have missed work that is due now.
    await this.idle();

    const followed = new Set<Promise<number>>();
    /** Polls again as soon as one queue ends, without waiting for the others. */
    const poll = async (): Promise<void> => {
      const started = (await this.#beginDue()).filter((queue) => !followed.has(queue));
      for (const queue of started) followed.add(queue);
      await Promise.all(started.map(async (queue) => ((await queue) > 0 ? poll() : undefined)));
    };
    await poll();
  }

  async idle(): Promise<void> {
    await this.#polls;
    await Promise.all(this.#running.values());
  }

  #beginDue(): Promise<Promise<number>[]> {
    const poll = this.#poll();
    // Drop the results: a chain of promises would keep every earlier one in memory.
    this.#polls = Promise.all([this.#polls, poll]).then(() => undefined);
    return poll;
  }

  async #poll(): Promise<Promise<number>[]> {
    const { due, run } = this.#parts;
    const started: Promise<number>[] = [];

    await run(async () => {
      const slugs = await due();
      for (const slug of slugs)
        if (this.#running.has(slug) || this.#mayBegin(slug)) started.push(this.#queue(slug));
      return slugs.length;
    });
    return started;
  }

  #mayBegin(slug: string): boolean {
    return this.#parts.mayBegin?.(slug, [...this.#running.keys()]) ?? true;
  }

  #queue(slug: string): Promise<number> {
    const queue = this.#running.get(slug) ?? this.#work(slug);
    this.#running.set(slug, queue);
    return queue;
  }

  async #work(slug: string): Promise<number> {
    const { run, work } = this.#parts;
    let total = 0;
    do {
      this.#again.delete(slug);
      total += await run(() => work(slug));
    } while (this.#again.has(slug) && this.#mayBegin(slug));
    this.#again.delete(slug);
    // In the same turn as the last check, so that no call of `wake` is lost.
    this.#running.delete(slug);
    return total;
  }
}
