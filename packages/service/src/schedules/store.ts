import { sql, type RawBuilder, type Transaction } from 'kysely';
import type { Schedule, Schedules } from './rules.js';
import { UPCOMING_STATUSES } from '../shared/page.js';
import { prepared, preparedFind, preparedUpdate } from '../platform/databases/prepared.js';
import { recordsOf, every, first } from '../platform/databases/records.js';
import { waitingRows } from '../platform/databases/waiting-rows.js';
import type { Tables } from '../platform/databases/tables.js';

// Literal, because bound values would keep SQLite from using the partial indexes.
export const SCHEDULED: RawBuilder<boolean> = sql<boolean>`status = 'scheduled'`;
const UPCOMING_LIST = sql.join(UPCOMING_STATUSES.map((status) => sql.lit(status)));
const UPCOMING = sql<boolean>`status in (${UPCOMING_LIST})`;
const PAST = sql<boolean>`status not in (${UPCOMING_LIST})`;

const { read, row } = recordsOf<'schedules', Schedule>();

const get = preparedFind('schedules', 'id');
const update = preparedUpdate('schedules');

const due = prepared((tx, accountId: string, day: string, limit: number) =>
  tx
    .selectFrom('schedules')
    .select(['amount', 'date', 'method_id as methodId'])
    .where('account_id', '=', accountId)
    .where(SCHEDULED)
    .where('date', '<=', day)
    .limit(limit),
);

/**
 * Limits the cost of computing an account's next AutoPay charge, because any number of customers may have
 * scheduled payments.
 */
const MAX_SUMMED = 200;

const upcoming = prepared((tx, accountId: string, customerId: string) =>
  ofCustomer(tx, accountId, customerId).where(UPCOMING).orderBy('date').orderBy('created_at').orderBy('id'),
);

const next = prepared((tx, accountId: string, customerId: string) =>
  ofCustomer(tx, accountId, customerId).where(UPCOMING).where(SCHEDULED).orderBy('date').limit(1),
);

const latestPast = prepared((tx, accountId: string, customerId: string, limit: number) =>
  ofCustomer(tx, accountId, customerId)
    .where(PAST)
    .orderBy('date', 'desc')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit),
);

function ofCustomer(tx: Transaction<Tables>, accountId: string, customerId: string) {
  return tx
    .selectFrom('schedules')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('customer_id', '=', customerId);
}

export function schedules(tx: Transaction<Tables>): Schedules {
  const all = () =>
    tx.selectFrom('schedules').selectAll().orderBy('date').orderBy('created_at').orderBy('id');
  return {
    get: (id) => first(get(tx, id), read),
    findByRequest: (customerId, requestId) =>
      first(all().where('customer_id', '=', customerId).where('request_id', '=', requestId).execute(), read),
    upcoming: (accountId, customerId) => every(upcoming(tx, accountId, customerId), read),
    next: (accountId, customerId) => first(next(tx, accountId, customerId), read),
    past: async (accountId, customerId, limit) =>
      (await every(latestPast(tx, accountId, customerId, limit), read)).toReversed(),
    hasDue: async (accountId, today) => (await due(tx, accountId, today, 1)).length > 0,
    due: (accountId, day) => due(tx, accountId, day, MAX_SUMMED),
    insert: (schedule) => tx.insertInto('schedules').values(row(schedule)).execute(),
    update: ({ id, status, reason }) => update(tx, id, { status, reason: reason ?? null }),
    waiting: waitingRows(tx, { table: 'schedules', id: 'id', day: 'date', waiting: SCHEDULED }),
    list: (businessUnit) => every(all().where('business_unit', '=', businessUnit).execute(), read),
  };
}
