/** Starts service processes for tests: the built command line on free ports, with its own config file and database. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atEnd } from '../../tools/at-end.mjs';
import { freePorts } from '../../tools/ports.mjs';
import { controlOf, type Control } from './control.js';

/** Longer than a start takes, even on a busy machine. */
const READY_MS = 50_000;

const CLI = new URL('../../packages/service/dist/cli.js', import.meta.url).pathname;

export const BUSINESS_UNIT = 'harborlight-water';
export const AGENT = 'agent@harborlight.example';

export interface ServiceOptions {
  env?: 'staging' | 'production' | 'development';
  /** Origins of pages that open frames: `allowedOrigins` of the business unit. */
  allowedOrigins?: readonly string[];
  /** Merged into the first business unit of the config file. */
  businessUnit?: Record<string, unknown>;
  /** Its other business units, which its API key can use too. */
  otherUnits?: readonly ({ slug: string } & Record<string, unknown>)[];
  /** Merged into the generated config file. */
  settings?: Record<string, unknown>;
  /** Replaces the generated config file. */
  config?: unknown;
  /** Default: a separate database. Pass it to start several processes on one database. */
  apiKey?: string;
  /** Default: a file in the service's folder, kept across `restart`. */
  database?: string;
  /** Passed as an environment variable, because all users of the machine can read command lines. */
  databaseFrom?: 'argument' | 'environment';
  /** Extra command line arguments, such as `['--processor', file]`. */
  args?: readonly string[];
  variables?: Record<string, string>;
  /** Command line of another release. */
  cli?: string;
}

export interface CreatedSession {
  sessionId: string;
  sessionUrl: string;
  status: string;
}

export interface Service {
  readonly env: string;
  /** API base URL. A restart keeps it. */
  readonly url: string;
  readonly loaderUrl: string;
  readonly apiKey: string;
  /** Rejects all calls in production, which has no control port. */
  readonly control: Control;
  /** The inspector's address with its token; empty without `--inspector-port`. */
  readonly inspector: string;
  readonly folder: string;
  readonly database: string;
  /** The process that is running now. */
  readonly pid: number;
  /** All output so far, stdout and stderr. */
  logs(): string;
  /** Sends a POST with the API key and returns the raw response. */
  post(
    path: string,
    body: unknown,
    headers?: Record<string, string>,
  ): Promise<{ status: number; body: unknown }>;
  /** Creates a session of a flow, with the body merged over a minimal one. Throws if the service refuses it. */
  create(flow: Flow, body?: Record<string, unknown>): Promise<CreatedSession>;
  /** Sends SIGTERM and returns the exit code. The folder is kept for `restart` until the test process ends. */
  stop(): Promise<number | null>;
  /** Sends SIGKILL. */
  kill(): Promise<void>;
  /** Starts it again on the same port, config and database. */
  restart(): Promise<void>;
}

const running = new Set<ChildProcess>();
const folders = new Set<string>();
atEnd(() => {
  for (const child of running) child.kill('SIGKILL');
  // A process that was just killed may still write.
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
});

