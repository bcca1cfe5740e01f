/** `embedded-sessions dev`: a staging service with control API, inspector and, without a config, a sample business unit. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WEBHOOK_SINK } from '../control/inspector/routes.js';
import { defined } from '../core/defined.js';
import { makeSessionKey, parseSessionKeys, sessionSecrets } from '../platform/keys/session-keys.js';
import type { Log } from '../platform/log/log.js';
import { parseConfig, readConfig, type ServiceConfig } from '../platform/config/config.js';
import { serve, type Running } from './serve.js';

export interface DevOptions {
  /** The service's port. Control API and inspector use the next two. 0 picks free ports. */
  readonly port: number;
  /** A config file. If it doesn't exist, the service has a sample business unit. */
  readonly config: string;
  /** Default: a temporary database, deleted on close. */
  readonly database?: string;
  /** Session keys. The sample's API key and secret derive from them too. Default: new keys. */
  readonly keys?: string;
  readonly log: Log;
}

export interface Dev extends Running {
  /** The sample business unit; absent if there is a config. */
  readonly sample?: {
    readonly businessUnit: string;
    readonly apiKey: string;
    readonly webhookSecret: string;
  };
}

const SAMPLE = 'sample-shop';
/** Default ports of bundlers, frameworks and small servers. */
const PAGE_PORTS = [3000, 3001, 4173, 4200, 4321, 5000, 5173, 8000, 8080];
const BYTES = 24;

export async function dev(options: DevOptions): Promise<Dev> {
  const folder =
    options.database === undefined ? mkdtempSync(join(tmpdir(), 'embedded-sessions-dev-')) : undefined;
  const leave = (): void => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  };
  try {
    const running = await start(options, folder);
    return { ...running, close: () => running.close().finally(leave) };
  } catch (error) {
    leave();
    throw error;
  }
}

async function start(
  { port, config: file, database, keys = makeSessionKey(), log }: DevOptions,
  folder: string | undefined,
): Promise<Dev> {
  const sample = existsSync(file) ? undefined : sampleSecrets(keys);
  const running = await serve({
    env: 'staging',
    config: sample === undefined ? readConfig(file, 'staging') : sampleConfig(sample.apiKey),
    host: '127.0.0.1',
    port,
    controlPort: port === 0 ? 0 : port + 1,
    inspectorPort: port === 0 ? 0 : port + 2,
    ...(database === undefined
      ? { database: join(folder ?? '', 'service.db'), sessionKeyText: keys }
      : { database }),
    log,
  });
  if (sample === undefined) return running;

  // The inspector receives the sample's webhooks to show and forward them. Its port is only known now.
  const inspector = new URL(running.inspector ?? '').origin;
  const webhook = { url: inspector + WEBHOOK_SINK, secrets: [sample.webhookSecret] };
  await running.reload(sampleConfig(sample.apiKey, webhook));
  return { ...running, sample: { businessUnit: SAMPLE, ...sample } };
}

/** The same after each start with these session keys. */
function sampleSecrets(keys: string): { apiKey: string; webhookSecret: string } {
  const secrets = sessionSecrets(parseSessionKeys(keys, 'dev.session-keys'));
  const derived = (name: string): Buffer =>
    Buffer.from(secrets.derive(secrets.newest, name), 'base64url').subarray(0, BYTES);
  return {
    apiKey: `stg_${derived('sample API key').toString('base64url')}`,
    webhookSecret: `whsec_${derived('sample webhook secret').toString('base64')}`,
  };
}

function sampleConfig(key: string, webhook?: object): ServiceConfig {
  const allowedOrigins = PAGE_PORTS.flatMap((at) => [`http://localhost:${at}`, `http://127.0.0.1:${at}`]);
  const shop = { slug: SAMPLE, name: 'Sample Shop', allowedOrigins, allowAmountAdjustment: true };
  return parseConfig(
    {
      businessUnits: [defined({ ...shop, webhook })],
      apiKeys: [{ key, businessUnits: [SAMPLE] }],
      // Without a mail server, the inspector shows the messages.
      email: { from: 'Sample Shop <bills@sample-shop.example>' },
    },
    'staging',
  );
}
