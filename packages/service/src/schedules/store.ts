import { sql, type Selectable, type Transaction } from 'kysely';
import type { Schedule, Schedules } from './rules.js';
import { AHEAD, type ScheduleStatus } from '../shared/schedule.js';
import { every, first } from '../platform/databases/rows.js';
import { waitingRows } from '../platform/databases/waiting-rows.js';
import type { Tables } from '../platform/databases/tables.js';

// Literal, as in the index: a bound value would keep SQLite from using it.
const SCHEDULED = sql<boolean>`status = 'scheduled'`;

export function schedules(tx: Transaction<Tables>): Schedules {
  const all = () =>
    tx.selectFrom('schedules').selectAll().orderBy('date').orderBy('created_at').orderBy('id');
  const of = (accountId: string, customerId: string) =>
    all().where('account_id', '=', accountId).where('customer_id', '=', customerId);
  return {
    get: (id) => first(all().where('id', '=', id).execute(), schedule),
    findByRequest: (customerId, requestId) =>
      first(
        all().where('customer_id', '=', customerId).where('request_id', '=', requestId).execute(),
        schedule,
      ),
    ahead: (accountId, customerId) =>
      every(of(accountId, customerId).where('status', 'in', AHEAD).execute(), schedule),
    past: async (accountId, customerId, most) => {
      const latest = of(accountId, customerId)
        .where('status', 'not in', AHEAD)
        .clearOrderBy()
        .orderBy('date', 'desc')
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc');
      return (await every(latest.limit(most).execute(), schedule)).toReversed();
    },
    ofMethod: (methodId) =>
      every(all().where('method_id', '=', methodId).where(SCHEDULED).execute(), schedule),
    insert: async (schedule) => {
      await tx
        .insertInto('schedules')
        .values({
          id: schedule.id,
          business_unit: schedule.businessUnit,
          session_id: schedule.sessionId,
          request_id: schedule.requestId,
          account_id: schedule.accountId,
          customer_id: schedule.customerId,
          method_id: schedule.methodId,
          amount: schedule.amount,
          date: schedule.date,
          status: schedule.status,
          reason: schedule.reason ?? null,
          created_at: schedule.createdAt,
          authorization_id: schedule.authorizationId ?? null,
        })
        .execute();
    },
    update: async ({ id, status, reason }) => {
      await tx
        .updateTable('schedules')
        .set({ status, reason: reason ?? null })
        .where('id', '=', id)
        .execute();
    },
    waiting: waitingRows(tx, { table: 'schedules', id: 'id', day: 'date', waiting: SCHEDULED }),
    list: (businessUnit) => every(all().where('business_unit', '=', businessUnit).execute(), schedule),
  };
}

function schedule(found: Selectable<Tables['schedules']>): Schedule {
  return {
    id: found.id,
    businessUnit: found.business_unit,
    sessionId: found.session_id,
    requestId: found.request_id,
    accountId: found.account_id,
    customerId: found.customer_id,
    methodId: found.method_id,
    amount: found.amount,
    date: found.date,
    status: found.status as ScheduleStatus,
    ...(found.reason === null ? {} : { reason: found.reason }),
    createdAt: found.created_at,
    ...(found.authorization_id === null ? {} : { authorizationId: found.authorization_id }),
  };
}
