/** The embedded engine: one connection to a file, whose transactions take turns. */
import { closeSync, existsSync, openSync } from 'node:fs';
import Libsql from 'libsql';
import { Kysely, SqliteDialect } from 'kysely';
import type { SqliteDatabase, SqliteStatement, Transaction } from 'kysely';
import type { Connection } from './connect.js';
import type { Tables } from './tables.js';
import { unavailable } from '../domain/error.js';
import { walDurability } from './wal.js';

/** A waiting writer blocks the event loop, so it waits briefly here and longer in the store's retry. */
const BUSY_TIMEOUT_MS = 5;

/** A new file is its owner's alone, and so are the `-wal` and `-shm` that SQLite makes after it. */
const OWNER_ONLY = 0o600;

/** @param file a path, or `:memory:`, which is never synced */
export function connectLibsql(file: string): Connection {
  const inMemory = file === ':memory:';
  if (!inMemory && !existsSync(file)) closeSync(openSync(file, 'a', OWNER_ONLY));
  const database = new Libsql(file);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = NORMAL');
  database.pragma('wal_autocheckpoint = 0');
  database.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
  database.pragma('foreign_keys = ON');
  let reading = false;
  const statements = cached(database, () => reading);
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: statements }) });
  const inTurn = <T>(work: (tx: Transaction<Tables>) => Promise<T>): Promise<T> =>
    db.connection().execute((connection) => work(connection as Transaction<Tables>));
  const disk = inMemory ? null : walDurability(file, inTurn);

  const control = (sql: string): (() => void) => {
    const statement = database.prepare(sql);
    return () => void statement.run();
  };
  // A `begin immediate` that finds the file busy stays unfinished until it is run again, and would hold later reads of
  // this connection to an old state of the file: each is prepared once, and nothing is read before it is through.
  const [begin, immediate, commit, rollback] = [
    control('begin'),
    control('begin immediate'),
    control('commit'),
    control('rollback'),
  ];
  const readVersion = database.prepare('pragma data_version').raw(true);
  const version = (): unknown => (readVersion.get() as unknown[])[0];
  let versionSeen = version();

  return {
    engine: 'libsql',
    transaction: async (work, { mode }) => {
      try {
        return await inTurn(async (tx) => {
          reading = mode === 'read';
          if (reading) begin();
          else immediate();
          // What another process has committed may not be on the disk yet.
          const versionNow = version();
          if (versionNow !== versionSeen) disk?.committed();
          versionSeen = versionNow;
          try {
            const result = await work(tx);
            commit();
            if (!reading) disk?.committed();
            return result;
          } catch (error) {
            // A full disk has rolled back already.
            if (database.inTransaction) rollback();
            throw diskRefused(error) ? unavailable(error) : error;
          }
        });
      } finally {
        // A refusal tells of what was read, too.
        await disk?.durable();
      }
    },
    close: async () => {
      await disk?.close();
      await db.destroy();
    },
  };
}

/** No room, or an error of the disk's. */
function diskRefused(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^SQLITE_(FULL|IOERR)/.test(String(error.code));
}

const MOST_STATEMENTS = 500;
const READS = /^\s*(select|pragma)\b/i;

/** Prepares each statement once; what would write without the lock of writers is a mistake of ours. */
function cached(database: Libsql.Database, reading: () => boolean): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();
  return {
    close: () => void database.close(),
    prepare: (sql) => {
      if (reading() && !READS.test(sql))
        throw new TypeError(`This writes in a transaction that only reads: ${sql}`);
      let statement = statements.get(sql);
      if (statement === undefined) {
        if (statements.size >= MOST_STATEMENTS) statements.clear();
        statement = guarded(database.prepare(sql));
        statements.set(sql, statement);
      }
      return statement;
    },
  };
}

/** libsql ends the process on a boolean and cuts a string at NUL: both are refused before it sees them. */
function guarded(statement: Libsql.Statement): SqliteStatement {
  const check = (parameters: readonly unknown[]): readonly unknown[] => {
    for (const value of parameters)
      if (typeof value === 'boolean' || (typeof value === 'string' && value.includes('\0')))
        throw new TypeError('A boolean or a NUL character cannot be stored: store 0 or 1, or JSON.');
    return parameters;
  };
  return {
    reader: statement.reader,
    all: (parameters) => statement.all(...check(parameters)),
    run: (parameters) => statement.run(...check(parameters)),
    iterate: (parameters) => statement.iterate(...check(parameters)),
  };
}
