/** Token buckets by name, limited to a fixed number. */
export interface Buckets {
  /**
   * Takes `cost` tokens (default 1, at most a whole bucket) from `name`. Returns 0, or the seconds until there are
   * enough.
   */
  take(name: string, cost?: number): number;
  /** Takes `cost` tokens for completed work, even if `name` doesn't have that many yet. */
  spend(name: string, cost: number): void;
}

export interface BucketSize {
  readonly perSecond: number;
  readonly burst: number;
}

/** Evicting a bucket refills it, so an attacker would have to use all the others first. */
const MAX_BUCKETS = 10_000;

/** @param now monotonic clock, real ms */
export function buckets(size: () => BucketSize, now: () => number): Buckets {
  const byName = new Map<string, { tokens: number; at: number }>();
  const keep = (name: string, tokens: number): void => {
    // Keep the most recently used bucket at the end.
    byName.delete(name);
    byName.set(name, { tokens, at: now() });
    const [oldest] = byName.keys();
    if (byName.size > MAX_BUCKETS && oldest !== undefined) byName.delete(oldest);
  };
  const has = (name: string): number => {
    const { perSecond, burst } = size();
    const { tokens, at } = byName.get(name) ?? { tokens: burst, at: now() };
    return Math.min(burst, tokens + ((now() - at) / 1000) * perSecond);
  };
  const costOf = (wanted: number): number => Math.min(wanted, Math.max(1, size().burst));
  return {
    take: (name, wanted = 1) => {
      const tokens = has(name);
      const left = tokens - costOf(wanted);
      keep(name, left < 0 ? tokens : left);
      return left < 0 ? Math.max(1, Math.ceil(-left / size().perSecond)) : 0;
    },
    spend: (name, cost) => keep(name, has(name) - costOf(cost)),
  };
}
