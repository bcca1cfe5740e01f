import { sql, type Transaction } from 'kysely';
import type { Autopay, Enrollment } from './rules.js';
import { prepared, preparedFind } from '../platform/databases/prepared.js';
import { recordsOf, every, first } from '../platform/databases/records.js';
import { waitingRows } from '../platform/databases/waiting-rows.js';
import type { Tables } from '../platform/databases/tables.js';

const { read, row } = recordsOf<'autopay', Enrollment>();

const ofAccount = preparedFind('autopay', 'account_id');

const setDueDate = prepared((tx, accountId: string, dueDate: string | null) =>
  tx.updateTable('autopay').set({ due_date: dueDate }).where('account_id', '=', accountId),
);

export function autopay(tx: Transaction<Tables>): Autopay {
  const all = () => tx.selectFrom('autopay').selectAll().orderBy('enrolled_at').orderBy('account_id');
  return {
    ofAccount: (accountId) => first(ofAccount(tx, accountId), read),
    insert: (enrollment) => tx.insertInto('autopay').values(row(enrollment)).execute(),
    update: ({ accountId, methodId, authorizationId, dueDate = null }) =>
      tx
        .updateTable('autopay')
        .set({ method_id: methodId, authorization_id: authorizationId ?? null, due_date: dueDate })
        .where('account_id', '=', accountId)
        .execute(),
    setDueDate: (accountId, dueDate) => setDueDate(tx, accountId, dueDate),
    waiting: waitingRows(tx, {
      table: 'autopay',
      id: 'account_id',
      day: 'due_date',
      waiting: sql<boolean>`due_date is not null`,
    }),
    remove: (accountId) => tx.deleteFrom('autopay').where('account_id', '=', accountId).execute(),
    list: (businessUnit) => every(all().where('business_unit', '=', businessUnit).execute(), read),
  };
}
