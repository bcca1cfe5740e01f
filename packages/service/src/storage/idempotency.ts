import type { Transaction } from 'kysely';
import type { Idempotency } from '../domain/store.js';
import type { Tables } from './tables.js';

export function idempotency(tx: Transaction<Tables>): Idempotency {
  return {
    find: async (apiKey, endpoint, key) => {
      const row = await tx
        .selectFrom('idempotency')
        .selectAll()
        .where('api_key', '=', apiKey)
        .where('endpoint', '=', endpoint)
        .where('idempotency_key', '=', key)
        .executeTakeFirst();
      return row
        ? { apiKey, endpoint, key, bodyHash: row.body_hash, answer: row.answer, expiresAt: row.expires_at }
        : null;
    },
    put: async ({ apiKey, endpoint, key, bodyHash, answer, expiresAt }) => {
      const values = { body_hash: bodyHash, answer, expires_at: expiresAt };
      await tx
        .insertInto('idempotency')
        .values({ api_key: apiKey, endpoint, idempotency_key: key, ...values })
        .onConflict((conflict) =>
          conflict.columns(['api_key', 'endpoint', 'idempotency_key']).doUpdateSet(values),
        )
        .execute();
    },
    deleteExpired: async (now) => {
      await tx.deleteFrom('idempotency').where('expires_at', '<=', now).execute();
    },
  };
}
