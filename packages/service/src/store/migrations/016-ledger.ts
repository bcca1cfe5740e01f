import { sql, type Kysely } from 'kysely';

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
    `create index ledger_of_unit on ledger (business_unit, date, id, line)`,
    `alter table attempts add column booked text`,
    `alter table refunds add column booked text`,
    `create index attempts_unbooked on attempts (created_at)
       where status in ('succeeded', 'returned') and booked is distinct from status`,
    `create index refunds_unbooked on refunds (created_at)
       where status in ('succeeded', 'returned') and booked is distinct from status`,
    `insert into meta (name, value)
       select 'ledger', 'incomplete' where exists (select 1 from attempts)`,
  ])
    await sql.raw(statement).execute(db);
}
