import { ServiceError } from '../../domain/error.js';
import type { ServiceConfig } from '../../runtime/config.js';

export interface RateLimit {
  /** @throws ServiceError `rate_limited`, with how long to wait. */
  take(key: string): void;
}

/** A token bucket per key, in this process, of the config in force; the clock is monotonic, for waiting is real. */
export function rateLimit(config: Pick<ServiceConfig, 'rateLimit'>, now: () => number): RateLimit {
  const buckets = new Map<string, { tokens: number; at: number }>();
  return {
    take: (key) => {
      const at = now();
      const { perSecond, burst } = config.rateLimit;
      const bucket = buckets.get(key) ?? { tokens: burst, at };
      const refilled = bucket.tokens + ((at - bucket.at) / 1000) * perSecond;
      const tokens = Math.min(burst, refilled) - 1;
      if (tokens < 0) {
        const retryAfter = Math.max(1, Math.ceil(-tokens / perSecond));
        throw new ServiceError(
          'rate_limited',
          `Too many requests with this API key: wait ${retryAfter} s, at most ${perSecond} a second are answered.`,
          { retryAfter },
        );
      }
      buckets.set(key, { tokens, at });
    },
  };
}
