#!/usr/bin/env node
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { openapi } from '@embedded-sessions/server-types/schemas';
import { destination } from 'pino';
import type { ServiceEnvironment } from '../shared/environment.js';
import { readConfig, SLUG } from '../runtime/config.js';
import { ServiceError } from '../domain/error.js';
import type { Store } from '../domain/store.js';
import { createKey, listKeys, revokeKey } from './keys-command.js';
import { createLog } from '../runtime/log.js';
import { serve } from './serve.js';
import { openDatabase } from '../storage/open.js';
import { sqlStore } from '../storage/sql-store.js';

const USAGE = `embedded-sessions serve --env staging|production|development [--host 127.0.0.1] [--port 4100] [--public-url URL]
                        [--config service.config.json] [--database FILE | :memory: | postgres://…] [--session-keys FILE]
                        [--control-port N] [--ops-port N] [--processor MODULE | --test-processor]
embedded-sessions keys create --business-unit SLUG [--business-unit SLUG …] --env ENV --database FILE | postgres://…
embedded-sessions keys revoke ID-OR-KEY [--env ENV] --database FILE | postgres://…
embedded-sessions keys list --database FILE | postgres://…
embedded-sessions migrate --database FILE | postgres://…
embedded-sessions openapi

EMBEDDED_SESSIONS_DATABASE takes the place of --database: a password on the command line is read by every user of the machine.
`;

const commands: Readonly<Record<string, (args: string[]) => Promise<void>>> = {
  serve: serveCommand,
  keys: keysCommand,
  migrate: migrateCommand,
  openapi: async () => print(JSON.stringify(openapi(), null, 2)),
};

async function main(args: string[]): Promise<void> {
  const [name = '', ...rest] = args;
  if (name === 'help' || args.includes('--help') || args.includes('-h')) return print(USAGE.trimEnd());
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined)
    throw new ServiceError('invalid_arguments', `There is no command "${name}".\n${USAGE}`);
  await command(rest);
}

