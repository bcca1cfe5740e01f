import type { Generated } from 'kysely';

/** Columns shared by payments and refunds: the state of a processor call. */
export interface OperationColumns {
  id: string;
  business_unit: string;
  status: string;
  amount: number;
  created_at: number;
  due_at: number | null;
  lookups: number;
  reason: string | null;
  reference: string | null;
  booked: string | null;
}

/** Columns shared by webhooks and messages to payers. */
export interface QueueColumns {
  id: string;
  business_unit: string;
  status: string;
  attempts: number;
  created_at: number;
  due_at: number;
  leased_until: number;
  last_error: string | null;
  session_id: string | null;
}

/** The rules of `tables.ts` apply. */
export interface PaymentTables {
  attempts: OperationColumns & {
    session_id: string;
    request_id: string;
    scheduled_id: string | null;
    /** JSON: method, token, brand, last four digits. */
    source: string;
    charges: string;
    fields: string;
    answered_at: number | null;
    refunded: Generated<number>;
    descriptor: string | null;
    authorization_id: string | null;
    account_id: string | null;
    client_reference: string | null;
    charge_on: string | null;
    forget_at: number | null;
    action_url: string | null;
    action_until: number | null;
    sent_at: number | null;
  };
  /** For both payment sessions and AutoPay charges. */
  client_references: { business_unit: string; reference: string };
  refunds: OperationColumns & {
    attempt_id: string;
    /** The payment's balance at that time. */
    left_over: number;
    why: string | null;
  };
  ledger: {
    payment_id: string;
    id: string;
    line: number;
    business_unit: string;
    date: string;
    type: string;
    session_id: string;
    account_number: string;
    sub_account_number: string;
    description: string;
    amount: number;
    method: string;
    reference: string | null;
  };
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
  autopay: {
    account_id: string;
    business_unit: string;
    customer_id: string;
    method_id: string;
    session_id: string;
    enrolled_at: number;
    authorization_id: string | null;
    due_date: string | null;
  };
  /** `automatic`: 1 for a payment by AutoPay or a schedule, 2 once it was accepted. */
  account_payments: { account_id: string; attempt_id: string; amount: number; automatic: 1 | 2 | null };
  paperless: { account_id: string; customer_id: string; business_unit: string; enrolled_at: number };
  schedules: {
    id: string;
    business_unit: string;
    session_id: string;
    request_id: string;
    account_id: string;
    customer_id: string;
    method_id: string;
    amount: number;
    date: string;
    status: string;
    reason: string | null;
    created_at: number;
    authorization_id: string | null;
  };
  notification_preferences: {
    customer_id: string;
    business_unit: string;
    /** JSON. */
    preferences: string;
    /** JSON: their `autopay-reminder`. */
    reminders: string | null;
  };
  outbox: QueueColumns & {
    type: string;
    body: string;
    request_id: string | null;
    traceparent: string | null;
  };
  messages: QueueColumns & {
    kind: string;
    channel: string;
    about: string;
    recipient: string;
    customer_id: string | null;
    language: string;
    /** JSON: amount, dates, last four digits. */
    facts: string;
  };
  authorizations: {
    id: string;
    business_unit: string;
    /** Null also in rows of release 0.3. */
    customer_id: string | null;
    text: string;
    agreed_at: number;
    revoked_at: number | null;
    ip: string | null;
    user_agent: string | null;
  };
  expected_webhooks: { business_unit: string };
  disabled_webhooks: { business_unit: string; url: string; disabled_at: number };
  blocked_accounts: { business_unit: string; fingerprint: string; reason: string; blocked_at: number };
  processor_events: {
    id: string;
    attempt_id: string | null;
    refund_id: string | null;
    reference: string | null;
    outcome: string;
    reason: string | null;
    amount: number | null;
    currency: string | null;
    received_at: number;
    due_at: number;
  };
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
