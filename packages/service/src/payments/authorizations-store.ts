import type { Transaction } from 'kysely';
import type { Authorization, Authorizations } from './rules/authorization.js';
import { preparedFind, preparedInsert } from '../platform/databases/prepared.js';
import { recordsOf, every, first } from '../platform/databases/records.js';
import type { Tables } from '../platform/databases/tables.js';

const records = recordsOf<'authorizations', Authorization>({
  columns: ['id', 'business_unit', 'customer_id', 'text', 'agreed_at', 'revoked_at', 'ip', 'user_agent'],
});

const get = preparedFind('authorizations', 'id');

const insert = preparedInsert('authorizations', { of: records });

export function authorizations(tx: Transaction<Tables>): Authorizations {
  const all = () => tx.selectFrom('authorizations').selectAll();
  return {
    get: (id) => first(get(tx, id), records.read),
    insert: (authorization) => insert(tx, authorization),
    revoke: (id, now) =>
      tx
        .updateTable('authorizations')
        .set({ revoked_at: now })
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .execute(),
    list: (businessUnit) =>
      every(all().where('business_unit', '=', businessUnit).orderBy('id').execute(), records.read),
  };
}
