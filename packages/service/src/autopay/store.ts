import { sql, type Selectable, Transaction } from 'kysely';
import type { Autopay, Enrollment } from './rules.js';
import { every, first } from '../platform/databases/rows.js';
import { waitingRows } from '../platform/databases/waiting-rows.js';
import type { Tables } from '../platform/databases/tables.js';

export function autopay(tx: Transaction<Tables>): Autopay {
  const all = () => tx.selectFrom('autopay').selectAll().orderBy('enrolled_at').orderBy('account_id');
  return {
    ofAccount: (accountId) => first(all().where('account_id', '=', accountId).execute(), enrollment),
    ofMethod: (methodId) => every(all().where('method_id', '=', methodId).execute(), enrollment),
    insert: async ({ accountId, businessUnit, customerId, methodId, sessionId, enrolledAt, ...rest }) => {
      await tx
        .insertInto('autopay')
        .values({
          account_id: accountId,
          business_unit: businessUnit,
          customer_id: customerId,
          method_id: methodId,
          session_id: sessionId,
          enrolled_at: enrolledAt,
          authorization_id: rest.authorizationId ?? null,
          due_date: rest.dueDate ?? null,
        })
        .execute();
    },
    update: async ({ accountId, methodId, authorizationId, dueDate = null }) => {
      await tx
        .updateTable('autopay')
        .set({ method_id: methodId, authorization_id: authorizationId ?? null, due_date: dueDate })
        .where('account_id', '=', accountId)
        .execute();
    },
    setDueDate: async (accountId, dueDate) => {
      await tx
        .updateTable('autopay')
        .set({ due_date: dueDate })
        .where('account_id', '=', accountId)
        .execute();
    },
    waiting: waitingRows(tx, {
      table: 'autopay',
      id: 'account_id',
      day: 'due_date',
      waiting: sql<boolean>`due_date is not null`,
    }),
    remove: async (accountId) => {
      await tx.deleteFrom('autopay').where('account_id', '=', accountId).execute();
    },
    list: (businessUnit) => every(all().where('business_unit', '=', businessUnit).execute(), enrollment),
  };
}

function enrollment(found: Selectable<Tables['autopay']>): Enrollment {
  return {
    businessUnit: found.business_unit,
    accountId: found.account_id,
    customerId: found.customer_id,
    methodId: found.method_id,
    sessionId: found.session_id,
    enrolledAt: found.enrolled_at,
    ...(found.authorization_id === null ? {} : { authorizationId: found.authorization_id }),
    ...(found.due_date === null ? {} : { dueDate: found.due_date }),
  };
}
