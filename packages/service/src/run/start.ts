/** Puts a service together: database, keys, processor. What listens is in `serve.ts`. */
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ServiceConfig } from '../runtime/config.js';
import type { ServiceEnvironment } from '../shared/environment.js';
import { takeClockOffset } from '../runtime/clock-offset.js';
import type { Deps } from '../deps.js';
import type { Inspection } from '../control/inspector/index.js';
import { movableClock } from '../domain/clock.js';
import type { MovableClock } from '../domain/clock.js';
import { ServiceError } from '../domain/error.js';
import type { PaymentProcessor } from '../domain/processor.js';
import type { Store } from '../domain/store.js';
import { makeId, environmentPrefix, timeOfId } from '../runtime/ids.js';
import type { Log } from '../runtime/log.js';
import type { Metrics } from '../runtime/metrics.js';
import {
  makeSessionKey,
  parseSessionKeys,
  sessionSecrets,
  type SessionSecrets,
} from '../keys/session-keys.js';
import { expectWebhooks } from '../jobs/deliver.js';
import { createCharging } from '../processor/charging.js';
import { createRefunding } from '../processor/refunding.js';
import { createTestProcessor } from '../processor/test-processor.js';
import { isPostgres } from '../storage/connect.js';
import { openDatabase } from '../storage/open.js';
import { sqlStore } from '../storage/sql-store.js';
import { testLedger } from '../storage/test-ledger.js';

export interface StartOptions {
  readonly env: ServiceEnvironment;
  readonly config: ServiceConfig;
  /** `FILE`, `:memory:` or `postgres://…`. */
  readonly database: string;
  /** File of session keys. */
  readonly sessionKeys?: string;
  /** Session keys themselves, as in `EMBEDDED_SESSIONS_KEYS`. */
  readonly sessionKeyText?: string;
  /** Itself, or the module that default-exports it. */
  readonly processor?: PaymentProcessor | string;
  readonly testProcessor?: boolean;
  readonly log: Log;
  readonly metrics?: Metrics;
  /** Puts the inspector around what the service acts through. */
  readonly inspect?: (clock: MovableClock) => Pick<Inspection, 'store' | 'processor'>;
}

/** Everything but the public URL, which is known when the port is. */
export type Parts = Omit<Deps, 'publicUrl'>;

/**
 * Opens and migrates the database, and checks that it may serve this environment with these keys.
 * @throws ServiceError with what to do; the database is closed again.
 */
