/** Brings the schema up to date while older processes use the database. */
import { setTimeout as delay } from 'node:timers/promises';
import { sql, type Kysely } from 'kysely';
import { ServiceError } from '../core/error.js';
import type { Connection, TransactionOptions } from '../platform/databases/connection.js';
import { retrying } from '../platform/databases/retry.js';
import { MIGRATIONS, OLDEST_COMPATIBLE } from './migrations/index.js';
import { createIndex, type Index } from './migrations/migration.js';

/** Timeout of a table lock, ms, because other statements on the table wait behind it. */
const LOCK_TIMEOUT_MS = 1_000;
/** A long transaction, such as a dump, may keep a table locked for minutes. */
const LOCK_TRIES = 60;
const LOCK_PAUSE_MS = 2_000;
/** lock_not_available */
const LOCKED = '55P03';

/**
 * Runs missing migrations and resolves to their number. Only reads an up-to-date schema. Processes that start
 * together take turns: each migration first writes the row of the schema version.
 *
 * @throws ServiceError `schema_too_new`, or `database_unavailable` if a table stays locked or a new database isn't in UTF-8
 */
export async function migrate(connection: Connection): Promise<number> {
  const version = await schemaVersion(connection);
  if (version >= MIGRATIONS.length) return 0;

  if (connection.engine === 'postgres' && version === 0) await run(connection, 'read', refuseEncoding);
  await run(connection, 'migration', prepareVersion);
  if (connection.engine === 'sqlite' || version === 0) return run(connection, 'migration', migrateAtOnce);

  let count = 0;
  while ((await schemaVersion(connection)) < MIGRATIONS.length) count += await migrateOne(connection);
  return count;
}

/**
 * The number of migrations that have run. Releases up to 0.3 read only the first row, which contains the oldest compatible
 * version.
 *
 * @throws ServiceError `schema_too_new` if this release doesn't work with the schema
 */
export async function schemaVersion(connection: Connection): Promise<number> {
  const { oldest, applied } = await run(connection, 'read', readVersion).catch(noVersion);
  if (oldest > MIGRATIONS.length)
    throw new ServiceError(
      'schema_too_new',
      `The database has schema version ${oldest}, but this release only knows ${MIGRATIONS.length}: run a newer release.`,
    );
  return applied;
}

/** For SQLite, which has one writer at a time, and for new databases, which have no rows to lock. */
async function migrateAtOnce(tx: Kysely<unknown>): Promise<number> {
  const version = await lockVersion(tx);
  for (const migration of MIGRATIONS.slice(version))
    await (typeof migration === 'function' ? migration(tx) : sql.raw(createIndex(migration)).execute(tx));
  await writeVersion(tx, MIGRATIONS.length);
  return Math.max(0, MIGRATIONS.length - version);
}

