import { sql, type Kysely } from 'kysely';

/** Business units whose webhooks some process can deliver, so that no other process deletes their messages. */
export async function expectedWebhooks(db: Kysely<unknown>): Promise<void> {
  await sql`create table expected_webhooks (business_unit text primary key)`.execute(db);
}
