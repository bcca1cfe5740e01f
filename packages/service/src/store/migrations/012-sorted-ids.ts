import { sql, type Kysely, PostgresAdapter } from 'kysely';

/**
 * Payments of one moment are in the order of their ids' bytes, which pages of a list are cut by: PostgreSQL's own order
 * is that of the server's language, the other engine has no other.
 */
export async function sortedIds(db: Kysely<unknown>): Promise<void> {
  if (db.getExecutor().adapter instanceof PostgresAdapter)
    await sql`alter table attempts alter column id type text collate "C"`.execute(db);
}
