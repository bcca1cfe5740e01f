import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql, type Transaction } from 'kysely';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { StoreTx } from '../core/store.js';
import { prepared } from '../platform/databases/prepared.js';
import type { Tables } from '../platform/databases/tables.js';
import { openDatabase } from './open.js';
import { sqlStore } from './sql-store.js';

const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-shared-'));
afterAll(() => rmSync(folder, { recursive: true }));

/**
 * Opens the file, writes a row, checkpoints and closes, like successive commands, until stdin ends. Prints what it
 * committed. Like commands, they leave the file free in between; otherwise the service waits for the lock most of the time.
 */
const COMMANDS = `
  const { DatabaseSync } = require('node:sqlite');
  let stopped = false;
  process.stdin.on('end', () => (stopped = true)).resume();
  const command = (number) => {
    const database = new DatabaseSync(process.argv[1], { timeout: 5000 });
    database.prepare('insert into meta (name, value) values (?, ?)').run('command ' + number, '');
    console.log('command ' + number);
    database.exec('pragma wal_checkpoint(restart)');
    database.close();
    if (!stopped) setTimeout(command, 2, number + 1);
  };
  command(1);`;

it(
  'D-9 keeps every commit of two processes that write and checkpoint the same file',
  { tags: ['thorough'], timeout: 60_000 },
  async () => {
    const file = join(folder, 'service.db');
    const { connection } = await openDatabase(file);
    const store = sqlStore(connection);
    const other = spawn(process.execPath, ['-e', COMMANDS, file], { stdio: ['pipe', 'pipe', 'inherit'] });
    let printed = '';
    other.stdout.setEncoding('utf8').on('data', (part: string) => (printed += part));
    const closed = once(other, 'close');
    const commands = (): string[] => printed.trimEnd().split('\n');

    // The service checkpoints each 36 MiB of log.
    const committed: string[] = [];
    for (let number = 1; number <= 1_100 || (commands().length < 10 && other.exitCode === null); number++) {
      await store.transaction((tx) => tx.meta.set(`service ${number}` as 'probed', 'x'.repeat(50_000)));
      committed.push(`service ${number}`);
    }
    other.stdin.end();
    expect(await closed).toEqual([0, null]);
    committed.push(...commands());
    await connection.close();

    const database = new DatabaseSync(file);
    expect(database.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    const found = new Set(
      database
        .prepare('select name from meta')
        .all()
        .map(({ name }) => name),
    );
    database.close();
    expect(committed.filter((name) => !found.has(name))).toEqual([]);
  },
);

it('R-61 says that the database is busy if another program holds its lock', async () => {
  const file = join(folder, 'busy.db');
  const store = sqlStore((await openDatabase(file)).connection);
  const other = new DatabaseSync(file);
  other.exec('begin immediate');
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const waiting = store.transaction((tx) => tx.meta.set('probed', '1'));
    setTimeout(() => vi.advanceTimersByTime(12_001), 50);
    await expect(waiting).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('The database is too busy') as string,
      retryAfter: 2,
    });
  } finally {
    vi.useRealTimers();
    other.close();
    await store.close();
  }
});

describe('D-9 what `meta` contains is read again', () => {
  it('after this or another process has written it', async () => {
    const file = join(folder, 'meta.db');
    const [one, other] = [await storeOn(file), await storeOn(file)];
    await one.transaction((tx) => tx.meta.set('clock-offset', '1'));
    expect(await other.read(offset)).toBe('1');
    expect(await one.read(offset)).toBe('1');

    await other.transaction((tx) => tx.meta.set('clock-offset', '2'));
    for (const store of [one, other]) expect(await store.read(offset)).toBe('2');
    await other.transaction((tx) => tx.meta.clear());
    for (const store of [one, other]) expect(await store.read(offset)).toBeNull();
    await Promise.all([one.close(), other.close()]);
  });

  it.each([1, 3])('after a failure in a transaction of %i members', async (members) => {
    const store = await storeOn(join(folder, `failed-${members}.db`));
    await store.transaction((tx) => tx.meta.set('clock-offset', '1'));
    const fails = store.transaction(async (tx) => {
      await tx.meta.set('clock-offset', '2');
      expect(await offset(tx)).toBe('2');
      throw new Error('failed');
    });
    const others = Array.from({ length: members - 1 }, () => store.transaction(offset));
    await expect(fails).rejects.toThrow('failed');
    expect(await Promise.all(others)).toEqual(others.map(() => '1'));
    expect(await store.read(offset)).toBe('1');
    await store.close();
  });

  const offset = (tx: StoreTx) => tx.meta.get('clock-offset');
  const storeOn = async (file: string) => sqlStore((await openDatabase(file)).connection);
});

it('D-9 runs on an SQLite without the WAL-reset bug, which 3.51.3 fixed', () => {
  const [major = 0, minor = 0, patch = 0] = (process.versions.sqlite ?? '').split('.').map(Number);
  expect(major * 1e6 + minor * 1e3 + patch).toBeGreaterThanOrEqual(3_051_003);
});

describe('R-99 reads a row with the columns that its table has by now', () => {
  const find = prepared(() => sql`select * from changing`);
  const CHANGE = ['alter table changing drop column one', 'alter table changing add column three text'];

  it.each(['this', 'another'] as const)('when %s process has changed them', async (whose) => {
    const file = join(folder, `changed-by-${whose}.db`);
    const { connection } = await openDatabase(file);
    const other = new DatabaseSync(file);
    other.exec(`create table changing (one text, two text);
      insert into changing values ('1', '2')`);
    const read = () => connection.transaction((tx) => find(tx), { mode: 'read' });

    expect(await read()).toEqual([{ one: '1', two: '2' }]);
    if (whose === 'another') for (const change of CHANGE) other.exec(change);
    else
      await connection.transaction(
        async (tx) => {
          for (const change of CHANGE) await sql.raw(change).execute(tx);
        },
        { mode: 'migration' },
      );
    expect(await read()).toEqual([{ two: '2', three: null }]);

    other.close();
    await connection.close();
  });

  it('when this process has changed them and failed', async () => {
    const { connection } = await openDatabase(join(folder, 'changed-back.db'));
    const migrate = (work: (tx: Transaction<Tables>) => Promise<unknown>) =>
      connection.transaction(work, { mode: 'migration' });
    await migrate((tx) => sql`create table changing (one text, two text)`.execute(tx));
    await migrate((tx) => sql`insert into changing values ('1', '2')`.execute(tx));
    const failed = migrate(async (tx) => {
      for (const change of CHANGE) await sql.raw(change).execute(tx);
      expect(await find(tx)).toEqual([{ two: '2', three: null }]);
      throw new Error('failed');
    });
    await expect(failed).rejects.toThrow('failed');
    expect(await connection.transaction((tx) => find(tx), { mode: 'read' })).toEqual([
      { one: '1', two: '2' },
    ]);
    await connection.close();
  });
});