async function serveCommand(args: string[]): Promise<void> {
  const values = parse(args, {
    env: { type: 'string' },
    host: { type: 'string', default: '127.0.0.1' },
    port: { type: 'string', default: '4100' },
    'public-url': { type: 'string' },
    config: { type: 'string', default: 'service.config.json' },
    database: { type: 'string' },
    'session-keys': { type: 'string' },
    'control-port': { type: 'string' },
    'ops-port': { type: 'string' },
    processor: { type: 'string' },
    'test-processor': { type: 'boolean' },
  });
  const env = environment(values['env']);
  const sessionKeyText = process.env['EMBEDDED_SESSIONS_KEYS'];
  const running = await serve({
    env,
    config: readConfig(text(values['config']) ?? '', env),
    host: text(values['host']) ?? '',
    port: port(values['port'], '--port') ?? 0,
    database: database(values) ?? `embedded-sessions-${env}.db`,
    log: createLog(destination({ dest: 2, sync: false })),
    ...given('publicUrl', text(values['public-url'])),
    ...given('sessionKeys', text(values['session-keys'])),
    ...given('sessionKeyText', sessionKeyText === '' ? undefined : sessionKeyText),
    ...given('controlPort', port(values['control-port'], '--control-port')),
    ...given('opsPort', port(values['ops-port'], '--ops-port')),
    ...given('processor', text(values['processor'])),
    ...given('testProcessor', values['test-processor'] === true ? true : undefined),
  });
  const { url, control, ops } = running;
  print(JSON.stringify({ ready: true, env, url, ...given('control', control), ...given('ops', ops) }));
  const stop = (): void => {
    running.close().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

async function keysCommand([action = '', ...args]: string[]): Promise<void> {
  const values = parse(
    args,
    {
      'business-unit': { type: 'string', multiple: true, default: [] },
      env: { type: 'string' },
      database: { type: 'string' },
      id: { type: 'string' },
      key: { type: 'string' },
    },
    action === 'revoke',
  );
  const where = required(database(values), DATABASE);
  switch (action) {
    case 'create': {
      const env = environment(values['env']);
      const units = (values['business-unit'] as string[]).map(businessUnit);
      required(units[0], '--business-unit');
      const { id, key } = await withStore(where, (store) => createKey(store, env, units));
      // The key alone on stdout, so that a script can take it.
      process.stderr.write(`Key ${id} for ${units.join(', ')} in ${env}. It is shown this once:\n`);
      return print(key);
    }
    case 'revoke': {
      const env = values['env'] === undefined ? undefined : environment(values['env']);
      const which = required(text(values['id']) ?? text(values['key']) ?? positional(values), 'ID-OR-KEY');
      return print(`Revoked ${await withStore(where, (store) => revokeKey(store, which, env))}.`);
    }
    case 'list':
      for (const { id, businessUnits, createdAt } of await withStore(where, listKeys))
        print(`${id}  ${new Date(createdAt).toISOString()}  ${businessUnits.join(',')}`);
      return;
    default:
      throw new ServiceError('invalid_arguments', `There is no command "keys ${action}".\n${USAGE}`);
  }
}

async function migrateCommand(args: string[]): Promise<void> {
  const values = parse(args, { database: { type: 'string' } });
  const { connection, migrations } = await openDatabase(required(database(values), DATABASE));
  await connection.close();
  print(
    migrations === 0
      ? 'The schema is up to date.'
      : `Ran ${migrations} migration${migrations === 1 ? '' : 's'}.`,
  );
}

async function withStore<T>(database: string, work: (store: Store) => Promise<T>): Promise<T> {
  const { connection } = await openDatabase(database);
  try {
    return await work(sqlStore(connection));
  } finally {
    await connection.close();
  }
}

type Values = Record<string, string | boolean | (string | boolean)[] | undefined>;

function parse(
  args: string[],
  options: NonNullable<ParseArgsConfig['options']>,
  allowPositionals = false,
): Values {
  try {
    const { values, positionals } = parseArgs({ args, options, strict: true, allowPositionals });
    return { ...values, positionals };
  } catch (cause) {
    throw new ServiceError('invalid_arguments', `${(cause as Error).message}\n${USAGE}`, { cause });
  }
}

const positional = ({ positionals }: Values): string | undefined =>
  Array.isArray(positionals) && positionals.length === 1 ? String(positionals[0]) : undefined;
const text = (value: Values[string]): string | undefined => (typeof value === 'string' ? value : undefined);

const DATABASE = '--database or EMBEDDED_SESSIONS_DATABASE';

function database(values: Values): string | undefined {
  return text(values['database']) ?? (process.env['EMBEDDED_SESSIONS_DATABASE'] || undefined);
}

function required(value: string | undefined, flag: string): string {
  if (value === undefined || value === '')
    throw new ServiceError('invalid_arguments', `${flag} is required.\n${USAGE}`);
  return value;
}

function environment(value: Values[string]): ServiceEnvironment {
  if (value === 'staging' || value === 'production' || value === 'development') return value;
  throw new ServiceError('invalid_arguments', `--env must be staging, production or development.\n${USAGE}`);
}

/** The database knows no business units, so a slip here would make a key that opens nothing. */
function businessUnit(value: string): string {
  const slug = required(value, '--business-unit');
  if (SLUG.pattern.test(slug)) return slug;
  throw new ServiceError(
    'invalid_arguments',
    `--business-unit ${JSON.stringify(slug)} cannot be a slug: it ${SLUG.rule}. Give the option once per business unit.`,
  );
}

function port(value: Values[string], flag: string): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (value !== '' && Number.isInteger(number) && number >= 0 && number <= 65_535) return number;
  throw new ServiceError('invalid_arguments', `${flag} must be a port: 0 to 65535.`);
}

function given<K extends string, V>(name: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [name]: value } as { [P in K]?: V });
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function fail(error: unknown): void {
  const why =
    error instanceof ServiceError ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`embedded-sessions: ${why}\n`);
  process.exit(1);
}

main(process.argv.slice(2)).catch(fail);
