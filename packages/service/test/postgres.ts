/** PostgreSQL for tests: a server shared by all files of a run, or a separate one. Servers end with their process. */
import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { atEnd } from '../../../tools/at-end.mjs';
import { findEngine } from '../../../tools/engines.mjs';
import { freePort } from '../../../tools/ports.mjs';

export interface Postgres {
  /** Creates a database, empty or as a copy of `like`, and returns its address. `like` must have no connections. */
  database(like?: string): Promise<string>;
  stop(): Promise<void>;
}

/** Whether PostgreSQL is available: installed or set by `DATABASE_URL`. */
export const hasPostgres: boolean =
  process.env['DATABASE_URL'] !== undefined || findEngine('postgresql') !== null;

/** Environment variable with the folder of a test run: its unused cluster, and the socket of its shared server. */
const CLUSTERS_VARIABLE = 'EMBEDDED_SESSIONS_TEST_CLUSTERS';
const SOCKET = 'shared';

/**
 * Runs before all tests. Starts the shared server when the first file needs it.
 * @returns a function that stops it
 * @example
 * test: { globalSetup: '…/test/postgres.ts' }
 */
export default function shareServer(): () => Promise<void> {
  if (!hasPostgres || process.env['DATABASE_URL'] !== undefined) return async () => undefined;
  const { folder, remove } = serverFolder();
  process.env[CLUSTERS_VARIABLE] = folder;
  let server: Promise<Server> | undefined;
  const probe = createServer((socket) => {
    socket.on('error', () => undefined);
    void (server ??= startServer()).then(
      ({ address }) => socket.end(address),
      (error: unknown) => {
        console.error(error);
        socket.destroy();
      },
    );
  }).listen(join(folder, SOCKET));
  return async () => {
    probe.close();
    await (await server?.catch(() => undefined))?.stop();
    remove();
  };
}

/** The server shared by all test files. `stop` drops the caller's databases. */
export async function sharedPostgres(): Promise<Postgres> {
  const server = process.env['DATABASE_URL'] ?? (await sharedAddress());
  const created: string[] = [];
  return {
    database: async (like) => {
      const database = await createDatabase(server, like);
      created.push(database);
      return database;
    },
    stop: async () => {
      for (const database of created) await ask(server, `DROP DATABASE ${nameOf(database)} WITH (FORCE)`);
    },
  };
}

async function sharedAddress(): Promise<string> {
  const folder = process.env[CLUSTERS_VARIABLE];
  if (folder === undefined) throw new Error(`The tests run without the globalSetup of ${import.meta.url}.`);
  const address = await text(connect(join(folder, SOCKET)));
  if (address === '') throw new Error('The shared PostgreSQL did not start; the output has the reason.');
  return address;
}

/** Copies the run's unused cluster, or creates it if this server is the first. */
async function makeCluster(
  data: string,
  run: ServerFolder['run'],
  copy: (from: string, to: string) => Promise<unknown>,
): Promise<void> {
  const shared = process.env[CLUSTERS_VARIABLE];
  const made = shared === undefined ? undefined : join(shared, 'made');
  if (made !== undefined && existsSync(made)) return void (await copy(made, data));
  await run('initdb', initialize(data));
  if (made === undefined) return;
  const mine = `${made}-${process.pid}`;
  await copy(data, mine);
  // Fails if another process was faster.
  await rename(mine, made).catch(() => undefined);
}

/** A separate server, for tests that change its settings or stop it. */
export async function startPostgres(options: ServerOptions = {}): Promise<Postgres> {
  const given = process.env['DATABASE_URL'];
  if (given !== undefined) return { database: (like) => createDatabase(given, like), stop: async () => {} };
  const { address, stop } = await startServer(options);
  return { database: (like) => createDatabase(address, like), stop };
}

interface ServerOptions {
  /** Default: off, because tests end before it helps. */
  readonly autovacuum?: boolean;
}

interface Server {
  /** URL of its database `postgres`. */
  readonly address: string;
  readonly stop: () => Promise<void>;
}

