import { sql, type Kysely } from 'kysely';

/** What a processor is told and says of a charge, and how much of it was given back. */
export async function processorWords(db: Kysely<unknown>): Promise<void> {
  for (const column of [
    'refunded bigint not null default 0',
    'descriptor text',
    'reason text',
    'reference text',
  ])
    await sql.raw(`alter table attempts add column ${column}`).execute(db);
}
