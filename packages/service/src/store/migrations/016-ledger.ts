import { sql, type Kysely } from 'kysely';
import type { Index } from './migration.js';

/**
 * The ledger. `booked` is the status that the ledger has an entry for. The partial indexes hold payments and
 * refunds that an older release settled without one; the sweep books them.
 */
export async function ledger(db: Kysely<unknown>): Promise<void> {
  for (const statement of [
    `create table ledger (
      payment_id text not null references attempts (id),
      id text not null,
      line integer not null,
      business_unit text not null,
      date text not null,
      type text not null,
      session_id text not null,
      account_number text not null,
      sub_account_number text not null,
      description text not null,
      amount bigint not null,
      method text not null,
      reference text,
      primary key (payment_id, id, line))`,
    `alter table attempts add column booked text`,
    `alter table refunds add column booked text`,
    `insert into meta (name, value)
       select 'ledger', 'incomplete' where exists (select 1 from attempts)`,
  ])
    await sql.raw(statement).execute(db);
}

const UNBOOKED = `(created_at) where status in ('succeeded', 'returned') and booked is distinct from status`;

export const ledgerIndexes: readonly Index[] = [
  { name: 'ledger_of_unit', table: 'ledger', of: '(business_unit, date, id, line)' },
  { name: 'attempts_unbooked', table: 'attempts', of: UNBOOKED },
  { name: 'refunds_unbooked', table: 'refunds', of: UNBOOKED },
];
