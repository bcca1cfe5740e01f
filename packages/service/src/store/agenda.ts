import { sql, type RawBuilder, type Transaction } from 'kysely';
import type { Agenda } from '../core/store.js';
import { prepared } from '../platform/databases/prepared.js';
import { PENDING } from '../platform/databases/queue-rows.js';
import type { Tables } from '../platform/databases/tables.js';
import type { Channel } from '../messages/rules.js';
import { pendingOf } from '../messages/store.js';
import { firstOfUnits, type UnitRows } from '../platform/databases/waiting-rows.js';
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

/**
 * The smallest value of a column, read from the index on the business unit and that column. A second index on the
 * column alone would slow down every payment.
 */
function firstByUnit<Value extends string | number>(
  tx: Transaction<Tables>,
  table: UnitRows['table'],
  column: string,
  waiting: RawBuilder<boolean>,
  ready?: RawBuilder<boolean>,
): RawBuilder<Value | null> {
  const units = firstOfUnits(tx, { table, column, waiting }, ready);
  return sql`(select min("first") from ${units.as('units')})`;
}

const firstMessage = (tx: Transaction<Tables>, channel: Channel): RawBuilder<number | null> =>
  firstByUnit<number>(tx, 'messages', 'due_at', pendingOf(channel));

const metaOf = (name: string): RawBuilder<string | null> =>
  sql`(select value from meta where name = ${sql.lit(name)})`;

/** Has no parameters: otherwise PostgreSQL would plan it for each of the first five runs on a connection, 20 ms each. */
const next = prepared((tx) =>
  tx.selectNoFrom([
    metaOf('jobs-held').as('held'),
    metaOf('restore-mark').as('restoreMark'),
    firstOf('sessions', 'expires_at', WAITING).as('expire'),
    firstByUnit<number>(tx, 'attempts', 'due_at', DUE).as('settle'),
    firstByUnit<number>(tx, 'refunds', 'due_at', DUE).as('refund'),
    firstOf('processor_events', 'due_at').as('receive'),
    firstByUnit<string>(tx, 'schedules', 'date', SCHEDULED).as('scheduledDay'),
    firstByUnit<string>(tx, 'autopay', 'due_date', sql`due_date is not null`).as('autopayDay'),
    firstByUnit<string>(tx, 'attempts', 'charge_on', SCHEDULED).as('attemptDay'),
    firstMessage(tx, 'email').as('email'),
    firstMessage(tx, 'sms').as('sms'),
  ]),
);

const nextDelivery = prepared((tx, systemNow: number) =>
  tx.selectNoFrom(
    firstByUnit<number>(tx, 'outbox', 'due_at', PENDING, sql`leased_until <= ${systemNow}`).as('deliver'),
  ),
);

/** When an attempt's outcome should have been known: a payer has some minutes for a challenge. */
const unknownSince = sql`coalesce(action_until, created_at)`;

/** If as many payments are at their challenge, a later one is reported once their time is over. */
const MAX_OLDEST = 1_000;

export function agenda(tx: Transaction<Tables>): Agenda {
  return {
    next: async (systemNow) => {
      const [[found], [delivery]] = await Promise.all([next(tx), nextDelivery(tx, systemNow)]);
      if (found === undefined || delivery === undefined) throw new Error('The database returned no row.');
      const { held, scheduledDay, autopayDay, attemptDay, email, sms, ...firsts } = found;
      const days = [scheduledDay, autopayDay, attemptDay].filter((day) => day !== null);
      const messages = [email, sms].filter((dueAt) => dueAt !== null);
      return {
        areJobsHeld: held === 'yes',
        ...firsts,
        ...delivery,
        send: messages.length === 0 ? null : Math.min(...messages),
        chargeDay: days.toSorted()[0] ?? null,
      };
    },
    backlog: async (now) => {
      const oldest = sql`select ${unknownSince} as since from attempts
        where status = 'processing' order by created_at limit ${sql.lit(MAX_OLDEST)}`;
      const { processingSince, held } = await tx
        .selectNoFrom([
          metaOf('jobs-held').as('held'),
          sql<number | null>`(select min(since) from (${oldest}) as oldest where since <= ${now})`.as(
            'processingSince',
          ),
        ])
        .executeTakeFirstOrThrow();
      return { processingSince, areJobsHeld: held === 'yes' };
    },
  };
}
