/** Rows that wait for a day, found per business unit so that no unit's backlog hides another's. */
import { sql, type RawBuilder, type Transaction } from 'kysely';
import type { WaitingRows } from '../../core/waiting-rows.js';
import type { Tables } from './tables.js';

interface WaitingTable {
  readonly table: 'schedules' | 'autopay' | 'attempts';
  readonly id: string;
  readonly day: string;
  /** Which rows wait; literal, as in the index on business unit and day. */
  readonly waiting: RawBuilder<boolean>;
}

export function waitingRows(tx: Transaction<Tables>, names: WaitingTable): WaitingRows {
  const table = sql.table(names.table);
  const day = sql.ref(names.day);
  const id = sql.ref(names.id);
  const { waiting } = names;

  return {
    units: async () => {
      // Skip scan: jumps to the next business unit in the index instead of reading every waiting row.
      const units = sql<{ businessUnit: string; day: string }>`(
        with recursive units (slug) as (
          select min(business_unit) from ${table} where ${waiting}
          union all
          select (select min(business_unit) from ${table} where ${waiting} and business_unit > units.slug)
          from units where units.slug is not null
        )
        select slug as "businessUnit",
          (select min(${day}) from ${table} where ${waiting} and business_unit = units.slug) as "day"
        from units where slug is not null)`;
      return tx.selectFrom(units.as('waiting')).select(['businessUnit', 'day']).execute();
    },

    due: async (businessUnit, until, limit) => {
      const due = sql<{ id: string; sessionId: string }>`(
        select ${id} as "id", session_id as "sessionId" from ${table}
        where ${waiting} and business_unit = ${businessUnit} and ${day} <= ${until}
        order by ${day}, ${id} limit ${limit})`;
      const rows = await tx.selectFrom(due.as('due')).select(['id', 'sessionId']).execute();
      return rows.map((row) => ({ ...row, businessUnit }));
    },
  };
}
