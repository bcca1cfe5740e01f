/** Assembles a service: database, keys, processor. `serve.ts` opens its ports. */
import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Deps } from '../deps.js';
import { Journal } from '../control/inspector/journal.js';
import { Redaction } from '../control/inspector/redaction.js';
import { watchProcessor, watchStore } from '../control/inspector/watch.js';
import { MovableClock, syncClock } from '../platform/clock.js';
import { defined } from '../core/defined.js';
import { ServiceError } from '../core/error.js';
import type { Store } from '../core/store.js';
import { idSecret } from '../accounts/sync.js';
import { publishUnits } from '../webhooks/deliver.js';
import { Charging } from '../payments/charging.js';
import { Refunding } from '../refunds/refunding.js';
import { NOTHING_CAN_BE_PAID } from '../processor/rules/port.js';
import { createTestProcessor } from '../processor/test-processor.js';
import { WaitingRequests } from '../processor/waiting.js';
import type { ServiceConfig } from '../platform/config/config.js';
import { makeId } from '../platform/ids.js';
import { describeError, type Log } from '../platform/log/log.js';
import type { Metrics } from '../platform/metrics.js';
import type { ServiceEnvironment } from '../shared/environment.js';
import { openDatabase } from '../store/open.js';
import { sqlStore } from '../store/sql-store.js';
import { testLedger } from '../store/test-ledger.js';
import { messageSettings } from '../messages/settings.js';
import { chooseProcessor, type ProcessorOptions } from '../processor/choose-processor.js';
import { sessionKeysSource, type SessionKeyOptions } from '../platform/keys/find-session-keys.js';

export interface StartOptions extends SessionKeyOptions, ProcessorOptions {
  readonly config: ServiceConfig;
  readonly log: Log;
  readonly metrics?: Metrics;
  /** Records the activity of store and processor for the inspector. */
  readonly inspect?: boolean;
}

/** Everything except the public URL, which may depend on the port, and the parts that need it. */
export type Parts = Omit<Deps, 'publicUrl' | 'charging' | 'refunding'>;

export function withPublicUrl(parts: Parts, publicUrl: string): Deps {
  const known = { ...parts, publicUrl };
  return { ...known, charging: new Charging(known), refunding: new Refunding(known) };
}

export interface Inspection {
  readonly journal: Journal;
  readonly apiKey: string;
}

export interface Started {
  readonly parts: Parts;
  readonly inspection?: Inspection;
  /**
   * applies a new config and rereads the session keys; both or neither.
   * @throws ServiceError if the session keys cannot be read, or lack one that is needed
   */
  reload(config: ServiceConfig): Promise<void>;
}

/**
 * Opens and migrates the database, and checks that it belongs to this environment and these keys.
 * @throws ServiceError that says what to do, after closing the database
 */
export async function start(options: StartOptions): Promise<Started> {
  const { env, log, metrics } = options;
  const loaded = await chooseProcessor(options);
  const { connection } = await openDatabase(options.database, {
    ...options.config.database,
    onCheckpointFailed: (error) =>
      log.warn('The database file was not checkpointed; will retry', { error: describeError(error) }),
  });
  const clock = new MovableClock();
  const inspection = options.inspect ? startInspection(clock, () => config.value) : undefined;
  const inspected = (given: ServiceConfig): ServiceConfig =>
    inspection ? withKey(given, inspection.apiKey) : given;
  const config = live(inspected(options.config));
  const plain = sqlStore(connection, { messagesOf: (slug) => messageSettings(config.value, slug) });
  const store = inspection ? watchStore(plain, inspection.journal) : plain;
  try {
    await stampEnvironment(store, env);
    await store.transaction(idSecret);
    await syncClock({ env, clock, store });
    const readSecrets = sessionKeysSource(store, options, () => clock.now());
    const secrets = live(await readSecrets());
    await publishUnits({ store, config: config.value });
    const newId = (prefix: string): string => makeId(prefix, clock.now());
    const ledger = testLedger(connection);
    const base = loaded === 'test' ? createTestProcessor({ clock, ledger }) : (loaded ?? null);
    const processor = base && inspection ? watchProcessor(base, inspection.journal) : base;
    const testMode = loaded === 'test';
    const lacksProcessor = env === 'production' && processor === null && options.noProcessor !== true;
    return {
      parts: {
        env,
        config: config.value,
        store,
        clock,
        newId,
        secrets: secrets.value,
        log,
        processor,
        waiting: new WaitingRequests(config.value),
        testMode,
        ...defined({
          metrics,
          pool: connection.pool,
          testLedger: testMode ? ledger : undefined,
          unready: lacksProcessor ? NOTHING_CAN_BE_PAID : undefined,
        }),
      },
      ...(inspection ? { inspection } : {}),
      reload: async (next) => {
        const read = await readSecrets();
        await publishUnits({ store, config: next });
        secrets.replace(read);
        config.replace(inspected(next));
        if (!isDeepStrictEqual(next.database, options.config.database))
          log.warn('Database settings take effect at the next start');
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Stores the environment on first use and refuses any other later. */
export async function stampEnvironment(store: Store, env: ServiceEnvironment): Promise<void> {
  await store.transaction(async (tx) => {
    const found = await tx.meta.get('environment');
    if (found === null) await tx.meta.set('environment', env);
    else if (found !== env)
      throw new ServiceError(
        'environment_mismatch',
        `The database belongs to the ${found} environment, but the service runs in ${env}: use a separate database for each environment.`,
      );
  });
}

function startInspection(clock: MovableClock, config: () => ServiceConfig): Inspection {
  const apiKey = `stg_${randomBytes(32).toString('base64url')}`;
  return { apiKey, journal: new Journal(clock, new Redaction(config, [apiKey])) };
}

function withKey(config: ServiceConfig, key: string): ServiceConfig {
  const businessUnits = config.businessUnits.map(({ slug }) => slug);
  return { ...config, apiKeys: [...config.apiKeys, { key, businessUnits }] };
}

/**
 * A value that can be replaced while others hold references to it. Properties are read from the current value, so don't
 * cache them.
 */
function live<T extends object>(first: T): { readonly value: T; replace(next: T): void } {
  let current = first;
  return {
    value: new Proxy(first, { get: (_, name): unknown => Reflect.get(current, name) }),
    replace: (next) => void (current = next),
  };
}
