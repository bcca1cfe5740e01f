import { sql, type RawBuilder, type SqlBool, type Transaction } from 'kysely';
import { byAccount } from '../accounts/rules/account-sync.js';
import type { AccountPayments } from './rules/account-payments.js';
import { isAutomatic, UNSENT } from './rules/attempt.js';
import { prepared, preparedInsert } from '../platform/databases/prepared.js';
import { SCHEDULED } from '../schedules/store.js';
import type { Tables } from '../platform/databases/tables.js';

/** Bounds the payments of an account that are read: its bill's, and those in flight. A request names 25 accounts. */
const MAX_PAYMENTS = 200;
/** Bounds what a new bill deletes. An account that is never billed keeps all payments. */
const MAX_DELETED = 1_000;

const insert = preparedInsert('account_payments', {
  more: (query) => query.onConflict((conflict) => conflict.doNothing()),
});

/** Selects the account within the statement, which saves a round trip to the database. */
const insertByNumber = prepared(
  (
    tx,
    attemptId: string,
    amount: number,
    businessUnit: string,
    accountNumber: string,
    subAccountNumber: string,
  ) =>
    tx
      .insertInto('account_payments')
      .columns(['account_id', 'attempt_id', 'amount'])
      .expression(
        tx
          .selectFrom('accounts')
          .where('business_unit', '=', businessUnit)
          .where('account_number', '=', accountNumber)
          .where('sub_account_number', '=', subAccountNumber)
          .select((of) => [
            'id',
            of.val(attemptId).as('attempt_id'),
            sql<number>`cast(${amount} as bigint)`.as('amount'),
          ]),
      )
      .onConflict((conflict) => conflict.doNothing()),
);

const accountsOf = (tx: Transaction<Tables>, attemptId: string) =>
  tx
    .updateTable('accounts')
    .where('id', 'in', (of) =>
      of.selectFrom('account_payments').select('account_id').where('attempt_id', '=', attemptId),
    );

const lock = prepared((tx, attemptId: string) =>
  accountsOf(tx, attemptId).set((row) => ({ automatic_payments: row.ref('automatic_payments') })),
);

/** Always uses the index: for a join, PostgreSQL may read all accounts while they are few. */
const lockByNumber = prepared((tx, businessUnit: string, accountNumber: string, subAccountNumber: string) =>
  tx
    .updateTable('accounts')
    .where('business_unit', '=', businessUnit)
    .where('account_number', '=', accountNumber)
    .where('sub_account_number', '=', subAccountNumber)
    .set((row) => ({ automatic_payments: row.ref('automatic_payments') })),
);

const countAutomatic = prepared((tx, attemptId: string) =>
  accountsOf(tx, attemptId).set({ automatic_payments: sql`coalesce(automatic_payments, 0) + 1` }),
);

/**
 * Only rows with 1, in flight, are in the index of automatic payments, so past and scheduled payments don't slow it
 * down.
 */
const setAutomatic = prepared((tx, attemptId: string, automatic: 1 | 2) =>
  tx.updateTable('account_payments').set({ automatic }).where('attempt_id', '=', attemptId),
);

// A scalar subquery instead of a join: PostgreSQL would plan that while there are few payments, and keep the plan once
// it reads thousands that are processing.
const automatic = prepared(
  (
    _,
    businessUnit: string,
    accountNumber: string,
    subAccountNumber: string,
    counted: number,
    today: string,
  ) =>
    sql`select id from accounts
      where business_unit = ${businessUnit} and account_number = ${accountNumber}
        and sub_account_number = ${subAccountNumber} and (
          coalesce(automatic_payments, 0) <> ${counted}
          or exists (
            select 1 from (
              select (
                select id from attempts where id = attempt_id
                  and status || '' = 'processing' and sent_at is distinct from ${sql.lit(UNSENT)}
              ) as in_flight
              from account_payments where account_id = accounts.id and automatic = 1
              limit ${sql.lit(MAX_PAYMENTS)}
            ) as automatic where in_flight is not null)
          or exists (
            select id from attempts
            where account_id = accounts.id and ${SCHEDULED} and charge_on <= ${today})
          or exists (
            select id from schedules
            where account_id = accounts.id and ${SCHEDULED} and date <= ${today}))`,
);

