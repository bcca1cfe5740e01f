import type { Generated } from 'kysely';
import type { Enrollment } from '../../autopay/rules.js';
import type { Queued } from '../../core/queue-rows.js';
import type { ApiKey, IdempotentResponse } from '../../core/store.js';
import type { StoredEvent } from '../../inbox/rules.js';
import type { LedgerEntry } from '../../ledger/rules.js';
import type { PayerMessage } from '../../messages/rules.js';
import type { PaperlessEnrollment } from '../../paperless/rules.js';
import type { AttemptHead } from '../../payments/rules/attempt.js';
import type { Authorization } from '../../payments/rules/authorization.js';
import type { Operation } from '../../processor/rules/operation.js';
import type { Refund } from '../../refunds/rules.js';
import type { Schedule } from '../../schedules/rules.js';
import type { OutboxMessage } from '../../webhooks/rules.js';

type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : '';

type Column<Value> = Value extends string ? string : Value extends number ? number : never;

/** The columns of a record, whose names are in snake case. Null is an absent field. */
type Columns<T> = {
  [Field in keyof T & string as Snake<Field>]-?:
    | Column<T[Field]>
    | (undefined extends T[Field] ? null : never);
};

export type OperationColumns = Columns<Operation>;

export type QueueColumns = Columns<Queued>;

/**
 * Rows as Kysely sees them. Only types that SQLite and PostgreSQL share: text, integers (instants are ms since the
 * epoch, booleans are 0 or 1), and JSON as text.
 */
export interface Tables {
  meta: { name: string; value: string };
  api_keys: Columns<Omit<ApiKey, 'businessUnits'>> & { business_units: string; revoked_at: number | null };
  accounts: {
    id: string;
    business_unit: string;
    account_number: string;
    sub_account_number: string;
    fields: string;
    billed_at: number | null;
    /** JSON. */
    bill: string | null;
    automatic_payments: number | null;
  };
  customers: {
    id: string;
    business_unit: string;
    email_key: string;
    /** JSON: address as written, names. */
    fields: string;
  };
  account_customers: { account_id: string; customer_id: string };
  sessions: {
    id: string;
    business_unit: string;
    flow: string;
    status: string;
    client_reference: string | null;
    secret_key_id: string;
    account_id: string | null;
    customer_id: string | null;
    declines: number;
    tries: Generated<number>;
    /** JSON. */
    abandoned: string | null;
    /** JSON. */
    automatic_payments: string | null;
    created_at: number;
    expires_at: number;
    request: string;
  };
  idempotency: Columns<IdempotentResponse>;
  attempts: Columns<Omit<AttemptHead, 'refunded'>> & {
    refunded: Generated<number>;
    /** JSON: method, token, brand, last four digits. */
    source: string;
    charges: string;
    fields: string;
  };
  /** For both payment sessions and AutoPay charges. */
  client_references: { business_unit: string; reference: string };
  refunds: Columns<Refund>;
  ledger: Columns<LedgerEntry>;
  methods: {
    id: string;
    business_unit: string;
    customer_id: string;
    request_id: string;
    method: string;
    token: string;
    /** JSON: brand, last four digits, expiry, holder. */
    details: string;
    created_at: number;
    removed_at: number | null;
    touched: number;
    forget_at: number | null;
  };
  wallets: { customer_id: string; default_method_id: string | null; revision: number };
  autopay: Columns<Enrollment>;
  /** `automatic`: 1 for a payment by AutoPay or a schedule, or an unanswered press of Pay; 2 once it is accepted. */
  account_payments: { account_id: string; attempt_id: string; amount: number; automatic: 1 | 2 | null };
  paperless: Columns<PaperlessEnrollment>;
  schedules: Columns<Schedule>;
  notification_preferences: {
    customer_id: string;
    business_unit: string;
    /** JSON. */
    preferences: string;
    /** JSON: their `autopay-reminder`. */
    reminders: string | null;
  };
  outbox: Columns<OutboxMessage>;
  messages: Columns<Omit<PayerMessage, 'facts'>> & {
    /** JSON: amount, dates, last four digits. */
    facts: string;
  };
  authorizations: Columns<Authorization>;
  expected_webhooks: { business_unit: string };
  disabled_webhooks: { business_unit: string; url: string; disabled_at: number };
  blocked_accounts: { business_unit: string; fingerprint: string; reason: string; blocked_at: number };
  processor_events: Columns<StoredEvent>;
  test_charges: {
    attempt_id: string;
    token: string;
    amount: number;
    charged_at: number;
    /** The payer's answer to the challenge. */
    challenge: string | null;
  };
  test_refunds: { refund_id: string; attempt_id: string; amount: number; refunded_at: number };
}