async function startServer({ autovacuum = false }: ServerOptions = {}): Promise<Server> {
  const { folder, options, run, remove } = serverFolder();
  const data = join(folder, 'data');
  await makeCluster(data, run, (from, to) => promisify(execFile)('cp', ['-R', from, to], options));
  const { server, port } = await startProcess(folder, data, options, autovacuum);
  const leave = atEnd(() => {
    server.kill('SIGQUIT');
    remove();
  });
  return {
    address: `postgres://postgres@127.0.0.1:${port}/postgres`,
    stop: async () => {
      leave();
      if (server.exitCode === null) {
        const ended = new Promise((resolve) => server.once('exit', resolve));
        server.kill('SIGQUIT');
        await ended;
      }
      remove();
    },
  };
}

/** Resolves once the server accepts connections. Retries with another port if a program takes the free one first. */
async function startProcess(
  folder: string,
  data: string,
  options: ServerFolder['options'],
  autovacuum: boolean,
): Promise<{ server: ChildProcess; port: number }> {
  for (;;) {
    const port = await freePort();
    const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`];
    const speed = [
      'fsync=off',
      'synchronous_commit=off',
      'full_page_writes=off',
      'max_connections=200',
      `autovacuum=${autovacuum ? 'on' : 'off'}`,
      'jit=off',
      'deadlock_timeout=50ms',
    ];
    const server = spawn(
      program('postgres'),
      ['-D', data, ...[...settings, ...speed].flatMap((setting) => ['-c', setting])],
      { ...options, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    let log = '';
    const started = await new Promise<boolean>((resolve, reject) => {
      server.stderr.setEncoding('utf8').on('data', (text: string) => {
        log = (log + text).slice(-10_000);
        if (log.includes('database system is ready to accept connections')) resolve(true);
      });
      server.once('error', reject);
      server.once('close', (code) => {
        if (log.includes('Address already in use')) resolve(false);
        else reject(new Error(`PostgreSQL ended with ${code} while starting:\n${log}`));
      });
    });
    if (started) return { server, port };
  }
}

/** Path of a server program. Debian keeps them off the PATH. */
export function program(name: string): string {
  const initdb = findEngine('postgresql');
  if (initdb === null) throw new Error('PostgreSQL is not installed: apt-get install postgresql');
  return join(dirname(realpathSync(initdb)), name);
}

/** Arguments of `initdb`: trust local connections, and sort by language, like most servers. */
export function initialize(data: string): readonly string[] {
  const sorting = ['--locale-provider=icu', '--icu-locale=en-US'];
  return ['-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--no-sync', ...sorting];
}

export interface ServerFolder {
  readonly folder: string;
  /** Environment for programs that run in it. */
  readonly options: { cwd: string; env: NodeJS.ProcessEnv; uid?: number; gid?: number };
  /** Runs a PostgreSQL program to completion. */
  readonly run: (name: string, args: readonly string[]) => Promise<void>;
  /** Removes the folder. Retries, because a program that was just stopped may still write to it. */
  readonly remove: () => void;
}

/** A folder for servers, which refuse to run as root and then run as Debian's user `postgres`. */
export function serverFolder(): ServerFolder {
  const owner = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : null;
  const parent = owner === null || isOpen(tmpdir()) ? tmpdir() : '/tmp';
  const folder = mkdtempSync(join(parent, 'embedded-sessions-pg-'));
  if (owner !== null) chownSync(folder, owner.uid, owner.gid);
  const options = { ...owner, cwd: folder, env: { ...process.env, LC_ALL: 'C' } };
  return {
    folder,
    options,
    run: async (name, args) => {
      await promisify(execFile)(program(name), args, options);
    },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }),
  };
}

/** Whether every user may enter the folder; root's TMPDIR may be closed to others. */
function isOpen(folder: string): boolean {
  const above = dirname(folder);
  return (statSync(folder).mode & 0o001) !== 0 && (above === folder || isOpen(above));
}

/** Runs one query. `connectMs` limits the wait for a connection; 0 means no limit. */
export async function ask(
  connectionString: string,
  sql: string,
  connectMs = 0,
): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString, connectionTimeoutMillis: connectMs });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql);
    return rows;
  } finally {
    await client.end();
  }
}

const nameOf = (database: string): string => new URL(database).pathname.slice(1);

let databases = 0;

async function createDatabase(server: string, like?: string): Promise<string> {
  const name = `test_${process.pid}_${Date.now().toString(36)}_${++databases}`;
  // Without the write-ahead log, a copy takes a quarter of the processor time.
  const template = like === undefined ? '' : ` TEMPLATE ${nameOf(like)} STRATEGY FILE_COPY`;
  await ask(server, `CREATE DATABASE ${name}${template}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

function idOf(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
}
