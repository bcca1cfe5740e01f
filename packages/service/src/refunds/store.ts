import { sql, type Transaction } from 'kysely';
import type { Refund, Refunds } from './rules.js';
import { CHANGING_COLUMNS, OPERATION_COLUMNS, operationRows } from '../processor/store.js';
import { prepared, preparedFind, preparedInsert, preparedUpdate } from '../platform/databases/prepared.js';
import { every, recordsOf } from '../platform/databases/records.js';
import type { Tables } from '../platform/databases/tables.js';

const COLUMNS = [...OPERATION_COLUMNS, 'attempt_id', 'left_over', 'why'] as const;

const records = recordsOf<'refunds', Refund>({ columns: COLUMNS });

const get = preparedFind('refunds', 'id');
// Literal, because a bound value would keep SQLite from using the partial index.
const NOT_FAILED = sql<boolean>`status <> 'failed'`;

const oneAfter = prepared((tx, attemptId: string, count: number) =>
  tx
    .selectFrom('refunds')
    .select('id')
    .where('attempt_id', '=', attemptId)
    .where(NOT_FAILED)
    // In index order, or PostgreSQL reads the table until it has found enough.
    .orderBy('created_at')
    .limit(1)
    .offset(count),
);
const anyAfter = prepared((tx, attemptId: string, count: number) =>
  tx.selectFrom('refunds').select('id').where('attempt_id', '=', attemptId).limit(1).offset(count),
);
const insert = preparedInsert('refunds', { of: records });
const update = preparedUpdate(
  'refunds',
  recordsOf<'refunds', Refund>({ columns: [...CHANGING_COLUMNS, 'left_over'] }),
);

export function refunds(tx: Transaction<Tables>): Refunds {
  return {
    ...operationRows(tx, {
      table: 'refunds',
      get,
      update: (refund) => update(tx, refund.id, refund),
      read: records.read,
      head: COLUMNS,
    }),
    insert: (refund) => insert(tx, refund),
    succeeded: (attemptId) =>
      every(
        tx
          .selectFrom('refunds')
          .selectAll()
          .where('attempt_id', '=', attemptId)
          // For its index.
          .where(NOT_FAILED)
          .where('status', '=', 'succeeded')
          .orderBy('created_at')
          .execute(),
        records.read,
      ),
    hasAtLeast: async (attemptId, count) => (await oneAfter(tx, attemptId, count - 1)).length > 0,
    hasTriedAtLeast: async (attemptId, count) => (await anyAfter(tx, attemptId, count - 1)).length > 0,
  };
}
