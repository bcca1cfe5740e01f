import { sql, type Transaction } from 'kysely';
import type { Outbox, OutboxHead, OutboxMessage } from './rules.js';
import { preparedFind, preparedInsert, preparedUpdate } from '../platform/databases/prepared.js';
import { deleteBatch, PENDING, queueRows } from '../platform/databases/queue-rows.js';
import { recordIn, recordsOf, every, inChunks } from '../platform/databases/records.js';
import { inUnit, searchPage } from '../platform/databases/search.js';
import type { Tables } from '../platform/databases/tables.js';
import { hashKey } from '../platform/ids.js';
import { countOfUnit, firstOfUnits, type UnitRows } from '../platform/databases/waiting-rows.js';

// Literal, because a bound value would keep SQLite from using the partial index.
const FAILING = sql<boolean>`status = 'pending' and attempts > 0`;

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

const records = recordsOf<'outbox', OutboxMessage>({ columns: [...HEAD, 'body'] });
const head = (found: object): OutboxHead => recordIn(found) as OutboxHead;

const queue = queueRows<OutboxMessage>('outbox', { read: records.read });
const insert = preparedInsert('outbox', { of: records });
const update = preparedUpdate(
  'outbox',
  recordsOf<'outbox', OutboxMessage>({
    columns: ['status', 'attempts', 'due_at', 'leased_until', 'last_error'],
  }),
);

const SECRET_PARTS = /[@?#]/;

const disabled = preparedFind('disabled_webhooks', 'business_unit', 'url');

export function outbox(tx: Transaction<Tables>): Outbox {
  return { ...queue(tx), ...messages(tx), ...receivers(tx) };
}

function messages(tx: Transaction<Tables>) {
  return {
    insert: (message) => insert(tx, message),
    update: (message) => update(tx, message.id, message),
    pending: async (most) => {
      // New messages are due at once. Failed ones are due later, and are also in the second index.
      const pending: UnitRows = { table: 'outbox', column: 'due_at', waiting: PENDING };
      const due = await firstOfUnits<number>(tx, pending)
        .select(countOfUnit(pending, most).as('count'))
        .execute();
      const failing = await firstOfUnits<number>(tx, {
        ...pending,
        column: 'created_at',
        waiting: FAILING,
      }).execute();
      const failingSince = new Map(failing.map(({ businessUnit, first }) => [businessUnit, first]));
      return due.map(({ businessUnit, first, count }) => ({
        businessUnit,
        count,
        since: Math.min(first, failingSince.get(businessUnit) ?? Infinity),
      }));
    },
    anyLeased: async (systemNow) =>
      (await tx
        .selectFrom('outbox')
        .select('id')
        .where(PENDING)
        .where('leased_until', '>', systemNow)
        .limit(1)
        .executeTakeFirst()) !== undefined,
    removePending: (businessUnit, limit) =>
      deleteBatch(tx, 'outbox', sql`${PENDING} and business_unit = ${businessUnit}`, limit),
    latest: (limit) =>
      every(tx.selectFrom('outbox').select(HEAD).orderBy('id', 'desc').limit(limit).execute(), head),
    ofSession: async (businessUnit, sessionId, limit) => {
      const newest = await every(
        tx
          .selectFrom('outbox')
          .select(HEAD)
          .where('business_unit', '=', businessUnit)
          .where('session_id', '=', sessionId)
          .orderBy('created_at', 'desc')
          .orderBy('id', 'desc')
          .limit(limit)
          .execute(),
        head,
      );
      return newest.toReversed();
    },
    since: async (businessUnit, since, { after, size }) => {
      const { rows, ...rest } = await searchPage(
        tx,
        {
          table: 'outbox',
          columns: sql<object>`${sql.join(HEAD.map((column) => sql.ref(column)))}`,
          where: sql`${inUnit(businessUnit)} and created_at >= ${since}`,
          size,
        },
        after,
      );
      return { messages: rows.map(head), ...rest };
    },
    sendAgain: async (ids, now) => {
      for (const chunk of inChunks(ids))
        await tx
          .updateTable('outbox')
          .set({ status: 'pending', attempts: 0, due_at: now, leased_until: 0, last_error: null })
          .where('id', 'in', chunk)
          .execute();
    },
  } satisfies Partial<Outbox>;
}

/** User name, password and query of an address may be secrets, so it is stored without them and with a hash. */
function storedAddress(url: string): string {
  return SECRET_PARTS.test(url) ? `${shownAddress(url)}#${hashKey(url)}` : url;
}

/** Rows of earlier releases have the whole address. */
function shownAddress(url: string): string {
  const { origin, pathname } = new URL(url);
  return SECRET_PARTS.test(url) ? origin + pathname : url;
}

/** Business units with a webhook, and addresses that returned 410. */
function receivers(tx: Transaction<Tables>) {
  return {
    disable: (businessUnit, url, now) =>
      tx
        .insertInto('disabled_webhooks')
        .values({ business_unit: businessUnit, url: storedAddress(url), disabled_at: now })
        .onConflict((conflict) => conflict.doNothing())
        .execute(),
    disabled: async (businessUnit, url) => (await disabled(tx, businessUnit, storedAddress(url))).length > 0,
    disabledOf: (businessUnit) =>
      every(
        tx.selectFrom('disabled_webhooks').selectAll().where('business_unit', '=', businessUnit).execute(),
        ({ url, disabled_at: disabledAt }) => ({ url: shownAddress(url), disabledAt }),
      ),
    enable: (businessUnit) =>
      tx.deleteFrom('disabled_webhooks').where('business_unit', '=', businessUnit).execute(),
    recordReceivers: async (businessUnits) => {
      for (const units of inChunks(businessUnits))
        await tx
          .insertInto('expected_webhooks')
          .values(units.map((unit) => ({ business_unit: unit })))
          .onConflict((conflict) => conflict.doNothing())
          .execute();
    },
    hasReceiver: async (businessUnit) =>
      (await tx
        .selectFrom('expected_webhooks')
        .select('business_unit')
        .where('business_unit', '=', businessUnit)
        .executeTakeFirst()) !== undefined,
  } satisfies Partial<Outbox>;
}
