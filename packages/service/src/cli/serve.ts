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
    const removeStartHandlers = startHandlers(log);
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
    await serveUntilSignal(env, await starting, log, removeStartHandlers);
  },
};

/** By default next to the session keys, or else the database. */
function markerPath(values: ValuesOf<typeof OPTIONS>, database: string): string | undefined {
  const sessionKeys = values['session-keys'];
  if (values.marker !== undefined) return values.marker;
  if (sessionKeys !== undefined) return `${sessionKeys}.marker`;
  return database === ':memory:' || isPostgres(database) ? undefined : `${database}.marker`;
}

/** Idle connections stay open this long during shutdown, real ms, for requests that a balancer has already sent. */
const LINGER_MS = 500;

const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Logs unhandled errors without their message and properties, which Node would print: a processor's client may put the
 * card there. Until the returned function is called, exceptions and signals end the process, because a container's
 * first process ignores signals without a handler.
 */
export function startHandlers(log: Log): () => void {
  const logged = (message: string) => (error: unknown) =>
    log.error(message, { error: { ...describeError(error, 0), message: 'The message is not logged.' } });
  process.on('unhandledRejection', logged('Unhandled rejection'));
  process.on('uncaughtException', logged('Uncaught exception; stopping'));

  const fail = (): never => process.exit(1);
  const end = (signal: NodeJS.Signals): void => {
    // Signal again without the handler. In a container that signal is ignored, so exit as well.
    process.kill(process.pid, signal);
    process.exit(SIGNALS[signal as keyof typeof SIGNALS]);
  };
  process.once('SIGINT', end).once('SIGTERM', end).once('uncaughtException', fail);
  return () => void process.off('SIGINT', end).off('SIGTERM', end).off('uncaughtException', fail);
}

/** Installs its handlers before it prints the addresses, because their reader may send a signal right away. */
export async function serveUntilSignal(
  env: ServiceEnvironment,
  running: Running,
  log: Log,
  removeStartHandlers: () => void,
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
  const isStopped = stopped();
  removeStartHandlers();
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

/** Two signals within this time count as one, because package managers forward signals twice. Real ms. */
const ONE_STOP_MS = 1_000;

/** Resolves on SIGTERM, SIGINT or an exception, so that requests can finish. A second Ctrl-C exits immediately. */
function stopped(): Promise<void> {
  let since: number | undefined;
  return new Promise((resolve) => {
    process.on('uncaughtException', () => {
      process.exitCode = 1;
      resolve();
    });
    process.on('SIGTERM', () => {
      since ??= performance.now();
      resolve();
    });
    process.on('SIGINT', () => {
      since ??= performance.now();
      if (performance.now() > since + ONE_STOP_MS) process.exit(SIGNALS.SIGINT);
      resolve();
    });
  });
}

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
