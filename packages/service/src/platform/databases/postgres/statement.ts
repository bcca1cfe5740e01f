/** Sends Kysely's statements on a pipelined connection. */
import { PostgresAdapter, PostgresQueryCompiler, type CompiledQuery } from 'kysely';
import { kyselyOn } from '../kysely-on.js';

/** Kysely's own driver waits for each result before the next statement; this one sends statements immediately. */
export const postgresOn: ReturnType<typeof kyselyOn> = kyselyOn(
  new PostgresAdapter(),
  new PostgresQueryCompiler(),
);

/** Deletes are excluded because callers use their row count. */
export function answersNothing({ query }: CompiledQuery): boolean {
  return (
    (query.kind === 'InsertQueryNode' || query.kind === 'UpdateQueryNode') && query.returning === undefined
  );
}
