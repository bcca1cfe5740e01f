import { sql, type Selectable, type Transaction } from 'kysely';
import type { Attempt, AttemptHead, AttemptPosition, Attempts } from './rules/attempt.js';
import { isOfEnrollment } from './account-payments-store.js';
import { isId } from '../core/page-ids.js';
import { CHANGING_COLUMNS, OPERATION_COLUMNS, operationRows, UNBOOKED } from '../processor/store.js';
import { countParsed } from '../platform/context.js';
import { prepared, preparedFind, preparedInsert, preparedUpdate } from '../platform/databases/prepared.js';
import { recordIn, recordsOf, every, first } from '../platform/databases/records.js';
import { forgettableRows, waitingRows } from '../platform/databases/waiting-rows.js';
import type { Tables } from '../platform/databases/tables.js';

const get = preparedFind('attempts', 'id');

const find = preparedFind('attempts', 'session_id', 'request_id');

const CHANGING = [
  'source',
  'answered_at',
  'refunded',
  'forget_at',
  'action_url',
  'action_until',
  'sent_at',
] as const;

/** All but the fields that a payer filled in, which may have 64 KiB, and the descriptor, which may have 10,000 characters. */
const SHOWN = [
  ...OPERATION_COLUMNS,
  ...CHANGING,
  'session_id',
  'request_id',
  'scheduled_id',
  'account_id',
  'client_reference',
  'charges',
  'authorization_id',
  'charge_on',
] as const;

const HEAD = SHOWN.filter((column) => column !== 'source' && column !== 'charges');

const records = recordsOf<'attempts', Attempt>({
  json: ['source', 'charges', 'fields'],
  columns: [...SHOWN, 'fields', 'descriptor'],
});

const NO_DESCRIPTOR = sql<string | null>`null`.as('descriptor');
const NO_FIELDS = sql<string>`'{}'`.as('fields');
/** A payer can fill them in ten times per session, and those of a declined payment aren't shown. */
const ACCEPTED_FIELDS = sql<string>`case when status = 'declined' then '{}' else fields end`.as('fields');

// Literal, because a bound value would keep SQLite from using the partial indexes.
const BEGUN_BY_OLDER = sql<boolean>`status in ('processing', 'pending') and booked is null`;
const SCHEDULED = sql<boolean>`status = 'scheduled'`;
const SETTLED_BY_OLDER = sql<boolean>`forget_at is null and status not in ('scheduled', 'processing')
  and source not like '%"holder":""%'`;

/** Limited, because AutoPay keeps adding attempts to the session that enrolled. */
const MAX_PER_SESSION = 100;

// In index order. In sessions that can exceed the limit, request ids sort by time.
const newestOfSession = prepared((tx, sessionId: string) =>
  tx
    .selectFrom('attempts')
    .select([...SHOWN, ACCEPTED_FIELDS, NO_DESCRIPTOR])
    .where('session_id', '=', sessionId)
    .orderBy('request_id', 'desc')
    .limit(MAX_PER_SESSION),
);

const insert = preparedInsert('attempts', { of: records });
const update = preparedUpdate(
  'attempts',
  recordsOf<'attempts', Attempt>({ json: ['source'], columns: [...CHANGING_COLUMNS, ...CHANGING] }),
);
const begin = preparedUpdate(
  'attempts',
  recordsOf<'attempts', Attempt>({
    json: ['source'],
    columns: [...CHANGING_COLUMNS, ...CHANGING, 'created_at', 'session_id', 'authorization_id'],
  }),
);

