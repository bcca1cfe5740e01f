import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { sql } from 'kysely';
import { hurry } from '../../test/hurry.js';
import type { ServiceError } from '../core/error.js';
import { openDatabase } from './open.js';
import { sqlStore } from './sql-store.js';

it('R-50 reports why a database cannot be opened, without its password', async () => {
  const reachable = [
    'postgres://app:hunter2@127.0.0.1:1/pay',
    'postgres://app:hunt:er@2@127.0.0.1:1,127.0.0.1:2/pay',
    'postgres:///pay?host=127.0.0.1&port=1&user=app&password=hunter2',
  ];
  const invalid = [
    'postgres://app:hunter2/pay',
    'postgres://app:hunt[er2/pay',
    'postgres://app@work:hunter2/pay',
  ];
  hurry();
  const messages = await Promise.all([...reachable, ...invalid].map(failure));
  for (const [index, message] of messages.entries()) {
    expect(message).toContain('The PostgreSQL database cannot be opened: ');
    expect(message).not.toContain('hunt');
    if (index < reachable.length) expect(message).toContain('ECONNREFUSED');
  }
});

it.each([
  'postgres://app@[::1/pay',
  'postgres://app@one,two:99999/pay',
  'postgres://one/pay?sslrootcert=/none',
])('reports the invalid address %s without trying again', async (database) => {
  const started = performance.now();
  expect(await failure(database)).toMatch(/cannot be opened: (Invalid URL|ENOENT)/);
  expect(performance.now() - started).toBeLessThan(5_000);
});

async function failure(database: string): Promise<string> {
  const error = await openDatabase(database).then(() => undefined, String);
  expect(error).toBeDefined();
  return error!;
}

it('R-2 creates database files that only their owner can read', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-own-'));
  const { connection } = await openDatabase(join(folder, 'service.db'));
  const modes = readdirSync(folder).map((name) => (statSync(join(folder, name)).mode & 0o777).toString(8));
  await connection.close();
  rmSync(folder, { recursive: true });
  expect(modes).toEqual(modes.map(() => '600'));
  expect(modes.length).toBeGreaterThan(1);
});

const HOLDS = `
  const database = new (require('node:sqlite').DatabaseSync)(process.argv[1]);
  database.exec('pragma locking_mode = exclusive; pragma journal_mode = wal; create table held (id); begin exclusive; insert into held values (1)');
  process.stdin.once('data', () => { database.exec('commit'); process.exit(); });
  console.log('held');`;

it('R-61 waits for a process that holds an embedded database exclusively, as in log recovery', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-open-'));
  const file = join(folder, 'service.db');
  const other = spawn(process.execPath, ['-e', HOLDS, file], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(other.stdout, 'data');
  await import('../platform/databases/sqlite.js');
  const opening = openDatabase(file);
  await Promise.race([opening.catch(() => undefined), new Promise((resolve) => setTimeout(resolve, 50))]);
  other.stdin.end('end');
  const { connection, migrations } = await opening;
  expect(migrations).toBeGreaterThan(0);
  await connection.close();
  rmSync(folder, { recursive: true });
});

it('reports the system error if a file cannot be opened or written', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-why-'));
  mkdirSync(join(folder, 'folder'));
  writeFileSync(join(folder, 'text'), 'This is no database, and longer than the head of one. '.repeat(20));
  const why = async (file: string): Promise<string> =>
    openDatabase(join(folder, file)).then(
      () => 'opened',
      (error: Error) => error.message,
    );
  expect(await why('folder')).toMatch(/folder cannot be opened: unable to open database file/);
  expect(await why('none/x.db')).toMatch(/x\.db cannot be opened: ENOENT: /);
  expect(await why('text')).toMatch(/text cannot be opened: file is not a database/);
  rmSync(folder, { recursive: true });
});

describe('R-61 an open file is unavailable', () => {
  const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-lost-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('if it becomes read-only', async () => {
    const { connection } = await openDatabase(join(folder, 'read-only.db'));
    // Like a disk that was remounted read-only after an error.
    await connection.transaction((tx) => sql`pragma query_only = on`.execute(tx), { mode: 'read' });
    const store = sqlStore(connection);
    await expect(store.transaction((tx) => tx.meta.probe())).rejects.toMatchObject({ code: 'unavailable' });
    expect(await store.read((tx) => tx.meta.get('environment'))).toBeNull();
    await connection.close();
  });

  it.each([
    ['it was removed', '', (file: string) => rmSync(file)],
    ['its log was removed', '-wal', (file: string) => rmSync(file)],
    ['another was put in its place', '', (file: string) => renameSync(`${file}.other`, file)],
  ])('if %s, so no lost write is acknowledged', async (what, end, happen) => {
    const file = join(folder, `${what}.db`);
    writeFileSync(`${file}.other`, '');
    const { connection } = await openDatabase(file);
    const store = sqlStore(connection);
    // Files are checked every second.
    hurry();
    const written = (): Promise<unknown> =>
      store
        .transaction((tx) => tx.meta.probe())
        .then(
          () => 'written',
          ({ code, cause }: ServiceError) => [code, String(cause)],
        );
    expect(await written()).toBe('written');
    happen(file + end);
    await expect.poll(written).toEqual(['unavailable', expect.stringMatching(/was removed or replaced/)]);
    await connection.close();
  });

  it('if it is no longer a database', async () => {
    const file = join(folder, 'damaged.db');
    const first = await openDatabase(file);
    await sqlStore(first.connection).transaction((tx) => tx.meta.set('environment', 'staging'));
    await first.connection.transaction((tx) => sql`select 1`.execute(tx), { mode: 'read' });
    await first.connection.close();
    const { connection } = await openDatabase(file);
    const store = sqlStore(connection);
    for (const name of [file, `${file}-wal`])
      if (statSync(name).size > 200) writeFileSync(name, readFileSync(name).fill(7, 100), { flag: 'r+' });
    await expect(store.read((tx) => tx.meta.get('environment'))).rejects.toMatchObject({
      code: 'unavailable',
    });
    await connection.close();
  });
});
