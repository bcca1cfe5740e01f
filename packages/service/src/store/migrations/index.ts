import { sql } from 'kysely';
import { emailKeys } from './email-keys.js';
import { core, payments } from './first-tables.js';
import { olderBills } from './older-bills.js';
import { isPostgres, statements, type Change, type Index } from './migration.js';

/** Descriptor, reason and reference of a charge, and its refunded amount. */
const processorWords = statements(
  `alter table attempts add column refunded bigint not null default 0`,
  `alter table attempts add column descriptor text`,
  `alter table attempts add column reason text`,
  `alter table attempts add column reference text`,
);

/** Authorizations of bank payments. */
const authorizations = statements(
  `create table authorizations (
    id text primary key,
    business_unit text not null,
    text text not null,
    agreed_at bigint not null,
    revoked_at bigint)`,
  `alter table attempts add column authorization_id text`,
  `alter table schedules add column authorization_id text`,
  `alter table autopay add column authorization_id text`,
);

/** Refunds, payment lists, and the references of sessions and AutoPay charges. */
const backOffice = statements(
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
);

/** Session and request of a webhook message; an index of attempts with unknown outcomes, by age. */
const origins = statements(
  `alter table outbox add column session_id text`,
  `alter table outbox add column request_id text`,
  `alter table outbox add column traceparent text`,
  `create index attempts_processing on attempts (created_at) where status = 'processing'`,
);

/**
 * Sorts payments of the same instant by the bytes of their ids, as list pages do. PostgreSQL would otherwise sort by the
 * server's locale.
 */
const sortedIds: Change = async (db) => {
  if (isPostgres(db)) await sql`alter table attempts alter column id type text collate "C"`.execute(db);
};

/** What an attempt charges on which day, what is booked, when to erase payer data, and its challenge. */
const attempts = statements(
  `alter table attempts add column charge_on text`,
  `alter table attempts add column booked text`,
  `alter table attempts add column forget_at bigint`,
  `alter table attempts add column action_url text`,
  `alter table attempts add column action_until bigint`,
  `alter table attempts add column sent_at bigint`,
);

/** The customer and device of an authorization, which erasure and mandates require. */
const authorizers = statements(
  `alter table authorizations add column customer_id text`,
  `alter table authorizations add column ip text`,
  `alter table authorizations add column user_agent text`,
);

/**
 * What has been paid for an account, what must not be debited again, the ledger, unsettled events of the
 * processor, and messages to payers.
 */
