import type { Transaction } from 'kysely';
import type { Keys } from '../../core/store.js';
import { every } from '../databases/rows.js';
import type { Tables } from '../databases/tables.js';

export function keys(tx: Transaction<Tables>): Keys {
  return {
    active: () =>
      every(
        tx.selectFrom('api_keys').selectAll().where('revoked_at', 'is', null).orderBy('id').execute(),
        (row) => ({
          id: row.id,
          hash: row.hash,
          businessUnits: JSON.parse(row.business_units) as string[],
          createdAt: row.created_at,
        }),
      ),
    insert: (key) =>
      tx
        .insertInto('api_keys')
        .values({
          id: key.id,
          hash: key.hash,
          business_units: JSON.stringify(key.businessUnits),
          created_at: key.createdAt,
          revoked_at: null,
        })
        .execute(),
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
