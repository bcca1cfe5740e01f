import { ServiceError } from '../domain/error.js';
import { connect, type Connection } from './connect.js';
import { migrate } from './migrate.js';

/**
 * Opens a database and brings its schema up to date.
 * @throws ServiceError `database_unavailable` or `schema_too_new`; neither tells a password.
 */
export async function openDatabase(
  database: string,
): Promise<{ connection: Connection; migrations: number }> {
  let connection: Connection | undefined;
  try {
    connection = await connect(database);
    return { connection, migrations: await migrate(connection) };
  } catch (cause) {
    await connection?.close();
    if (cause instanceof ServiceError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ServiceError(
      'database_unavailable',
      `The database ${withoutPassword(database)} cannot be opened: ${reason}`,
      { cause },
    );
  }
}

function withoutPassword(database: string): string {
  if (!URL.canParse(database)) return database;
  const url = new URL(database);
  if (url.password !== '') url.password = '…';
  return decodeURIComponent(url.href);
}
