import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDatabase } from './open.js';

const ADDRESSES = [
  'postgres://app:hunter2@127.0.0.1:1/pay',
  'postgres://app:hunt:er@2@127.0.0.1:1,127.0.0.1:2/pay',
  'postgres:///pay?host=127.0.0.1&port=1&user=app&password=hunter2',
];

it('tells no password when a database cannot be opened', async () => {
  const opened = await Promise.allSettled(ADDRESSES.map((database) => openDatabase(database)));
  for (const one of opened) {
    expect(one).toMatchObject({ status: 'rejected', reason: { code: 'database_unavailable' } });
    const { message } = (one as PromiseRejectedResult).reason as Error;
    expect(message).toContain('ECONNREFUSED');
    expect(message).not.toContain('hunt');
  }
});

it('R-2 a database file that is made is its owner’s alone, and so are those beside it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-own-'));
  const { connection } = await openDatabase(join(folder, 'service.db'));
  const modes = readdirSync(folder).map((name) => (statSync(join(folder, name)).mode & 0o777).toString(8));
  await connection.close();
  rmSync(folder, { recursive: true });
  expect(modes).toEqual(modes.map(() => '600'));
  expect(modes.length).toBeGreaterThan(1);
});

const HOLDS = `
  const database = new (require('libsql'))(process.argv[1]);
  database.exec('pragma locking_mode = exclusive; pragma journal_mode = wal; create table held (id); begin exclusive; insert into held values (1)');
  process.stdin.once('data', () => { database.exec('commit'); process.exit(); });
  console.log('held');`;

it('R-61 waits for a process that has an embedded database for itself, as one that reads a long log back has', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-open-'));
  const file = join(folder, 'service.db');
  const other = spawn(process.execPath, ['-e', HOLDS, file], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(other.stdout, 'data');
  await import('./libsql.js');
  const opening = openDatabase(file);
  await Promise.race([opening.catch(() => undefined), new Promise((resolve) => setTimeout(resolve, 50))]);
  other.stdin.end('end');
  const { connection, migrations } = await opening;
  expect(migrations).toBeGreaterThan(0);
  await connection.close();
  rmSync(folder, { recursive: true });
});
