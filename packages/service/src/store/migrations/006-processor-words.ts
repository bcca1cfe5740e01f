import { sql, type Kysely } from 'kysely';

/** Descriptor, reason and reference of a charge, and its refunded amount. */
export async function processorWords(db: Kysely<unknown>): Promise<void> {
  for (const column of [
    'refunded bigint not null default 0',
    'descriptor text',
    'reason text',
    'reference text',
  ])
    await sql.raw(`alter table attempts add column ${column}`).execute(db);
}
