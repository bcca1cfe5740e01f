import { defined } from '../core/defined.js';
import { readConfig } from '../platform/config/config.js';
import { createLog, describeError } from '../platform/log/log.js';
import { toStderr } from '../platform/log/to-stderr.js';
import { dev } from '../start/dev.js';
import { devKeys } from '../start/dev-keys.js';
import { DEFAULT_CONFIG, usageError, port, text, type SimpleCommand, type Options } from './command.js';
import { reloadOnHangup } from './reload-on-hangup.js';
import { exitOnSignal, serveUntilSignal } from './serve.js';

const OPTIONS: Options = {
  port: {
    type: 'string',
    default: '4100',
    help: 'Port of the service; control API and inspector take the next two',
  },
  config: { type: 'string', help: `Config file; default: ${DEFAULT_CONFIG} if it exists, else a sample` },
  database: { type: 'string', help: 'Database file; default: a temporary one' },
  'forward-to': { type: 'string', help: "Address that receives the sample's webhooks" },
};

export const devCommand: SimpleCommand = {
  usage: 'dev [--port 4100] [--config service.config.json] [--database FILE] [--forward-to URL]',
  summary:
    'Runs a staging service with control API, inspector and, without a config, a sample business unit.',
  options: OPTIONS,
  run: async (values) => {
    const file = text(values['config']) ?? DEFAULT_CONFIG;
    // The sample replaces a missing default config, but not a mistyped --config.
    if (values['config'] !== undefined) readConfig(file, 'staging');
    const first = port(values['port'], '--port') ?? 0;
    const forwardTo = text(values['forward-to']);
    if (forwardTo !== undefined && !/^https?:/i.test(forwardTo))
      throw usageError('--forward-to must start with http:// or https://.');

    const log = createLog(toStderr());
    const keys = devKeys((error) => {
      log.warn(
        'Cannot save state: the sample gets new keys at each start. Set XDG_STATE_HOME to a writable folder',
        { error: describeError(error) },
      );
    });
    const began = exitOnSignal();
    const starting = dev({
      port: first,
      config: file,
      log,
      ...defined({ database: text(values['database']), forwardTo, keys }),
    });
    reloadOnHangup(log, async () => (await starting).reload(readConfig(file, 'staging')));
    const running = await starting;
    await serveUntilSignal('staging', running, log, began, running.sample);
  },
};
