/**
 * Rate limits guessing: wrong API keys count per address, wrong session secrets per address and per session, in each
 * process. Valid ones are never limited: behind a proxy all clients share an address, and one client's guesses must
 * not lock out others.
 */
import ipaddr from 'ipaddr.js';
import { ServiceError } from '../../core/error.js';
import { Buckets } from './buckets.js';
import { peerOf } from './client-address.js';

const ADDRESS_LIMIT = { perSecond: 1, burst: 100 };
const SESSION_LIMIT = { perSecond: 0.1, burst: 20 };

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
