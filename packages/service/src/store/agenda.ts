import { sql, type Transaction } from 'kysely';
import type { Agenda } from '../core/store.js';
import type { Tables } from '../platform/databases/tables.js';

// Literal, because a bound value would keep SQLite from using the partial indexes.
const WAITING = sql<boolean>`status in ('RequiresPaymentSource', 'Open')`;
const SCHEDULED = sql<boolean>`status = 'scheduled'`;
const PENDING = sql<boolean>`status = 'pending'`;
const PROCESSING = sql<boolean>`status = 'processing'`;

/** One statement each, which reads only the first entries of indexes. */
export function agenda(tx: Transaction<Tables>): Agenda {
  return {
    next: async (systemNow) => {
      const found = await tx
        .selectNoFrom((eb) => [
          eb.selectFrom('meta').select('value').where('name', '=', 'clock-offset').as('offset'),
          eb.selectFrom('meta').select('value').where('name', '=', 'jobs-held').as('held'),
          eb
            .selectFrom('sessions')
            .where(WAITING)
            .select(({ fn }) => fn.min('expires_at').as('first'))
            .as('expiry'),
          eb
            .selectFrom('attempts')
            .where('due_at', 'is not', null)
            .select(({ fn }) => fn.min('due_at').as('first'))
            .as('attempt'),
          eb
            .selectFrom('refunds')
            .where('due_at', 'is not', null)
            .select(({ fn }) => fn.min('due_at').as('first'))
            .as('refund'),
          eb
            .selectFrom('processor_events')
            .select(({ fn }) => fn.min('due_at').as('first'))
            .as('event'),
          eb
            .selectFrom('schedules')
            .where(SCHEDULED)
            .select(({ fn }) => fn.min('date').as('first'))
            .as('scheduledDay'),
          eb
            .selectFrom('autopay')
            .where('due_date', 'is not', null)
            .select(({ fn }) => fn.min('due_date').as('first'))
            .as('autopayDay'),
          eb
            .selectFrom('attempts')
            .where(SCHEDULED)
            .select(({ fn }) => fn.min('charge_on').as('first'))
            .as('attemptDay'),
          eb
            .selectFrom('outbox')
            .where(PENDING)
            .where('leased_until', '<=', systemNow)
            .select(({ fn }) => fn.min('due_at').as('first'))
            .as('message'),
          eb
            .selectFrom('messages')
            .where(PENDING)
            .select(({ fn }) => fn.min('due_at').as('first'))
            .as('payerMessage'),
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
        .selectNoFrom((eb) => [
          eb.selectFrom('meta').select('value').where('name', '=', 'jobs-held').as('held'),
          eb
            .selectFrom('attempts')
            .where(PROCESSING)
            .select(({ fn }) => fn.min('created_at').as('first'))
            .as('processingSince'),
        ])
        .executeTakeFirstOrThrow();
      return { processingSince, areJobsHeld: held === 'yes' };
    },
  };
}
