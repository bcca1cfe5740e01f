import { PostgresAdapter, type Transaction } from 'kysely';
import type { Meta } from '../core/store.js';
import { connectionOf } from '../platform/databases/connection.js';
import { preparedFind } from '../platform/databases/prepared.js';
import { first } from '../platform/databases/records.js';
import type { Tables } from '../platform/databases/tables.js';

const get = preparedFind('meta', 'name');

export function meta(tx: Transaction<Tables>): Meta {
  const { meta: cache } = connectionOf(tx);
  const set: Meta['set'] = async (name, value) => {
    await tx
      .insertInto('meta')
      .values({ name, value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
      .execute();
    cache?.delete(name);
  };
  return {
    get: async (name) => {
      const cached = cache?.get(name);
      if (cached !== undefined) return cached;

      const value = await first(get(tx, name), (row) => row.value);
      cache?.set(name, value);
      return value;
    },
    set,
    probe: async () => {
      // On PostgreSQL, a row that all processes write would make every probe wait for a process stalled in its own
      // probe. A read is enough there, because its COMMIT waits for standbys like that of a write.
      if (tx.getExecutor().adapter instanceof PostgresAdapter) await get(tx, 'environment');
      else await set('probed', `${Date.now()}`);
    },
    clear: async () => {
      for (const table of EMPTIED) await tx.deleteFrom(table).execute();
      await tx.deleteFrom('meta').where('name', 'in', RESET_META).execute();
      for (const name of RESET_META) cache?.delete(name);
    },
  };
}

/** The effect of a reset on each table, in the order of their foreign keys. */
const RESET: Readonly<Record<keyof Tables, 'emptied' | 'retained'>> = {
  outbox: 'emptied',
  messages: 'emptied',
  processor_events: 'emptied',
  disabled_webhooks: 'emptied',
  test_charges: 'emptied',
  test_refunds: 'emptied',
  ledger: 'emptied',
  refunds: 'emptied',
  account_payments: 'emptied',
  client_references: 'emptied',
  attempts: 'emptied',
  authorizations: 'emptied',
  schedules: 'emptied',
  autopay: 'emptied',
  paperless: 'emptied',
  notification_preferences: 'emptied',
  wallets: 'emptied',
  methods: 'emptied',
  blocked_accounts: 'emptied',
  idempotency: 'emptied',
  sessions: 'emptied',
  account_customers: 'emptied',
  customers: 'emptied',
  accounts: 'emptied',
  api_keys: 'retained',
  /** Derived from the config, which a reset doesn't change. */
  expected_webhooks: 'retained',
  /** Except `RESET_META`. */
  meta: 'retained',
};

/** A new secret, so that processors don't mistake new charges for earlier ones. */
const RESET_META = ['clock-offset', 'account-ids'];

const EMPTIED = (Object.keys(RESET) as (keyof Tables)[]).filter((table) => RESET[table] === 'emptied');
