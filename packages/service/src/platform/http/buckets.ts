/** Token buckets by name, of which there are never more than a fixed number. */
export interface Buckets {
  /**
   * Takes `cost` (1 by default) of `name`'s tokens, at most a whole bucket. Returns 0, or if there are too few the seconds
   * until there are enough.
   */
  take(name: string, cost?: number): number;
}

export interface BucketSize {
  readonly perSecond: number;
  readonly burst: number;
}

/** A bucket that was forgotten is full again: whoever wants that has to fill all the others first. */
const MOST = 10_000;

/** @param now ms of a monotonic clock, for waiting is real */
export function buckets(size: () => BucketSize, now: () => number): Buckets {
  const byName = new Map<string, { tokens: number; at: number }>();
  return {
    take: (name, wanted = 1) => {
      const { perSecond, burst } = size();
      const cost = Math.min(wanted, Math.max(1, burst));
      const at = now();
      const bucket = byName.get(name) ?? { tokens: burst, at };
      const tokens = Math.min(burst, bucket.tokens + ((at - bucket.at) / 1000) * perSecond) - cost;
      // The one that was used last is at the end.
      byName.delete(name);
      byName.set(name, tokens < 0 ? bucket : { tokens, at });
      const [oldest] = byName.keys();
      if (byName.size > MOST && oldest !== undefined) byName.delete(oldest);
      return tokens < 0 ? Math.max(1, Math.ceil(-tokens / perSecond)) : 0;
    },
  };
}
