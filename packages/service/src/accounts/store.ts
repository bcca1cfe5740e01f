import type { Selectable, Transaction } from 'kysely';
import type { Account, AccountFields } from './rules/account.js';
import type { Accounts } from '../core/store.js';
import { prepared, preparedInsert, preparedUpdate } from '../platform/databases/prepared.js';
import { every, first } from '../platform/databases/rows.js';
import type { Tables } from '../platform/databases/tables.js';

const find = prepared(
  (tx, businessUnit: string, accountNumber: string, subAccountNumber: string) =>
    tx
      .selectFrom('accounts')
      .select(['id', 'fields', 'balance_synced_at'])
      .where('business_unit', '=', businessUnit)
      .where('account_number', '=', accountNumber)
      .where('sub_account_number', '=', subAccountNumber),
  { one: true },
);

const get = prepared((tx, id: string) => tx.selectFrom('accounts').selectAll().where('id', '=', id), {
  one: true,
});

const insert = preparedInsert('accounts');
const update = preparedUpdate('accounts');

export function accounts(tx: Transaction<Tables>): Accounts {
  const all = () => tx.selectFrom('accounts').selectAll();
  return {
    find: (businessUnit, accountNumber, subAccountNumber) =>
      first(find(tx, businessUnit, accountNumber, subAccountNumber), (row) =>
        account({
          business_unit: businessUnit,
          account_number: accountNumber,
          sub_account_number: subAccountNumber,
          ...row,
        }),
      ),
    get: (id) => first(get(tx, id), account),
    insert: async (account) => {
      const { id, businessUnit, accountNumber, subAccountNumber, fields, balanceSyncedAt = null } = account;
      await insert(tx, {
        id,
        business_unit: businessUnit,
        account_number: accountNumber,
        sub_account_number: subAccountNumber,
        fields: JSON.stringify(fields),
        balance_synced_at: balanceSyncedAt,
      });
    },
    update: async (account) => {
      await update(tx, account.id, {
        fields: JSON.stringify(account.fields),
        balance_synced_at: account.balanceSyncedAt ?? null,
      });
    },
    list: (businessUnit) =>
      every(
        all()
          .where('business_unit', '=', businessUnit)
          .orderBy('account_number')
          .orderBy('sub_account_number')
          .execute(),
        account,
      ),
  };
}

function account(row: Selectable<Tables['accounts']>): Account {
  return {
    id: row.id,
    businessUnit: row.business_unit,
    accountNumber: row.account_number,
    subAccountNumber: row.sub_account_number,
    fields: JSON.parse(row.fields) as AccountFields,
    ...(row.balance_synced_at === null ? {} : { balanceSyncedAt: row.balance_synced_at }),
  };
}
