/** `keys create`, `keys list` and `keys revoke`: the keys that a database holds, as hashes. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { hashKey } from '../platform/keys/hash-key.js';
import { ServiceError } from '../core/error.js';
import type { Store } from '../core/store.js';
import { readConfig, unitOf } from '../platform/config/config.js';
import { environmentPrefix, makeId } from '../platform/ids.js';
import type { ServiceEnvironment } from '../shared/environment.js';
import { stampEnvironment } from '../start/start.js';
import {
  businessUnit,
  DEFAULT_CONFIG,
  environment,
  noSuchAction,
  parse,
  print,
  required,
  text,
  type Command,
} from './command.js';
import { requiredDatabase, withStore } from './database.js';

export const keys: Command = {
  usage: `keys create --business-unit SLUG [--business-unit SLUG …] --env ENV [--config FILE] --database FILE | postgres://…
keys revoke ID-OR-KEY [--env ENV] --database FILE | postgres://…
keys list --database FILE | postgres://…`,
  run: async ([action = '', ...args]) => {
    const run = Object.hasOwn(actions, action) ? actions[action] : undefined;
    if (run === undefined) throw noSuchAction('keys', action);
    await run(args);
  },
};

const actions: Readonly<Record<string, Command['run']>> = {
  create: async (args) => {
    const { values } = parse(args, {
      'business-unit': { type: 'string', multiple: true, default: [] },
      env: { type: 'string' },
      database: { type: 'string' },
      config: { type: 'string' },
    });
    const database = requiredDatabase(values);
    const env = environment(values['env']);
    const units = (values['business-unit'] as string[]).map((slug) => businessUnit(slug));
    required(units[0], '--business-unit');
    warnOfUnknown(units, text(values['config']), env);
    const { id, key } = await withStore(database, (store) => createKey(store, env, units), {
      mayCreate: true,
    });
    // The key alone on stdout, so that a script can take it.
    process.stderr.write(`Key ${id} for ${units.join(', ')} in ${env}. It is shown this once:\n`);
    print(key);
  },
  revoke: async (args) => {
    const { values, word } = parse(
      args,
      {
        env: { type: 'string' },
        database: { type: 'string' },
        id: { type: 'string' },
        key: { type: 'string' },
      },
      true,
    );
    const database = requiredDatabase(values);
    const env = values['env'] === undefined ? undefined : environment(values['env']);
    const which = required(text(values['id']) ?? text(values['key']) ?? word, 'one ID-OR-KEY');
    print(`Revoked ${await withStore(database, (store) => revokeKey(store, which, env))}.`);
  },
  list: async (args) => {
    const { values } = parse(args, { database: { type: 'string' } });
    const active = await withStore(requiredDatabase(values), (store) => store.read((tx) => tx.keys.active()));
    for (const { id, businessUnits, createdAt } of active)
      print(`${id}  ${new Date(createdAt).toISOString()}  ${businessUnits.join(',')}`);
  },
};

/** A key may be made before the config names its business unit: so it is said, and not refused. */
function warnOfUnknown(slugs: readonly string[], file: string | undefined, env: ServiceEnvironment): void {
  const name = file ?? DEFAULT_CONFIG;
  if (file === undefined && !existsSync(name)) return;
  const config = readConfig(name, env);
  for (const slug of slugs.filter((unit) => unitOf(config, unit) === undefined))
    process.stderr.write(
      `Warning: ${name} has no business unit "${slug}": the key opens nothing until it does.\n`,
    );
}

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
