import { MAX_CHARGES } from '@embedded-sessions/server-types';
import { ServiceError } from '../core/error.js';
import type { ServiceConfig } from '../platform/config/config.js';
import { isRecord } from '../processor/rules/source.js';
import type { JsonBody } from '../platform/http/body.js';
import { Buckets } from '../platform/http/buckets.js';
import { countListed } from '../payments/rules/list-cursor.js';

/** Processing this many bytes takes about as long as a charge. Few requests have more. */
const BYTES_PER_TOKEN = 10 * 1_024;

/** Listing this many payments takes about as long as a charge. */
const PAYMENTS_PER_TOKEN = 20;

/**
 * The cost of a request: its number of charges or its size, because charges take database time, and bytes are read,
 * checked and stored. A key that creates sessions of 25 charges or 256 KiB must not slow down others. A
 * list is charged before it is read, because hundreds may be requested at once.
 */
export function costOf({ value, bytes }: Pick<JsonBody, 'value' | 'bytes'>): number {
  const { Charges, Limit, Cursor } = isRecord(value) ? value : {};
  // A list also reads the payments that its cursor names.
  const inCursor = typeof Cursor === 'string' ? countListed(Cursor) : 0;
  const payments = (typeof Limit === 'number' ? Limit : PAYMENTS_PER_TOKEN) + inCursor;
  const charges = Array.isArray(Charges) ? Charges.length : 0;
  const count = Math.max(1, charges, payments / PAYMENTS_PER_TOKEN, costOfSize(bytes.length));
  return Math.min(MAX_CHARGES, count);
}

export function costOfSize(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** The part of the cost known only after the work. `cost` is already charged. */
export function costBeyond(bytes: number, cost: number): number {
  return Math.max(0, Math.min(MAX_CHARGES, costOfSize(bytes)) - cost);
}

export class RateLimit {
  readonly #config: Pick<ServiceConfig, 'rateLimit'>;
  readonly #keys = new Buckets(() => this.#config.rateLimit);

  constructor(config: Pick<ServiceConfig, 'rateLimit'>) {
    this.#config = config;
  }

  /**
   * @param taken the part of the cost that the request has already paid
   * @throws ServiceError `rate_limited`, with the time to wait
   */
  take(key: string, cost: number, taken = 0): void {
    const retryAfter = this.#keys.take(key, cost, taken);
    if (retryAfter > 0)
      throw new ServiceError(
        'rate_limited',
        `Too many requests with this API key: wait ${retryAfter} s. The limit is ${this.#config.rateLimit.perSecond} per second.`,
        { retryAfter },
      );
  }

  /**
   * Charges for the size of sessions before they are read, minus the request's cost so far. Returns the new cost.
   * @throws ServiceError `rate_limited`
   */
  takeMore(key: string, bytes: number, cost: number): number {
    const more = costBeyond(bytes, cost);
    if (more === 0) return cost;

    this.take(key, cost + more, cost);
    return cost + more;
  }

  /** Charges for the size of the response or of the sessions that were read, minus the request's cost. */
  spend(key: string, bytes: number, cost: number): void {
    this.#keys.spend(key, costBeyond(bytes, cost));
  }
}
