import { sql, type Kysely } from 'kysely';

/** Accounts, customers, sessions, idempotency and API keys. */
export async function core(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  `create table meta (
    name text primary key,
    value text not null)`,
  `create table api_keys (
    id text primary key,
    hash text not null unique,
    business_units text not null,
    created_at bigint not null,
    revoked_at bigint)`,
  `create table accounts (
    id text primary key,
    business_unit text not null,
    account_number text not null,
    sub_account_number text not null,
    fields text not null,
    unique (business_unit, account_number, sub_account_number))`,
  `create table customers (
    id text primary key,
    business_unit text not null,
    email_key text not null,
    fields text not null,
    unique (business_unit, email_key))`,
  `create table account_customers (
    account_id text not null references accounts (id),
    customer_id text not null references customers (id),
    primary key (account_id, customer_id))`,
  `create table sessions (
    id text primary key,
    business_unit text not null,
    flow text not null,
    status text not null,
    client_reference text,
    secret_key_id text not null,
    account_id text references accounts (id),
    customer_id text references customers (id),
    declines integer not null,
    created_at bigint not null,
    expires_at bigint not null,
    request text not null)`,
  // Partial, so that sessions without a reference need no entry.
  `create unique index sessions_reference on sessions (business_unit, client_reference) where client_reference is not null`,
  // The expiry job only reads these two statuses.
  `create index sessions_due on sessions (expires_at) where status in ('RequiresPaymentSource', 'Open')`,
  `create table idempotency (
    api_key text not null,
    endpoint text not null,
    idempotency_key text not null,
    body_hash text not null,
    answer text not null,
    expires_at bigint not null,
    primary key (api_key, endpoint, idempotency_key))`,
  `create index idempotency_expiry on idempotency (expires_at)`,
];
