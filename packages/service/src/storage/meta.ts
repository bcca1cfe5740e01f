import type { Transaction } from 'kysely';
import type { Meta } from '../domain/store.js';
import { prepared } from './prepared.js';
import { first } from './rows.js';
import type { Tables } from './tables.js';

const get = prepared((tx, name: string) => tx.selectFrom('meta').select('value').where('name', '=', name));

export function meta(tx: Transaction<Tables>): Meta {
  return {
    get: (name) => first(get(tx, name), ({ value }) => value),
    set: async (name, value) => {
      await tx
        .insertInto('meta')
        .values({ name, value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
        .execute();
    },
    clear: async () => {
      for (const table of EMPTIED) await tx.deleteFrom(table).execute();
      await tx.deleteFrom('meta').where('name', '=', 'clock-offset').execute();
    },
  };
}

/** Whatever refers to another comes before it; keys, environment and schema stay. */
const EMPTIED = [
  'outbox',
  'disabled_webhooks',
  'test_charges',
  'attempts',
  'schedules',
  'autopay',
  'paperless',
  'notification_preferences',
  'wallets',
  'methods',
  'idempotency',
  'sessions',
  'account_customers',
  'customers',
  'accounts',
] as const satisfies readonly (keyof Tables)[];
