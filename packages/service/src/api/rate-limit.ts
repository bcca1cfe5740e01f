import { ServiceError } from '../core/error.js';
import type { ServiceConfig } from '../platform/config/config.js';
import { buckets } from '../platform/http/buckets.js';

export interface RateLimit {
  /** @throws ServiceError `rate_limited`, with how long to wait. */
  take(key: string): void;
}

/** Of each API key, in this process, by the config in force. @param now ms of a monotonic clock */
export function rateLimit(config: Pick<ServiceConfig, 'rateLimit'>, now: () => number): RateLimit {
  const ofKeys = buckets(() => config.rateLimit, now);
  return {
    take: (key) => {
      const retryAfter = ofKeys.take(key);
      if (retryAfter > 0)
        throw new ServiceError(
          'rate_limited',
          `Too many requests with this API key: wait ${retryAfter} s, at most ${config.rateLimit.perSecond} a second are answered.`,
          { retryAfter },
        );
    },
  };
}
