import { sql, type Kysely } from 'kysely';
import type { Index } from './migration.js';

/** What AutoPay charges on which day, what has been paid for an account, and when its balance was synced. */
export async function chargeDays(db: Kysely<unknown>): Promise<void> {
  for (const statement of [
    `alter table accounts add column balance_synced_at bigint`,
    `alter table autopay add column due_date text`,
    `alter table attempts add column charge_on text`,
    `create table account_payments (
      account_id text not null references accounts (id),
      attempt_id text not null references attempts (id),
      amount bigint not null,
      primary key (account_id, attempt_id))`,
  ])
    await sql.raw(statement).execute(db);
}

export const chargeDayIndexes: readonly Index[] = [
  { name: 'autopay_due', table: 'autopay', of: '(due_date) where due_date is not null' },
  {
    name: 'autopay_due_of_unit',
    table: 'autopay',
    of: '(business_unit, due_date) where due_date is not null',
  },
  { name: 'attempts_waiting', table: 'attempts', of: `(charge_on) where status = 'scheduled'` },
  {
    name: 'attempts_waiting_of_unit',
    table: 'attempts',
    of: `(business_unit, charge_on) where status = 'scheduled'`,
  },
  {
    name: 'schedules_due_of_unit',
    table: 'schedules',
    of: `(business_unit, date) where status = 'scheduled'`,
  },
];
