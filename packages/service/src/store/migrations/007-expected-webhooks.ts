import { sql, type Kysely } from 'kysely';

/** Whose webhook messages some process knows to deliver, so that no other one takes them for nobody's. */
export async function expectedWebhooks(db: Kysely<unknown>): Promise<void> {
  await sql`create table expected_webhooks (business_unit text primary key)`.execute(db);
}