export function attempts(tx: Transaction<Tables>): Attempts {
  const all = () => tx.selectFrom('attempts').select([...SHOWN, NO_FIELDS, NO_DESCRIPTOR]);
  const positions = () => tx.selectFrom('attempts').select(['id', 'created_at as createdAt']);
  return {
    ...operationRows(tx, {
      table: 'attempts',
      get,
      update: (attempt) => update(tx, attempt.id, attempt),
      read: records.read,
      head: HEAD,
    }),
    find: (sessionId, requestId) => first(find(tx, sessionId, requestId), records.read),
    ofSession: async (sessionId) =>
      isId(sessionId) ? (await every(newestOfSession(tx, sessionId), counted)).toSorted(inOrder) : [],
    insert: (attempt) => insert(tx, { ...attempt, booked: attempt.booked ?? 'nothing' }),
    begin: (attempt) => begin(tx, attempt.id, attempt),
    begunIn03: (limit) =>
      tx
        .selectFrom('attempts')
        .select('id')
        .where(BEGUN_BY_OLDER)
        .orderBy('created_at')
        .limit(limit)
        .execute(),
    needsBackfill: async (businessUnit) => {
      // An expression, so that SQLite uses the small indexes of rows that are not backfilled.
      const unit = sql`business_unit || ''`;
      for (const older of [BEGUN_BY_OLDER, UNBOOKED]) {
        const found = tx.selectFrom('attempts').select('id').where(older).where(unit, '=', businessUnit);
        if ((await found.orderBy('created_at').limit(1).execute()).length > 0) return true;
      }
      return false;
    },
    scheduledFor: async (accountId, limit) => {
      const heads = tx.selectFrom('attempts').select(HEAD);
      const scheduled = heads.where('account_id', '=', accountId).where(SCHEDULED);
      const current = scheduled.where(isOfEnrollment(accountId)).orderBy('charge_on').orderBy('id');
      const found = (limit === undefined ? current : current.limit(limit)).execute();
      return every(found, (row) => recordIn(row) as AttemptHead);
    },
    hasScheduled: async (accountId, count) => {
      const scheduled = tx
        .selectFrom('attempts')
        .select('id')
        .where('account_id', '=', accountId)
        .where(SCHEDULED);
      return (await scheduled.limit(count).execute()).length === count;
    },
    waiting: waitingRows(tx, {
      table: 'attempts',
      id: 'id',
      day: 'charge_on',
      waiting: SCHEDULED,
    }),
    ...forgettableRows(tx, { table: 'attempts', older: SETTLED_BY_OLDER, since: 'created_at' }, records.read),
    isCharging: async (methodId) => {
      const charging = tx
        .selectFrom('attempts')
        .select('id')
        .where(sql<boolean>`status = 'processing'`)
        .where(sql<boolean>`"json"(source) ->> 'methodId' = ${methodId}`)
        .limit(1);
      return (await charging.execute()).length > 0;
    },
    positions: async ({ businessUnit, from = 0, to = Infinity, statuses, clientReference, after, limit }) => {
      const since = Math.max(from, after?.createdAt ?? 0);
      // An expression, so that SQLite uses the small index on the reference.
      const time = sql<number>`created_at + 0`;
      const read = (rows: ReturnType<typeof positions>): Promise<AttemptPosition[]> => {
        let page = rows.where('business_unit', '=', businessUnit).limit(limit);
        page = page.where(clientReference === undefined ? 'created_at' : time, '>=', since);
        // If the bound were only a pair, SQLite would choose an index without the status.
        if (after !== undefined)
          page = page.where((eb) => eb.or([eb(time, '>', after.createdAt), eb('id', '>', after.id)]));
        return page
          .orderBy(clientReference === undefined ? 'created_at' : time)
          .orderBy('id')
          .execute();
      };
      const found: AttemptPosition[] = [];
      if (clientReference !== undefined) {
        const withReference = positions().where('client_reference', '=', clientReference);
        const filtered = statuses && withReference.where(sql`status || ''`, 'in', statuses);
        found.push(...(await read(filtered ?? withReference)));
      } else if (statuses === undefined) found.push(...(await read(positions())));
      else
        // One query per status, because for several statuses both engines sort every row.
        for (const status of statuses) found.push(...(await read(positions().where('status', '=', status))));
      // Filter the end here, because with both bounds SQLite would choose an index without the status.
      return found
        .filter(({ createdAt }) => createdAt < to)
        .toSorted(inOrder)
        .slice(0, limit);
    },
    at: async (places) => {
      const ids = places.map(({ id }) => id);
      const found = ids.length === 0 ? [] : await every(all().where('id', 'in', ids).execute(), records.read);
      return found.toSorted(inOrder);
    },
  };
}

/** Many payments, or long fields, count like a long request. */
function counted(row: Selectable<Tables['attempts']>): Attempt {
  countParsed(row.source.length + row.charges.length + row.fields.length);
  return records.read(row);
}

/** In byte order, like both engines; ids are ASCII. */
function inOrder(a: AttemptPosition, b: AttemptPosition): number {
  if (a.createdAt !== b.createdAt) return a.createdAt - b.createdAt;
  return a.id < b.id ? -1 : 1;
}
