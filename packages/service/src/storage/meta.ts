import type { Transaction } from 'kysely';
import type { Meta } from '../domain/store.js';
import type { Tables } from './tables.js';

export function meta(tx: Transaction<Tables>): Meta {
  return {
    get: async (name) =>
      (await tx.selectFrom('meta').select('value').where('name', '=', name).executeTakeFirst())?.value ??
      null,
    set: async (name, value) => {
      await tx
        .insertInto('meta')
        .values({ name, value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
        .execute();
    },
  };
}
