// Arguments that are refused before anything runs, and help. e2e/service proves that a refusal ends the process, goes to
// stderr and shows no stack.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { config, SLUG } from '../../test/merchant.js';
import { open } from '../../test/payer.js';
import { ask, hasPostgres, sharedPostgres } from '../../test/postgres.js';
import { ServiceError } from '../core/error.js';
import { startTestService } from '../start/test-service.js';
import { instant } from './command.js';
import { commandLine } from './command-line.js';

const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-command-line-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.restoreAllMocks());

/** What a command prints, and the message of its refusal. */
async function run(...words: string[]): Promise<{ stdout: string; refused: string }> {
  let stdout = '';
  const written = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    stdout += String(text);
    return true;
  });
  let refused = '';
  try {
    await commandLine(words);
  } catch (error) {
    // Any other error prints a stack.
    expect(error).toBeInstanceOf(ServiceError);
    refused = (error as Error).message;
  } finally {
    written.mockRestore();
  }
  return { stdout, refused };
}

it.each(['help', '--help', '-h'])('%s lists every command', async (words) => {
  const { stdout, refused } = await run(...words.split(' '));
  expect(refused).toBe('');
  expect(stdout).toMatch(/^embedded-sessions serve --env .*keys revoke/s);
});

// PID 1 of a container ignores signals without a handler.
it.each([
  ['serve', 'SIGTERM', 143],
  ['serve', 'SIGINT', 130],
] as const)('%s ends on a %s during its start', async (command, signal, code) => {
  const config = join(folder, 'start.json');
  writeFileSync(config, '{}');
  const before = process.listeners(signal);
  const started = (): NodeJS.SignalsListener[] =>
    process.listeners(signal).filter((listener) => !before.includes(listener));
  const exit = vi.spyOn(process, 'exit').mockImplementation(() => {
    throw new ServiceError('invalid_arguments', 'exited');
  });
  const starting = run(command, '--env', 'staging', '--config', config, '--processor', './not-there.mjs');
  const ends = started();
  for (const end of ends) end(signal);
  expect((await starting).refused).toBe('exited');
  for (const end of started()) process.off(signal, end);
  expect(exit.mock.calls).toEqual([[code]]);
});

it.each(['--version', '-v', 'version'])('%s prints the version', async (word) => {
  expect((await run(word)).stdout).toMatch(/^\d+\.\d+\.\d+\S*\n$/);
});

it.each([
  ['', [], /^No command was given\.\nembedded-sessions serve --env/],
  ['start', [], /Unknown command "start"\.\nembedded-sessions serve --env/],
  ['serve', ['--env', 'staging', '--colour', 'blue'], /--colour/],
  ['serve', ['--env', 'staging', '--host', ''], /^--host is required/],
  ['serve', [], /--env must be staging, production or development/],
  ['dev', ['--port', 'http'], /--port must be a port/],
  ['dev', ['--port', '65534'], /--port must be at most 65533/],
  ['serve', ['--env', 'staging', '--session-keys', 'keys', '--marker', './keys'], /--marker needs a file/],
  ['serve', ['--env', 'staging', '--config', 'c.json', '--marker', 'c.json'], /--marker needs a file/],
  ['serve', ['--env', 'staging', '--database', 'a.db', '--marker', 'a.db'], /--marker needs a file/],
  ['serve', ['--env', 'staging', '--config', 'nowhere.json'], /nowhere\.json cannot be read/],
  ['dev', ['--config', 'nowhere.json'], /nowhere\.json cannot be read/],
  ['keys revoke', ['key_1', 'key_2'], /Only one argument/],
  ['openapi', ['--yaml'], /--yaml/],
  ['keys', [], /^Unknown command "keys"\.\n/],
  ['payments', [], /^Unknown command "payments"\.\n/],
  ['webhooks', [], /^Unknown command "webhooks"\.\n/],
  [
    'payments export',
    ['--business-unit', SLUG, '--business-unit', 'other'],
    /--business-unit is given twice/,
  ],
  ['webhooks list', ['--business-unit', SLUG, '--business-unit', 'other'], /--business-unit is given twice/],
  ['customers erase', ['--email', 'a@shop.example', '--email', 'b@shop.example'], /--email is given twice/],
  ['keys revoke', ['key_1', '--id', 'key_2', '--database', 'a.db'], /Give the id once/],
  ['listen', ['--forward-to', 'localhost:3000/webhooks'], /^--forward-to /],
  ['listen', ['--forward-to', 'http://127.0.0.1:9', '--inspector', '#token'], /^--inspector /],
  ['listen', [], /^--forward-to /],
])('%s refuses %j', async (name, args, why) => {
  expect(await run(...name.split(' '), ...args)).toEqual({
    stdout: '',
    refused: expect.stringMatching(why) as string,
  });
});

