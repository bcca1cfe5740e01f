import { sql, type Kysely } from 'kysely';
import type { Index } from './migration.js';

/** Events of the processor that wait to be settled. */
export async function processorEvents(db: Kysely<unknown>): Promise<void> {
  await sql`create table if not exists processor_events (
    id text primary key,
    attempt_id text,
    refund_id text,
    reference text,
    outcome text not null,
    reason text,
    received_at bigint not null,
    due_at bigint not null
  )`.execute(db);
}

/** The last two find what an event is about. */
export const processorEventIndexes: readonly Index[] = [
  { name: 'processor_events_due', table: 'processor_events', of: '(due_at)' },
  { name: 'attempts_reference', table: 'attempts', of: '(reference) where reference is not null' },
  { name: 'refunds_reference', table: 'refunds', of: '(reference) where reference is not null' },
];
