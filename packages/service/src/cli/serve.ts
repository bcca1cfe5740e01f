import { given } from '../core/given.js';
import { readConfig, type ServiceConfig } from '../platform/config/config.js';
import { createLog, describeError, type Log } from '../platform/log/log.js';
import { toStderr } from '../platform/log/to-stderr.js';
import type { ServiceEnvironment } from '../shared/environment.js';
import { serve } from '../start/serve.js';
import type { Running } from '../start/serve.js';
import { DEFAULT_CONFIG, environment, parse, port, print, required, text, type Command } from './command.js';
import { givenDatabase } from './database.js';
import { reloadOnHangup } from './reload-on-hangup.js';

export const serveCommand: Command = {
  usage: `serve --env staging|production|development [--host 127.0.0.1] [--port 4100] [--public-url URL]
      [--config service.config.json] [--database FILE | :memory: | postgres://…] [--session-keys FILE]
      [--control-port N] [--ops-port N] [--ops-host 127.0.0.1] [--inspector-port N] [--processor MODULE | --test-processor] [--no-jobs]`,
  run: async (args) => {
    const { values } = parse(args, {
      env: { type: 'string' },
      host: { type: 'string', default: '127.0.0.1' },
      port: { type: 'string', default: '4100' },
      'public-url': { type: 'string' },
      config: { type: 'string', default: DEFAULT_CONFIG },
      database: { type: 'string' },
      'session-keys': { type: 'string' },
      'control-port': { type: 'string' },
      'ops-port': { type: 'string' },
      'ops-host': { type: 'string' },
      'inspector-port': { type: 'string' },
      processor: { type: 'string' },
      'no-jobs': { type: 'boolean' },
      'test-processor': { type: 'boolean' },
    });
    const env = environment(values['env']);
    const host = required(text(values['host']), '--host');
    const log = createLog(toStderr());
    const config = (): ServiceConfig => readConfig(text(values['config']) ?? '', env);
    const began = endableAtStart();
    const starting = serve({
      env,
      config: config(),
      host,
      port: port(values['port'], '--port') ?? 0,
      database: givenDatabase(values) ?? `embedded-sessions-${env}.db`,
      log,
      ...given({
        publicUrl: text(values['public-url']),
        sessionKeys: text(values['session-keys']),
        sessionKeyText: process.env['EMBEDDED_SESSIONS_KEYS'] || undefined,
        controlPort: port(values['control-port'], '--control-port'),
        opsPort: port(values['ops-port'], '--ops-port'),
        opsHost: text(values['ops-host']),
        inspectorPort: port(values['inspector-port'], '--inspector-port'),
        processor: text(values['processor']),
        testProcessor: values['test-processor'] === true ? true : undefined,
      }),
      jobs: values['no-jobs'] !== true,
      lingerMs: LINGER_MS,
    });
    reloadOnHangup(log, async () => (await starting).reload(config()));
    await untilStopped(env, await starting, log, began);
  },
};

/** A balancer sends its next request on a connection that it keeps within this time, or is not in a hurry. */
const LINGER_MS = 500;

const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Ends the process by a signal that comes while it starts. The first process of a container gets none that it does not
 * take itself: the stop would be lost, and the service begin after it. Returns what ends this, for when it has started.
 */
export function endableAtStart(): () => void {
  const ends = (Object.keys(SIGNALS) as (keyof typeof SIGNALS)[]).map((signal) => {
    const end = (): void => {
      // As it would end without this; where that is ignored, there is the next line.
      process.kill(process.pid, signal);
      process.exit(SIGNALS[signal]);
    };
    process.once(signal, end);
    return () => void process.off(signal, end);
  });
  return () => {
    for (const forget of ends) forget();
  };
}

/**
 * Tells where it listens, in one line, and closes it when the process is asked to end. Who reads that line may ask at once:
 * by then it listens for that, and what ended it at its start is gone by `began`.
 */
export async function untilStopped(
  env: ServiceEnvironment,
  running: Running,
  log: Log,
  began: () => void,
  more: object = {},
): Promise<void> {
  const { url, control, ops, inspector } = running;
  // Any other command is done when nobody reads what it prints; what serves is there for others than that reader.
  process.stdout.removeAllListeners('error').on('error', (error) => {
    log.warn('The line that says where it listens could not be printed; it serves all the same', {
      url,
      error: describeError(error),
    });
  });
  const others = given({ control, ops, inspector });
  const isStopped = stopped();
  began();
  print(JSON.stringify({ ready: true, env, url, ...others, ...more }));
  await isStopped;
  await running.close();
  process.exit(0);
}

/** Two signals within this time are one that was passed on twice, as by a package manager. */
const ONE_STOP_MS = 1_000;

/**
 * Resolves when the process is asked to end. To be asked again changes nothing, for requests in flight have their time
 * anyway; but whoever presses Ctrl-C again after a while waits no longer.
 */
function stopped(): Promise<void> {
  let since: number | undefined;
  return new Promise((resolve) => {
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