it.each([
  ['migrate', 'postgres://ada:hunter2@127.0.0.1:9/pay'],
  ['postgres://ada:hunter2@127.0.0.1:9/pay'],
  ['keys', 'stg_hunter2'],
  ['keys', 'create', 'stg_hunter2'],
  ['keys', 'create', '--stg_hunter2'],
  ['migrate', '--database', 'postgres//ada/hunter2'],
  ['migrate', '--database', 'localhost/pay?password=hunter2'],
  ['migrate', '--database', 'host=localhost user=ada password=hunter2'],
  ['migrate', '--database', 'none/hunter2@localhost'],
  ['serve', '--env', 'staging', '--port', '0', '--config', 'stg_hunter2'],
  ['keys', 'revoke', 'key_1', 'stg_hunter2', '--database', 'none.db'],
  ['migrate', '--databse', 'postgres://ada:hunter2@127.0.0.1:9/pay'],
  ['payments', 'export', '--database', 'stg_hunter2', '--business-unit', 'water'],
  ['payments', 'export', '--database', 'none.db', '--business-unit', 'whsec_/hunter2='],
  ['payments', 'reconcile', '--business-unit', 'water', '--from', '2026-01-01', '--to', '2026-01-31'].concat([
    '--statement',
    'stg_hunter2',
    '--database',
    'none.db',
  ]),
])('R-50 refuses %j without repeating possible secrets', async (...words) => {
  const { stdout, refused } = await run(...words);
  expect(refused).not.toBe('');
  expect(stdout + refused).not.toContain('hunter2');
});

it('R-50 listen takes the address with its token from the environment', async () => {
  vi.stubEnv('EMBEDDED_SESSIONS_INSPECTOR', 'http://127.0.0.1:9/#hunter2');
  const { refused } = await run('listen', '--forward-to', 'http://127.0.0.1:9');
  vi.unstubAllEnvs();
  expect(refused).toMatch(/^Nothing is listening at http:\/\/127\.0\.0\.1:9:/);
});

it.each(['two,units', 'Harborlight Water', '-water', '../x', 'ü', 'x'.repeat(101)])(
  'R-9 refuses %s as a business unit, and creates neither key nor database',
  async (slug) => {
    const untouched = join(folder, 'untouched.db');
    const flags = [`--business-unit=${slug}`, '--env', 'staging', '--database', untouched];
    const { stdout, refused } = await run('keys', 'create', ...flags);
    expect(stdout).toBe('');
    expect(refused).toContain('A --business-unit is not a slug: it must be');
    expect(existsSync(untouched)).toBe(false);
  },
);

describe('webhooks', () => {
  const database = join(folder, 'webhooks.db');
  beforeAll(async () => {
    expect((await run('migrate', '--database', database)).refused).toBe('');
  });

  it.each([
    ['resend', [], /--id is required/],
    ['recover', [], /--since is required/],
    ['recover', ['--since', 'yesterday'], /--since must be a time in ISO 8601/],
    ['resend', ['--id', 'msg_none'], /no message with that --id/],
    ['forget', [], /Unknown command "webhooks forget"/],
  ])('R-66 %s %j explains the error', async (action, args, why) => {
    const flags = [...args, '--business-unit', SLUG, '--database', database];
    expect(await run('webhooks', action, ...flags)).toEqual({
      stdout: '',
      refused: expect.stringMatching(why) as string,
    });
  });
});

it('R-105 customers erase names shared accounts without direction marks, which terminals interpret', async () => {
  const database = join(folder, `${randomUUID()}.db`);
  const service = await startTestService({ config: config(), database });
  const ClientAccount = { AccountNumber: 'A\u202e1007\u202cB', Name: 'Ada' };
  for (const EmailAddress of ['ada@example.com', 'bob@example.com'])
    await open(service.fetch, 'autopay', { ClientUser: { EmailAddress }, ClientAccount });
  await service.close();
  const erase = ['customers', 'erase', '--business-unit', SLUG, '--email', 'ada@example.com', '--dry-run'];
  expect((await run(...erase, '--database', database)).stdout).toContain(' of A 1007 B\n');
});

/** Reports and commands that change rows. None of them creates a database. */
const ON_EXISTING = [
  'keys list',
  'keys revoke key_none',
  `webhooks list --business-unit ${SLUG}`,
  `payments export --business-unit ${SLUG}`,
  `ledger export --business-unit ${SLUG} --from 2026-01-01 --to 2026-02-01`,
  `customers erase --business-unit ${SLUG} --email ada@example.com --dry-run`,
  'jobs resume',
];

