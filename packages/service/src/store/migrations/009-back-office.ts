import { sql, type Kysely } from 'kysely';

/** Refunds, payment lists, and the references of sessions and AutoPay charges. */
export async function backOffice(db: Kysely<unknown>): Promise<void> {
  for (const statement of [
    `alter table attempts add column account_id text`,
    `alter table attempts add column client_reference text`,
    `update attempts set client_reference = (select client_reference from sessions where sessions.id = attempts.session_id)
       where scheduled_id is null`,
    `create index attempts_listed on attempts (business_unit, created_at, id)`,
    `create index attempts_listed_by_status on attempts (business_unit, status, created_at, id)`,
    `create index attempts_by_reference on attempts (business_unit, client_reference) where client_reference is not null`,
    `create table client_references (
       business_unit text not null, reference text not null, primary key (business_unit, reference))`,
    `insert into client_references (business_unit, reference)
       select business_unit, client_reference from sessions where client_reference is not null`,
    `create table refunds (
       id text primary key, business_unit text not null, attempt_id text not null references attempts (id),
       status text not null, amount bigint not null, left_over bigint not null, why text, created_at bigint not null,
       due_at bigint, lookups integer not null, reason text, reference text)`,
    `create index refunds_due on refunds (due_at) where due_at is not null`,
    `create index refunds_of_attempt on refunds (attempt_id)`,
    `create table test_refunds (
       refund_id text primary key, attempt_id text not null, amount bigint not null, refunded_at bigint not null)`,
  ])
    await sql.raw(statement).execute(db);
}
