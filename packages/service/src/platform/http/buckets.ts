/** Token buckets by name, limited to a fixed number. */
export interface Buckets {
  /**
   * Takes `cost` tokens (default 1, at most a whole bucket) from `name`. Returns 0, or the seconds until there are
   * enough.
   */
  take(name: string, cost?: number): number;
}

export interface BucketSize {
  readonly perSecond: number;
  readonly burst: number;
}

/** Evicting a bucket refills it, so an attacker would have to use all the others first. */
const MOST = 10_000;

/** @param now monotonic clock, real ms */
export function buckets(size: () => BucketSize, now: () => number): Buckets {
  const byName = new Map<string, { tokens: number; at: number }>();
  return {
    take: (name, wanted = 1) => {
      const { perSecond, burst } = size();
      const cost = Math.min(wanted, Math.max(1, burst));
      const at = now();
      const bucket = byName.get(name) ?? { tokens: burst, at };
      const tokens = Math.min(burst, bucket.tokens + ((at - bucket.at) / 1000) * perSecond) - cost;
      // Keep the most recently used bucket at the end.
      byName.delete(name);
      byName.set(name, tokens < 0 ? bucket : { tokens, at });
      const [oldest] = byName.keys();
      if (byName.size > MOST && oldest !== undefined) byName.delete(oldest);
      return tokens < 0 ? Math.max(1, Math.ceil(-tokens / perSecond)) : 0;
    },
  };
}
