/** `keys create`, `keys list` and `keys revoke`: API keys in a database, as hashes. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { ServiceError } from '../core/error.js';
import type { Store } from '../core/store.js';
import { readConfig, unitOf } from '../platform/config/config.js';
import { makeId, hashKey } from '../platform/ids.js';
import { ID_PREFIXES, type ServiceEnvironment } from '../shared/environment.js';
import { stampEnvironment } from '../start/start.js';
import {
  BUSINESS_UNIT_OPTION,
  businessUnit,
  DATABASE_OPTION,
  DEFAULT_CONFIG,
  environment,
  usageError,
  print,
  required,
  type Command,
  type ValuesOf,
  readSecret,
} from './command.js';
import { requiredDatabase, withStore, type DatabaseValues } from './database.js';

const KEY_ID_PREFIX = 'key_';

const ENVIRONMENT_OPTION = { type: 'string', help: 'staging, production or development' } as const;

const CREATE_OPTIONS = {
  'business-unit': {
    ...BUSINESS_UNIT_OPTION,
    multiple: true,
    help: 'Slug of a business unit; repeatable',
  },
  env: ENVIRONMENT_OPTION,
  config: {
    type: 'string',
    help: `Config to check the slugs against; default: ${DEFAULT_CONFIG} if it exists`,
  },
  database: DATABASE_OPTION,
} as const;
const REVOKE_OPTIONS = {
  env: ENVIRONMENT_OPTION,
  id: { type: 'string', help: 'Id of the key, as "keys list" prints it' },
  database: DATABASE_OPTION,
} as const;

export const keys: Command = {
  usage: `keys create --business-unit SLUG [--business-unit SLUG …] --env ENV [--config FILE] --database FILE | postgres://…
keys revoke [ID] [--env ENV] --database FILE | postgres://…
                 without ID, reads the key from stdin
keys list --database FILE | postgres://…`,
  summary: 'Creates, lists and revokes API keys in a database.',
  actions: {
    create: { options: CREATE_OPTIONS, run: create },
    revoke: { options: REVOKE_OPTIONS, takesWord: true, run: revoke },
    list: { options: { database: DATABASE_OPTION }, run: list },
  },
};

async function create(values: ValuesOf<typeof CREATE_OPTIONS>): Promise<void> {
  const database = requiredDatabase(values);
  const env = environment(values.env);
  const units = (values['business-unit'] ?? []).map((slug) => businessUnit(slug));
  required(units[0], '--business-unit');
  warnAboutUnknown(units, values.config, env);
  const { id, key } = await withStore(database, (store) => createKey(store, env, units), {
    mayCreate: true,
  });
  // Only the key goes to stdout, for scripts.
  process.stderr.write(`Key ${id} for ${units.join(', ')} in ${env}. It will not be shown again:\n`);
  print(key);
}

async function revoke(values: ValuesOf<typeof REVOKE_OPTIONS>, word: string | undefined): Promise<void> {
  const database = requiredDatabase(values);
  const env = values.env === undefined ? undefined : environment(values.env);
  if (values.id !== undefined && word !== undefined)
    throw usageError('Give the id once, with or without --id.');
  const id = values.id ?? word;
  // Other users of the machine can read a process's arguments.
  if (id !== undefined && !id.startsWith(KEY_ID_PREFIX))
    throw usageError(
      `An id begins with "${KEY_ID_PREFIX}". To revoke by the key itself, omit the id and pass the key on stdin.`,
    );

  const idOrKey = id ?? required(await readSecret('Key to revoke: '), 'An id, or the key on stdin,');
  print(`Revoked ${await withStore(database, (store) => revokeKey(store, idOrKey, env))}.`);
}

async function list(values: DatabaseValues): Promise<void> {
  const active = await withStore(requiredDatabase(values), (store) => store.read((tx) => tx.keys.active()));
  for (const { id, businessUnits, createdAt } of active)
    print(`${id}  ${new Date(createdAt).toISOString()}  ${businessUnits.join(',')}`);
}

/** Only warns, because a key may be created before the config contains its business unit. */
function warnAboutUnknown(slugs: readonly string[], file: string | undefined, env: ServiceEnvironment): void {
  const name = file ?? DEFAULT_CONFIG;
  if (file === undefined && !existsSync(name)) return;

  const warn = (problem: string) => process.stderr.write(`Warning: ${name} ${problem}.\n`);
  try {
    const config = readConfig(name, env);
    if (slugs.some((slug) => unitOf(config, slug) === undefined))
      warn('lacks a business unit of this key: the key cannot use it until you add it');
  } catch (error) {
    if (file !== undefined) throw error;
    warn(`is no config for ${env}, so the key's business units are not checked`);
  }
}

/** Creates a key for business units. The key itself is returned once and stored nowhere. */
export async function createKey(
  store: Store,
  env: ServiceEnvironment,
  businessUnits: readonly string[],
): Promise<{ id: string; key: string }> {
  await stampEnvironment(store, env);
  const key = ID_PREFIXES[env] + randomBytes(32).toString('base64url');
  const createdAt = Date.now();
  const id = makeId(KEY_ID_PREFIX, createdAt);
  await store.transaction((tx) => tx.keys.insert({ id, hash: hashKey(key), businessUnits, createdAt }));
  return { id, key };
}

/** @param env the environment that the database must belong to. @throws ServiceError */
export async function revokeKey(store: Store, idOrKey: string, env?: ServiceEnvironment): Promise<string> {
  if (env !== undefined) await stampEnvironment(store, env);
  const hash = hashKey(idOrKey);
  return store.transaction(async (tx) => {
    const found = (await tx.keys.active()).find((key) => key.id === idOrKey || key.hash === hash);
    if (found === undefined)
      throw new ServiceError(
        'key_not_found',
        'The database has no such active key: see "keys list". To revoke a key of the config file, remove it there and send SIGHUP.',
      );

    await tx.keys.revoke(found.id, Date.now());
    return found.id;
  });
}
