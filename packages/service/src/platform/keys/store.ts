import type { Transaction } from 'kysely';
import type { ApiKey, Keys } from '../../core/store.js';
import { recordsOf } from '../databases/records.js';
import { every } from '../databases/rows.js';
import type { Tables } from '../databases/tables.js';

const { read, row } = recordsOf<'api_keys', ApiKey>({ json: ['businessUnits'] });

export function keys(tx: Transaction<Tables>): Keys {
  return {
    active: () =>
      every(
        tx.selectFrom('api_keys').selectAll().where('revoked_at', 'is', null).orderBy('id').execute(),
        read,
      ),
    insert: (key) => tx.insertInto('api_keys').values(row(key)).execute(),
    revoke: async (id, now) => {
      const revoked = await tx
        .updateTable('api_keys')
        .set({ revoked_at: now })
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .returning('id')
        .execute();
      return revoked.length > 0;
    },
  };
}
