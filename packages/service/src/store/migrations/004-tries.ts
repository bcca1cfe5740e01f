import { sql, type Kysely } from 'kysely';

/** How many new payment methods a session has sent to the processor. */
export async function tries(db: Kysely<unknown>): Promise<void> {
  await sql`alter table sessions add column tries integer not null default 0`.execute(db);
}
