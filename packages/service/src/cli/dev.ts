import { defined } from '../core/defined.js';
import { readConfig } from '../platform/config/config.js';
import { createLog, describeError } from '../platform/log/log.js';
import { toStderr } from '../platform/log/to-stderr.js';
import { dev } from '../start/dev.js';
import { devKeys, leaveDevAddress } from '../start/dev-address.js';
import { DEFAULT_CONFIG, port, usageError, type SimpleCommand, type ValuesOf } from './command.js';
import { reloadOnHangup, serveUntilSignal, stopped, unlessStopped } from './serve.js';

const LAST_PORT = 65_533;

const OPTIONS = {
  port: {
    type: 'string',
    default: '4100',
    help: 'Port of the service; control API and inspector take the next two',
  },
  config: { type: 'string', help: `Config file; default: ${DEFAULT_CONFIG} if it exists, else a sample` },
  database: { type: 'string', help: 'Database file; default: a temporary one' },
} as const;

export const devCommand: SimpleCommand = {
  usage: 'dev [--port 4100] [--config service.config.json] [--database FILE]',
  summary:
    'Runs a staging service with control API, inspector and, without a config, a sample business unit.',
  options: OPTIONS,
  run: async (values: ValuesOf<typeof OPTIONS>) => {
    const file = values.config ?? DEFAULT_CONFIG;
    // The sample replaces a missing default config, but not a mistyped --config.
    if (values.config !== undefined) readConfig(file, 'staging');
    const first = port(values.port, '--port') ?? 0;
    if (first > LAST_PORT)
      throw usageError(`--port must be at most ${LAST_PORT}: control API and inspector take the next two.`);
    const log = createLog(toStderr());
    const keys = devKeys((error) => {
      log.warn(
        'Cannot save state: the sample gets new keys at each start, and "listen" needs --inspector. Set XDG_STATE_HOME to a writable folder',
        { error: describeError(error) },
      );
    });
    const isStopped = stopped(log);
    const starting = dev({
      port: first,
      config: file,
      log,
      ...defined({ database: values.database, keys }),
    });
    reloadOnHangup(log, async () => (await starting).reload(readConfig(file, 'staging')));
    const running = await unlessStopped(starting, isStopped);
    process.once('exit', leaveDevAddress(running.inspector ?? ''));
    await serveUntilSignal('staging', running, log, isStopped, running.sample);
  },
};
