import { sql, type Kysely } from 'kysely';

/** What each business unit's queue of webhook messages reads. */
export async function webhookQueues(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`create index outbox_queue on outbox (business_unit, due_at) where status = 'pending'`)
    .execute(db);
}
