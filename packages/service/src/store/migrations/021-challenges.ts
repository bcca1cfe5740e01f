import { sql, type Kysely } from 'kysely';

/** Where the payer passes a challenge, and until when the service waits for it. */
export async function challenges(db: Kysely<unknown>): Promise<void> {
  await sql`alter table attempts add column action_url text`.execute(db);
  await sql`alter table attempts add column action_until bigint`.execute(db);
  await sql`alter table test_charges add column challenge text`.execute(db);
}
