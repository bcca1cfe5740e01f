/** Which key a request came with, of the config's and the database's. */
import { createHash } from 'node:crypto';
import { API_KEY_HEADER } from '@embedded-sessions/server-types';
import type { ServiceConfig } from '../runtime/config.js';
import { ServiceError } from '../domain/error.js';
import type { Store } from '../domain/store.js';

export interface Caller {
  /** Public id of the key. */
  readonly keyId: string;
  readonly keyHash: string;
  readonly businessUnits: readonly string[];
}

export interface KeyRing {
  /** @throws ServiceError `invalid_api_key`: one and the same for a missing, an unknown and a revoked key. */
  authenticate(key: string | null): Promise<Caller>;
}

/** A revoked key is refused within 5 s; this leaves room for a slow database. */
const REFRESH_MS = 2_000;
const REFRESH_UNKNOWN_MS = 200;

/** `sha256:<hex>` of a key: all that is ever kept of it. */
export function hashKey(key: string): string {
  return `sha256:${createHash('sha256').update(key, 'utf8').digest('hex')}`;
}

/**
 * The keys of the config and, read again every two seconds, those of the database. A key is looked up by its
 * hash, so how long that takes tells nothing of the key.
 */
export function keyRing(config: ServiceConfig, store: Store): KeyRing {
  const configured = config.apiKeys.map(({ key, keyHash, businessUnits }): Caller => {
    const hash = keyHash ?? hashKey(key ?? '');
    return { keyId: `config_${hash.slice(7, 15)}`, keyHash: hash, businessUnits };
  });
  let callers: ReadonlyMap<string, Caller> = new Map();
  let readAt = -Infinity;
  let reading: Promise<void> | null = null;

  const refresh = async (): Promise<void> => {
    const startedAt = performance.now();
    const stored = await store.read((tx) => tx.keys.active());
    callers = new Map(
      [
        ...stored.map(({ id, hash, businessUnits }) => ({ keyId: id, keyHash: hash, businessUnits })),
        ...configured,
      ].map((caller) => [caller.keyHash, caller]),
    );
    readAt = startedAt;
  };

  const freshWithin = async (ms: number): Promise<void> => {
    if (performance.now() - readAt > ms) await (reading ??= refresh().finally(() => (reading = null)));
  };

  return {
    authenticate: async (key) => {
      const hash = hashKey(key ?? '');
      await freshWithin(REFRESH_MS);
      // A key may be new; but whoever guesses keys does not get to ask the database each time.
      if (key !== null && !callers.has(hash)) await freshWithin(REFRESH_UNKNOWN_MS);
      const caller = key === null ? undefined : callers.get(hash);
      if (caller === undefined)
        throw new ServiceError(
          'invalid_api_key',
          `The ${API_KEY_HEADER} header is missing, or its key is unknown or revoked: send the key that the operator issued for this environment.`,
        );
      return caller;
    },
  };
}
