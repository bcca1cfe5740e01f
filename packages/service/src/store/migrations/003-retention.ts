import { sql, type Kysely } from 'kysely';

/** What the sweep of delivered webhook messages looks through. */
export async function retention(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`create index outbox_settled on outbox (due_at) where status <> 'pending'`).execute(db);
}
