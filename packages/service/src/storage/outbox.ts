import type { WebhookEventType } from '@embedded-sessions/server-types';
import { sql, type Selectable, type Transaction } from 'kysely';
import type { MessageStatus, Outbox, OutboxMessage } from '../domain/outbox.js';
import { every, first } from './rows.js';
import type { Tables } from './tables.js';

// Literal, as in the indexes: a bound value would keep SQLite from using it.
const PENDING = sql<boolean>`status = 'pending'`;
const SETTLED = sql<boolean>`status <> 'pending'`;

export function outbox(tx: Transaction<Tables>): Outbox {
  const all = () => tx.selectFrom('outbox').selectAll();
  const due = (now: number, systemNow: number) =>
    tx.selectFrom('outbox').where(PENDING).where('due_at', '<=', now).where('leased_until', '<=', systemNow);
  return {
    get: (id) => first(all().where('id', '=', id).execute(), message),
    insert: async (message) => {
      await tx
        .insertInto('outbox')
        .values({
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
        })
        .execute();
    },
    update: async ({ id, status, attempts, dueAt, leasedUntil, lastError }) => {
      await tx
        .updateTable('outbox')
        .set({ status, attempts, due_at: dueAt, leased_until: leasedUntil, last_error: lastError ?? null })
        .where('id', '=', id)
        .execute();
    },
    remove: async (id) => {
      await tx.deleteFrom('outbox').where('id', '=', id).execute();
    },
    due: (businessUnit, now, systemNow, limit) =>
      every(
        due(now, systemNow)
          .select('id')
          .where('business_unit', '=', businessUnit)
          .orderBy('due_at')
          .orderBy('id')
          .limit(limit)
          .execute(),
        ({ id }) => id,
      ),
    unitsDue: (now, systemNow) =>
      every(
        // An expression, so that SQLite reads what is due and not, in the units' order, all that is pending.
        due(now, systemNow)
          .select(sql<string>`business_unit || ''`.as('unit'))
          .groupBy('unit')
          .orderBy((eb) => eb.fn.min('due_at'))
          .execute(),
        ({ unit }) => unit,
      ),
    anyLeased: async (systemNow) =>
      (await tx
        .selectFrom('outbox')
        .select('id')
        .where(PENDING)
        .where('leased_until', '>', systemNow)
        .limit(1)
        .executeTakeFirst()) !== undefined,
    list: (businessUnit) =>
      every(
        all().where('business_unit', '=', businessUnit).orderBy('created_at').orderBy('id').execute(),
        message,
      ),
    deleteSettled: async (until, limit) => {
      const { numDeletedRows } = await tx
        .deleteFrom('outbox')
        .where('id', 'in', (query) =>
          query.selectFrom('outbox').select('id').where(SETTLED).where('due_at', '<=', until).limit(limit),
        )
        .executeTakeFirstOrThrow();
      return Number(numDeletedRows);
    },
    disable: async (businessUnit, url, now) => {
      await tx
        .insertInto('disabled_webhooks')
        .values({ business_unit: businessUnit, url, disabled_at: now })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    disabled: async (businessUnit, url) =>
      (await tx
        .selectFrom('disabled_webhooks')
        .select('disabled_at')
        .where('business_unit', '=', businessUnit)
        .where('url', '=', url)
        .executeTakeFirst()) !== undefined,
  };
}

function message(found: Selectable<Tables['outbox']>): OutboxMessage {
  return {
    id: found.id,
    businessUnit: found.business_unit,
    type: found.type as WebhookEventType,
    body: found.body,
    status: found.status as MessageStatus,
    attempts: found.attempts,
    createdAt: found.created_at,
    dueAt: found.due_at,
    leasedUntil: found.leased_until,
    ...(found.last_error === null ? {} : { lastError: found.last_error }),
  };
}
