/** The database that a command works on. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceError } from '../core/error.js';
import type { Store, StoreTx } from '../core/store.js';
import { isPostgres, type Connection } from '../platform/databases/connect.js';
import { openDatabase } from '../store/open.js';
import { sqlStore } from '../store/sql-store.js';
import { temporaryUnwritable } from '../platform/temporary.js';
import { printed, required, text, type Values } from './command.js';

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
 * Tells what is in a database at one moment, all of it or nothing. It is told when it has been read: a reader that stands
 * still would keep the moment, and with it all that changes meanwhile, in a server's tables and a file's log.
 * @throws ServiceError `database_unavailable`
 */
export async function withReport(
  database: string,
  work: (tx: StoreTx, tell: (text: string) => Promise<void>) => Promise<void>,
): Promise<void> {
  // Without a name, so that nobody else reads it and nothing is left of it; what is told may be more than memory holds.
  const path = join(tmpdir(), `embedded-sessions-${randomUUID()}`);
  const written = <T>(writing: Promise<T>): Promise<T> =>
    writing.catch((error: unknown) => {
      throw error instanceof Error && 'syscall' in error ? temporaryUnwritable(error) : error;
    });
  const told = await written(open(path, 'ax+', 0o600));
  try {
    await unlink(path);
    await withStore(database, (store) =>
      store.read(async (tx) => {
        // It runs again where the database was lost on the way.
        await told.truncate();
        // Whole, where one write takes a part, as the last before a disk is full.
        await work(tx, (text) => written(told.appendFile(text)));
      }),
    );
    for await (const part of told.createReadStream({ start: 0, autoClose: false }))
      await printed(part as Buffer);
  } finally {
    await told.close();
  }
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
