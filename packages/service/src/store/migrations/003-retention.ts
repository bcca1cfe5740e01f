import { sql, type Kysely } from 'kysely';

/** Index for deleting delivered webhook messages. */
export async function retention(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`create index outbox_settled on outbox (due_at) where status <> 'pending'`).execute(db);
}
