import { destination } from 'pino';
import { createLog } from '../../runtime/log.js';
import { dev } from '../dev.js';
import { given, parse, port, text, type Command } from './command.js';
import { untilStopped } from './serve.js';

export const devCommand: Command = {
  usage: 'dev [--port 4100] [--config service.config.json] [--database FILE]',
  run: async (args) => {
    const { values } = parse(args, {
      port: { type: 'string', default: '4100' },
      config: { type: 'string', default: 'service.config.json' },
      database: { type: 'string' },
    });
    const running = await dev({
      port: port(values['port'], '--port') ?? 0,
      config: text(values['config']) ?? '',
      log: createLog(destination({ dest: 2, sync: false })),
      ...given('database', text(values['database'])),
    });
    await untilStopped('staging', running, running.sample);
  },
};
