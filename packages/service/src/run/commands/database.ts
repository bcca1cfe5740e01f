/** The database that a command works on. */
import { existsSync } from 'node:fs';
import { ServiceError } from '../../domain/error.js';
import type { Store } from '../../domain/store.js';
import { isPostgres } from '../../storage/connect.js';
import { openDatabase } from '../../storage/open.js';
import { sqlStore } from '../../storage/sql-store.js';
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
export async function withStore<T>(
  database: string,
  work: (store: Store) => Promise<T>,
  { mayCreate = false }: { mayCreate?: boolean } = {},
): Promise<T> {
  if (!mayCreate && !isPostgres(database) && !existsSync(database))
    throw new ServiceError('database_unavailable', `There is no database ${database}.`);
  const { connection } = await openDatabase(database);
  try {
    return await work(sqlStore(connection));
  } finally {
    await connection.close();
  }
}
