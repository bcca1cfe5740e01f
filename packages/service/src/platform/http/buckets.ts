export interface BucketSize {
  readonly perSecond: number;
  readonly burst: number;
}

/** Evicting a bucket refills it, but an attacker would have to use all others first. */
const MAX_BUCKETS = 10_000;

/** Token buckets by name, limited to a fixed number. */
export class Buckets {
  readonly #size: () => BucketSize;
  readonly #now: () => number;
  readonly #byName = new Map<string, { tokens: number; at: number }>();

  /** @param now monotonic clock, real ms */
  constructor(size: () => BucketSize, now: () => number = () => performance.now()) {
    this.#size = size;
    this.#now = now;
  }

  /**
   * Takes `cost` tokens (at most a whole bucket) from `name`. Returns 0, or the seconds until there are enough.
   */
  take(name: string, cost = 1): number {
    const tokens = this.#tokensOf(name);
    const left = tokens - this.#limited(cost);
    this.#keep(name, left < 0 ? tokens : left);
    return left < 0 ? Math.max(1, Math.ceil(-left / this.#size().perSecond)) : 0;
  }

  /** Takes `cost` tokens for completed work, even if `name` doesn't have that many yet. */
  spend(name: string, cost: number): void {
    this.#keep(name, this.#tokensOf(name) - this.#limited(cost));
  }

  #tokensOf(name: string): number {
    const { perSecond, burst } = this.#size();
    const { tokens, at } = this.#byName.get(name) ?? { tokens: burst, at: this.#now() };
    return Math.min(burst, tokens + ((this.#now() - at) / 1000) * perSecond);
  }

  #limited(cost: number): number {
    return Math.min(cost, Math.max(1, this.#size().burst));
  }

  #keep(name: string, tokens: number): void {
    // Keep the most recently used bucket at the end.
    this.#byName.delete(name);
    this.#byName.set(name, { tokens, at: this.#now() });
    const [oldest] = this.#byName.keys();
    if (this.#byName.size > MAX_BUCKETS && oldest !== undefined) this.#byName.delete(oldest);
  }
}
