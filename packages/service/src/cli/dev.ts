import { given } from '../core/given.js';
import { readConfig } from '../platform/config/config.js';
import { createLog, describeError } from '../platform/log/log.js';
import { toStderr } from '../platform/log/to-stderr.js';
import { dev } from '../start/dev.js';
import { devKeys, leaveDevAddress } from '../start/dev-address.js';
import { DEFAULT_CONFIG, misused, parse, port, text, type Command } from './command.js';
import { reloadOnHangup } from './reload-on-hangup.js';
import { endableAtStart, untilStopped } from './serve.js';

const MAX_FIRST_PORT = 65_533;

export const devCommand: Command = {
  usage: 'dev [--port 4100] [--config service.config.json] [--database FILE]',
  run: async (args) => {
    const { values } = parse(args, {
      port: { type: 'string', default: '4100' },
      config: { type: 'string' },
      database: { type: 'string' },
    });
    const file = text(values['config']) ?? DEFAULT_CONFIG;
    // The sample stands in for a config that nobody has written yet, not for one whose name is mistyped.
    if (values['config'] !== undefined) readConfig(file, 'staging');
    const first = port(values['port'], '--port') ?? 0;
    if (first > MAX_FIRST_PORT)
      throw misused(`--port must be at most ${MAX_FIRST_PORT}: control API and inspector take the next two.`);
    const log = createLog(toStderr());
    const keys = devKeys((error) => {
      log.warn(
        'Nothing can be kept for the next time, when the sample has other keys, and "listen" needs --inspector: set XDG_STATE_HOME to a folder that can be written',
        { error: describeError(error) },
      );
    });
    const began = endableAtStart();
    const starting = dev({
      port: first,
      config: file,
      log,
      ...given({ database: text(values['database']), keys }),
    });
    reloadOnHangup(log, async () => (await starting).reload(readConfig(file, 'staging')));
    const running = await starting;
    process.once('exit', leaveDevAddress(running.inspector ?? ''));
    await untilStopped('staging', running, log, began, running.sample);
  },
};
