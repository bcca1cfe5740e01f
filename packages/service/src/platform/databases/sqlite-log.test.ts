import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { connectSqlite } from './sqlite.js';

const MIB = 1024 * 1024;

it('R-91 keeps the log small however large the commits are', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-log-'));
  const file = join(folder, 'service.db');
  const connection = connectSqlite(file, {});
  onTestFinished(async () => {
    await connection.close();
    rmSync(folder, { recursive: true });
  });
  const run = (query: string) =>
    connection.transaction((tx) => sql.raw(query).execute(tx), { mode: 'write' });
  await run('create table large (value blob)');

  for (let count = 0; count < 100; count++) await run(`insert into large values (zeroblob(${MIB}))`);
  const size = async () => {
    await run(`insert into large values (zeroblob(${MIB}))`);
    return statSync(`${file}-wal`).size;
  };
  await expect.poll(size).toBeLessThan(40 * MIB);
});
