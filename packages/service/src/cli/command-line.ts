/** The whole command line, but for the process that it is: which command its words ask for. */
import { createRequire } from 'node:module';
import { openapi } from '@embedded-sessions/server-types/schemas';
import { ServiceError } from '../core/error.js';
import { parse, print, type Command } from './command.js';
import { devCommand } from './dev.js';
import { keys } from './keys.js';
import { listenCommand } from './listen.js';
import { migrate } from './migrate.js';
import { payments } from './payments.js';
import { serveCommand } from './serve.js';
import { webhooks } from './webhooks.js';

const commands: Readonly<Record<string, Command>> = {
  serve: serveCommand,
  dev: devCommand,
  listen: listenCommand,
  keys,
  webhooks,
  migrate,
  payments,
  openapi: {
    usage: 'openapi',
    run: async (args) => {
      parse(args, {});
      print(JSON.stringify(openapi(), null, 2));
    },
  },
};

const USAGE = `${Object.values(commands)
  .flatMap(({ usage }) => usage.split('\n'))
  .map((line) => (line.startsWith(' ') ? line : `embedded-sessions ${line}`))
  .join('\n')}
embedded-sessions --version

EMBEDDED_SESSIONS_DATABASE takes the place of --database: a password on the command line is read by every user of the machine.`;

function version(): string {
  const described = createRequire(import.meta.url)('@embedded-sessions/service/package.json') as {
    version: string;
  };
  return described.version;
}

/**
 * Does what the words after the program's name ask for.
 * @throws ServiceError with what to do, for stderr
 */
export async function commandLine(args: string[]): Promise<void> {
  const [name = '', ...rest] = args;
  if (name === 'help' || args.includes('--help') || args.includes('-h')) return print(USAGE);
  if (name === 'version' || name === '--version' || name === '-v') return print(version());
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    const why = name === '' ? 'No command was given.' : `There is no command "${name}".`;
    throw new ServiceError('invalid_arguments', `${why}\n${USAGE}`);
  }
  await command.run(rest);
}
