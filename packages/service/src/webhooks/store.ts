import type { WebhookEventType } from '@embedded-sessions/server-types';
import { sql, type Selectable, type Transaction } from 'kysely';
import type { MessageStatus, Outbox, OutboxHead, OutboxMessage } from './rules.js';
import { prepared, preparedInsert, preparedUpdate } from '../platform/databases/prepared.js';
import { every, first, firstOfAny, inChunks, newestFirst } from '../platform/databases/rows.js';
import type { Tables } from '../platform/databases/tables.js';
import { countOfUnits, firstOfUnits, ofUnit, unitsWith } from '../platform/databases/waiting-rows.js';

// Literal, because a bound value would keep SQLite from using the partial indexes.
const PENDING = sql<boolean>`status = 'pending'`;
const FAILING = sql<boolean>`status = 'pending' and attempts > 0`;
const SETTLED = sql<boolean>`status <> 'pending'`;

/** The columns without the body, which can have 256 KiB. */
const HEAD = [
  'id',
  'business_unit',
  'type',
  'status',
  'attempts',
  'created_at',
  'due_at',
  'leased_until',
  'last_error',
  'session_id',
  'request_id',
  'traceparent',
] as const;

const insert = preparedInsert('outbox');
const update = preparedUpdate('outbox');

function dueRows(
  tx: Transaction<Tables>,
  businessUnit: string,
  now: number,
  systemNow: number,
  limit: number,
) {
  return tx
    .selectFrom('outbox')
    .where(PENDING)
    .where(ofUnit(businessUnit, 'due_at', 0, now))
    .where('leased_until', '<=', systemNow)
    .orderBy('business_unit')
    .orderBy('due_at')
    .orderBy('id')
    .limit(limit);
}

const updateLeased = prepared(
  (
    tx,
    id: string,
    until: number,
    status: string,
    attempts: number,
    dueAt: number,
    lastError: string | null,
  ) =>
    tx
      .updateTable('outbox')
      .set({ status, attempts, due_at: dueAt, leased_until: 0, last_error: lastError })
      .where('id', '=', id)
      .where('leased_until', '=', until)
      .returning('id'),
);

const lease = prepared(
  (tx, businessUnit: string, now: number, systemNow: number, until: number, limit: number) =>
    tx
      .updateTable('outbox')
      .set({ leased_until: until })
      .where('id', 'in', dueRows(tx, businessUnit, now, systemNow, limit).select('id'))
      .returningAll(),
);

const unitsDue = prepared((tx, systemNow: number) =>
  unitsWith(tx, {
    table: 'outbox',
    column: 'due_at',
    waiting: PENDING,
    ready: sql<boolean>`leased_until <= ${systemNow}`,
  }),
);

const disabled = prepared((tx, businessUnit: string, url: string) =>
  tx
    .selectFrom('disabled_webhooks')
    .select('disabled_at')
    .where('business_unit', '=', businessUnit)
    .where('url', '=', url),
);

export function outbox(tx: Transaction<Tables>): Outbox {
  return { ...messages(tx), ...queue(tx), ...lists(tx), ...receivers(tx) };
}

function messages(tx: Transaction<Tables>) {
  return {
    get: (id) => first(tx.selectFrom('outbox').selectAll().where('id', '=', id).execute(), message),
    insert: async (message) => {
      await insert(tx, {
        id: message.id,
        business_unit: message.businessUnit,
        type: message.type,
        body: message.body,
        status: message.status,
        attempts: message.attempts,
        created_at: message.createdAt,
        due_at: message.dueAt,
        leased_until: message.leasedUntil,
        last_error: message.lastError ?? null,
        session_id: message.sessionId ?? null,
        request_id: message.requestId ?? null,
        traceparent: message.traceparent ?? null,
      });
    },
    update: async ({ id, status, attempts, dueAt, leasedUntil, lastError }) => {
      await update(tx, id, {
        status,
        attempts,
        due_at: dueAt,
        leased_until: leasedUntil,
        last_error: lastError ?? null,
      });
    },
    updateLeased: async ({ id, status, attempts, dueAt, lastError = null }, until) =>
      (await updateLeased(tx, id, until, status, attempts, dueAt, lastError)).length > 0,
  } satisfies Partial<Outbox>;
}

