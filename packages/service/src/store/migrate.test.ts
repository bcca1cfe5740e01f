import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, hasPostgres, sharedPostgres, type Postgres } from '../../test/postgres.js';
import { connect } from '../platform/databases/connect.js';
import { migrate } from './migrate.js';
import { openDatabase } from './open.js';

describe.runIf(hasPostgres)('migrations on PostgreSQL', () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await sharedPostgres();
  });
  afterAll(() => postgres.stop());

  it('need no schema privileges if nothing is pending', async () => {
    const database = await postgres.database();
    const { connection } = await openDatabase(database);
    await connection.close();
    await ask(
      database,
      `create role migrating login; grant select on all tables in schema public to migrating`,
    );
    const asReader = new URL(database);
    asReader.username = 'migrating';
    const opened = await openDatabase(asReader.href);
    expect(opened.migrations).toBe(0);
    await opened.connection.close();
    await ask(database, 'drop owned by migrating; drop role migrating');
  });

  it('refuse to begin in a database that cannot store every name', { tags: ['thorough'] }, async () => {
    const server = await postgres.database();
    const name = `latin_${process.pid}`;
    await ask(server, `create database ${name} encoding 'LATIN1' locale 'C' template template0`);
    const latin = new URL(server);
    latin.pathname = `/${name}`;
    await expect(openDatabase(latin.href)).rejects.toThrow(/encoding LATIN1/);
    expect(await ask(latin.href, `select 1 from pg_tables where schemaname = 'public'`)).toEqual([]);
    await ask(server, `drop database ${name} with (force)`);
  });

  it(
    'wait for another process to migrate, even beyond the statement timeout',
    { tags: ['thorough'] },
    async () => {
      const database = await postgres.database();
      const first = await connect(database, { statementTimeoutMs: 200 });
      await migrate(first);
      await ask(database, 'update schema_version set version = version - 1 where id = 2');
      let locked = (): void => undefined;
      const isLocked = new Promise<void>((resolve) => (locked = resolve));
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      const version = await newest(database);
      const holding = first.transaction(
        async (tx) => {
          await sql`update schema_version set version = case id when 2 then ${version + 1} else version end`.execute(
            tx,
          );
          locked();
          await held;
        },
        { mode: 'migration' },
      );
      await isLocked;
      const second = await connect(database, { statementTimeoutMs: 200 });
      const migrating = migrate(second);
      const waits = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and now() - query_start > interval '1.5 s'`;
      await expect.poll(async () => (await ask(database, waits)).length).toBe(1);
      release();
      await holding;
      expect(await migrating).toBe(0);
      await Promise.all([first.close(), second.close()]);
    },
  );
});

async function newest(database: string): Promise<number> {
  const [row] = await ask(database, 'select version from schema_version where id = 2');
  return Number(row?.['version']);
}
