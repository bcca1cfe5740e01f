import { ServiceError } from '../../domain/error.js';

export interface RateLimit {
  /** @throws ServiceError `rate_limited`, with how long to wait. */
  take(key: string): void;
}

/** A token bucket per key, in this process; the clock is monotonic, for waiting is real. */
export function rateLimit(options: { perSecond: number; burst: number }, now: () => number): RateLimit {
  const buckets = new Map<string, { tokens: number; at: number }>();
  return {
    take: (key) => {
      const at = now();
      const bucket = buckets.get(key) ?? { tokens: options.burst, at };
      const refilled = bucket.tokens + ((at - bucket.at) / 1000) * options.perSecond;
      const tokens = Math.min(options.burst, refilled) - 1;
      if (tokens < 0) {
        const retryAfter = Math.max(1, Math.ceil(-tokens / options.perSecond));
        throw new ServiceError(
          'rate_limited',
          `Too many requests with this API key: wait ${retryAfter} s, at most ${options.perSecond} a second are answered.`,
          { retryAfter },
        );
      }
      buckets.set(key, { tokens, at });
    },
  };
}
