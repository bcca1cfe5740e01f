import { sql, type Kysely } from 'kysely';
import { ServiceError } from '../core/error.js';
import type { Connection, TransactionOptions } from '../platform/databases/connection.js';
import { MIGRATIONS } from './migrations/index.js';
import { retrying } from '../platform/databases/retry.js';

/**
 * Brings the schema up to date and resolves how many migrations ran. An up-to-date schema is only read. The row of
 * `schema_version` is the lock: it is written first, so processes that start together take turns.
 */
export async function migrate(connection: Connection): Promise<number> {
  const run = <T>(mode: TransactionOptions['mode'], work: (tx: Kysely<unknown>) => Promise<T>): Promise<T> =>
    retrying(() => connection.transaction((tx) => work(tx as unknown as Kysely<unknown>), { mode }), {
      repeatable: true,
    });
  const missing = (version: number): typeof MIGRATIONS => {
    if (version > MIGRATIONS.length)
      throw new ServiceError(
        'schema_too_new',
        `The database is at schema version ${version}, this release knows ${MIGRATIONS.length}: run a newer release.`,
      );
    return MIGRATIONS.slice(version);
  };
  if (missing(await currentVersion(run)).length === 0) return 0;
  await run('migration', prepareVersionRow);
  return run('migration', async (tx) => {
    const migrations = missing(await lockVersion(tx));
    for (const migration of migrations) await migration(tx);
    await sql`update schema_version set version = ${MIGRATIONS.length} where id = 1`.execute(tx);
    return migrations.length;
  });
}

async function currentVersion(
  run: <T>(mode: 'read', work: (tx: Kysely<unknown>) => Promise<T>) => Promise<T>,
): Promise<number> {
  try {
    return await run('read', readVersion);
  } catch (error) {
    // A new database lacks the table, and each engine reports that differently. Any other error will occur again.
    if (error instanceof ServiceError) throw error;
    return 0;
  }
}

async function prepareVersionRow(db: Kysely<unknown>): Promise<void> {
  await sql`create table if not exists schema_version (id integer primary key, version integer not null)`.execute(
    db,
  );
  await sql`insert into schema_version (id, version) values (1, 0) on conflict do nothing`.execute(db);
}

async function lockVersion(tx: Kysely<unknown>): Promise<number> {
  await sql`update schema_version set version = version where id = 1`.execute(tx);
  return readVersion(tx);
}

async function readVersion(tx: Kysely<unknown>): Promise<number> {
  const { rows } = await sql<{ version: number }>`select version from schema_version where id = 1`.execute(
    tx,
  );
  return rows[0]?.version ?? 0;
}