describe('refuses the database of another application, and creates no tables in it', () => {
  it.each(ON_EXISTING)('%s on SQLite', async (words) => {
    const database = join(folder, `${randomUUID()}.db`);
    const other = new DatabaseSync(database);
    other.exec('create table bills (id integer)');
    expect((await run(...words.split(' '), '--database', database)).refused).toMatch(
      /no tables of the service/,
    );
    expect(other.prepare('select name from sqlite_schema').all()).toEqual([{ name: 'bills' }]);
    other.close();
  });

  it.runIf(hasPostgres)('on PostgreSQL', async () => {
    const postgres = await sharedPostgres();
    try {
      const database = await postgres.database();
      for (const words of ON_EXISTING)
        expect((await run(...words.split(' '), '--database', database)).refused).toMatch(
          /no tables of the service/,
        );
      expect(
        await ask(database, `select 1 from information_schema.tables where table_schema = 'public'`),
      ).toEqual([]);
    } finally {
      await postgres.stop();
    }
  });
});

it.each([...ON_EXISTING, `keys create --env staging --business-unit ${SLUG}`])(
  '%s refuses the schema of an older release, and leaves it as it is',
  async (words) => {
    const database = join(folder, `${randomUUID()}.db`);
    await run('migrate', '--database', database);
    const file = new DatabaseSync(database);
    const version = () => file.prepare('select version from schema_version where id = 2').get();
    file.exec('update schema_version set version = version - 1 where id = 2');
    const before = version();
    expect((await run(...words.split(' '), '--database', database)).refused).toMatch(
      /schema of an older release.*embedded-sessions migrate/,
    );
    expect(version()).toEqual(before);
    file.close();
  },
);

it('says why a database cannot be used, and nothing about requests', async () => {
  const database = join(folder, `${randomUUID()}.db`);
  await run('migrate', '--database', database);
  damage(database, 'api_keys');
  const { refused } = await run(
    'keys',
    'create',
    '--env',
    'staging',
    '--business-unit',
    SLUG,
    '--database',
    database,
  );
  expect(refused).toBe('The database cannot be used: database disk image is malformed');
});

/** Overwrites the first page of a table. */
function damage(file: string, table: string): void {
  const database = new DatabaseSync(file);
  database.exec('pragma wal_checkpoint(truncate)');
  const { page_size: size } = database.prepare('pragma page_size').get() as { page_size: number };
  const { rootpage } = database.prepare('select rootpage from sqlite_schema where name = ?').get(table) as {
    rootpage: number;
  };
  database.close();
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(size, 0xff), 0, size, (rootpage - 1) * size);
  closeSync(descriptor);
}

it.runIf(hasPostgres)(
  'R-66 a command closes its PostgreSQL connections, even if it refuses',
  { tags: ['thorough'] },
  async () => {
    const postgres = await sharedPostgres();
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      const database = await postgres.database();
      const left = `select 1 from pg_stat_activity where datname = current_database() and application_name = 'embedded-sessions'`;
      const unit = `--business-unit ${SLUG}`;
      for (const [words, refusal] of [
        ['migrate', /^$/],
        [`keys create --env staging ${unit}`, /^$/],
        ['keys list', /^$/],
        ['keys revoke key_none', /has no such active key/],
        [`payments export ${unit}`, /^$/],
        [`webhooks list ${unit}`, /^$/],
        [`webhooks resend --id msg_none ${unit}`, /has no message/],
      ] as const) {
        const { refused } = await run(...words.split(' '), '--database', database);
        expect(refused).toMatch(refusal);
        // A leaked connection would close after ten idle seconds, and keep the command's process alive until then.
        await expect.poll(() => ask(database, left), { timeout: 5_000 }).toEqual([]);
      }
    } finally {
      await postgres.stop();
    }
  },
);

it('accepts every time in the examples of the docs', () => {
  const docs = new URL('../../../../docs/', import.meta.url);
  const pages = readdirSync(docs).filter((name) => name.endsWith('.md'));
  const times = pages.flatMap((name) => [
    ...readFileSync(new URL(name, docs), 'utf8').matchAll(/--(?:since|from|to) (\d[\w:-]*)/g),
  ]);
  expect(times.length).toBeGreaterThan(5);
  for (const [option, time] of times) expect(instant(time, option)).toBeGreaterThan(0);
});

describe('--help', () => {
  it.each(['serve', 'dev', 'listen', 'keys', 'webhooks', 'migrate', 'payments'])(
    'describes every option of %s',
    async (name) => {
      const { stdout } = await run(name, '--help');
      const [usage = '', options = ''] = stdout.split('Options:\n');
      const named = new Set(usage.match(/--[a-z-]+/g));
      const described = new Map(
        options
          .trimEnd()
          .split('\n')
          .map((line) => [line.match(/--[a-z-]+/)?.[0], line.replace(/^ +--[a-z-]+( VALUE)? +/, '')]),
      );
      expect([...named].filter((flag) => !described.has(flag))).toEqual([]);
      for (const help of described.values()) expect(help).toMatch(/\w+ \w+/);
    },
  );
});

