import { sql, type RawBuilder, type Transaction } from 'kysely';
import { deleteBatch, PENDING, queueRows } from '../platform/databases/queue-rows.js';
import { recordIn, recordsOf, every } from '../platform/databases/records.js';
import type { Tables } from '../platform/databases/tables.js';
import { ofUnit, unitsDue } from '../platform/databases/waiting-rows.js';
import {
  CHANNELS,
  type Channel,
  type MessageKind,
  type Messages,
  type MessageSettings,
  type PayerMessage,
  type ReminderSubject,
} from './rules.js';

// Literal, because a bound value would keep SQLite from using the partial indexes.
const SENT_TEXT = sql<boolean>`channel = 'sms' and status <> 'unsent'`;

/** The condition of the index of pending messages, which begins with the channel. */
export const pendingOf = (channel: Channel): RawBuilder<boolean> =>
  sql<boolean>`${PENDING} and channel = ${sql.lit(channel)}`;

const { read, row } = recordsOf<'messages', PayerMessage>({ json: ['facts'] });
const rows = queueRows<PayerMessage>('messages', { read });
const queueOf = (channel: Channel) =>
  queueRows<PayerMessage>('messages', { read, pending: pendingOf(channel) });
const queues = { email: queueOf('email'), sms: queueOf('sms') };

export function messages(
  tx: Transaction<Tables>,
  settingsOf: (businessUnit: string) => MessageSettings | null,
): Messages {
  return {
    ...rows(tx),
    ofChannel: (channel) => queues[channel](tx),
    settingsOf,
    insert: (message) =>
      tx
        .insertInto('messages')
        .values(row(message))
        .onConflict((conflict) => conflict.doNothing())
        .execute(),
    setContent: ({ id, facts, recipient }) =>
      tx
        .updateTable('messages')
        .set({ facts: JSON.stringify(facts), recipient })
        .where('id', '=', id)
        .execute(),
    exists: async (about, kind) =>
      (await tx
        .selectFrom('messages')
        .select('id')
        .where('about', '=', about)
        .where('kind', '=', kind)
        .limit(1)
        .executeTakeFirst()) !== undefined,
    ofSubject: (about, kind) =>
      every(
        tx.selectFrom('messages').selectAll().where('about', '=', about).where('kind', '=', kind).execute(),
        read,
      ),
    supersede: (about, kind, status) => {
      const older = tx
        .updateTable('messages')
        .set({ about: sql<string>`about || ' ' || id` })
        .where('about', '=', about)
        .where('kind', '=', kind);
      return (status === undefined ? older : older.where('status', '=', status)).execute();
    },
    countAbout: async (about) => {
      const { count } = await tx
        .selectFrom('messages')
        .select(({ fn }) => fn.countAll().as('count'))
        .where('about', '=', about)
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    countTexts: async (to, since, limit) => {
      const texts = tx.selectFrom('messages').select('id').where(SENT_TEXT).where('created_at', '>', since);
      const ofOne =
        'customerId' in to
          ? texts.where('customer_id', '=', to.customerId)
          : texts.where('business_unit', '=', to.businessUnit).where('recipient', '=', to.phoneNumber);
      // In index order, or PostgreSQL reads the table until it has found enough.
      return (await ofOne.orderBy('created_at').limit(limit).execute()).length;
    },
    deleteAbandoned: async (until, limit) => {
      for (const channel of CHANNELS) {
        const waiting = pendingOf(channel);
        const [unit] = await unitsDue(tx, { table: 'messages', column: 'due_at', waiting }, until);
        if (unit === undefined) continue;
        const due = sql`${waiting} and ${ofUnit(unit, 'due_at', 0, until)} order by business_unit, due_at`;
        return deleteBatch(tx, 'messages', due, limit);
      }
      return 0;
    },
    upcoming: {
      scheduled: (businessUnit, day, { after, limit }) => {
        const about = sql`schedules.id`;
        return upcoming(
          tx,
          sql`select ${subjectIfNew(about, 'payment-reminder')} as about, id as key, customer_id, session_id, account_id,
            date from schedules
            where status = 'scheduled' and business_unit = ${businessUnit} and date = ${day}
            and id > ${after?.key ?? ''} order by id limit ${sql.lit(limit)}`,
        );
      },
      autopay: (businessUnit, { from, to }, { after, limit }) => {
        // With the customer, because another one may enroll the account before it is due.
        const about = sql`autopay.account_id || ' ' || autopay.due_date || ' ' || autopay.customer_id`;
        return upcoming(
          tx,
          sql`select ${subjectIfNew(about, 'autopay-reminder')} as about, account_id as key, customer_id, session_id,
            account_id, due_date as date from autopay
            where business_unit = ${businessUnit} and due_date <= ${to}
            and (due_date, account_id) > (${after?.date ?? from}, ${after?.key ?? ''})
            order by due_date, account_id limit ${sql.lit(limit)}`,
        );
      },
      expiringCards: (businessUnit, expiry, { after, limit }) => {
        const about = sql`page.method_id || ' ' || cast(${expiry} as text)`;
        return upcoming(
          tx,
          sql`select case when methods.details like ${`%"expiry":"${expiry}"%`}
              then ${subjectIfNew(about, 'card-expiring')} end as about,
            page.account_id as key, page.customer_id, page.session_id, page.account_id
            from (select * from autopay where business_unit = ${businessUnit} and account_id > ${after?.key ?? ''}
              order by account_id limit ${sql.lit(limit)}) as page
            left join methods on methods.id = page.method_id order by page.account_id`,
        );
      },
    },
  };
}

/** The subject, or null if it has a message of this kind. */
function subjectIfNew(about: ReturnType<typeof sql>, kind: MessageKind) {
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
