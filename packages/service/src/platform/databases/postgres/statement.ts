/** Sends Kysely's statements on a pipelined connection. */
import { PostgresAdapter, PostgresQueryCompiler, type CompiledQuery } from 'kysely';
import { kyselyOn } from '../kysely-on.js';

/** Sends statements immediately, while Kysely's own driver waits for each result. */
export const postgresOn: ReturnType<typeof kyselyOn> = kyselyOn(
  new PostgresAdapter(),
  new PostgresQueryCompiler(),
);

/** Excludes deletes, because callers use their row count. */
export function returnsNoRows({ query }: CompiledQuery): boolean {
  return (
    (query.kind === 'InsertQueryNode' || query.kind === 'UpdateQueryNode') && query.returning === undefined
  );
}
