import type { Transaction } from 'kysely';
import type { Idempotency } from '../core/store.js';
import { prepared } from '../platform/databases/prepared.js';
import { first } from '../platform/databases/rows.js';
import type { Tables } from '../platform/databases/tables.js';

const find = prepared((tx, apiKey: string, endpoint: string, key: string) =>
  tx
    .selectFrom('idempotency')
    .selectAll()
    .where('api_key', '=', apiKey)
    .where('endpoint', '=', endpoint)
    .where('idempotency_key', '=', key),
);

const put = prepared(
  (
    tx,
    api_key: string,
    endpoint: string,
    idempotency_key: string,
    body_hash: string,
    answer: string,
    expires_at: number,
  ) =>
    tx
      .insertInto('idempotency')
      .values({ api_key, endpoint, idempotency_key, body_hash, answer, expires_at })
      .onConflict((conflict) =>
        conflict
          .columns(['api_key', 'endpoint', 'idempotency_key'])
          .doUpdateSet({ body_hash, answer, expires_at }),
      ),
);

export function idempotency(tx: Transaction<Tables>): Idempotency {
  return {
    find: (apiKey, endpoint, key) =>
      first(find(tx, apiKey, endpoint, key), (row) => ({
        apiKey,
        endpoint,
        key,
        bodyHash: row.body_hash,
        answer: row.answer,
        expiresAt: row.expires_at,
      })),
    put: async ({ apiKey, endpoint, key, bodyHash, answer, expiresAt }) => {
      await put(tx, apiKey, endpoint, key, bodyHash, answer, expiresAt);
    },
    deleteExpired: async (now, limit) => {
      const { numDeletedRows } = await tx
        .deleteFrom('idempotency')
        .where((eb) =>
          eb(
            eb.refTuple('api_key', 'endpoint', 'idempotency_key'),
            'in',
            eb
              .selectFrom('idempotency')
              .select(['api_key', 'endpoint', 'idempotency_key'])
              .where('expires_at', '<=', now)
              .limit(limit)
              .$asTuple('api_key', 'endpoint', 'idempotency_key'),
          ),
        )
        .executeTakeFirstOrThrow();
      return Number(numDeletedRows);
    },
  };
}
