import { MAX_CHARGES } from '@embedded-sessions/server-types';
import { ServiceError } from '../core/error.js';
import type { ServiceConfig } from '../platform/config/config.js';
import { isRecord } from '../processor/rules/source.js';
import { buckets } from '../platform/http/buckets.js';

export interface RateLimit {
  /** @throws ServiceError `rate_limited`, with the time to wait */
  take(key: string, cost: number): void;
}

/**
 * Cost of a request: its number of charges, because each takes database time. A key that creates sessions of 25
 * charges must not slow down others.
 */
export function costOf(body: unknown): number {
  const charges = isRecord(body) ? body['Charges'] : undefined;
  return Array.isArray(charges) ? Math.min(MAX_CHARGES, Math.max(1, charges.length)) : 1;
}

/** Limits each API key in this process, by the current config. @param now ms of a monotonic clock */
export function rateLimit(config: Pick<ServiceConfig, 'rateLimit'>, now: () => number): RateLimit {
  const ofKeys = buckets(() => config.rateLimit, now);
  return {
    take: (key, cost) => {
      const retryAfter = ofKeys.take(key, cost);
      if (retryAfter > 0)
        throw new ServiceError(
          'rate_limited',
          `Too many requests with this API key: wait ${retryAfter} s, at most ${config.rateLimit.perSecond} a second are answered.`,
          { retryAfter },
        );
    },
  };
}
