/** A private PostgreSQL cluster for tests: started on a free port, gone with the process that started it. */
import { execFileSync, spawn } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { findEngine } from '../../../tools/engines.mjs';

export interface Postgres {
  /** Of a new, empty database. */
  database(): Promise<string>;
  stop(): Promise<void>;
}

/** Whether the tests can have one: a server is installed, or `DATABASE_URL` names one. */
export const hasPostgres: boolean =
  process.env['DATABASE_URL'] !== undefined || findEngine('postgresql') !== null;

export async function startPostgres(): Promise<Postgres> {
  const given = process.env['DATABASE_URL'];
  if (given !== undefined) return { database: () => createDatabase(given), stop: async () => {} };

  const initdb = findEngine('postgresql');
  if (initdb === null) throw new Error('PostgreSQL is not installed: apt-get install postgresql');
  // PostgreSQL refuses to run as root; Debian's package brings the user `postgres`, who may not read root's TMPDIR.
  const owner = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : null;
  const folder = mkdtempSync(join(owner === null ? tmpdir() : '/tmp', 'embedded-sessions-pg-'));
  if (owner !== null) chownSync(folder, owner.uid, owner.gid);
  const data = join(folder, 'data');
  const port = await freePort();
  const options = { ...owner, cwd: folder, env: { ...process.env, LC_ALL: 'C' } };
  execFileSync(initdb, ['-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--no-sync'], {
    ...options,
    stdio: 'ignore',
  });
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`];
  const speed = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_connections=200'];
  const server = spawn(
    join(dirname(initdb), 'postgres'),
    ['-D', data, ...[...settings, ...speed].flatMap((setting) => ['-c', setting])],
    { ...options, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const endNow = (): void => {
    server.kill('SIGQUIT');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', endNow);
  let log = '';
  await new Promise<void>((resolve, reject) => {
    server.stderr.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-10_000);
      if (log.includes('database system is ready to accept connections')) resolve();
    });
    server.once('error', reject);
    server.once('exit', (code) => reject(new Error(`PostgreSQL ended with ${code} while starting:\n${log}`)));
  });

  return {
    database: () => createDatabase(`postgres://postgres@127.0.0.1:${port}/postgres`),
    stop: async () => {
      process.off('exit', endNow);
      if (server.exitCode === null) {
        const ended = new Promise((resolve) => server.once('exit', resolve));
        server.kill('SIGQUIT');
        await ended;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

let databases = 0;

async function createDatabase(server: string): Promise<string> {
  const name = `test_${process.pid}_${Date.now().toString(36)}_${++databases}`;
  const client = new Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${name}`);
  } finally {
    await client.end();
  }
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

function idOf(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no TCP address');
  return address.port;
}
