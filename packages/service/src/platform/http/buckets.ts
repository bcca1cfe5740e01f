import ipaddr from 'ipaddr.js';
import { ServiceError } from '../../core/error.js';
import { peerOf } from './client-address.js';

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
   * Takes `cost` tokens, at most a whole bucket, minus those that the same request has `taken`. Returns 0, or the seconds until
   * there are enough for all of it, because it will be repeated.
   */
  take(name: string, cost = 1, taken = 0): number {
    const tokens = this.#tokensOf(name);
    const whole = this.#limited(cost);
    const left = tokens - (whole - this.#limited(taken));
    this.#keep(name, left < 0 ? tokens : left);
    return left < 0 ? Math.max(1, Math.ceil((whole - tokens) / this.#size().perSecond)) : 0;
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

const ADDRESS_LIMIT = { perSecond: 1, burst: 100 };
const SESSION_LIMIT = { perSecond: 0.1, burst: 20 };

/**
 * Rate limits guessing: wrong API keys count per address, wrong session secrets per address and per session, in each
 * process. Valid ones are never limited: behind a proxy all clients share an address, and one client's guesses must
 * not lock out others.
 */
export class GuessLimits {
  readonly #keys = new Buckets(() => ADDRESS_LIMIT);
  readonly #secrets = new Buckets(() => ADDRESS_LIMIT);
  readonly #sessions = new Buckets(() => SESSION_LIMIT);

  /** Counts a wrong API key. @throws ServiceError `rate_limited` after too many */
  wrongKey(address: string): void {
    refuse(this.#keys.take(address), 'API key');
  }

  /** Counts a wrong session secret, whether or not the session exists. */
  wrongSecret(address: string, sessionId: string): void {
    refuse(Math.max(this.#secrets.take(address), this.#sessions.take(sessionId)), 'session secret');
  }
}

function refuse(retryAfter: number, what: string): void {
  if (retryAfter > 0)
    throw new ServiceError(
      'rate_limited',
      `Too many attempts with an invalid ${what}. Wait ${retryAfter} s. A valid one is accepted immediately.`,
      { retryAfter },
    );
}

/** Client address: IPv4, or the /64 network of an IPv6 address, because its owner has 2^64 addresses. */
export function addressOf(bindings: unknown): string {
  const address = peerOf(bindings) ?? '';
  if (!ipaddr.isValid(address)) return address;

  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6
    ? parsed.toNormalizedString().split(':').slice(0, 4).join(':')
    : parsed.toString();
}
