import {
  Transaction,
  DefaultQueryExecutor,
  DummyDriver,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type DialectAdapter,
  type QueryCompiler,
} from 'kysely';
import type { Tables } from './tables.js';

export interface TransactionOptions {
  /** `read` takes no write lock and doesn't wait at its end. `migration` has no time limit. */
  readonly mode: 'write' | 'read' | 'migration';
}

export interface DatabaseOptions {
  /** PostgreSQL only: maximum number of connections; default 10. */
  readonly poolSize?: number;
  /** PostgreSQL only: timeout of one statement, ms; default 4,000. */
  readonly statementTimeoutMs?: number;
  /** SQLite only: called if a checkpoint failed and will be repeated. */
  readonly onCheckpointFailed?: (error: unknown) => void;
  /** In memory only: the initial database, from `Connection.content`. */
  readonly content?: Uint8Array;
}

export interface PoolUse {
  readonly used: number;
  readonly size: number;
}

/**
 * A database engine, as the rest of the service sees it. A transaction may send statements before earlier ones return.
 * Inserts and updates are not awaited, so use RETURNING if the result matters.
 */
export interface Connection {
  readonly engine: 'sqlite' | 'postgres';
  readonly pool?: () => PoolUse;
  /** Runs `work` once in a transaction. `retrying` decides about retries. */
  transaction<T>(work: (tx: Transaction<Tables>) => Promise<T>, options: TransactionOptions): Promise<T>;
  /** PostgreSQL only: runs a statement outside of transactions, without a timeout. */
  readonly statement?: (text: string) => Promise<void>;
  /** In memory only: a copy of the database. */
  readonly content?: () => Uint8Array;
  close(): Promise<void>;
}

/** A statement that is built once. Its query's parameters are placeholders. */
export interface Prepared<R = unknown> {
  readonly query: CompiledQuery<R>;
  /** Unique in this process, for statements that connections cache. */
  readonly name: string;
}

export interface PreparingConnection extends DatabaseConnection {
  run<R>(prepared: Prepared<R>, parameters: readonly unknown[]): Promise<R[]>;
  /**
   * Values of `meta` by name, until another connection commits or this one rolls back. Delete a value after writing it.
   * Absent if the engine can't tell that another connection has committed.
   */
  readonly meta?: Map<string, string | null>;
}

const connections = new WeakMap<Transaction<Tables>, PreparingConnection>();

/** A transaction's connection, bypassing Kysely's plugins. */
export function connectionOf(tx: Transaction<Tables>): PreparingConnection {
  return connections.get(tx) as PreparingConnection;
}

/** Without Kysely's connection pool. @param adapter one per engine, because prepared queries are kept by it */
export function kyselyOn(
  adapter: DialectAdapter,
  compiler: QueryCompiler,
): (connection: PreparingConnection) => Transaction<Tables> {
  const driver = new DummyDriver();
  const dialect: Dialect = {
    createAdapter: () => adapter,
    createDriver: () => driver,
    createIntrospector: () => {
      throw new TypeError('Introspection is not supported.');
    },
    createQueryCompiler: () => compiler,
  };
  return (connection) => {
    const executor = new DefaultQueryExecutor(compiler, adapter, {
      provideConnection: (consumer) => consumer(connection),
    });
    const tx = new Transaction<Tables>({ config: { dialect }, driver, dialect, executor });
    connections.set(tx, connection);
    return tx;
  };
}

export function isWrite({ query: { kind } }: CompiledQuery): boolean {
  return kind === 'InsertQueryNode' || kind === 'UpdateQueryNode' || kind === 'DeleteQueryNode';
}

export function notStreamed(): never {
  throw new TypeError('Streaming is not supported.');
}

export type RowOf = (values: readonly unknown[]) => Record<string, unknown>;

/** Copies a row that has all columns, because adding them one by one takes several times as long. */
export function rowsWith(columns: readonly string[]): RowOf {
  const empty = Object.fromEntries(columns.map((column) => [column, null]));
  return (values) => {
    const row: Record<string, unknown> = { ...empty };
    for (let place = 0; place < columns.length; place += 1) row[columns[place] as string] = values[place];
    return row;
  };
}
