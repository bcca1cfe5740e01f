/** Upgrades while processes of the previous release run. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql, type Kysely } from 'kysely';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { withSchema } from '../../test/engines.js';
import { ask, hasPostgres, sharedPostgres, type Postgres } from '../../test/postgres.js';
import { connect } from '../platform/databases/connect.js';
import type { Connection } from '../platform/databases/connection.js';
import { MIGRATIONS, OLDEST_COMPATIBLE } from './migrations/index.js';
import type { Index } from './migrations/migration.js';
import { planMigration } from './plan.js';
import { migrate, buildIndex } from './migrate.js';
import { commandLine } from '../cli/command-line.js';

const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-expand-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.restoreAllMocks());

/** A database as the oldest compatible release left it. */
async function older(database: string): Promise<string> {
  const connection = await connect(database);
  await connection.transaction(
    async (tx) => {
      const db = tx as unknown as Kysely<unknown>;
      for (const migration of MIGRATIONS.slice(0, OLDEST_COMPATIBLE))
        if (typeof migration === 'function') await migration(db);
      await sql`create table schema_version (id integer primary key, version integer not null)`.execute(db);
      await sql`insert into schema_version (id, version) values (1, ${OLDEST_COMPATIBLE})`.execute(db);
    },
    { mode: 'migration' },
  );
  await connection.close();
  return database;
}

async function versions(connection: Connection): Promise<Record<number, number>> {
  const { rows } = await connection.transaction(
    (tx) => sql<{ id: number; version: number }>`select id, version from schema_version`.execute(tx),
    { mode: 'read' },
  );
  return Object.fromEntries(rows.map(({ id, version }) => [id, version]));
}

async function planned(database: string): Promise<string> {
  let output = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((part) => ((output += String(part)), true));
  await commandLine(['migrate', '--plan', '--database', database]);
  vi.restoreAllMocks();
  return output;
}

/** The last migration, which is an index: running it again repeats no other migration. */
function lastIndex(): Index {
  const last = MIGRATIONS.at(-1);
  return typeof last === 'object' ? last : expect.fail('The last migration is not an index.');
}

const newFile = () => join(folder, `${randomUUID()}.db`);

let postgres: Postgres;
let migrated: () => Promise<string>;
beforeAll(async () => {
  if (!hasPostgres) return;
  postgres = await sharedPostgres();
  migrated = withSchema(postgres);
});
afterAll(() => postgres?.stop());

const ENGINES: [name: string, empty: () => Promise<string>][] = [['SQLite', async () => newFile()]];
if (hasPostgres) ENGINES.push(['PostgreSQL', () => postgres.database()]);

describe.each(ENGINES)('on %s', (_, empty) => {
  it('R-99 keeps the version row that the previous release reads', { tags: ['thorough'] }, async () => {
    const connection = await connect(await older(await empty()));
    expect(await migrate(connection)).toBe(MIGRATIONS.length - OLDEST_COMPATIBLE);
    expect(await versions(connection)).toEqual({ 1: OLDEST_COMPATIBLE, 2: MIGRATIONS.length });
    await connection.close();
  });

  it('R-99 starts on a newer schema with additions only, and rejects one with removals', async () => {
    const connection = await connect(await empty());
    await migrate(connection);
    const newer = (id: number) =>
      connection.transaction(
        (tx) => sql`update schema_version set version = 99 where id = ${id}`.execute(tx),
        {
          mode: 'migration',
        },
      );
    await newer(2);
    expect(await migrate(connection)).toBe(0);
    expect(await versions(connection)).toEqual({ 1: OLDEST_COMPATIBLE, 2: 99 });
    await newer(1);
    await expect(migrate(connection)).rejects.toMatchObject({ code: 'schema_too_new' });
    await connection.close();
  });

  it('R-99 migrate --plan prints what would run, and runs nothing', { tags: ['thorough'] }, async () => {
    const database = await older(await empty());
    const output = await planned(database);
    expect(output).toContain('alter table attempts add column booked text');
    expect(output).toMatch(/create index .*if not exists attempts_unbooked on attempts/);
    expect(output).toContain('locks ');
    expect(await planned(database)).toBe(output);
    const connection = await connect(database);
    expect(await versions(connection)).toEqual({ 1: OLDEST_COMPATIBLE });
    await migrate(connection);
    await connection.close();
    expect(await planned(database)).toBe('The schema is up to date.\n');
  });
});

