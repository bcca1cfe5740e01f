#!/usr/bin/env node
import { createRequire } from 'node:module';
import { openapi } from '@embedded-sessions/server-types/schemas';
import { ServiceError } from '../domain/error.js';
import { parse, print, type Command } from './commands/command.js';
import { devCommand } from './commands/dev.js';
import { keys } from './commands/keys.js';
import { listenCommand } from './commands/listen.js';
import { migrate } from './commands/migrate.js';
import { payments } from './commands/payments.js';
import { serveCommand } from './commands/serve.js';
import { webhooks } from './commands/webhooks.js';

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

async function main(args: string[]): Promise<void> {
  const [name = '', ...rest] = args;
  if (name === 'help' || args.includes('--help') || args.includes('-h')) return print(USAGE);
  if (name === 'version' || name === '--version' || name === '-v') return print(version());
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined)
    throw new ServiceError('invalid_arguments', `There is no command "${name}".\n${USAGE}`);
  await command.run(rest);
}

// Whoever reads what is printed may have seen enough: `… | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`embedded-sessions: What is printed cannot be written: ${error.message}\n`);
  process.exit(1);
});

main(process.argv.slice(2)).catch((error: unknown) => {
  const why =
    error instanceof ServiceError ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`embedded-sessions: ${why}\n`);
  process.exit(1);
});
