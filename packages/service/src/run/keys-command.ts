/** `keys create`, `keys list` and `keys revoke`: the keys that a database holds, as hashes. */
import { randomBytes } from 'node:crypto';
import { hashKey } from '../keys/api-keys.js';
import type { ServiceEnvironment } from '../shared/environment.js';
import { ServiceError } from '../domain/error.js';
import type { ApiKey, Store } from '../domain/store.js';
import { environmentPrefix, makeId } from '../runtime/ids.js';
import { stampEnvironment } from './start.js';

/** Makes a key for business units; the key itself is answered once and kept nowhere. */
export async function createKey(
  store: Store,
  env: ServiceEnvironment,
  businessUnits: readonly string[],
): Promise<{ id: string; key: string }> {
  await stampEnvironment(store, env);
  const key = environmentPrefix(env) + randomBytes(32).toString('base64url');
  const createdAt = Date.now();
  const id = makeId('key_', createdAt);
  await store.transaction((tx) => tx.keys.insert({ id, hash: hashKey(key), businessUnits, createdAt }));
  return { id, key };
}

export async function listKeys(store: Store): Promise<ApiKey[]> {
  return store.read((tx) => tx.keys.active());
}

/**
 * Revokes a key by its id, or by the key itself; running services refuse it within five seconds.
 * @param env where it is given, the database must be of this environment
 * @throws ServiceError `key_not_found` or `environment_mismatch`
 */
export async function revokeKey(store: Store, idOrKey: string, env?: ServiceEnvironment): Promise<string> {
  if (env !== undefined) await stampEnvironment(store, env);
  const hash = hashKey(idOrKey);
  return store.transaction(async (tx) => {
    const found = (await tx.keys.active()).find((key) => key.id === idOrKey || key.hash === hash);
    if (found === undefined)
      throw new ServiceError(
        'key_not_found',
        'The database holds no such key that is in use: see "keys list".',
      );
    await tx.keys.revoke(found.id, Date.now());
    return found.id;
  });
}