it('R-99 migrate --plan creates no database', async () => {
  await expect(commandLine(['migrate', '--plan', '--database', newFile()])).rejects.toThrow(
    /There is no database/,
  );
});

describe.runIf(hasPostgres)('on PostgreSQL', () => {
  const open = async () => connect(await older(await postgres.database()));

  it('R-99 no migration after the oldest compatible release locks a table for longer than a moment', async () => {
    const connection = await open();
    const plan = await planMigration(connection);
    const long = plan.filter(({ locks }) => !/^nothing|, for a moment$|^the rows of meta/.test(locks));
    // If this fails: add columns and tables in a `Change`, and every index as an `Index`.
    expect(long).toEqual([]);
    await connection.close();
  });

  it(
    'R-99 gives roles that write `sessions` the same privileges on new tables, and no others',
    { tags: ['thorough'] },
    async () => {
      const database = await older(await postgres.database());
      const suffix = randomUUID().slice(0, 8);
      const [role, reader, writer, owner] = ['service', 'reader', 'writer', 'owner'].map(
        (it) => `${it}_${suffix}`,
      );
      await ask(
        database,
        `create role ${role}; grant select, insert, update, delete on all tables in schema public to ${role};
      create role ${reader}; grant select on sessions to ${reader};
      create role ${writer}; grant select, insert on sessions to ${writer};
      create role ${owner}; alter table sessions owner to ${owner};
      alter default privileges in schema public grant trigger on tables to ${reader}`,
      );
      const tables = (condition = '') =>
        ask(
          database,
          `select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace ${condition}`,
        );
      const before = await tables();
      const connection = await connect(database);
      await migrate(connection);
      await connection.close();
      const added = (await tables()).length - before.length;
      expect(added).toBeGreaterThan(0);
      expect(await tables(`and not has_table_privilege('${role}', oid, 'insert')`)).toEqual([]);
      expect(await tables(`and has_table_privilege('${reader}', oid, 'select')`)).toEqual([
        { relname: 'sessions' },
      ]);
      expect(await tables(`and has_table_privilege('${writer}', oid, 'select')`)).toHaveLength(added + 1);
      const owners = `select relowner::regrole::text as owner from pg_class where relname in ('sessions', 'ledger')`;
      expect(await ask(database, owners)).toEqual([{ owner }, { owner }]);
      await ask(
        database,
        `drop owned by ${role}, ${reader}, ${writer}, ${owner} cascade; drop role ${role}, ${reader}, ${writer}, ${owner}`,
      );
    },
  );

  it(
    'R-99 grants the owner new tables that it may not own, if a member of it migrates',
    { tags: ['thorough'] },
    async () => {
      const database = await older(await postgres.database());
      const suffix = randomUUID().slice(0, 8);
      const [owner, member] = [`owner_${suffix}`, `member_${suffix}`];
      const tables = await ask(database, `select tablename from pg_tables where schemaname = 'public'`);
      await ask(
        database,
        `create role ${owner}; create role ${member} login in role ${owner};
      grant create on schema public to ${member};
      ${tables.map(({ tablename }) => `alter table ${String(tablename)} owner to ${owner}`).join(';')}`,
      );
      const address = new URL(database);
      address.username = member;
      const connection = await connect(address.href);
      expect(await migrate(connection)).toBe(MIGRATIONS.length - OLDEST_COMPATIBLE);
      await connection.close();
      const granted = `select has_table_privilege('${owner}', 'ledger', 'insert') as insert`;
      expect(await ask(database, granted)).toEqual([{ insert: true }]);
      await ask(database, `drop owned by ${owner}, ${member} cascade; drop role ${owner}, ${member}`);
    },
  );

  it(
    'R-99 blocks others only for a moment while a long transaction delays a migration',
    { tags: ['thorough'] },
    async () => {
      const database = await older(await postgres.database());
      const dump = new Client(database);
      await dump.connect();
      await dump.query('begin; select count(*) from attempts');
      const connection = await connect(database);
      const migrating = migrate(connection);
      const locked = `select 1 from pg_locks where relation = 'attempts'::regclass and not granted`;
      await expect.poll(async () => (await ask(database, locked)).length).toBe(1);
      // It would wait for the dump, behind the migration, if that did not give up its place in the queue.
      await ask(database, 'select count(*) from attempts');
      await dump.end();
      expect(await migrating).toBe(MIGRATIONS.length - OLDEST_COMPATIBLE);
      await connection.close();
    },
  );

  it(
    'R-99 builds an index while another transaction writes to its table',
    { tags: ['thorough'] },
    async () => {
      const database = await migrated();
      const connection = await connect(database);
      const writer = new Client(database);
      await writer.connect();
      const { name, table } = lastIndex();
      await ask(
        database,
        `drop index ${name}; update schema_version set version = ${MIGRATIONS.length - 1} where id = 2`,
      );
      await writer.query(
        `begin; lock table ${table} in row exclusive mode; insert into meta values ('written', '')`,
      );
      const migrating = migrate(connection);
      const building = `select 1 from pg_stat_progress_create_index`;
      await expect.poll(async () => (await ask(database, building)).length).toBe(1);
      const second = `begin; lock table ${table} in row exclusive mode; commit`;
      // An index that locks its table would wait for the first writer, and this one for the index, forever.
      await ask(database, second);
      await writer.query('commit');
      expect(await migrating).toBe(1);
      await writer.end();
      await connection.close();
    },
  );

  it.each([
    ['deadlocks', Object.assign(new Error('Verklemmung entdeckt'), { code: '40P01' })],
    ['collides in the catalog', Object.assign(new Error('tuple concurrently updated'), { code: 'XX000' })],
  ])('R-99 builds an index again if that %s with another process', async (_, error) => {
    const database = await migrated();
    const connection = await connect(database);
    const index = lastIndex();
    await ask(database, `drop index ${index.name}`);
    const statement = vi.spyOn(connection, 'statement').mockRejectedValueOnce(error);
    await buildIndex(connection, index);
    expect(statement).toHaveBeenCalledTimes(2);
    expect(await ask(database, `select 1 from pg_class where relname = '${index.name}'`)).toHaveLength(1);
    await connection.close();
  });

  it(
    'R-99 four processes that migrate together run each migration once',
    { tags: ['thorough'] },
    async () => {
      const database = await older(await postgres.database());
      const connections = await Promise.all([1, 2, 3, 4].map(() => connect(database)));
      const counts = await Promise.all(connections.map(migrate));
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(MIGRATIONS.length - OLDEST_COMPATIBLE);
      const invalid = `select 1 from pg_index where not indisvalid`;
      expect(await ask(database, invalid)).toEqual([]);
      await Promise.all(connections.map((connection) => connection.close()));
    },
  );

  it('R-99 rebuilds an index that a killed process left incomplete', async () => {
    const database = await migrated();
    const connection = await connect(database);
    await ask(
      database,
      `update pg_index set indisvalid = false where indexrelid = '${lastIndex().name}'::regclass;
       update schema_version set version = ${MIGRATIONS.length - 1} where id = 2`,
    );
    await migrate(connection);
    expect(await ask(database, `select 1 from pg_index where not indisvalid`)).toEqual([]);
    await connection.close();
  });
});
