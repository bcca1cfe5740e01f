/** The database that a command works on. */
import type { Store } from '../../domain/store.js';
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

export async function withStore<T>(database: string, work: (store: Store) => Promise<T>): Promise<T> {
  const { connection } = await openDatabase(database);
  try {
    return await work(sqlStore(connection));
  } finally {
    await connection.close();
  }
}
