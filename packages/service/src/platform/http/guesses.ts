/**
 * What guessing costs: wrong API keys are counted by where they come from, wrong session secrets by that and by session,
 * in this process. Right ones are not: behind a proxy everybody shares an address, and nobody is to be locked out by
 * another's guesses.
 */
import { isIPv6 } from 'node:net';
import { ServiceError } from '../../core/error.js';
import { buckets } from './buckets.js';

export interface Guesses {
  /** Of an API key that was found to be wrong. @throws ServiceError `rate_limited` where there were too many */
  wrongKey(address: string): void;
  /** The same of a session's secret; a session that is not there counts as one that is. */
  wrongSecret(address: string, sessionId: string): void;
}

const OF_ADDRESS = { perSecond: 1, burst: 100 };
const OF_SESSION = { perSecond: 0.1, burst: 20 };

/** @param now ms of a monotonic clock */
export function guesses(now: () => number): Guesses {
  const keys = buckets(() => OF_ADDRESS, now);
  const secrets = buckets(() => OF_ADDRESS, now);
  const sessions = buckets(() => OF_SESSION, now);
  return {
    wrongKey: (address) => refuse(keys.take(address), 'API key'),
    wrongSecret: (address, sessionId) =>
      refuse(Math.max(secrets.take(address), sessions.take(sessionId)), 'session secret'),
  };
}

function refuse(retryAfter: number, what: string): void {
  if (retryAfter > 0)
    throw new ServiceError(
      'rate_limited',
      `The ${what} is wrong, as many before it were: wait ${retryAfter} s before the next try. A right one is answered all the same.`,
      { retryAfter },
    );
}

/** Where a request came from: an IPv4 address, or the network of an IPv6 one, of which its owner has 2^64 addresses. */
export function addressOf(bindings: unknown): string {
  const { incoming } = (bindings ?? {}) as { incoming?: { socket?: { remoteAddress?: string } } };
  const address = (incoming?.socket?.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '');
  return isIPv6(address) ? networkOf(address) : address;
}

function networkOf(address: string): string {
  const [head = [], tail] = address
    .split('::')
    .map((half) => half.split(':').filter((group) => group !== ''));
  const between = tail === undefined ? 0 : 8 - head.length - tail.length;
  return [...head, ...Array.from({ length: between }, () => '0'), ...(tail ?? [])].slice(0, 4).join(':');
}
