import { reasonOf, quotable } from '../core/quotable.js';
import { ServiceError } from '../core/error.js';
import { connect, isPostgres } from '../platform/databases/connect.js';
import type { Connection, DatabaseOptions } from '../platform/databases/connection.js';
import { migrate, schemaVersion } from './migrate.js';
import { MIGRATIONS } from './migrations/index.js';
import { retrying } from '../platform/databases/retry.js';

/** The first in-memory database, migrated. Later ones start as a copy, which is faster for tests. */
let migrated: Uint8Array | undefined;

/**
 * Opens a database and brings its schema up to date.
 * @param mayCreate refuses a database without tables of the service if false, because the address may be wrong
 * @param mayMigrate refuses the schema of an older release if false
 * @throws ServiceError `database_unavailable` or `schema_too_new`, without a password
 */
export async function openDatabase(
  database: string,
  options?: DatabaseOptions,
  { mayCreate = true, mayMigrate = true }: { mayCreate?: boolean; mayMigrate?: boolean } = {},
): Promise<{ connection: Connection; migrations: number }> {
  let connection: Connection | undefined;
  try {
    // A stopping process locks an embedded database while it checkpoints.
    connection = await retrying(() =>
      connect(database, migrated && database === ':memory:' ? { ...options, content: migrated } : options),
    );
    if (!mayCreate || !mayMigrate) refuseSchema(await schemaVersion(connection), { mayCreate, mayMigrate });
    const migrations = await migrate(connection);
    migrated ??= connection.content?.();
    return { connection, migrations };
  } catch (cause) {
    await connection?.close();
    throw cannotOpen(database, cause);
  }
}

/** Why a database cannot be opened, without a password: `database_unavailable`, or `cause` if it says so itself. */
export function cannotOpen(database: string, cause: unknown): ServiceError {
  if (cause instanceof ServiceError && cause.code !== 'unavailable') return cause;

  const why = cause instanceof ServiceError ? cause.cause : cause;
  // Doesn't quote an address, because it may contain a password.
  const reason = isPostgres(database) ? (why as Error).message : reasonOf(why, database);
  const name = isPostgres(database) ? 'PostgreSQL database' : `database ${quotable(database, 'file')}`;
  return new ServiceError('database_unavailable', `The ${name} cannot be opened: ${reason}`, { cause });
}

function refuseSchema(
  version: number,
  { mayCreate, mayMigrate }: Record<'mayCreate' | 'mayMigrate', boolean>,
): void {
  if (!mayCreate && version === 0)
    throw new ServiceError(
      'database_unavailable',
      'That database has no tables of the service: check --database or EMBEDDED_SESSIONS_DATABASE.',
    );
  if (!mayMigrate && version > 0 && version < MIGRATIONS.length)
    throw new ServiceError(
      'database_unavailable',
      'That database has the schema of an older release: run "embedded-sessions migrate" first, or the command line of that release.',
    );
}
