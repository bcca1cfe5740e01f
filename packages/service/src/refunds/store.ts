import type { Insertable, Selectable, Transaction } from 'kysely';
import type { Refund, Refunds, RefundStatus } from './rules.js';
import { asked, operationColumns, readOperation } from '../processor/store.js';
import type { Tables } from '../platform/databases/tables.js';

export function refunds(tx: Transaction<Tables>): Refunds {
  return {
    ...asked(tx, { table: 'refunds', row, read: refund, head: refund }),
    insert: async (refund) => {
      await tx.insertInto('refunds').values(row(refund)).execute();
    },
  };
}

function row(refund: Refund): Insertable<Tables['refunds']> {
  return {
    attempt_id: refund.attemptId,
    left_over: refund.left,
    why: refund.why ?? null,
    ...operationColumns(refund),
  };
}

function refund(found: Selectable<Tables['refunds']>): Refund {
  return {
    attemptId: found.attempt_id,
    status: found.status as RefundStatus,
    left: found.left_over,
    ...readOperation(found),
    ...(found.why === null ? {} : { why: found.why }),
  };
}
