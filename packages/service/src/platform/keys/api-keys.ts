/** Authenticates API keys from the config and the database. */
import { API_KEY_HEADER } from '@embedded-sessions/server-types';
import type { ServiceConfig } from '../config/config.js';
import { hashKey } from '../ids.js';
import { ServiceError } from '../../core/error.js';
import type { Store, ApiKey, Keys } from '../../core/store.js';
import type { Transaction } from 'kysely';
import { recordsOf, every } from '../databases/records.js';
import type { Tables } from '../databases/tables.js';

export type Caller = Omit<ApiKey, 'createdAt'>;

/** Wraps the rare database lookup. */
type Waiting = (wait: Promise<void>) => Promise<void>;

/** @throws ServiceError `invalid_api_key`, identical for missing, unknown and revoked keys */
export type Authenticate = (key: string | null, waiting: Waiting) => Promise<Caller>;

/** a revoked key is refused within 5 s. First a refresh runs in the background, then requests wait for it. */
const REFRESH_MS = 2_000;
const STALE_MS = 4_000;
const REFRESH_UNKNOWN_MS = 200;

/** Keys are looked up by hash, so timing reveals nothing about them. */
export function keyRing(config: Pick<ServiceConfig, 'apiKeys'>, store: Store): Authenticate {
  const configured = configuredKeys(config);
  let stored: ReadonlyMap<string, Caller> = new Map();
  let readAt = -Infinity;
  let reading: Promise<void> | null = null;

  const refresh = async (): Promise<void> => {
    const startedAt = performance.now();
    stored = byHash(await store.read((tx) => tx.keys.active()));
    readAt = startedAt;
  };

  const readAgain = (): Promise<void> => (reading ??= refresh().finally(() => (reading = null)));
  const isOlderThan = (ms: number): boolean => performance.now() - readAt > ms;

  const find = async (hash: string, waiting: Waiting): Promise<Caller | undefined> => {
    const own = configured().get(hash);
    if (own !== undefined) return own;
    if (isOlderThan(STALE_MS)) await waiting(readAgain());
    else if (isOlderThan(REFRESH_MS)) readAgain().catch(() => undefined);
    // The key may be new, but guesses must not cost a query each.
    if (!stored.has(hash) && isOlderThan(REFRESH_UNKNOWN_MS)) await waiting(readAgain());
    return stored.get(hash);
  };

  return async (key, waiting) => {
    const caller = key === null ? undefined : await find(hashKey(key), waiting);
    if (caller === undefined)
      throw new ServiceError(
        'invalid_api_key',
        `The ${API_KEY_HEADER} header is missing, or its key is unknown or revoked: send the key that the operator issued for this environment.`,
      );
    return caller;
  };
}

/** Keys of the current config. */
function configuredKeys(config: Pick<ServiceConfig, 'apiKeys'>): () => ReadonlyMap<string, Caller> {
  let from: ServiceConfig['apiKeys'] = [];
  let keys: ReadonlyMap<string, Caller> = new Map();
  return () => {
    if (config.apiKeys === from) return keys;

    from = config.apiKeys;
    keys = byHash(
      from.map(({ key, keyHash, businessUnits }) => {
        const hash = keyHash ?? hashKey(key ?? '');
        return { id: `config_${hash.slice(7, 15)}`, hash, businessUnits };
      }),
    );
    return keys;
  };
}

function byHash(callers: readonly Caller[]): ReadonlyMap<string, Caller> {
  return new Map(callers.map((caller) => [caller.hash, caller]));
}

const { read, row } = recordsOf<'api_keys', ApiKey>({ json: ['businessUnits'] });

export function keys(tx: Transaction<Tables>): Keys {
  return {
    active: () =>
      every(
        tx.selectFrom('api_keys').selectAll().where('revoked_at', 'is', null).orderBy('id').execute(),
        read,
      ),
    insert: (key) => tx.insertInto('api_keys').values(row(key)).execute(),
    revoke: async (id, now) => {
      const revoked = await tx
        .updateTable('api_keys')
        .set({ revoked_at: now })
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .returning('id')
        .execute();
      return revoked.length > 0;
    },
  };
}
