/** Statements as Kysely builds them, sent on a connection that needs no turns. */
import {
  DefaultQueryExecutor,
  DummyDriver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  Transaction,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
} from 'kysely';
import type { Tables } from '../tables.js';

// One for all transactions: prepared queries are kept by their adapter.
const adapter = new PostgresAdapter();
const compiler = new PostgresQueryCompiler();
const driver = new DummyDriver();
const dialect: Dialect = {
  createAdapter: () => adapter,
  createDriver: () => driver,
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => compiler,
};

/** Kysely's own transactions send a statement when the one before was answered; this one sends it at once. */
export function kyselyOn(connection: DatabaseConnection): Transaction<Tables> {
  const executor = new DefaultQueryExecutor(compiler, adapter, {
    provideConnection: (consumer) => consumer(connection),
  });
  return new Transaction<Tables>({ config: { dialect }, driver, dialect, executor });
}

export function isWrite({ query: { kind } }: CompiledQuery): boolean {
  return kind === 'InsertQueryNode' || kind === 'UpdateQueryNode' || kind === 'DeleteQueryNode';
}

/** Of what is deleted the number is asked for. */
export function answersNothing({ query }: CompiledQuery): boolean {
  return (
    (query.kind === 'InsertQueryNode' || query.kind === 'UpdateQueryNode') && query.returning === undefined
  );
}