export async function start(options: StartOptions): Promise<Parts> {
  const { env, config, log } = options;
  const metrics = options.metrics === undefined ? {} : { metrics: options.metrics };
  const loaded = await chooseProcessor(options);
  const { connection } = await openDatabase(options.database, config.database);
  const clock = movableClock(() => Date.now());
  const inspection = options.inspect?.(clock);
  const plain = sqlStore(connection);
  const store = inspection ? inspection.store(plain) : plain;
  try {
    await stampEnvironment(store, env);
    await takeClockOffset({ env, clock, store });
    const secrets = await findSecrets(store, options);
    await requireSessionKeys(store, secrets, env, clock.now());
    await expectWebhooks({ store, config });
    const newId = (prefix: string): string => makeId(prefix, clock.now());
    const asked =
      loaded === 'test' ? createTestProcessor({ clock, ledger: testLedger(connection) }) : (loaded ?? null);
    const processor = asked && inspection ? inspection.processor(asked) : asked;
    const asking = { env, store, clock, newId, processor, log };
    const charging = createCharging({ ...asking, config, ...metrics });
    const refunding = createRefunding(asking);
    const testMode = loaded === 'test';
    return {
      env,
      config,
      store,
      clock,
      newId,
      secrets,
      log,
      processor,
      charging,
      refunding,
      testMode,
      ...metrics,
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** The first process of an environment writes its name; any other environment is refused from then on. */
export async function stampEnvironment(store: Store, env: ServiceEnvironment): Promise<void> {
  await store.transaction(async (tx) => {
    const found = await tx.meta.get('environment');
    if (found === null) await tx.meta.set('environment', env);
    else if (found !== env)
      throw new ServiceError(
        'environment_mismatch',
        `The database belongs to the ${found} environment, and this is ${env}: give each environment a database of its own.`,
      );
  });
}

/** Given keys; else, outside production, keys made at first start and kept beside or in the database. */
async function findSecrets(store: Store, options: StartOptions): Promise<SessionSecrets> {
  const { env, database, sessionKeys, sessionKeyText } = options;
  if (sessionKeys !== undefined) return sessionSecrets(parseSessionKeys(readText(sessionKeys), sessionKeys));
  if (sessionKeyText !== undefined)
    return sessionSecrets(parseSessionKeys(sessionKeyText, 'EMBEDDED_SESSIONS_KEYS'));
  if (env === 'production')
    throw new ServiceError(
      'session_key_missing',
      'production needs session keys: give --session-keys FILE or EMBEDDED_SESSIONS_KEYS, written id:<64 hex digits>.',
    );
  if (database === ':memory:') return sessionSecrets(parseSessionKeys(makeSessionKey(), 'memory'));
  if (isPostgres(database))
    return sessionSecrets(parseSessionKeys(await keysInDatabase(store), 'the database'));
  const file = `${database}.session-keys`;
  if (!existsSync(file)) writeNew(file, `${makeSessionKey()}\n`);
  return sessionSecrets(parseSessionKeys(readText(file), file));
}

/** Two processes that start together make one file, and neither reads it half written. */
function writeNew(file: string, text: string): void {
  const own = `${file}.${process.pid}`;
  writeFileSync(own, text, { mode: 0o600 });
  try {
    linkSync(own, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(own);
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
    throw new ServiceError('invalid_arguments', `${file} cannot be read: ${(cause as Error).message}`, {
      cause,
    });
  }
}

/** As long as an idempotent replay may ask for a session's URL again. */
const KEY_NEEDED_MS = 24 * 60 * 60 * 1000;

async function requireSessionKeys(
  store: Store,
  secrets: SessionSecrets,
  env: ServiceEnvironment,
  now: number,
): Promise<void> {
  const oldest = environmentPrefix(env) + timeOfId(now - KEY_NEEDED_MS);
  const used = await store.read((tx) => tx.sessions.secretKeyIds(oldest));
  const missing = used.filter((id) => !secrets.has(id));
  if (missing.length > 0)
    throw new ServiceError(
      'session_key_missing',
      `Sessions in the database need the session key "${missing.join('", "')}", which was not given: add it after the newest one, and keep it for 24 hours after its last session.`,
    );
}

async function chooseProcessor(options: StartOptions): Promise<PaymentProcessor | 'test' | undefined> {
  const { env, processor, testProcessor } = options;
  if (processor !== undefined && testProcessor === true)
    throw new ServiceError('invalid_arguments', 'Give --processor or --test-processor, not both.');
  if (env === 'production' && testProcessor === true)
    throw new ServiceError(
      'invalid_arguments',
      'production does not accept test cards: leave --test-processor out.',
    );
  if (typeof processor === 'string') return loadProcessor(processor);
  if (processor !== undefined) return processor;
  return (testProcessor ?? env === 'staging') ? 'test' : undefined;
}

async function loadProcessor(module: string): Promise<PaymentProcessor> {
  const isPath = /^[./]|^[A-Za-z]:|\.[cm]?[jt]s$/.test(module);
  let loaded: { default?: unknown };
  try {
    loaded = (await import(isPath ? pathToFileURL(resolve(module)).href : module)) as { default?: unknown };
  } catch (cause) {
    throw new ServiceError(
      'processor_invalid',
      `The processor ${module} cannot be loaded: ${(cause as Error).message}`,
      { cause },
    );
  }
  const candidate = (loaded.default ?? {}) as Record<string, unknown>;
  const missing = ['tokenize', 'charge', 'lookup'].filter((name) => typeof candidate[name] !== 'function');
  if (missing.length > 0)
    throw new ServiceError(
      'processor_invalid',
      `The default export of ${module} must be a PaymentProcessor: it has no ${missing.join(', ')}.`,
    );
  return candidate as unknown as PaymentProcessor;
}
