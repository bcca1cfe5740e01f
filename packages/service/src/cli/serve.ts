import { resolve } from 'node:path';
import { defined } from '../core/defined.js';
import { readConfig, withSmtp, type ServiceConfig } from '../platform/config/config.js';
import { isPostgres } from '../platform/databases/connect.js';
import { createLog, describeError, type Log } from '../platform/log/log.js';
import { toStderr } from '../platform/log/to-stderr.js';
import type { ServiceEnvironment } from '../shared/environment.js';
import { serve, type Running } from '../start/serve.js';
import {
  DATABASE_OPTION,
  DEFAULT_CONFIG,
  environment,
  port,
  print,
  required,
  usageError,
  type SimpleCommand,
  type ValuesOf,
} from './command.js';
import { databaseAddress } from './database.js';

const OPTIONS = {
  env: { type: 'string', help: 'staging, production or development' },
  host: { type: 'string', default: '127.0.0.1', help: 'Address to listen on' },
  port: { type: 'string', default: '4100', help: 'Port to listen on; 0 picks a free one' },
  'public-url': { type: 'string', help: 'Base of session URLs; default: http://HOST:PORT' },
  config: { type: 'string', default: DEFAULT_CONFIG, help: 'Config file, read again on SIGHUP' },
  database: {
    ...DATABASE_OPTION,
    help: 'A file, :memory: or postgres://…; default: $EMBEDDED_SESSIONS_DATABASE, else embedded-sessions-ENV.db',
  },
  'session-keys': { type: 'string', help: 'File with session keys; or put them in $EMBEDDED_SESSIONS_KEYS' },
  marker: {
    type: 'string',
    help: 'File that lets the service notice a restored backup; default: next to the session keys, if they are in a file',
  },
  'control-port': { type: 'string', help: 'Port of the control API, loopback only; not in production' },
  'ops-port': { type: 'string', help: 'Port for metrics and health checks; --port has only health checks' },
  'ops-host': { type: 'string', help: 'Address for --ops-port (default: 127.0.0.1)' },
  'inspector-port': { type: 'string', help: 'Port of the inspector, loopback only; not in production' },
  processor: { type: 'string', help: 'Module that default-exports a PaymentProcessor' },
  'test-processor': { type: 'boolean', help: 'Accept test cards; default in staging, refused in production' },
  'no-processor': { type: 'boolean', help: 'Report ready in production although nothing can be paid' },
  'no-jobs': { type: 'boolean', help: 'Run no jobs in this process; another one must' },
} as const;

export const serveCommand: SimpleCommand = {
  usage: `serve --env staging|production|development [--host 127.0.0.1] [--port 4100] [--public-url URL]
      [--config service.config.json] [--database FILE | :memory: | postgres://…] [--session-keys FILE] [--marker FILE]
      [--control-port N] [--ops-port N] [--ops-host 127.0.0.1] [--inspector-port N] [--processor MODULE | --test-processor | --no-processor] [--no-jobs]`,
  summary: 'Runs the service.',
  options: OPTIONS,
  run: async (values: ValuesOf<typeof OPTIONS>) => {
    const env = environment(values.env);
    const host = required(values.host, '--host');
    const log = createLog(toStderr());
    const config = (): ServiceConfig =>
      withSmtp(readConfig(values.config, env), process.env['EMBEDDED_SESSIONS_SMTP'] || undefined, env);
    const database = databaseAddress(values) ?? `embedded-sessions-${env}.db`;
    const marker = markerPath(values, database);
    const isStopped = stopped(log);
    const starting = serve({
      env,
      config: config(),
      host,
      port: port(values.port, '--port') ?? 0,
      database,
      log,
      ...defined({
        publicUrl: values['public-url'],
        sessionKeys: values['session-keys'],
        sessionKeyText: process.env['EMBEDDED_SESSIONS_KEYS'] || undefined,
        marker,
        controlPort: port(values['control-port'], '--control-port'),
        opsPort: port(values['ops-port'], '--ops-port'),
        opsHost: values['ops-host'],
        inspectorPort: port(values['inspector-port'], '--inspector-port'),
        processor: values.processor,
        testProcessor: values['test-processor'],
        noProcessor: values['no-processor'],
      }),
      jobs: values['no-jobs'] !== true,
      lingerMs: LINGER_MS,
    });
    reloadOnHangup(log, async () => (await starting).reload(config()));
    await serveUntilSignal(env, await unlessStopped(starting, isStopped), log, isStopped);
  },
};

