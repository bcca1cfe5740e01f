import { createRequire } from 'node:module';
import { openapi } from '@embedded-sessions/server-types/schemas';
import { ServiceError } from '../core/error.js';
import {
  usageError,
  unknownCommand,
  parse,
  print,
  type Action,
  type Command,
  type Options,
} from './command.js';
import { customers } from './customers.js';
import { devCommand } from './dev.js';
import { jobs } from './jobs.js';
import { keys } from './keys.js';
import { ledger } from './ledger.js';
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
  ledger,
  customers,
  jobs,
  openapi: {
    usage: 'openapi',
    summary: 'Prints the OpenAPI document.',
    options: {},
    run: async () => print(JSON.stringify(openapi(), null, 2)),
  },
};

const USAGE = `${Object.values(commands)
  .flatMap(({ usage }) => usage.split('\n'))
  .map((line) => (line.startsWith(' ') ? line : `embedded-sessions ${line}`))
  .join('\n')}
embedded-sessions --version

"embedded-sessions COMMAND --help" describes a command's options.
Prefer EMBEDDED_SESSIONS_DATABASE to --database, and EMBEDDED_SESSIONS_INSPECTOR to --inspector: every user of the machine can
read a password or token on a command line.`;

function helpOf(command: Command): string {
  const { usage, summary } = command;
  const actions = 'run' in command ? [command] : Object.values(command.actions);
  const options = Object.assign({}, ...actions.map((action) => action.options)) as Options;
  const flags = Object.entries(options).map(([name, { type, help, default: preset }]) => {
    const flag = `--${name}${type === 'string' ? ' VALUE' : ''}`;
    const isDefault = typeof preset === 'string' ? ` (default: ${preset})` : '';
    return `  ${flag.padEnd(24)} ${help}${isDefault}`;
  });
  const usages = usage.replace(/^(?! )/gm, 'embedded-sessions ');
  return [summary, '', usages, ...(flags.length > 0 ? ['', 'Options:', ...flags] : [])].join('\n');
}

function version(): string {
  const described = createRequire(import.meta.url)('@embedded-sessions/service/package.json') as {
    version: string;
  };
  return described.version;
}

/** @throws ServiceError that says what to do, for stderr */
export async function commandLine(args: string[]): Promise<void> {
  const [name = '', ...rest] = args;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (name === 'help' || args.includes('--help') || args.includes('-h'))
    return print(command === undefined ? USAGE : helpOf(command));
  if (name === 'version' || name === '--version' || name === '-v') return print(version());
  if (command === undefined) {
    const why = name === '' ? 'No command was given.' : unknownCommand(name);
    throw new ServiceError('invalid_arguments', `${why}\n${USAGE}`);
  }

  const { action, args: given } = actionOf(name, command, rest);
  const { values, word } = parse(given, action);
  try {
    await action.run(values as never, word);
  } catch (error) {
    // Its own message is for requests.
    if (error instanceof ServiceError && error.code === 'unavailable' && error.cause instanceof Error)
      throw new ServiceError('database_unavailable', `The database cannot be used: ${error.cause.message}`, {
        cause: error,
      });
    throw error;
  }
}

function actionOf(name: string, command: Command, args: string[]): { action: Action; args: string[] } {
  if ('run' in command) return { action: command, args };

  const [word = '', ...rest] = args;
  const action = Object.hasOwn(command.actions, word) ? command.actions[word] : undefined;
  if (action === undefined) throw usageError(unknownCommand(`${name} ${word}`.trimEnd()));
  return { action, args: rest };
}

export function main(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // Readers such as `head` may close the pipe early.
    if (error.code === 'EPIPE') process.exit();
    process.stderr.write(`embedded-sessions: Cannot write to stdout: ${error.message}\n`);
    process.exit(1);
  });

  commandLine(process.argv.slice(2)).catch((error: unknown) => {
    process.stderr.write(`${describe(error)}\n`);
    // Calls back once the reader has everything that was printed before.
    process.stdout.write('', () => process.exit(1));
  });
}

function describe(error: unknown): string {
  if (error instanceof ServiceError) return `embedded-sessions [${error.code}]: ${error.message}`;
  return `embedded-sessions: ${(error instanceof Error && error.stack) || String(error)}`;
}
