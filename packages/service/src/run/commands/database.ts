/** The database that a command works on. */
import { existsSync } from 'node:fs';
import { ServiceError } from '../../domain/error.js';
import type { Store, StoreTx } from '../../domain/store.js';
import { isPostgres, type Connection } from '../../storage/connect.js';
import { openDatabase } from '../../storage/open.js';
import { report, sqlStore } from '../../storage/sql-store.js';
import { required, text, type Values } from './command.js';

/** Its flag, or the environment, where no other user of the machine reads a password. */
export function givenDatabase(values: Values): string | undefined {
  return text(values['database']) ?? (process.env['EMBEDDED_SESSIONS_DATABASE'] || undefined);
}

export function requiredDatabase(values: Values): string {
  return required(givenDatabase(values), '--database or EMBEDDED_SESSIONS_DATABASE');
}

/**
 * Works on a database that is there: a file by another name would be made, and empty, and say that there is nothing.
 * @throws ServiceError `database_unavailable`
 */
export function withStore<T>(
  database: string,
  work: (store: Store) => Promise<T>,
  options: { mayCreate?: boolean } = {},
): Promise<T> {
  return withConnection(database, (connection) => work(sqlStore(connection)), options);
}

/**
 * Tells what is in a database at one moment, all of it or a beginning that is said to be one.
 * @param work calls `begin` before it tells anything: what was told is not told again
 * @throws ServiceError `database_unavailable`
 */
export function withReport(
  database: string,
  work: (tx: StoreTx, begin: () => void) => Promise<void>,
): Promise<void> {
  let hasBegun = false;
  return withConnection(database, (connection) =>
    report(connection, (tx) => {
      if (hasBegun)
        throw new ServiceError(
          'database_unavailable',
          'The database was lost on the way, and what has come is not all: run it again.',
        );
      return work(tx, () => void (hasBegun = true));
    }),
  );
}

async function withConnection<T>(
  database: string,
  work: (connection: Connection) => Promise<T>,
  { mayCreate = false }: { mayCreate?: boolean } = {},
): Promise<T> {
  if (!mayCreate && !isPostgres(database) && !existsSync(database))
    throw new ServiceError('database_unavailable', `There is no database ${database}.`);
  const { connection } = await openDatabase(database);
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}
