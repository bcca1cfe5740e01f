import type { Transaction } from 'kysely';
import type { Account } from './rules/account.js';
import type { Accounts } from '../core/store.js';
import {
  prepared,
  preparedFind,
  preparedInsert,
  preparedUpdate,
  withoutViolation,
} from '../platform/databases/prepared.js';
import { recordsOf } from '../platform/databases/records.js';
import { every, first } from '../platform/databases/rows.js';
import type { Tables } from '../platform/databases/tables.js';

const records = recordsOf<'accounts', Account>({
  json: ['fields', 'bill'],
  columns: ['id', 'business_unit', 'account_number', 'sub_account_number', 'fields', 'billed_at', 'bill'],
});

const find = preparedFind('accounts', 'business_unit', 'account_number', 'sub_account_number');

const get = preparedFind('accounts', 'id');

const lock = prepared((tx, id: string) =>
  tx
    .updateTable('accounts')
    .set((row) => ({ fields: row.ref('fields') }))
    .where('id', '=', id)
    .returningAll(),
);

const insert = preparedInsert('accounts', { of: records, more: withoutViolation });
const update = preparedUpdate(
  'accounts',
  recordsOf<'accounts', Account>({ json: ['fields', 'bill'], columns: ['fields', 'billed_at', 'bill'] }),
);

export function accounts(tx: Transaction<Tables>): Accounts {
  const all = () => tx.selectFrom('accounts').selectAll();
  return {
    find: (businessUnit, accountNumber, subAccountNumber) =>
      first(find(tx, businessUnit, accountNumber, subAccountNumber), records.read),
    get: (id) => first(get(tx, id), records.read),
    lock: (id) => first(lock(tx, id), records.read),
    insert: (account) => insert(tx, account),
    update: (account) => update(tx, account.id, account),
    list: (businessUnit) =>
      every(
        all()
          .where('business_unit', '=', businessUnit)
          .orderBy('account_number')
          .orderBy('sub_account_number')
          .execute(),
        records.read,
      ),
  };
}
