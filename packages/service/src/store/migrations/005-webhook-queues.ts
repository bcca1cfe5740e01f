import { sql, type Kysely } from 'kysely';

/** Index for the webhook queue of each business unit. */
export async function webhookQueues(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`create index outbox_queue on outbox (business_unit, due_at) where status = 'pending'`)
    .execute(db);
}
