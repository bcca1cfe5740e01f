import { createApp } from '../app.js';
import { parseConfig } from '../platform/config/config.js';
import { createControl, type Control } from '../control/control.js';
import type { Deps } from '../deps.js';
import { Faults } from '../platform/faults.js';
import { Jobs } from '../jobs/jobs.js';
import type { Log } from '../platform/log/log.js';
import { start, withPublicUrl, type StartOptions } from './start.js';

export interface TestServiceOptions extends Partial<
  Omit<StartOptions, 'config' | 'log' | 'inspect' | 'metrics'>
> {
  /** The content of a config file. Default: empty, so every request gets 401. */
  readonly config?: unknown;
  readonly publicUrl?: string;
  readonly log?: Log;
}

/**
 * A service inside the caller's process: no port, no file. Its jobs (expiry, settlement, scheduled payments, webhooks)
 * run only when the test advances the clock; `control.advance(0)` is enough.
 */
export interface TestService {
  /** Sends a request to the service. A path such as `/healthz` is enough. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** Pays, moves the clock, injects faults and reads the state. */
  readonly control: Control;
  close(): Promise<void>;
}

/** Exposes its parts, for this package's own tests. */
export interface OpenTestService extends TestService {
  readonly deps: Deps;
}

const SILENT: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * Starts a service in this process. Default: in memory, in staging. Pass its `fetch` to the client under test.
 *
 * @example
 * const service = await createTestService({ config: { businessUnits: [{ slug: 'shop', name: 'Shop' }], apiKeys: [{ key: 'stg_example', businessUnits: ['shop'] }] } });
 * const client = createServiceClient({ environment: 'staging', baseUrl: 'http://service.test', apiKey: 'stg_example', fetch: service.fetch });
 * await service.close();
 */
export async function createTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const service = await startTestService(options);
  return { fetch: service.fetch, control: service.control, close: () => service.close() };
}

export async function startTestService(options: TestServiceOptions = {}): Promise<OpenTestService> {
  const { env = 'staging', publicUrl = 'http://service.test', database = ':memory:', log = SILENT } = options;
  const config = parseConfig(options.config ?? {}, env);
  const faults = new Faults();
  const { parts } = await start({ ...options, env, config, database, log });
  const deps: Deps = { ...withPublicUrl(parts, publicUrl), faults };
  const app = createApp(deps);
  const jobs = new Jobs(deps);
  return {
    fetch: (input, init) =>
      app.fetch(new Request(input instanceof Request ? input : new URL(input, publicUrl), init)),
    control: createControl(deps, jobs, faults, (request) => app.fetch(request)),
    deps,
    close: async () => {
      await jobs.stop();
      await deps.store.close();
    },
  };
}
