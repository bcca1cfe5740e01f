import { sql, type Transaction } from 'kysely';
import { recordIn, recordsOf } from '../platform/databases/records.js';
import { every, first, firstOfAny, newestFirst } from '../platform/databases/rows.js';
import type { Tables } from '../platform/databases/tables.js';
import { ofUnit, unitsDue } from '../platform/databases/waiting-rows.js';
import {
  MESSAGE_LEASE_MS,
  type MessageKind,
  type Messages,
  type MessageSettings,
  type PayerMessage,
  type ReminderSubject,
} from './rules.js';

// Literal, because a bound value would keep SQLite from using the partial indexes.
const PENDING = sql<boolean>`status = 'pending'`;
const TEXT = sql<boolean>`channel = 'sms'`;
const SETTLED = sql<boolean>`status <> 'pending'`;

const { read, row } = recordsOf<'messages', PayerMessage>(['facts']);

export function messages(
  tx: Transaction<Tables>,
  settingsOf: (businessUnit: string) => MessageSettings | null,
): Messages {
  const all = () => tx.selectFrom('messages').selectAll();
  return {
    settingsOf,
    insert: async (message) => {
      await tx
        .insertInto('messages')
        .values(row(message))
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    get: (id) => first(all().where('id', '=', id).execute(), read),
    unitsDue: (now) => unitsDue(tx, { table: 'messages', column: 'due_at', waiting: PENDING }, now),
    lease: async (businessUnit, { now, systemNow, limit }) => {
      const due = await every(
        all()
          .where(PENDING)
          .where(ofUnit(businessUnit, 'due_at', 0, now))
          .where('leased_until', '<=', systemNow)
          .orderBy('business_unit')
          .orderBy('due_at')
          .limit(limit)
          .execute(),
        read,
      );
      const leasedUntil = systemNow + MESSAGE_LEASE_MS;
      const ids = due.map(({ id }) => id);
      if (ids.length > 0)
        await tx.updateTable('messages').set({ leased_until: leasedUntil }).where('id', 'in', ids).execute();
      return due.map((message) => ({ ...message, leasedUntil }));
    },
    update: async ({ id, status, attempts, dueAt, leasedUntil, lastError }) => {
      const settled = await tx
        .updateTable('messages')
        .set({ status, attempts, due_at: dueAt, leased_until: 0, last_error: lastError ?? null })
        .where('id', '=', id)
        .where('leased_until', '=', leasedUntil)
        // The PostgreSQL connection waits only for writes that return rows.
        .returning('id')
        .executeTakeFirst();
      return settled !== undefined;
    },
    list: (businessUnit) =>
      every(
        all().where('business_unit', '=', businessUnit).orderBy('created_at').orderBy('id').execute(),
        read,
      ),
    latest: (businessUnits, limit) => {
      const latest = all().orderBy('id', 'desc').limit(limit);
      // An expression, so that SQLite doesn't sort all messages of the units.
      const of = (units: readonly string[]) =>
        every(latest.where(sql`business_unit || ''`, 'in', units).execute(), read);
      return firstOfAny(businessUnits, limit, of, newestFirst);
    },
    exists: async (about, kind) =>
      (await tx
        .selectFrom('messages')
        .select('id')
        .where('about', '=', about)
        .where('kind', '=', kind)
        .limit(1)
        .executeTakeFirst()) !== undefined,
    countAbout: async (about) => {
      const { count } = await tx
        .selectFrom('messages')
        .select(({ fn }) => fn.countAll().as('count'))
        .where('about', '=', about)
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    countTexts: async (to, since, limit) => {
      const texts = tx.selectFrom('messages').select('id').where(TEXT).where('created_at', '>', since);
      const ofOne =
        'customerId' in to
          ? texts.where('customer_id', '=', to.customerId)
          : texts.where('business_unit', '=', to.businessUnit).where('recipient', '=', to.phoneNumber);
      return (await ofOne.where('status', '<>', 'unsent').limit(limit).execute()).length;
    },
    deleteSettled: async (until, limit) => {
      const old = tx.selectFrom('messages').select('id').where(SETTLED).where('due_at', '<=', until);
      const { numDeletedRows } = await tx
        .deleteFrom('messages')
        .where('id', 'in', old.orderBy('due_at').limit(limit))
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
    upcoming: {
      scheduled: (businessUnit, day, after, limit) => {
        const about = sql`schedules.id`;
        return upcoming(
          tx,
          sql`select ${ifNew(about, 'payment-reminder')} as about, id as key, customer_id, session_id, account_id,
            method_id, amount, date from schedules
            where status = 'scheduled' and business_unit = ${businessUnit} and date = ${day}
            and id > ${after?.key ?? ''} order by id limit ${sql.lit(limit)}`,
        );
      },
      autopay: (businessUnit, { from, to }, after, limit) => {
        // With the customer, because another one may enroll the account before it is due.
        const about = sql`autopay.account_id || ' ' || autopay.due_date || ' ' || autopay.customer_id`;
        return upcoming(
          tx,
          sql`select ${ifNew(about, 'autopay-reminder')} as about, account_id as key, customer_id, session_id,
            account_id, method_id, null as amount, due_date as date from autopay
            where business_unit = ${businessUnit} and due_date <= ${to}
            and (due_date, account_id) > (${after?.date ?? from}, ${after?.key ?? ''})
            order by due_date, account_id limit ${sql.lit(limit)}`,
        );
      },
      expiringCards: (businessUnit, expiry, after, limit) => {
        const about = sql`page.method_id || ' ' || cast(${expiry} as text)`;
        return upcoming(
          tx,
          sql`select case when methods.details like ${`%"expiry":"${expiry}"%`}
              then ${ifNew(about, 'card-expiring')} end as about,
            page.account_id as key, page.customer_id, page.session_id, page.account_id, page.method_id,
            null as amount, null as date
            from (select * from autopay where business_unit = ${businessUnit} and account_id > ${after?.key ?? ''}
              order by account_id limit ${sql.lit(limit)}) as page
            left join methods on methods.id = page.method_id order by page.account_id`,
        );
      },
    },
  };
}

/** The subject, or null if it has a message of this kind. */
function ifNew(about: ReturnType<typeof sql>, kind: MessageKind) {
  return sql`case when not exists (select 1 from messages where messages.about = ${about} and messages.kind = ${kind})
    then ${about} end`;
}

async function upcoming(
  tx: Transaction<Tables>,
  query: ReturnType<typeof sql<object>>,
): Promise<ReminderSubject[]> {
  const { rows } = await query.execute(tx);
  return rows.map((found) => recordIn(found) as ReminderSubject);
}