/** By default next to the session keys, or else the database. The marker must not overwrite another of our files. */
function markerPath(values: ValuesOf<typeof OPTIONS>, database: string): string | undefined {
  const sessionKeys = values['session-keys'];
  const marker = values.marker;
  if (marker !== undefined) {
    const others = [sessionKeys, database, values.config, values.processor];
    if (others.some((other) => other !== undefined && resolve(other) === resolve(marker)))
      throw usageError('--marker needs a file of its own, because the service overwrites it.');
    return marker;
  }
  if (sessionKeys !== undefined) return `${sessionKeys}.marker`;
  return database === ':memory:' || isPostgres(database) ? undefined : `${database}.marker`;
}

/** Idle connections stay open this long during shutdown, real ms, for requests that a balancer has already sent. */
const LINGER_MS = 500;

/** Two signals within this time count as one, because package managers forward signals twice. Real ms. */
const ONE_STOP_MS = 1_000;

/**
 * Resolves to an exit code on SIGTERM, SIGINT or an exception. A second Ctrl-C exits immediately. Call it first, because
 * a container's first process ignores signals without a handler.
 *
 * Logs unhandled errors without their message and properties, which Node would print: a processor's client may put the
 * card there.
 */
export function stopped(log: Log): Promise<number> {
  const logged = (message: string, error: unknown): void =>
    log.error(message, { error: { ...describeError(error, 0), message: 'The message is not logged.' } });
  process.on('unhandledRejection', (error) => logged('Unhandled rejection', error));
  let since: number | undefined;
  return new Promise((resolve) => {
    const stop = (code: number): void => {
      since ??= performance.now();
      resolve(code);
    };
    process.on('uncaughtException', (error) => {
      logged('Uncaught exception; stopping', error);
      process.exitCode = 1;
      stop(1);
    });
    process.on('SIGTERM', () => stop(143));
    process.on('SIGINT', () => {
      stop(130);
      if (since !== undefined && performance.now() > since + ONE_STOP_MS) process.exit(130);
    });
  });
}

/** Exits if the process is stopped while the service starts. */
export async function unlessStopped<T extends object>(
  starting: Promise<T>,
  isStopped: Promise<number>,
): Promise<T> {
  const first = await Promise.race([starting, isStopped]);
  return typeof first === 'number' ? process.exit(first) : first;
}

export async function serveUntilSignal(
  env: ServiceEnvironment,
  running: Running,
  log: Log,
  isStopped: Promise<number>,
  more: object = {},
): Promise<void> {
  const { url, control, ops, inspector, unready } = running;
  // Unlike other commands, a service keeps running if its output is closed.
  process.stdout.removeAllListeners('error').on('error', (error) => {
    log.warn('Could not print the ready line; serving anyway', {
      url,
      error: describeError(error),
    });
  });
  if (unready !== undefined) log.warn(unready);
  const others = defined({ control, ops, inspector, warning: unready });
  print(JSON.stringify({ ready: true, env, url, ...others, ...more }));
  await isStopped;
  await running.close();
  if (process.listenerCount('beforeExit') === 0) process.exit();

  // Lets an OpenTelemetry SDK export its last spans. Emitted here, because a processor module may keep the process alive, and
  // in its own turn, so that a listener that throws reaches the handler that logs no message.
  setImmediate(() => process.emit('beforeExit', 0));
  setTimeout(() => process.exit(), FINISH_MS).unref();
}

/** Time for listeners of `beforeExit`, real ms. */
const FINISH_MS = 3_000;

/** Call it before the first `await`, because SIGHUP ends the process by default. */
export function reloadOnHangup(log: Log, reload: () => Promise<void>): void {
  const logged = (): Promise<void> =>
    reload().then(
      () => log.info('Config reloaded'),
      (error: unknown) =>
        log.error('Config refused; keeping the previous one', { error: describeError(error) }),
    );
  let last = Promise.resolve();
  process.on('SIGHUP', () => void (last = last.then(logged)));
}
