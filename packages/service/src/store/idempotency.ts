import type { Transaction } from 'kysely';
import type { Idempotency, IdempotentResponse } from '../core/store.js';
import { preparedFind, preparedInsert } from '../platform/databases/prepared.js';
import { recordsOf, deleted, first } from '../platform/databases/records.js';
import type { Tables } from '../platform/databases/tables.js';

const KEY = ['api_key', 'endpoint', 'idempotency_key'] as const;

const records = recordsOf<'idempotency', IdempotentResponse>({
  columns: [...KEY, 'body_hash', 'answer', 'expires_at'],
});

const find = preparedFind('idempotency', ...KEY);

const put = preparedInsert('idempotency', {
  of: records,
  more: (insert) =>
    insert.onConflict((conflict) =>
      conflict.columns(KEY).doUpdateSet((eb) => ({
        body_hash: eb.ref('excluded.body_hash'),
        answer: eb.ref('excluded.answer'),
        expires_at: eb.ref('excluded.expires_at'),
      })),
    ),
});

export function idempotency(tx: Transaction<Tables>): Idempotency {
  return {
    find: (apiKey, endpoint, key) => first(find(tx, apiKey, endpoint, key), records.read),
    put: (response) => put(tx, response),
    deleteExpired: (now, limit) => {
      const expired = tx
        .selectFrom('idempotency')
        .select(KEY)
        .where('expires_at', '<=', now)
        .limit(limit)
        .$asTuple(...KEY);
      return deleted(tx.deleteFrom('idempotency').where((of) => of(of.refTuple(...KEY), 'in', expired)));
    },
  };
}
