/** Kysely builds the statements; what runs them is a connection of ours, which needs none of its turns. */
import {
  DefaultQueryExecutor,
  DummyDriver,
  Transaction,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type DialectAdapter,
  type QueryCompiler,
} from 'kysely';
import type { Tables } from './tables.js';

export interface Prepared<R = unknown> extends CompiledQuery<R> {
  /** It has a row at most, which an engine may read in a way that costs less. */
  readonly one?: boolean;
}

/** What a transaction's statements run on. */
export interface StatementConnection extends DatabaseConnection {
  /** Of a prepared query, without all that Kysely asks of an answer besides. */
  rowsOf<R>(query: Prepared<R>): Promise<R[]>;
}

const connections = new WeakMap<Transaction<Tables>, StatementConnection>();

/** What a transaction runs its statements on: on the way there Kysely would ask the plugins that we have none of. */
export function connectionOf(tx: Transaction<Tables>): StatementConnection {
  return connections.get(tx) as StatementConnection;
}

/** @param adapter one for all transactions of an engine: prepared queries are kept by it */
export function kyselyOn(
  adapter: DialectAdapter,
  compiler: QueryCompiler,
): (connection: StatementConnection) => Transaction<Tables> {
  const driver = new DummyDriver();
  const dialect: Dialect = {
    createAdapter: () => adapter,
    createDriver: () => driver,
    createIntrospector: () => {
      throw new TypeError('Nothing here is introspected.');
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
  throw new TypeError('Nothing here is streamed.');
}
