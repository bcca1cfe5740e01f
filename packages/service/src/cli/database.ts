import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceError } from '../core/error.js';
import type { Store, StoreTx } from '../core/store.js';
import { checkAddress, isPostgres } from '../platform/databases/connect.js';
import { openDatabase } from '../store/open.js';
import { sqlStore } from '../store/sql-store.js';
import { printed, required, usageError } from './command.js';

/** The values of a command with the option `--database`. */
export interface DatabaseValues {
  readonly database?: string | undefined;
}

/** From the option or the environment variable, which hides a password from other users of the machine. */
export function databaseAddress(values: DatabaseValues): string | undefined {
  const database = values.database ?? (process.env['EMBEDDED_SESSIONS_DATABASE'] || undefined);
  if (database !== undefined) checkAddress(database);
  return database;
}

export function requiredDatabase(values: DatabaseValues): string {
  return required(databaseAddress(values), '--database or EMBEDDED_SESSIONS_DATABASE');
}

/**
 * Opens a database that the service has already used; otherwise, a typo would create tables. Doesn't migrate it, which
 * would lock a running service's tables.
 *
 * @throws ServiceError
 */
export async function withStore<T>(
  database: string,
  work: (store: Store) => Promise<T>,
  { mayCreate = false }: { mayCreate?: boolean } = {},
): Promise<T> {
  if (!mayCreate) refuseMissingFile(database);
  const { connection } = await openDatabase(database, {}, { mayCreate, mayMigrate: false });
  try {
    return await work(sqlStore(connection));
  } finally {
    await connection.close();
  }
}

/**
 * Prints a report of one snapshot, completely or not at all. Releases the snapshot before printing, because a
 * reader that pauses would otherwise hold it open, and keep old rows in the database.
 * @throws ServiceError `database_unavailable`
 */
export async function withReport(
  database: string,
  work: (tx: StoreTx, write: (text: string) => Promise<void>) => Promise<void>,
): Promise<void> {
  // An unlinked file, because a report may exceed memory. No other user can read it, and no file remains.
  const path = join(tmpdir(), `embedded-sessions-${randomUUID()}`);
  const report = await open(path, 'ax+', 0o600).catch((cause: NodeJS.ErrnoException) => {
    throw usageError(`Cannot write to ${tmpdir()} (${cause.code}): set TMPDIR to another folder.`, cause);
  });
  try {
    await unlink(path);
    await withStore(database, (store) =>
      store.read(async (tx) => {
        // The transaction may be retried.
        await report.truncate();
        // `appendFile` writes everything; `write` may stop halfway, for example when the disk fills up.
        await work(tx, (text) => report.appendFile(text));
      }),
    );
    for await (const part of report.createReadStream({ start: 0, autoClose: false }))
      await printed(part as Buffer);
  } finally {
    await report.close();
  }
}

/** Reads all rows of a snapshot, in pages that neither overlap nor leave gaps. */
export async function* pagesOf<T>(
  limit: number,
  read: (page: { readonly after?: T; readonly limit: number }) => Promise<readonly T[]>,
): AsyncGenerator<readonly T[]> {
  for (let after: T | undefined; ;) {
    const page = await read({ ...(after !== undefined && { after }), limit });
    yield page;
    if (page.length < limit) return;
    after = page.at(-1);
  }
}

export function refuseMissingFile(database: string): void {
  if (!isPostgres(database) && !existsSync(database))
    throw new ServiceError(
      'database_unavailable',
      'There is no database at that path: check --database or EMBEDDED_SESSIONS_DATABASE.',
    );
}
