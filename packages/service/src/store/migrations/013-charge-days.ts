import { sql, type Kysely } from 'kysely';

/** What AutoPay charges on which day, what has been paid for an account, and when its balance was synced. */
export async function chargeDays(db: Kysely<unknown>): Promise<void> {
  for (const statement of [
    `alter table accounts add column balance_synced_at bigint`,
    `alter table autopay add column due_date text`,
    `create index autopay_due on autopay (due_date) where due_date is not null`,
    `create index autopay_due_of_unit on autopay (business_unit, due_date) where due_date is not null`,
    `alter table attempts add column charge_on text`,
    `create index attempts_waiting on attempts (charge_on) where status = 'scheduled'`,
    `create index attempts_waiting_of_unit on attempts (business_unit, charge_on) where status = 'scheduled'`,
    `create index schedules_due_of_unit on schedules (business_unit, date) where status = 'scheduled'`,
    `create table account_payments (
      account_id text not null references accounts (id),
      attempt_id text not null references attempts (id),
      amount bigint not null,
      primary key (account_id, attempt_id))`,
  ])
    await sql.raw(statement).execute(db);
}
