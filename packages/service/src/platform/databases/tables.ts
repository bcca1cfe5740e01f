import type { Generated } from 'kysely';
import type { PaymentTables } from './payment-tables.js';

/**
 * Rows as Kysely sees them. Only types that SQLite and PostgreSQL share: text, integers (instants are ms since the
 * epoch, booleans are 0 or 1), and JSON as text.
 */
export interface Tables extends CoreTables, PaymentTables {}

interface CoreTables {
  meta: { name: string; value: string };
  api_keys: {
    id: string;
    hash: string;
    business_units: string;
    created_at: number;
    revoked_at: number | null;
  };
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
  idempotency: {
    api_key: string;
    endpoint: string;
    idempotency_key: string;
    body_hash: string;
    answer: string;
    expires_at: number;
  };
}
