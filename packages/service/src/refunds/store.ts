import type { Selectable, Transaction } from 'kysely';
import type { Refund, Refunds } from './rules.js';
import { CHANGING_COLUMNS, OPERATION_COLUMNS, operationRows } from '../processor/store.js';
import { prepared, preparedFind, preparedInsert, preparedUpdate } from '../platform/databases/prepared.js';
import { recordsOf } from '../platform/databases/records.js';
import type { Tables } from '../platform/databases/tables.js';

type Stored = Omit<Refund, 'remaining'> & { readonly leftOver: number };

const records = recordsOf<'refunds', Stored>({
  columns: [...OPERATION_COLUMNS, 'attempt_id', 'left_over', 'why'],
});

const stored = ({ remaining, ...refund }: Refund): Stored => ({ ...refund, leftOver: remaining });

function refund(found: Selectable<Tables['refunds']>): Refund {
  const { leftOver, ...rest } = records.read(found);
  return { ...rest, remaining: leftOver };
}

const get = preparedFind('refunds', 'id');
const some = prepared((tx, attemptId: string, limit: number) =>
  tx
    .selectFrom('refunds')
    .select('id')
    .where('attempt_id', '=', attemptId)
    .where('status', '<>', 'failed')
    .limit(limit),
);
const insert = preparedInsert('refunds', { of: records });
const update = preparedUpdate(
  'refunds',
  recordsOf<'refunds', Stored>({ columns: [...CHANGING_COLUMNS, 'left_over'] }),
);

export function refunds(tx: Transaction<Tables>): Refunds {
  return {
    ...operationRows(tx, {
      table: 'refunds',
      get,
      update: (refund) => update(tx, refund.id, stored(refund)),
      read: refund,
      head: refund,
    }),
    insert: (refund) => insert(tx, stored(refund)),
    hasMany: async (attemptId, count) => (await some(tx, attemptId, count)).length === count,
  };
}