// The newest of its accounts' payments, because ids sort by time.
/** `paid` of an account: what later payments paid, null without any, 0 if none has an outcome yet. */
const overtaken = prepared(
  (_, attemptId: string, createdAt: number) =>
    sql<{ amount: number; is_billed: SqlBool; paid: number | null }>`select
        mine.amount, coalesce(billed_at, 0) > ${createdAt} as is_billed,
        (
          select sum(cast(
            case when status in ('processing', 'scheduled') then 0 else others.amount end
          as double precision)) from (
            select attempt_id, amount from account_payments where account_id = mine.account_id
            order by attempt_id desc limit ${sql.lit(MAX_PAYMENTS)}
          ) as others join attempts on attempts.id = others.attempt_id
          where attempts.created_at > ${createdAt}
        ) as paid
      from account_payments as mine join accounts on accounts.id = mine.account_id
      where mine.attempt_id = ${attemptId}`,
);

/**
 * Whether a scheduled charge belongs to the account's current enrollment. Charges of earlier ones fail on their day.
 */
export const isOfEnrollment = (accountId: string): RawBuilder<boolean> => sql`attempts.created_at >= (
  select enrolled_at from autopay where account_id = ${accountId})`;

export function accountPayments(tx: Transaction<Tables>): AccountPayments {
  return {
    record: async (accountId, attempt) => {
      const { id, amount } = attempt;
      const automatic = isAutomatic(attempt) && attempt.status !== 'scheduled' ? 1 : null;
      await insert(tx, { account_id: accountId, attempt_id: id, amount, automatic });
      await lock(tx, id);
    },
    recordLines: async (businessUnit, attemptId, lines) => {
      for (const { accountNumber, subAccountNumber, amount } of lines.toSorted(byAccount)) {
        await insertByNumber(tx, attemptId, amount, businessUnit, accountNumber, subAccountNumber);
        await lockByNumber(tx, businessUnit, accountNumber, subAccountNumber);
      }
    },
    lock: (attemptId) => lock(tx, attemptId),
    remove: (attemptId) => tx.deleteFrom('account_payments').where('attempt_id', '=', attemptId).execute(),
    sum: async (accountId, except = '') => {
      // As floating-point numbers, because a sum of integers can overflow.
      const { rows } = await sql<{ payments: number; paid: number | null; unfinished: number }>`
        select count(*) as payments,
          sum(cast(
            case when status in ('succeeded', 'pending', 'returned')
              or (status = 'scheduled' and ${isOfEnrollment(accountId)})
            then paid.amount else 0 end
          as double precision)) as paid,
          count(case when status = 'processing' then 1 end) as unfinished
        from (
          select attempt_id, amount from account_payments
          where account_id = ${accountId} and attempt_id <> ${except} limit ${sql.lit(MAX_PAYMENTS + 1)}
        ) as paid join attempts on attempts.id = paid.attempt_id`.execute(tx);
      const { payments = 0, paid = null, unfinished = 0 } = rows[0] ?? {};
      return payments > MAX_PAYMENTS ? null : { amount: paid ?? 0, unfinished: unfinished > 0 };
    },
    forget: async (accountId, before) => {
      let deleted = 0;
      let found: number;
      do {
        // Reads only the oldest, because each new bill reads those without an answer again. If fewer than half of them can
        // be deleted, too many are left to be summed.
        const { rows } =
          await sql`delete from account_payments where account_id = ${accountId} and attempt_id in (
          select attempt_id from (
            select attempt_id, automatic from account_payments
            where account_id = ${accountId} order by attempt_id limit ${sql.lit(2 * MAX_PAYMENTS + 1)}
          ) as paid join attempts on attempts.id = paid.attempt_id
          where answered_at < ${before} or (automatic is not null and answered_at is not null and created_at < ${before})
          ) returning attempt_id`.execute(tx);
        found = rows.length;
        deleted += found;
      } while (found > MAX_PAYMENTS && deleted <= MAX_DELETED);
      return found <= MAX_PAYMENTS;
    },
    overtaken: async ({ id, amount, createdAt }) => {
      const accounts = await overtaken(tx, id, createdAt);
      const covered = accounts.filter((account) => (account.paid ?? 0) >= account.amount);
      if (covered.reduce((sum, account) => sum + account.amount, 0) === amount) return 'paid';
      if (accounts.some((account) => account.is_billed || (account.paid ?? 0) > 0)) return 'changed';
      return accounts.some(({ paid }) => paid === 0) ? 'unfinished' : null;
    },
    markInFlight: async (attemptId) => {
      await setAutomatic(tx, attemptId, 1);
      await lock(tx, attemptId);
    },
    countAutomatic: async (attemptId) => {
      await countAutomatic(tx, attemptId);
      await setAutomatic(tx, attemptId, 2);
    },
    hasAutomatic: async (businessUnit, { accountNumber, subAccountNumber }, { counted, today }) => {
      const found = automatic(tx, businessUnit, accountNumber, subAccountNumber, counted, today);
      return (await found).length > 0;
    },
  };
}
