import { sql, type Transaction } from 'kysely';
import type { References } from '../core/store.js';
import { prepared } from '../platform/databases/prepared.js';
import type { Tables } from '../platform/databases/tables.js';

// Processes of earlier releases write only the session.
const take = prepared(
  (_, businessUnit: string, reference: string) => sql<{ reference: string }>`
    insert into client_references (business_unit, reference)
    select cast(${businessUnit} as text), cast(${reference} as text)
    where not exists (
      select 1 from sessions where business_unit = ${businessUnit} and client_reference = ${reference})
    on conflict do nothing returning reference`,
);

export function references(tx: Transaction<Tables>): References {
  return {
    take: async (businessUnit, reference) => (await take(tx, businessUnit, reference)).length === 1,
  };
}
