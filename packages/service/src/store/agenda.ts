import { sql, type RawBuilder, type Transaction } from 'kysely';
import type { Agenda } from '../core/store.js';
import { PENDING } from '../platform/databases/queue-rows.js';
import type { Tables } from '../platform/databases/tables.js';
import { DUE } from '../processor/store.js';
import { SCHEDULED } from '../schedules/store.js';
import { WAITING } from '../sessions/store.js';

/** The smallest value of a column, as a subquery that reads only the first entry of an index. */
function firstOf<Table extends keyof Tables, Column extends keyof Tables[Table] & string>(
  table: Table,
  column: Column,
  where: RawBuilder<unknown> = sql`true`,
): RawBuilder<Tables[Table][Column] | null> {
  return sql`(select min(${sql.ref(column)}) from ${sql.table(table)} where ${where})`;
}

const metaOf = (name: string): RawBuilder<string | null> =>
  sql`(select value from meta where name = ${sql.lit(name)})`;

/** Each function runs one statement. */
export function agenda(tx: Transaction<Tables>): Agenda {
  return {
    next: async (systemNow) => {
      const found = await tx
        .selectNoFrom([
          metaOf('clock-offset').as('offset'),
          metaOf('jobs-held').as('held'),
          firstOf('sessions', 'expires_at', WAITING).as('expire'),
          firstOf('attempts', 'due_at', DUE).as('settle'),
          firstOf('refunds', 'due_at', DUE).as('refund'),
          firstOf('processor_events', 'due_at').as('receive'),
          firstOf('schedules', 'date', SCHEDULED).as('scheduledDay'),
          firstOf('autopay', 'due_date', sql`due_date is not null`).as('autopayDay'),
          firstOf('attempts', 'charge_on', SCHEDULED).as('attemptDay'),
          firstOf('outbox', 'due_at', sql`${PENDING} and leased_until <= ${systemNow}`).as('deliver'),
          firstOf('messages', 'due_at', PENDING).as('send'),
        ])
        .executeTakeFirstOrThrow();
      const { offset, held, scheduledDay, autopayDay, attemptDay, ...firsts } = found;
      const days = [scheduledDay, autopayDay, attemptDay].filter((day) => day !== null);
      return {
        clockOffset: Number(offset ?? 0),
        areJobsHeld: held === 'yes',
        ...firsts,
        chargeDay: days.toSorted()[0] ?? null,
      };
    },
    backlog: async () => {
      const { processingSince, held } = await tx
        .selectNoFrom([
          metaOf('jobs-held').as('held'),
          firstOf('attempts', 'created_at', sql`status = 'processing'`).as('processingSince'),
        ])
        .executeTakeFirstOrThrow();
      return { processingSince, areJobsHeld: held === 'yes' };
    },
  };
}