it.each(['prd_0123456789012345678901234567890123456789012', 'my-own-key'])(
  'R-50 refuses to revoke the key %s from the argument list, without repeating it',
  async (key) => {
    const { refused } = await run('keys', 'revoke', key, '--database', join(folder, 'none.db'));
    expect(refused).toMatch(/pass the key on stdin/);
    expect(refused).not.toContain(key);
  },
);

it('R-50 revokes a key that it reads from stdin', async () => {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const to = ['--database', join(folder, 'stdin.db')];
  const created = await run('keys', 'create', '--env', 'staging', '--business-unit', SLUG, ...to);
  vi.spyOn(process, 'stdin', 'get').mockReturnValue(
    Readable.from([created.stdout]) as unknown as typeof process.stdin,
  );
  expect((await run('keys', 'revoke', ...to)).stdout).toMatch(/^Revoked key_/);
  expect((await run('keys', 'list', ...to)).stdout).toBe('');
});

it('R-50 creates a production key in a folder with a config for staging, and says that it is unchecked', async () => {
  const before = process.cwd();
  process.chdir(mkdtempSync(join(folder, 'staging-')));
  onTestFinished(() => process.chdir(before));
  writeFileSync('service.config.json', JSON.stringify(config()));
  const warn = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const options = ['--env', 'production', '--business-unit', SLUG, '--database', 'keys.db'];
  expect((await run('keys', 'create', ...options)).stdout).toMatch(/^prd_/);
  expect(warn).toHaveBeenCalledWith(expect.stringContaining('is no config for production'));
  const { refused } = await run('keys', 'create', ...options, '--config', 'service.config.json');
  expect(refused).toMatch(/production accepts no plain key/);
});

it('R-105 reads the address of a customer to erase from stdin', async () => {
  const to = ['--database', join(folder, 'erase.db')];
  await run('migrate', ...to);
  for (const [typed, answer] of [
    ['ada@example.com\n', /no customer with this e-mail address/],
    ['\n', /--email, or the address on stdin, is required/],
  ] as const) {
    vi.spyOn(process, 'stdin', 'get').mockReturnValue(
      Readable.from([typed]) as unknown as typeof process.stdin,
    );
    const { refused } = await run('customers', 'erase', '--business-unit', SLUG, ...to);
    expect(refused).toMatch(answer);
  }
});

it.each([
  'postgre://app:hunter2@db/pay',
  'POSTGRES://app:hunter2@db/pay',
  'mysql://app:hunter2@db/pay',
  'postgres:/app:hunter2@db/pay',
  'postgres:app:hunter2@db/pay',
  'postgresql//app:hunter2@db/pay',
  ' postgres://app:hunter2@db/pay',
  '"postgres://app:hunter2@db/pay"',
  'app:hunter2@db/pay',
])('R-50 refuses the database address %j without repeating it', async (database) => {
  for (const command of ['migrate', 'keys list', `payments export --business-unit ${SLUG}`]) {
    const { refused } = await run(...command.split(' '), '--database', database);
    expect(refused).toMatch(/begins with postgres:\/\//);
    expect(refused).not.toContain('hunter2');
  }
});

it.each([
  'postgres://app:a@hunter2/x@127.0.0.1:9/pay',
  'postgres://app:a@hunter2?b@127.0.0.1:9/pay',
  'postgres://app:a@hunter2#b@127.0.0.1:9/pay',
  'postgres://app:hunter2/x@127.0.0.1:9/pay',
  'postgresql://app:1#hunter2@127.0.0.1:9/pay',
])('R-50 asks to encode the password in %j, without repeating it', async (database) => {
  for (const command of ['migrate', 'keys list', `payments export --business-unit ${SLUG}`]) {
    const { refused } = await run(...command.split(' '), '--database', database);
    expect(refused).toMatch(/percent-encode special characters of the password/i);
    expect(refused).not.toContain('hunter2');
  }
});

it.each(['20.20.2', '22.22.0', '24.14.1'])(
  'reports in one sentence that Node %s is too old',
  async (version) => {
    const asOlder = `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'${version}'})`;
    const cli = fileURLToPath(new URL('cli.ts', import.meta.url));
    const child = spawn(process.execPath, ['--import', asOlder, cli, 'serve']);
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect(stderr).toBe(`embedded-sessions: Node 24.15 or later is required, but this is Node ${version}.\n`);
    expect(code).toBe(1);
  },
);
