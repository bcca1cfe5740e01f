/** An owner is slow if its work took longer than this in the last minute, real ms. */
const SLOW_MS = 2_000;
const SLOW_FOR_MS = 60_000;

function reservedOf(size: number): number {
  return Math.floor(size / 4);
}

/** An owner's share of the unreserved slots. */
export function shareOf(size: number, owners: number): number {
  return Math.max(1, Math.floor((size - reservedOf(size)) / owners));
}

/**
 * A limited number of slots. Owners, such as business units, share them so that slow ones don't delay the others
 * the owner with the fewest slots is next, and a quarter is reserved for owners that are not slow and hold
 * none.
 */
export class Slots {
  readonly #reserved: number;
  #free: number;
  readonly #waiting = new Map<string, (() => void)[]>();
  readonly #held = new Map<string, number>();
  readonly #slowUntil = new Map<string, number>();

  constructor(size: number) {
    this.#free = size;
    this.#reserved = reservedOf(size);
  }

  async run<T>(owner: string, work: () => Promise<T>): Promise<T> {
    const release = await this.take(owner);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** Resolves, once a slot is free, to the function that releases it. */
  async take(owner: string): Promise<() => void> {
    await new Promise<void>((begin) => {
      const calls = this.#waiting.get(owner);
      if (calls) calls.push(begin);
      else this.#waiting.set(owner, [begin]);
      this.#grant();
    });
    const started = performance.now();
    return () => {
      const ended = performance.now();
      if (ended - started > SLOW_MS) this.#slowUntil.set(owner, ended + SLOW_FOR_MS);
      this.#change(owner, -1);
      this.#grant();
    };
  }

  #grant(): void {
    for (let owner = this.#next(); owner !== undefined; owner = this.#next()) {
      const [begin, ...left] = this.#waiting.get(owner) ?? [];
      this.#waiting.delete(owner);
      if (left.length > 0) this.#waiting.set(owner, left);
      this.#change(owner, 1);
      begin?.();
    }
  }

  #next(): string | undefined {
    if (this.#free === 0) return undefined;

    const now = performance.now();
    let best: string | undefined;
    for (const owner of this.#waiting.keys()) {
      if (!this.#mayHave(owner, now)) continue;
      if (this.#heldBy(owner) === 0) return owner;
      if (best === undefined || this.#heldBy(owner) < this.#heldBy(best)) best = owner;
    }
    return best;
  }

  #mayHave(owner: string, now: number): boolean {
    if (this.#free > this.#reserved) return true;
    return this.#heldBy(owner) === 0 && now >= (this.#slowUntil.get(owner) ?? 0);
  }

  #heldBy(owner: string): number {
    return this.#held.get(owner) ?? 0;
  }

  #change(owner: string, by: 1 | -1): void {
    this.#free -= by;
    const held = this.#heldBy(owner) + by;
    if (held === 0) this.#held.delete(owner);
    else this.#held.set(owner, held);
  }
}
