import type { Insertable, Selectable, Transaction } from 'kysely';
import type { Refund, Refunds, RefundStatus } from '../domain/refund.js';
import { every, first } from './rows.js';
import type { Tables } from './tables.js';

export function refunds(tx: Transaction<Tables>): Refunds {
  const all = () => tx.selectFrom('refunds').selectAll();
  return {
    get: (id) => first(all().where('id', '=', id).execute(), refund),
    insert: async (refund) => {
      await tx.insertInto('refunds').values(row(refund)).execute();
    },
    update: async (refund) => {
      await tx.updateTable('refunds').set(row(refund)).where('id', '=', refund.id).execute();
    },
    due: (now, limit) =>
      every(
        all()
          .where('due_at', 'is not', null)
          .where('due_at', '<=', now)
          .orderBy('due_at')
          .limit(limit)
          .execute(),
        refund,
      ),
    list: (businessUnit) =>
      every(
        all().where('business_unit', '=', businessUnit).orderBy('created_at').orderBy('id').execute(),
        refund,
      ),
  };
}

function row(refund: Refund): Insertable<Tables['refunds']> {
  return {
    id: refund.id,
    business_unit: refund.businessUnit,
    attempt_id: refund.attemptId,
    status: refund.status,
    amount: refund.amount,
    left_over: refund.left,
    why: refund.why ?? null,
    created_at: refund.createdAt,
    due_at: refund.dueAt ?? null,
    lookups: refund.lookups,
    reason: refund.reason ?? null,
    reference: refund.reference ?? null,
  };
}

function refund(found: Selectable<Tables['refunds']>): Refund {
  return {
    id: found.id,
    businessUnit: found.business_unit,
    attemptId: found.attempt_id,
    status: found.status as RefundStatus,
    amount: found.amount,
    left: found.left_over,
    ...(found.why === null ? {} : { why: found.why }),
    createdAt: found.created_at,
    ...(found.due_at === null ? {} : { dueAt: found.due_at }),
    lookups: found.lookups,
    ...(found.reason === null ? {} : { reason: found.reason }),
    ...(found.reference === null ? {} : { reference: found.reference }),
  };
}
