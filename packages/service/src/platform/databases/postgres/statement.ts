/** Statements as Kysely builds them, sent on a connection that needs no turns. */
import { PostgresAdapter, PostgresQueryCompiler, type CompiledQuery } from 'kysely';
import { kyselyOn } from '../kysely-on.js';

/** Kysely's own transactions send a statement when the one before was answered; this one sends it at once. */
export const postgresOn: ReturnType<typeof kyselyOn> = kyselyOn(
  new PostgresAdapter(),
  new PostgresQueryCompiler(),
);

/** Of what is deleted the number is asked for. */
export function answersNothing({ query }: CompiledQuery): boolean {
  return (
    (query.kind === 'InsertQueryNode' || query.kind === 'UpdateQueryNode') && query.returning === undefined
  );
}