/** Resolves to 1, or to 0 if another process was faster. */
async function migrateOne(connection: Connection): Promise<number> {
  const version = await schemaVersion(connection);
  const next = MIGRATIONS[version];
  if (typeof next === 'object') await buildIndex(connection, next);

  return withLock(() =>
    run(connection, 'migration', async (tx) => {
      if (next === undefined || (await lockVersion(tx)) !== version) return 0;
      if (typeof next === 'function') {
        await sql.raw(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`).execute(tx);
        const known = await tableIds(tx);
        await next(tx);
        await shareNewTables(tx, known);
      }
      await writeVersion(tx, version + 1);
      return 1;
    }),
  );
}

async function tableIds(tx: Kysely<unknown>): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select oid::text as id from pg_class
    where relkind = 'r' and relnamespace = current_schema()::regnamespace`.execute(tx);
  return rows.map(({ id }) => id);
}

/**
 * New tables get the owner of `sessions` if it may create tables or a superuser migrates. Roles that write there, such as the
 * service's, get the same privileges.
 */
async function shareNewTables(tx: Kysely<unknown>, known: readonly string[]): Promise<void> {
  const added = (await tableIds(tx)).filter((id) => !known.includes(id));
  if (added.length === 0) return;

  const { rows } = await sql<{ statement: string }>`
    with sessions as (select relowner, relacl, (select rolsuper from pg_roles where rolname = current_user) as is_superuser
        from pg_class where oid = 'sessions'::regclass),
      added as (select oid::regclass as name from pg_class where oid in (${sql.join(added)})),
      granted as (select grantee, privilege_type from sessions, aclexplode(relacl) where grantee <> relowner)
    select format(
      case when has_schema_privilege(relowner, current_schema(), 'CREATE') or is_superuser then 'alter table %s owner to %s'
        else 'grant all on %s to %s' end,
      name, relowner::regrole) as statement from added, sessions
    union all
    select format('grant %s on %s to %s', string_agg(privilege_type, ', '), name,
      case grantee when 0 then 'public' else grantee::regrole::text end)
    from added, granted group by name, grantee having bool_or(privilege_type = 'INSERT')`.execute(tx);
  for (const { statement } of rows) await sql.raw(statement).execute(tx);
}

async function withLock<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if ((error as { code?: unknown }).code !== LOCKED) throw error;
      if (tries === LOCK_TRIES)
        throw new ServiceError(
          'database_unavailable',
          'The migration failed because another transaction keeps a table locked. End it and migrate again.',
          { cause: error },
        );
    }
    await delay(LOCK_PAUSE_MS);
  }
}

function run<T>(
  connection: Connection,
  mode: TransactionOptions['mode'],
  work: (tx: Kysely<unknown>) => Promise<T>,
): Promise<T> {
  return retrying(() => connection.transaction((tx) => work(tx as unknown as Kysely<unknown>), { mode }), {
    repeatable: true,
  });
}

interface Version {
  readonly oldest: number;
  readonly applied: number;
}

/** A new database lacks the table, and each engine reports that differently. Any other error will occur again. */
function noVersion(error: unknown): Version {
  if (error instanceof ServiceError) throw error;
  return { oldest: 0, applied: 0 };
}

/** Other encodings lack characters, so a request with such a name would fail. SQL_ASCII stores the bytes of UTF-8. */
async function refuseEncoding(tx: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ server_encoding: string }>`show server_encoding`.execute(tx);
  const encoding = rows[0]?.server_encoding ?? '';
  if (encoding !== 'UTF8' && encoding !== 'SQL_ASCII')
    throw new ServiceError(
      'database_unavailable',
      `The PostgreSQL database has the encoding ${encoding}: create it with the encoding UTF8.`,
    );
}

async function prepareVersion(tx: Kysely<unknown>): Promise<void> {
  await sql`create table if not exists schema_version (id integer primary key, version integer not null)`.execute(
    tx,
  );
  await sql`insert into schema_version (id, version) values (1, 0) on conflict do nothing`.execute(tx);
  await sql`insert into schema_version (id, version) select 2, version from schema_version where id = 1
    on conflict do nothing`.execute(tx);
}

async function lockVersion(tx: Kysely<unknown>): Promise<number> {
  await sql`update schema_version set version = version where id = 1`.execute(tx);
  return (await readVersion(tx)).applied;
}

async function readVersion(tx: Kysely<unknown>): Promise<Version> {
  const { rows } = await sql<{
    id: number;
    version: number;
  }>`select id, version from schema_version`.execute(tx);
  const oldest = rows.find(({ id }) => id === 1)?.version ?? 0;
  return { oldest, applied: rows.find(({ id }) => id === 2)?.version ?? oldest };
}

async function writeVersion(tx: Kysely<unknown>, applied: number): Promise<void> {
  const oldest = Math.min(applied, OLDEST_COMPATIBLE);
  await sql`update schema_version set version = ${applied} where id = 2`.execute(tx);
  await sql`update schema_version set version = ${oldest} where id = 1 and version < ${oldest}`.execute(tx);
}

/** deadlock_detected: another process builds an index on the same table. */
const DEADLOCK = '40P01';
/** Two builds collided in the catalog. PostgreSQL has no specific code for this and doesn't translate the message. */
const COLLISION = /^tuple concurrently updated/;

/**
 * Builds an index on PostgreSQL while the table is in use. Resolves once it is complete, even if another process built
 * it.
 */
export async function buildIndex(connection: Connection, index: Index): Promise<void> {
  for (;;) {
    const state = await stateOf(connection, index);
    if (state === 'valid') return;

    try {
      // Left behind by a process that ended during the build.
      if (state === 'invalid')
        await connection.statement?.(`drop index concurrently if exists ${index.name}`);
      await connection.statement?.(createIndex(index, true));
    } catch (error) {
      const { code, message } = error as Error & { readonly code?: unknown };
      if (code !== DEADLOCK && !COLLISION.test(message)) throw error;
    }
  }
}

/** Waits for a process that is building an index on the table and holds this lock. */
function stateOf(connection: Connection, { name, table }: Index): Promise<'valid' | 'invalid' | 'missing'> {
  return run(connection, 'migration', async (tx) => {
    await sql.raw(`lock table ${table} in share update exclusive mode`).execute(tx);
    const { rows } = await sql<{ isvalid: boolean }>`select indisvalid as isvalid from pg_index
      join pg_class on pg_class.oid = indexrelid
      where relname = ${name} and relnamespace = current_schema()::regnamespace`.execute(tx);
    if (rows[0] === undefined) return 'missing';
    return rows[0].isvalid ? 'valid' : 'invalid';
  });
}