/** Pending and settled messages. */
function queue(tx: Transaction<Tables>) {
  return {
    due: (businessUnit, now, systemNow, limit) =>
      every(dueRows(tx, businessUnit, now, systemNow, limit).selectAll().execute(), message),
    unitsDue: async (now, systemNow) => {
      const units = await unitsDue(tx, systemNow);
      return units
        .filter(({ first }) => first !== null && Number(first) <= now)
        .toSorted((a, b) => Number(a.first) - Number(b.first))
        .map(({ businessUnit }) => businessUnit);
    },
    pending: async (most) => {
      // A message is due as soon as it is written; once it has failed, it is due later, and in the second index.
      const due = await countOfUnits(tx, { table: 'outbox', column: 'due_at', waiting: PENDING }, most);
      const failing = await firstOfUnits(tx, { table: 'outbox', column: 'created_at', waiting: FAILING });
      const failingSince = new Map(failing.map(({ businessUnit, first }) => [businessUnit, Number(first)]));
      return due.map(({ businessUnit, first, count }) => ({
        businessUnit,
        count,
        since: Math.min(Number(first), failingSince.get(businessUnit) ?? Infinity),
      }));
    },
    lease: async (businessUnit, { now, systemNow, until }, limit) =>
      (await every(lease(tx, businessUnit, now, systemNow, until, limit), message)).toSorted(inOrder),
    anyLeased: async (systemNow) =>
      (await tx
        .selectFrom('outbox')
        .select('id')
        .where(PENDING)
        .where('leased_until', '>', systemNow)
        .limit(1)
        .executeTakeFirst()) !== undefined,
    removePending: async (businessUnit, limit) => {
      const { numDeletedRows } = await tx
        .deleteFrom('outbox')
        .where('id', 'in', (query) =>
          query
            .selectFrom('outbox')
            .select('id')
            .where(PENDING)
            .where('business_unit', '=', businessUnit)
            .limit(limit),
        )
        .executeTakeFirstOrThrow();
      return Number(numDeletedRows);
    },
    deleteSettled: async (until, limit) => {
      const { numDeletedRows } = await tx
        .deleteFrom('outbox')
        .where('id', 'in', (query) =>
          query.selectFrom('outbox').select('id').where(SETTLED).where('due_at', '<=', until).limit(limit),
        )
        .executeTakeFirstOrThrow();
      return Number(numDeletedRows);
    },
  } satisfies Partial<Outbox>;
}

/** Messages for operators and the inspector. */
function lists(tx: Transaction<Tables>) {
  const all = () => tx.selectFrom('outbox').selectAll();
  const heads = () => tx.selectFrom('outbox').select(HEAD);
  return {
    list: (businessUnit) =>
      every(
        all().where('business_unit', '=', businessUnit).orderBy('created_at').orderBy('id').execute(),
        message,
      ),
    latest: (businessUnits, limit) => {
      const latest = heads().orderBy('id', 'desc').limit(limit);
      // An expression, so that SQLite doesn't sort all messages of the units.
      const of = (units: readonly string[]) =>
        every(latest.where(sql`business_unit || ''`, 'in', units).execute(), head);
      return firstOfAny(businessUnits, limit, of, newestFirst);
    },
    ofSession: (businessUnit, sessionId) =>
      every(
        heads()
          .where('business_unit', '=', businessUnit)
          .where('session_id', '=', sessionId)
          .orderBy('created_at')
          .orderBy('id')
          .execute(),
        head,
      ),
    since: (businessUnit, since, after, limit) =>
      every(
        all()
          .where('business_unit', '=', businessUnit)
          .where('created_at', '>=', since)
          .where('id', '>', after)
          .orderBy('id')
          .limit(limit)
          .execute(),
        message,
      ),
  } satisfies Partial<Outbox>;
}

/** Business units with a webhook, and addresses that returned 410. */
function receivers(tx: Transaction<Tables>) {
  return {
    disable: async (businessUnit, url, now) => {
      await tx
        .insertInto('disabled_webhooks')
        .values({ business_unit: businessUnit, url, disabled_at: now })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    disabled: async (businessUnit, url) => (await disabled(tx, businessUnit, url)).length > 0,
    disabledOf: (businessUnit) =>
      every(
        tx.selectFrom('disabled_webhooks').selectAll().where('business_unit', '=', businessUnit).execute(),
        ({ url, disabled_at: disabledAt }) => ({ url, disabledAt }),
      ),
    enable: async (businessUnit) => {
      await tx.deleteFrom('disabled_webhooks').where('business_unit', '=', businessUnit).execute();
    },
    expectOf: async (businessUnits) => {
      for (const units of inChunks(businessUnits))
        await tx
          .insertInto('expected_webhooks')
          .values(units.map((unit) => ({ business_unit: unit })))
          .onConflict((conflict) => conflict.doNothing())
          .execute();
    },
    isExpected: async (businessUnit) =>
      (await tx
        .selectFrom('expected_webhooks')
        .select('business_unit')
        .where('business_unit', '=', businessUnit)
        .executeTakeFirst()) !== undefined,
  } satisfies Partial<Outbox>;
}

/** Oldest first. */
const inOrder = (one: OutboxMessage, other: OutboxMessage): number =>
  one.dueAt - other.dueAt || (one.id < other.id ? -1 : 1);

function message(found: Selectable<Tables['outbox']>): OutboxMessage {
  return { ...head(found), body: found.body };
}

function head(found: Pick<Selectable<Tables['outbox']>, (typeof HEAD)[number]>): OutboxHead {
  return {
    id: found.id,
    businessUnit: found.business_unit,
    type: found.type as WebhookEventType,
    status: found.status as MessageStatus,
    attempts: found.attempts,
    createdAt: found.created_at,
    dueAt: found.due_at,
    leasedUntil: found.leased_until,
    ...(found.last_error === null ? {} : { lastError: found.last_error }),
    ...(found.session_id === null ? {} : { sessionId: found.session_id }),
    ...(found.request_id === null ? {} : { requestId: found.request_id }),
    ...(found.traceparent === null ? {} : { traceparent: found.traceparent }),
  };
}
