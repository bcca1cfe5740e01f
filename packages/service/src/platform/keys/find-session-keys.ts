/** Finds the session keys: configured or, outside production, generated at first start and stored. */
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { reasonOf, quotable } from '../../core/quotable.js';
import { ServiceError } from '../../core/error.js';
import { IDEMPOTENCY_LIFETIME_MS, type Store, type StoreTx } from '../../core/store.js';
import {
  makeSessionKey,
  parseSessionKeys,
  sessionSecrets,
  type SessionSecrets,
  fingerprintKey,
} from './session-keys.js';
import { timeOfId } from '../ids.js';
import { ID_PREFIXES, type ServiceEnvironment } from '../../shared/environment.js';
import { isPostgres } from '../databases/connect.js';

export interface SessionKeyOptions {
  readonly env: ServiceEnvironment;
  /** `FILE`, `:memory:` or `postgres://…`. */
  readonly database: string;
  readonly sessionKeys?: string;
  readonly sessionKeyText?: string;
}

/** Reads the keys. Call it again to pick up a changed file. @throws ServiceError */
export type SessionKeysSource = () => Promise<SessionSecrets>;

/**
 * @throws ServiceError from the returned function: `session_key_missing` if the last day's sessions or bank accounts'
 * fingerprints need a missing key, or a key differs from the one the database knows by its id; `invalid_arguments` if keys can't be parsed
 */
export function sessionKeysSource(
  store: Store,
  given: SessionKeyOptions,
  now: () => number,
): SessionKeysSource {
  const read = reader(store, given);
  return async () => {
    const secrets = await read();
    await requireUsed(store, secrets, given.env, now());
    await store.transaction(async (tx) => {
      await requireSame(tx, secrets);
      await fingerprintKey(tx, secrets);
    });
    return secrets;
  };
}

function reader(
  store: Store,
  { env, database, sessionKeys, sessionKeyText }: SessionKeyOptions,
): SessionKeysSource {
  const from = (text: string, name: string): SessionSecrets => sessionSecrets(parseSessionKeys(text, name));
  if (sessionKeys !== undefined)
    return async () => from(readText(sessionKeys), quotable(sessionKeys, '--session-keys'));
  if (sessionKeyText !== undefined) return async () => from(sessionKeyText, 'EMBEDDED_SESSIONS_KEYS');
  if (env === 'production')
    throw new ServiceError(
      'session_key_missing',
      'production needs session keys: give --session-keys FILE or EMBEDDED_SESSIONS_KEYS, written id:<64 hex digits>.',
    );
  if (database === ':memory:') {
    const made = makeSessionKey();
    return async () => from(made, 'memory');
  }
  if (isPostgres(database)) return async () => from(await keysInDatabase(store), 'the database');

  const file = `${database}.session-keys`;
  return async () => from(loadOrCreateSessionKeys(file), file);
}

export function loadOrCreateSessionKeys(file: string): string {
  if (existsSync(file)) return readText(file);

  try {
    writeNew(file, `${makeSessionKey()}\n`);
  } catch (cause) {
    throw new ServiceError(
      'invalid_arguments',
      `Cannot save the new session keys in ${file}: ${(cause as Error).message}. Pass your own with --session-keys FILE or EMBEDDED_SESSIONS_KEYS, as id:<64 hex digits>.`,
      { cause },
    );
  }
  return readText(file);
}

/** Safe if two processes start together: only one creates the file, and neither reads a partial file. */
function writeNew(file: string, text: string): void {
  const own = `${file}.${process.pid}`;
  try {
    writeFileSync(own, text, { mode: 0o600 });
    linkSync(own, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(own, { force: true });
  }
}

async function keysInDatabase(store: Store): Promise<string> {
  return store.transaction(async (tx) => {
    const found = await tx.meta.get('session-keys');
    if (found !== null) return found;
    const made = makeSessionKey();
    await tx.meta.set('session-keys', made);
    return made;
  });
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const name = quotable(file, 'The --session-keys file');
    throw new ServiceError('invalid_arguments', `${name} cannot be read: ${reasonOf(cause, file)}`, {
      cause,
    });
  }
}

const MINUTE_MS = 60_000;
const KEY_NEEDED_MINUTES = IDEMPOTENCY_LIFETIME_MS / MINUTE_MS;
/** Checks this many of the newest sessions, and only the first per minute of older ones: there may be millions. */
const NEWEST = 10_000;

async function requireUsed(
  store: Store,
  secrets: SessionSecrets,
  env: ServiceEnvironment,
  now: number,
): Promise<void> {
  const idAt = (minutesAgo: number): string => ID_PREFIXES[env] + timeOfId(now - minutesAgo * MINUTE_MS);
  const oldestFirst = Array.from({ length: KEY_NEEDED_MINUTES }, (_, place) =>
    idAt(KEY_NEEDED_MINUTES - place),
  ) as [string, ...string[]];
  const used = await store.read((tx) => tx.sessions.secretKeyIds(oldestFirst, NEWEST));
  const missing = used.filter((id) => !secrets.has(id));
  if (missing.length > 0)
    throw new ServiceError(
      'session_key_missing',
      `Sessions in the database need the session key "${missing.join('", "')}", which is missing: add it below the newest one, and keep it until 24 hours after its last session.`,
    );
}

/** Refuses a different key with the same id, which could not open existing sessions. */
async function requireSame({ meta }: StoreTx, { marks }: SessionSecrets): Promise<void> {
  const found = JSON.parse((await meta.get('session-key-marks')) ?? '{}') as Record<string, string>;
  const known = new Map(Object.entries(found));
  const others = [...marks].filter(([id, mark]) => (known.get(id) ?? mark) !== mark).map(([id]) => id);
  if (others.length > 0)
    throw new ServiceError(
      'session_key_missing',
      `The session key "${others.join('", "')}" differs from the one that this database knows by that id: give every process the same keys, and every new key a unique id.`,
    );
  if ([...marks.keys()].every((id) => known.has(id))) return;

  await meta.set('session-key-marks', JSON.stringify(Object.fromEntries([...known, ...marks])));
}
