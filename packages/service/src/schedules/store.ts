import { sql, type RawBuilder, type Transaction } from 'kysely';
import type { Schedule, Schedules } from './rules.js';
import { UPCOMING_STATUSES } from '../shared/schedule.js';
import { prepared, preparedFind, preparedUpdate } from '../platform/databases/prepared.js';
import { recordsOf } from '../platform/databases/records.js';
import { every, first } from '../platform/databases/rows.js';
import { waitingRows } from '../platform/databases/waiting-rows.js';
import type { Tables } from '../platform/databases/tables.js';

// Literal, because a bound value would keep SQLite from using the partial index.
export const SCHEDULED: RawBuilder<boolean> = sql<boolean>`status = 'scheduled'`;

const { read, row } = recordsOf<'schedules', Schedule>();

const get = preparedFind('schedules', 'id');
const update = preparedUpdate('schedules');

// Bound, because with the literal SQLite could choose the index of due rows, which has those of all accounts.
const due = prepared((tx, accountId: string, today: string) =>
  tx
    .selectFrom('schedules')
    .select('id')
    .where('account_id', '=', accountId)
    .where('status', '=', 'scheduled')
    .where('date', '<=', today)
    .limit(1),
);

export function schedules(tx: Transaction<Tables>): Schedules {
  const all = () =>
    tx.selectFrom('schedules').selectAll().orderBy('date').orderBy('created_at').orderBy('id');
  const of = (accountId: string, customerId: string) =>
    all().where('account_id', '=', accountId).where('customer_id', '=', customerId);
  return {
    get: (id) => first(get(tx, id), read),
    findByRequest: (customerId, requestId) =>
      first(all().where('customer_id', '=', customerId).where('request_id', '=', requestId).execute(), read),
    upcoming: (accountId, customerId) =>
      every(of(accountId, customerId).where('status', 'in', UPCOMING_STATUSES).execute(), read),
    past: async (accountId, customerId, limit) => {
      const latest = of(accountId, customerId)
        .where('status', 'not in', UPCOMING_STATUSES)
        .clearOrderBy()
        .orderBy('date', 'desc')
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc');
      return (await every(latest.limit(limit).execute(), read)).toReversed();
    },
    hasDue: async (accountId, today) => (await due(tx, accountId, today)).length > 0,
    used: (methodIds) =>
      every(
        tx
          .selectFrom('schedules')
          .select('method_id')
          .distinct()
          .where('method_id', 'in', methodIds)
          .where(SCHEDULED)
          .execute(),
        ({ method_id: id }) => id,
      ),
    insert: (schedule) => tx.insertInto('schedules').values(row(schedule)).execute(),
    update: ({ id, status, reason }) => update(tx, id, { status, reason: reason ?? null }),
    waiting: waitingRows(tx, { table: 'schedules', id: 'id', day: 'date', waiting: SCHEDULED }),
    list: (businessUnit) => every(all().where('business_unit', '=', businessUnit).execute(), read),
  };
}
