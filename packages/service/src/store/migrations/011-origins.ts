import { sql, type Kysely } from 'kysely';

/** Session and request of a webhook message; an index of attempts with unknown outcomes, by age. */
export async function origins(db: Kysely<unknown>): Promise<void> {
  for (const column of ['session_id', 'request_id', 'traceparent'])
    await sql.raw(`alter table outbox add column ${column} text`).execute(db);
  await sql
    .raw(`create index attempts_processing on attempts (created_at) where status = 'processing'`)
    .execute(db);
}
