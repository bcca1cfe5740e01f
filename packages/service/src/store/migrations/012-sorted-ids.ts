import { sql, type Kysely, PostgresAdapter } from 'kysely';

/**
 * Sorts payments of the same instant by the bytes of their ids, as list pages do. PostgreSQL would otherwise sort by the
 * server's locale.
 */
export async function sortedIds(db: Kysely<unknown>): Promise<void> {
  if (db.getExecutor().adapter instanceof PostgresAdapter)
    await sql`alter table attempts alter column id type text collate "C"`.execute(db);
}
