/** The embedded engine: one connection to a file, for one transaction at a time. */
import { accessSync, closeSync, constants, existsSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { SqliteAdapter, SqliteQueryCompiler, type LimitNode } from 'kysely';
import { unavailable } from '../../core/error.js';
import { type Connection, type DatabaseOptions, kyselyOn } from './connection.js';
import { SqliteTransactions } from './sqlite-transactions.js';
import { TransactionQueue } from './transaction-queue.js';
import { WalDurability } from './wal-durability.js';

/** Waiting blocks the event loop, so wait briefly here and longer in the store's retry. */
const BUSY_TIMEOUT_MS = 5;

/** SQLite gives `-wal` and `-shm` the permissions of the database file. */
const OWNER_ONLY = 0o600;

/** Avoids a bare `LIMIT ?`: SQLite replans the statement for each value, which takes longer than most queries. */
class SqliteCompiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    super.visitLimit(node);
    this.append(' + 0');
  }
}

/** @internal exported for tests of query plans */
export const sqliteOn: ReturnType<typeof kyselyOn> = kyselyOn(new SqliteAdapter(), new SqliteCompiler());

/** @param file a path, or `:memory:`, which is never synced */
export function connectSqlite(file: string, { content, onCheckpointFailed }: DatabaseOptions): Connection {
  const inMemory = file === ':memory:';
  if (!inMemory) createOrCheck(file);
  const database = openFile(file);
  if (content !== undefined) database.deserialize(content);

  const durability = inMemory
    ? null
    : new WalDurability(file, (work) => queue.run('exclusive', work), onCheckpointFailed);
  const transactions = new SqliteTransactions(database, durability);
  const tx = sqliteOn(transactions);
  const queue = new TransactionQueue(transactions);

  return {
    engine: 'sqlite',
    // Available since Node 24.16.
    ...(inMemory && 'serialize' in database && { content: () => database.serialize() }),
    transaction: async (work, { mode }) => {
      try {
        return await queue.run(mode, () => work(tx));
      } catch (error) {
        throw isDiskError(error) ? unavailable(error) : error;
      } finally {
        // Even an error may reveal data that the transaction read.
        await durability?.durable();
      }
    },
    close: async () => {
      await durability?.close();
      await queue.run('exclusive', async () => {
        if (database.isOpen) database.close();
      });
    },
  };
}

/**
 * Doesn't open an existing file: closing it would release the locks of this process's other connections.
 * @throws with the system's message, which names the file, unlike SQLite's
 */
function createOrCheck(file: string): void {
  if (!existsSync(file)) closeSync(openSync(file, 'a', OWNER_ONLY));
  else accessSync(file, constants.R_OK | constants.W_OK);
}

/** Holds what one transaction reads, even of 25 accounts with the longest payments. */
const CACHE_KIB = 64 * 1024;

function openFile(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true });
  try {
    database.exec('pragma journal_mode = WAL');
    database.exec('pragma synchronous = NORMAL');
    database.exec('pragma wal_autocheckpoint = 0');
    database.exec(`pragma cache_size = -${CACHE_KIB}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Result codes of a disk that is full or failing, or that was remounted read-only after a failure. */
const DISK_ERRORS: ReadonlySet<number> = new Set([
  8, // SQLITE_READONLY
  10, // SQLITE_IOERR
  11, // SQLITE_CORRUPT
  13, // SQLITE_FULL
  14, // SQLITE_CANTOPEN
  26, // SQLITE_NOTADB
]);

function isDiskError(error: unknown): boolean {
  const { errcode = 0 } = error as { readonly errcode?: number };
  return DISK_ERRORS.has(errcode & 0xff);
}
