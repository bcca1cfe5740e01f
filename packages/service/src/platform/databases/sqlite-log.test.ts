import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { connectSqlite } from './sqlite.js';

const MIB = 1024 * 1024;

function open() {
  const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-log-'));
  const file = join(folder, 'service.db');
  const connection = connectSqlite(file, {});
  onTestFinished(async () => {
    await connection.close();
    rmSync(folder, { recursive: true });
  });
  const run = (query: string) =>
    connection.transaction((tx) => sql.raw(query).execute(tx), { mode: 'write' });
  return { file, run };
}

it.runIf(existsSync('/proc/self/io'))('R-91 reads many long rows again without the file', async () => {
  const { run } = open();
  await run('create table large (id integer primary key, value blob)');
  await run(`insert into large with recursive n (i) as (select 1 union all select i + 1 from n where i < 4000)
    select i, zeroblob(3500) from n`);
  const bytesRead = () => Number(/^rchar: (\d+)/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
  const readAll = () => run('select sum(length(hex(value))) from large');
  await readAll();
  const before = bytesRead();
  await readAll();
  expect(bytesRead() - before).toBeLessThan(4 * MIB);
});

it('R-91 keeps the log small however large the commits are', async () => {
  const { file, run } = open();
  await run('create table large (value blob)');

  for (let count = 0; count < 100; count++) await run(`insert into large values (zeroblob(${MIB}))`);
  const size = async () => {
    await run(`insert into large values (zeroblob(${MIB}))`);
    return statSync(`${file}-wal`).size;
  };
  await expect.poll(size).toBeLessThan(40 * MIB);
});
