import { sql, type Kysely } from 'kysely';

/** Attempts that their page abandoned before they began. */
export async function abandoned(db: Kysely<unknown>): Promise<void> {
  await sql`alter table sessions add column abandoned text`.execute(db);
}
