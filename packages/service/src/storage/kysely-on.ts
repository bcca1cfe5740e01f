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
    return new Transaction<Tables>({ config: { dialect }, driver, dialect, executor });
  };
}

export function isWrite({ query: { kind } }: CompiledQuery): boolean {
  return kind === 'InsertQueryNode' || kind === 'UpdateQueryNode' || kind === 'DeleteQueryNode';
}

export function notStreamed(): never {
  throw new TypeError('Nothing here is streamed.');
}
