/** The embedded engine: one connection to a file, for one transaction at a time. */
import { accessSync, closeSync, constants, existsSync, openSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { SqliteAdapter, SqliteQueryCompiler, type LimitNode, type Transaction } from 'kysely';
import { unavailable } from '../../core/error.js';
import { type Connection, type DatabaseOptions, type TransactionOptions, kyselyOn } from './connection.js';
import { SqliteTransactions } from './sqlite-transactions.js';
import type { Tables } from './tables.js';
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
export function connectSqlite(file: string, options: DatabaseOptions): Connection {
  try {
    return new SqliteConnection(file, options);
  } catch (error) {
    throw nameSqliteError(error);
  }
}

class SqliteConnection implements Connection {
  readonly engine = 'sqlite';
  readonly #database: DatabaseSync;
  readonly #tx: Transaction<Tables>;
  readonly #queue: TransactionQueue;
  readonly #durability: WalDurability | null;
  readonly content?: () => Uint8Array;

  constructor(file: string, { content, onCheckpointFailed }: DatabaseOptions) {
    const inMemory = file === ':memory:';
    if (!inMemory) createOrCheck(file);
    this.#database = openFile(file);
    if (content !== undefined) this.#database.deserialize(content);
    // Available since Node 24.16.
    if (inMemory && 'serialize' in this.#database) this.content = () => this.#database.serialize();
    this.#durability = inMemory
      ? null
      : new WalDurability(file, (work) => this.#queue.run('exclusive', work), onCheckpointFailed);
    const transactions = new SqliteTransactions(this.#database, this.#durability);
    this.#tx = sqliteOn(transactions);
    this.#queue = new TransactionQueue(transactions);
  }

  async transaction<T>(
    work: (tx: Transaction<Tables>) => Promise<T>,
    { mode }: TransactionOptions,
  ): Promise<T> {
    try {
      return await this.#queue.run(mode, () => work(this.#tx));
    } catch (error) {
      nameSqliteError(error);
      throw isDiskError(error) ? unavailable(error) : error;
    } finally {
      // Even an error may reveal data that the transaction read.
      await this.#durability?.durable();
    }
  }

  async close(): Promise<void> {
    await this.#durability?.close();
    await this.#queue.run('exclusive', async () => {
      if (this.#database.isOpen) this.#database.close();
    });
  }
}

/** @throws with the system's message, because SQLite has only a number */
function createOrCheck(file: string): void {
  // Don't open an existing file: closing it would release the locks of this process's other connections.
  if (!existsSync(file)) closeSync(openSync(file, 'a', OWNER_ONLY));
  else if (statSync(file).isDirectory()) throw new Error('it is a folder');
  else accessSync(file, constants.R_OK | constants.W_OK);
}

function openFile(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true });
  try {
    database.exec('pragma journal_mode = WAL');
    database.exec('pragma synchronous = NORMAL');
    database.exec('pragma wal_autocheckpoint = 0');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Names of the SQLite result codes that we handle, from https://sqlite.org/rescode.html. */
const CODES: Readonly<Record<number, string>> = {
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  19: 'SQLITE_CONSTRAINT',
  26: 'SQLITE_NOTADB',
  517: 'SQLITE_BUSY_SNAPSHOT',
  1555: 'SQLITE_CONSTRAINT_PRIMARYKEY',
  2067: 'SQLITE_CONSTRAINT_UNIQUE',
};

/** The low byte of an extended result code is its primary code. */
const PRIMARY = 0xff;

/** Replaces the `code` of a `node:sqlite` error, which is always `ERR_SQLITE_ERROR`, with the result code's name. */
export function nameSqliteError(error: unknown): unknown {
  if (error instanceof Error && 'errcode' in error && typeof error.errcode === 'number')
    Object.assign(error, { code: CODES[error.errcode] ?? CODES[error.errcode & PRIMARY] ?? 'SQLITE_ERROR' });
  return error;
}

/** The disk is full or failing, or remounted read-only after a failure. */
export function isDiskError(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|CORRUPT|NOTADB)$/.test(String(error.code))
  );
}
