import Libsql from 'libsql';
import { CompiledQuery, Kysely, PostgresDialect, SqliteDialect, SqliteDriver } from 'kysely';
import type { DatabaseConnection, Driver, SqliteDatabase, SqliteStatement } from 'kysely';
import type { Tables } from './tables.js';

export type Engine = 'libsql' | 'postgres';

export interface Connection {
  readonly engine: Engine;
  readonly db: Kysely<Tables>;
  close(): Promise<void>;
}

/** A waiting writer blocks the event loop, so it waits briefly here and longer in the store's retry. */
const BUSY_TIMEOUT_MS = 5;
const POOL_SIZE = 10;
const STATEMENT_TIMEOUT_MS = 15_000;

/** Opens `FILE`, `:memory:` or `postgres://…`; nothing is read or written yet. */
export async function connect(database: string): Promise<Connection> {
  return /^postgres(ql)?:\/\//.test(database) ? connectPostgres(database) : connectLibsql(database);
}

function connectLibsql(file: string): Connection {
  const database = new Libsql(file);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
  database.pragma('foreign_keys = ON');
  const db = new Kysely<Tables>({ dialect: new LibsqlDialect({ database: cached(database) }) });
  return { engine: 'libsql', db, close: () => db.destroy() };
}

/** Loads the driver only where it is used: a start on a file does without. */
async function connectPostgres(connectionString: string): Promise<Connection> {
  const { Pool, TypeOverrides, types: pgTypes } = await import('pg');
  // Every bigint here is an instant or cents, both within the safe integers.
  const types = new TypeOverrides();
  types.setTypeParser(pgTypes.builtins.INT8, Number);
  const pool = new Pool({
    connectionString,
    max: POOL_SIZE,
    connectionTimeoutMillis: STATEMENT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    application_name: 'embedded-sessions',
    types,
  });
  // A connection that breaks is replaced by the pool; unheard, its event would end the process. The pool hears those
  // of idle connections alone, and a transaction in one that breaks is told by its query.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  return { engine: 'postgres', db, close: () => db.destroy() };
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
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
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