const newTables = statements(
  `create table account_payments (
    account_id text not null references accounts (id),
    attempt_id text collate "C" not null references attempts (id),
    amount bigint not null,
    automatic bigint,
    primary key (account_id, attempt_id))`,
  `create table blocked_accounts (
    business_unit text not null,
    fingerprint text not null,
    reason text not null,
    blocked_at bigint not null,
    primary key (business_unit, fingerprint))`,
  `create table ledger (
    payment_id text collate "C" not null references attempts (id),
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
  `insert into meta (name, value)
     select 'ledger', 'incomplete' where exists (select 1 from attempts)`,
  `create table processor_events (
    id text primary key,
    attempt_id text,
    refund_id text,
    reference text,
    outcome text not null,
    reason text,
    amount bigint,
    currency text,
    received_at bigint not null,
    due_at bigint not null)`,
  `create table messages (
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
    unique (about, kind, channel, recipient))`,
);

/** Indexes of release 0.3 that no query needs, because others begin with the same column or contain the same rows. */
const dropped = (...names: readonly string[]): Change =>
  statements(...names.map((name) => `drop index if exists ${name}`));

const UNBOOKED = `(created_at) where status in ('succeeded', 'returned') and booked is distinct from status`;

const index = (table: string, name: string, of: string): Index => ({ table, name, of });

/** In order. Released migrations never change. The schema version is the number of migrations that have run. */
export const MIGRATIONS: readonly (Change | Index)[] = [
  core,
  payments,
  // For deleting delivered webhook messages.
  statements(`create index outbox_settled on outbox (due_at) where status <> 'pending'`),
  // The number of new payment methods that a session has sent to the processor.
  statements(`alter table sessions add column tries integer not null default 0`),
  // For the webhook queue of each business unit.
  statements(`create index outbox_queue on outbox (business_unit, due_at) where status = 'pending'`),
  processorWords,
  // Business units whose webhooks some process can deliver, so that other processes don't delete their messages.
  statements(`create table expected_webhooks (business_unit text primary key)`),
  authorizations,
  backOffice,
  // Attempts that their page abandoned before they began.
  statements(`alter table sessions add column abandoned text`),
  origins,
  sortedIds,
  // Release 0.3 ends here. One migration per table, because each locks its tables until it commits.
  attempts,
  authorizers,
  newTables,
  // The last synced bill, when it was first synced, and how many automatic payments were accepted.
  statements(
    `alter table accounts add column billed_at bigint`,
    `alter table accounts add column bill text`,
    `alter table accounts add column automatic_payments bigint`,
  ),
  statements(`alter table sessions add column automatic_payments text`),
  statements(`alter table autopay add column due_date text`),
  statements(`alter table refunds add column booked text`),
  statements(`alter table methods add column forget_at bigint`),
  statements(`alter table test_charges add column challenge text`),
  // Of the `autopay-reminder` preference, which release 0.3 doesn't write.
  statements(`alter table notification_preferences add column reminders text`),
  emailKeys,
  olderBills,
  index('autopay', 'autopay_due_of_unit', '(business_unit, due_date, account_id) where due_date is not null'),
  index('attempts', 'attempts_waiting_of_unit', `(business_unit, charge_on) where status = 'scheduled'`),
  index('autopay', 'autopay_of_unit', '(business_unit, account_id)'),
  index('schedules', 'schedules_due_of_unit', `(business_unit, date, id) where status = 'scheduled'`),
  index('ledger', 'ledger_of_unit', '(business_unit, date, id, line)'),
  // Payments and refunds that an older release settled without a ledger entry. The sweep books them.
  index('attempts', 'attempts_unbooked', UNBOOKED),
  index('refunds', 'refunds_unbooked', UNBOOKED),
  index('processor_events', 'processor_events_due', '(due_at)'),
  // These two find the payment or refund of an event.
  index('attempts', 'attempts_reference', '(reference) where reference is not null'),
  index('refunds', 'refunds_reference', '(reference) where reference is not null'),
  // Due work by business unit, so that no unit's backlog hides another's.
  index('attempts', 'attempts_due_of_unit', '(business_unit, due_at) where due_at is not null'),
  index('refunds', 'refunds_due_of_unit', '(business_unit, due_at) where due_at is not null'),
  // One migration per table, because each locks its table until it commits.
  dropped('attempts_unit', 'attempts_due'),
  dropped('refunds_due'),
  dropped('schedules_due'),
  dropped('outbox_unit', 'outbox_due'),
  index('attempts', 'attempts_forget', '(business_unit, forget_at) where forget_at is not null'),
  index('methods', 'methods_forget', '(business_unit, forget_at) where forget_at is not null'),
  index('messages', 'messages_pending', `(channel, business_unit, due_at) where status = 'pending'`),
  index('messages', 'messages_settled', `(due_at) where status <> 'pending'`),
  index(
    'messages',
    'messages_texts',
    `(business_unit, recipient, created_at) where channel = 'sms' and status <> 'unsent'`,
  ),
  index('messages', 'messages_customer', '(customer_id, created_at) where customer_id is not null'),
  // For metrics: since when messages have failed. Messages delivered at the first attempt are never in it, so it costs
  // nothing while receivers work.
  index('outbox', 'outbox_failing', `(business_unit, created_at) where status = 'pending' and attempts > 0`),
  // Finds an attempt's payments for accounts. The primary key begins with the account.
  index('account_payments', 'account_payments_of_attempt', '(attempt_id)'),
  index('account_payments', 'account_payments_automatic', '(account_id) where automatic = 1'),
  index('attempts', 'attempts_waiting_of_account', `(account_id, charge_on, id) where status = 'scheduled'`),
  // For erasure: no enrollment refers to an authorization once it is revoked.
  index('authorizations', 'authorizations_customer', '(customer_id) where customer_id is not null'),
  // Payments that release 0.3 has begun.
  index(
    'attempts',
    'attempts_begun',
    `(created_at) where status in ('processing', 'pending') and booked is null`,
  ),
  // Quoted, `json` is a function on SQLite and a cast on every version of PostgreSQL. Most payments have no saved method.
  index(
    'attempts',
    'attempts_charging',
    `(("json"(source) ->> 'methodId')) where status = 'processing' and "json"(source) ->> 'methodId' is not null`,
  ),
  // Indexes of a customer's current data, so that pages don't read what was canceled or removed.
  index(
    'schedules',
    'schedules_upcoming',
    `(account_id, customer_id, date, created_at, id) where status in ('scheduled', 'executing')`,
  ),
  index(
    'schedules',
    'schedules_past',
    `(account_id, customer_id, date, created_at, id) where status not in ('scheduled', 'executing')`,
  ),
  index('schedules', 'schedules_due_of_account', `(account_id, date) where status = 'scheduled'`),
  index('schedules', 'schedules_of_method', `(method_id) where status = 'scheduled'`),
  index('methods', 'methods_active', '(customer_id, created_at, id) where removed_at is null'),
  // Payments and methods that release 0.3 settled or removed, with payer data.
  index(
    'attempts',
    'attempts_unforgotten',
    `(created_at) where forget_at is null and status not in ('scheduled', 'processing')
       and source not like '%"holder":""%'`,
  ),
  index(
    'methods',
    'methods_unforgotten',
    `(removed_at) where removed_at is not null and forget_at is null and token <> ''`,
  ),
  // Only rows that count toward a limit.
  index('refunds', 'refunds_not_failed', `(attempt_id, created_at) where status <> 'failed'`),
  index(
    'messages',
    'messages_texts_of_customer',
    `(customer_id, created_at) where channel = 'sms' and status <> 'unsent'`,
  ),
];

/**
 * The number of migrations of the oldest release that works with this schema. Later migrations only add, and
 * drop indexes. To remove something else, wait until the releases that use it are gone, and raise this to their
 * successor's number.
 */
export const OLDEST_COMPATIBLE = 12;
