import { sql, type Kysely } from 'kysely';
import { ServiceError } from '../domain/error.js';
import type { Connection } from './connect.js';
import { MIGRATIONS } from './migrations/index.js';
import { retrying } from './retry.js';

/**
 * Brings the schema up to date and resolves how many migrations that took. The row of `schema_version` is the
 * lock: it is written first, so processes that start together take turns.
 */
export async function migrate(connection: Connection): Promise<number> {
  const migration = <T>(work: (tx: Kysely<unknown>) => Promise<T>): Promise<T> =>
    retrying(() =>
      connection.transaction((tx) => work(tx as unknown as Kysely<unknown>), { mode: 'migration' }),
    );
  await migration(prepareVersionRow);
  return migration(async (tx) => {
    const version = await lockVersion(tx);
    if (version > MIGRATIONS.length)
      throw new ServiceError(
        'schema_too_new',
        `The database is at schema version ${version}, this release knows ${MIGRATIONS.length}: run a newer release.`,
      );
    const missing = MIGRATIONS.slice(version);
    for (const migration of missing) await migration(tx);
    await sql`update schema_version set version = ${MIGRATIONS.length} where id = 1`.execute(tx);
    return missing.length;
  });
}

async function prepareVersionRow(db: Kysely<unknown>): Promise<void> {
  await sql`create table if not exists schema_version (id integer primary key, version integer not null)`.execute(
    db,
  );
  await sql`insert into schema_version (id, version) values (1, 0) on conflict do nothing`.execute(db);
}

async function lockVersion(tx: Kysely<unknown>): Promise<number> {
  await sql`update schema_version set version = version where id = 1`.execute(tx);
  const { rows } = await sql<{ version: number }>`select version from schema_version where id = 1`.execute(
    tx,
  );
  return rows[0]?.version ?? 0;
}
