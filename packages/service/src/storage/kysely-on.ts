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

const connections = new WeakMap<Transaction<Tables>, DatabaseConnection>();

/** What a transaction runs its statements on: on the way there Kysely would ask the plugins that we have none of. */
export function connectionOf(tx: Transaction<Tables>): DatabaseConnection {
  return connections.get(tx) as DatabaseConnection;
}

/** @param adapter one for all transactions of an engine: prepared queries are kept by it */
export function kyselyOn(
  adapter: DialectAdapter,
  compiler: QueryCompiler,
): (connection: DatabaseConnection) => Transaction<Tables> {
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
