/** The embedded engine: one connection to a file, whose transactions take turns. */
import { accessSync, closeSync, constants, existsSync, openSync, statSync } from 'node:fs';
import Libsql from 'libsql';
import { SqliteAdapter, SqliteQueryCompiler, type DatabaseConnection } from 'kysely';
import { batches } from './batches.js';
import type { Connection } from './connect.js';
import { kyselyOn, notStreamed, type Prepared, type StatementConnection } from './kysely-on.js';
import { unavailable } from '../../core/error.js';
import { walDurability } from './wal.js';

/** A waiting writer blocks the event loop, so it waits briefly here and longer in the store's retry. */
const BUSY_TIMEOUT_MS = 5;

/** A new file is its owner's alone, and so are the `-wal` and `-shm` that SQLite makes after it. */
const OWNER_ONLY = 0o600;

/** Less than anybody notices, and more than a sync of a fast disk takes: what is slower keeps them further apart itself. */
const APART_MS = 4;

/** @param file a path, or `:memory:`, which is never synced */
export function connectLibsql(file: string): Connection {
  const inMemory = file === ':memory:';
  if (!inMemory) ready(file);
  const database = opened(file);
  let reading = false;
  let closed = false;
  let written = 0;
  const writes = (sql: string): void => {
    if (reading) throw new TypeError(`This writes in a transaction that only reads: ${sql}`);
    written += 1;
  };
  const tx = sqliteOn(connectionOn(database, writes));
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
  const [savepoint, release, undo] = [
    control('savepoint one'),
    control('release one'),
    control('rollback to one'),
  ];
  const readVersion = database.prepare('pragma data_version').raw(true);
  const version = (): unknown => (readVersion.get() as unknown[])[0];
  let versionSeen = version();

  const turns = batches({
    begin: (mode) => {
      // libsql would end the process.
      if (closed) throw new Error('The database is closed.');
      reading = mode === 'read';
      if (reading) begin();
      else immediate();
      // What another process has committed may not be on the disk yet.
      const versionNow = version();
      if (versionNow !== versionSeen) disk?.committed();
      versionSeen = versionNow;
    },
    commit: () => {
      commit();
      if (!reading) disk?.committed();
    },
    rollback,
    savepoint,
    release,
    rollbackToSavepoint: () => {
      undo();
      release();
    },
    syncing: () => disk?.running() ?? null,
    apartMs: inMemory ? 0 : APART_MS,
    get isOpen() {
      return !closed && database.inTransaction;
    },
    get written() {
      return written;
    },
  });
  const disk = inMemory ? null : walDurability(file, (work) => turns.between(work));

  return {
    engine: 'libsql',
    transaction: async (work, { mode }) => {
      try {
        return await turns.transaction(mode, () => work(tx));
      } catch (error) {
        throw diskRefused(error) ? unavailable(error) : error;
      } finally {
        // A refusal tells of what was read, too.
        await disk?.durable();
      }
    },
    close: async () => {
      await disk?.close();
      await turns.between(async () => {
        closed = true;
        database.close();
      });
    },
  };
}

/** @throws in the system's words, where the engine has a number of its own. */
function ready(file: string): void {
  // Opened here it would be closed again, which takes away the locks that another connection of this process has on it.
  if (!existsSync(file)) closeSync(openSync(file, 'a', OWNER_ONLY));
  else if (statSync(file).isDirectory()) throw new Error('it is a folder');
  else accessSync(file, constants.R_OK | constants.W_OK);
}

function opened(file: string): Libsql.Database {
  const database = new Libsql(file);
  try {
    database.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = NORMAL');
    database.pragma('wal_autocheckpoint = 0');
    database.pragma('foreign_keys = ON');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** No room, an error of the disk's, or what it leads to: a disk that is mounted again may be read alone. */
function diskRefused(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|CORRUPT|NOTADB)/.test(String(error.code))
  );
}

const sqliteOn = kyselyOn(new SqliteAdapter(), new SqliteQueryCompiler());

const MOST_STATEMENTS = 500;
const READS = /^\s*(select|pragma)\b/i;

type Run = (parameters: readonly unknown[], one?: boolean) => { rows: unknown[]; numAffectedRows?: bigint };

interface Statement {
  readonly run: Run;
  readonly reads: boolean;
}

/** Prepares each statement once. @param writes told of each that writes, before it does */
function connectionOn(database: Libsql.Database, writes: (sql: string) => void): StatementConnection {
  const statements = new Map<string, Statement>();
  const prepare = (sql: string): Statement => {
    if (statements.size >= MOST_STATEMENTS) statements.clear();
    const statement = { run: runOf(database.prepare(sql)), reads: READS.test(sql) };
    statements.set(sql, statement);
    return statement;
  };
  const execute = ({ sql, parameters, one }: Prepared): ReturnType<Run> => {
    checkParameters(parameters);
    const { run, reads } = statements.get(sql) ?? prepare(sql);
    if (!reads) writes(sql);
    return run(parameters, one);
  };
  return {
    executeQuery: (async (query) => execute(query)) as DatabaseConnection['executeQuery'],
    rowsOf: (async (query) => execute(query).rows) as StatementConnection['rowsOf'],
    streamQuery: notStreamed,
  };
}

function runOf(statement: Libsql.Statement): Run {
  if (statement.reader)
    return (parameters, one) => {
      if (!one) return { rows: statement.all(parameters) };
      const row = statement.get(parameters);
      return { rows: row === undefined ? [] : [row] };
    };
  return (parameters) => ({ rows: [], numAffectedRows: BigInt(statement.run(parameters).changes) });
}

/** libsql ends the process on a boolean and cuts a string at NUL: both are refused before it sees them. */
function checkParameters(parameters: readonly unknown[]): void {
  for (const value of parameters)
    if (typeof value === 'boolean' || (typeof value === 'string' && value.includes('\0')))
      throw new TypeError('A boolean or a NUL character cannot be stored: store 0 or 1, or JSON.');
}
