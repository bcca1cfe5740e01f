import type { Insertable, Selectable, Transaction } from 'kysely';
import type { Refund, Refunds, RefundStatus } from './rules.js';
import { changingColumns, operationColumns, operationRows, readOperation } from '../processor/store.js';
import { prepared, preparedInsert, preparedUpdate } from '../platform/databases/prepared.js';
import type { Tables } from '../platform/databases/tables.js';

const get = prepared((tx, id: string) => tx.selectFrom('refunds').selectAll().where('id', '=', id), {
  one: true,
});
const some = prepared((tx, attemptId: string, limit: number) =>
  tx
    .selectFrom('refunds')
    .select('id')
    .where('attempt_id', '=', attemptId)
    .where('status', '<>', 'failed')
    .limit(limit),
);
const insert = preparedInsert('refunds');
const update = preparedUpdate('refunds');

export function refunds(tx: Transaction<Tables>): Refunds {
  return {
    ...operationRows(tx, {
      table: 'refunds',
      get,
      update: (refund) => update(tx, refund.id, { left_over: refund.remaining, ...changingColumns(refund) }),
      read: refund,
      head: refund,
    }),
    insert: async (refund) => {
      await insert(tx, row(refund));
    },
    hasMany: async (attemptId, count) => (await some(tx, attemptId, count)).length === count,
  };
}

function row(refund: Refund): Insertable<Tables['refunds']> {
  return {
    attempt_id: refund.attemptId,
    left_over: refund.remaining,
    why: refund.why ?? null,
    ...operationColumns(refund),
  };
}

function refund(found: Selectable<Tables['refunds']>): Refund {
  return {
    attemptId: found.attempt_id,
    status: found.status as RefundStatus,
    remaining: found.left_over,
    ...readOperation(found),
    ...(found.why === null ? {} : { why: found.why }),
  };
}
