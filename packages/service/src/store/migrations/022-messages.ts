import { sql, type Kysely } from 'kysely';
import type { Index } from './migration.js';

/** Messages to payers by e-mail and SMS. */
export async function messages(db: Kysely<unknown>): Promise<void> {
  await sql`create table messages (
    id text primary key,
    business_unit text not null,
    kind text not null,
    channel text not null,
    about text not null,
    recipient text not null,
    customer_id text,
    session_id text,
    language text not null,
    facts text not null,
    status text not null,
    attempts integer not null,
    created_at bigint not null,
    due_at bigint not null,
    leased_until bigint not null,
    last_error text,
    unique (about, kind, channel, recipient)
  )`.execute(db);
}

export const messageIndexes: readonly Index[] = [
  { name: 'messages_pending', table: 'messages', of: "(business_unit, due_at) where status = 'pending'" },
  { name: 'messages_settled', table: 'messages', of: "(due_at) where status <> 'pending'" },
  { name: 'messages_customer', table: 'messages', of: '(customer_id) where customer_id is not null' },
];