export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const env = options.env ?? 'staging';
  const apiKey = options.apiKey ?? `${env.slice(0, 3)}_key_${randomUUID().replaceAll('-', '')}`;
  const folder = mkdtempSync(join(tmpdir(), `embedded-sessions-${env}-`));
  folders.add(folder);
  const configFile = join(folder, 'service.config.json');
  writeFileSync(configFile, JSON.stringify(options.config ?? configOf(env, apiKey, options), null, 2));
  const database = options.database ?? join(folder, 'service.db');
  const isInEnvironment = options.databaseFrom === 'environment';
  const named = isInEnvironment ? { EMBEDDED_SESSIONS_DATABASE: database } : {};
  const sessionKeys = join(folder, 'session.keys');
  if (env === 'production') {
    writeFileSync(sessionKeys, `test:${createHash('sha256').update(folder).digest('hex')}\n`, {
      mode: 0o600,
    });
  }
  let log = '';
  let child: ChildProcess | undefined;
  const start = async (port: string, controlPort: string): Promise<Ready> => {
    const args = ['serve', '--env', env, '--port', port, '--config', configFile];
    if (!isInEnvironment) args.push('--database', database);
    if (env === 'production') args.push('--session-keys', sessionKeys);
    if (env === 'production' && !options.args?.includes('--processor')) args.push('--no-processor');
    else args.push('--control-port', controlPort);
    const started = spawn(process.execPath, [options.cli ?? CLI, ...args, ...(options.args ?? [])], {
      cwd: folder,
      env: { ...process.env, NODE_ENV: 'test', ...named, ...options.variables },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = started;
    running.add(started);
    started.once('exit', () => running.delete(started));
    started.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
    return new Promise((resolve, reject) => {
      let stdout = '';
      const tooLate = setTimeout(() => {
        started.kill('SIGKILL');
        reject(new Error(`no ready line within ${READY_MS} ms:\n${log}`));
      }, READY_MS);
      started.stdout.setEncoding('utf8').on('data', (text: string) => {
        log += text;
        stdout += text;
        const line = stdout.split('\n').find((line) => line.includes('"ready"'));
        if (line === undefined || !stdout.includes(`${line}\n`)) return;
        clearTimeout(tooLate);
        resolve(JSON.parse(line) as Ready);
      });
      started.once('exit', (code, signal) => {
        clearTimeout(tooLate);
        reject(new Error(`the service ended with ${code ?? signal} before it was ready:\n${log}`));
      });
    });
  };
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> => {
    const current = child;
    if (current === undefined) return null;
    if (current.exitCode === null && current.signalCode === null) {
      const ended = new Promise((resolve) => current.once('exit', resolve));
      current.kill(signal);
      await ended;
    }
    return current.exitCode;
  };

  // Use ports outside the ephemeral range, so that they are still free on `restart`.
  const [port, controlPort] = await freePorts(2);
  const ready = await start(String(port), String(controlPort));
  const url = ready.url;
  const post: Service['post'] = async (path, body, headers = {}) => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-service-api-key': apiKey, ...headers },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    try {
      return { status: response.status, body: JSON.parse(text) as unknown };
    } catch {
      return { status: response.status, body: text };
    }
  };
  return {
    env,
    url,
    loaderUrl: `${url}/app/embedded.loader.js`,
    apiKey,
    control: controlOf(ready.control ?? 'http://127.0.0.1:9'),
    inspector: ready.inspector ?? '',
    folder,
    database,
    get pid() {
      return child?.pid ?? Number.NaN;
    },
    logs: () => log,
    post,
    create: async (flow, body = {}) => {
      const response = await post(ENDPOINTS[flow], { ...plainRequest(flow), ...body });
      const envelope = response.body as { hasErrors?: boolean; data?: Record<string, string> };
      const { PaymentSessionIdentifier, PaymentLogInLink, Status } = envelope.data ?? {};
      if (envelope.hasErrors !== false || !PaymentSessionIdentifier || !PaymentLogInLink || !Status) {
        throw new Error(`${ENDPOINTS[flow]}: ${response.status} ${JSON.stringify(response.body)}`);
      }
      return { sessionId: PaymentSessionIdentifier, sessionUrl: PaymentLogInLink, status: Status };
    },
    stop: () => end('SIGTERM'),
    kill: async () => void (await end('SIGKILL')),
    restart: async () => {
      await end('SIGKILL');
      await start(new URL(url).port, ready.control ? new URL(ready.control).port : '0');
    },
  };
}

interface Ready {
  url: string;
  control?: string;
  inspector?: string;
}

function configOf(env: string, apiKey: string, options: ServiceOptions): unknown {
  const { otherUnits = [], allowedOrigins = [] } = options;
  const key =
    env === 'production'
      ? { keyHash: `sha256:${createHash('sha256').update(apiKey).digest('hex')}` }
      : { key: apiKey };
  return {
    businessUnits: [
      {
        slug: BUSINESS_UNIT,
        name: 'Harborlight Water',
        allowedOrigins,
        agents: [{ email: AGENT, pos: true }],
        ...options.businessUnit,
      },
      ...otherUnits.map((unit) => ({ allowedOrigins, ...unit })),
    ],
    apiKeys: [{ ...key, businessUnits: [BUSINESS_UNIT, ...otherUnits.map(({ slug }) => slug)] }],
    ...options.settings,
  };
}

const ENDPOINTS = {
  payment: '/integrations/embedded/initiate',
  autopay: '/integrations/embedded/initiate-manage-autopay',
  wallet: '/integrations/embedded/initiate-manage-wallet',
  paperless: '/integrations/embedded/initiate-manage-paperless',
  'schedule-payment': '/integrations/embedded/initiate-schedule-payment-session',
  'scheduled-payments': '/integrations/embedded/initiate-manage-schedule-payments',
  notifications: '/integrations/embedded/initiate-manage-notifications',
};

export type Flow = keyof typeof ENDPOINTS;

function plainRequest(flow: Flow): Record<string, unknown> {
  if (flow === 'payment') {
    return { BusinessUnitSlug: BUSINESS_UNIT, Channel: 'QuickPay', Charges: [{ Amount: 1234 }] };
  }
  const ClientUser = { EmailAddress: 'dana@example.com', FirstName: 'Dana', LastName: 'Reyes' };
  const ofCustomer = { BusinessUnitSlug: BUSINESS_UNIT, ClientUser };
  if (flow === 'wallet' || flow === 'notifications') return ofCustomer;
  return {
    ...ofCustomer,
    SyncAccount: true,
    ClientAccount: { AccountNumber: '100-200', Name: 'Dana Reyes' },
  };
}
