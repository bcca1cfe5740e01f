import type { Insertable, Selectable, Transaction } from 'kysely';
import type { Refund, Refunds, RefundStatus } from '../domain/refund.js';
import { asked, askedColumns, readAsked } from './asked.js';
import type { Tables } from './tables.js';

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
    ...askedColumns(refund),
    attempt_id: refund.attemptId,
    left_over: refund.left,
    why: refund.why ?? null,
  };
}

function refund(found: Selectable<Tables['refunds']>): Refund {
  return {
    ...readAsked(found),
    attemptId: found.attempt_id,
    status: found.status as RefundStatus,
    left: found.left_over,
    ...(found.why === null ? {} : { why: found.why }),
  };
}
