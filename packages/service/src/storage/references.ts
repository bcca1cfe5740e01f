import { sql, type Transaction } from 'kysely';
import type { References } from '../domain/store.js';
import type { Tables } from './tables.js';

export function references(tx: Transaction<Tables>): References {
  return {
    // A process of an earlier release writes the session alone.
    take: async (businessUnit, reference) => {
      const { rows } = await sql`
        insert into client_references (business_unit, reference)
        select cast(${businessUnit} as text), cast(${reference} as text)
        where not exists (
          select 1 from sessions where business_unit = ${businessUnit} and client_reference = ${reference})
        on conflict do nothing returning reference`.execute(tx);
      return rows.length === 1;
    },
  };
}
