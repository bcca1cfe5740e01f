import Libsql from 'libsql';
import { CompiledQuery, Kysely, SqliteDialect, SqliteDriver } from 'kysely';
import type {
  DatabaseConnection,
  Driver,
  SqliteDatabase,
  SqliteStatement,
  TransactionSettings,
} from 'kysely';
import type { Connection } from './connect.js';
import type { Tables } from './tables.js';

/** A waiting writer blocks the event loop, so it waits briefly here and longer in the store's retry. */
const BUSY_TIMEOUT_MS = 5;

export function connectLibsql(file: string): Connection {
  const database = new Libsql(file);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
  database.pragma('foreign_keys = ON');
  const db = new Kysely<Tables>({ dialect: new LibsqlDialect({ database: cached(database) }) });
  return {
    engine: 'libsql',
    transaction: (work, { mode }) =>
      db
        .transaction()
        .setAccessMode(mode === 'read' ? 'read only' : 'read write')
        .execute(work),
    close: () => db.destroy(),
  };
}

class LibsqlDialect extends SqliteDialect {
  readonly #config: { database: SqliteDatabase };
  constructor(config: { database: SqliteDatabase }) {
    super(config);
    this.#config = config;
  }
  override createDriver(): Driver {
    return new ImmediateDriver(this.#config);
  }
}

/** A deferred transaction that turns to writing fails at once where another process has written meanwhile. */
class ImmediateDriver extends SqliteDriver {
  override async beginTransaction(
    connection: DatabaseConnection,
    { accessMode }: TransactionSettings = {},
  ): Promise<void> {
    await connection.executeQuery(
      CompiledQuery.raw(accessMode === 'read only' ? 'begin' : 'begin immediate'),
    );
  }
}

const MOST_STATEMENTS = 500;

/**
 * Prepares each statement once. That is not for speed alone: a `begin immediate` that found the file busy stays
 * unfinished until it is run again, and would hold later reads of this connection to an old state of the file.
 */
function cached(database: Libsql.Database): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();
  return {
    close: () => void database.close(),
    prepare: (sql) => {
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
  const check = (parameters: readonly unknown[]): unknown[] =>
    parameters.map((value) => {
      if (typeof value === 'boolean' || (typeof value === 'string' && value.includes('\0')))
        throw new TypeError('A boolean or a NUL character cannot be stored: store 0 or 1, or JSON.');
      return value;
    });
  return {
    reader: statement.reader,
    all: (parameters) => statement.all(...check(parameters)),
    run: (parameters) => statement.run(...check(parameters)),
    iterate: (parameters) => statement.iterate(...check(parameters)),
  };
}
