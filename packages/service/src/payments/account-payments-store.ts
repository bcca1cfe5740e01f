import { sql, type ExpressionBuilder, type RawBuilder, type Transaction } from 'kysely';
import { byAccount } from '../accounts/rules/account-sync.js';
import type { AccountPayments } from './rules/account-payments.js';
import { isAutomatic, UNSENT } from './rules/attempt.js';
import { prepared, preparedInsert } from '../platform/databases/prepared.js';
import { SCHEDULED } from '../schedules/store.js';
import type { Tables } from '../platform/databases/tables.js';

/** Bounds the cost of reading what was paid of an account's bill. A request names 25 accounts. */
const MAX_SUMMED = 200;
/** Bounds the search for automatic payments, and what a new bill deletes. An account that is never billed keeps all payments. */
const MAX_READ = 1_000;

const byNumber = (
  tx: Transaction<Tables>,
  businessUnit: string,
  accountNumber: string,
  subAccountNumber: string,
) =>
  tx
    .selectFrom('accounts')
    .where('business_unit', '=', businessUnit)
    .where('account_number', '=', accountNumber)
    .where('sub_account_number', '=', subAccountNumber);

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
        byNumber(tx, businessUnit, accountNumber, subAccountNumber).select((of) => [
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
 * Only rows with 1, in flight or scheduled, are in the index of automatic payments, so past payments don't slow it
 * down.
 */
const setAutomatic = prepared((tx, attemptId: string, automatic: 1 | 2) =>
  tx.updateTable('account_payments').set({ automatic }).where('attempt_id', '=', attemptId),
);

/**
 * The id of an account's payment that may be in flight or is due. A scalar subquery: PostgreSQL would plan a join while
 * there are few payments, and keep that plan once it reads thousands that are processing.
 */
const inFlightOrDue = (payment: ExpressionBuilder<Tables, 'account_payments'>, today: string) =>
  payment
    .selectFrom('attempts')
    .select('id')
    .whereRef('id', '=', 'attempt_id')
    .where((attempt) =>
      attempt.or([
        attempt.and([
          sql<boolean>`status || '' = 'processing'`,
          sql<boolean>`sent_at is distinct from ${sql.lit(UNSENT)}`,
        ]),
        attempt.and([sql<boolean>`status || '' = 'scheduled'`, attempt('charge_on', '<=', today)]),
      ]),
    );

const automatic = prepared(
  (
    tx,
    businessUnit: string,
    accountNumber: string,
    subAccountNumber: string,
    counted: number,
    today: string,
  ) =>
    byNumber(tx, businessUnit, accountNumber, subAccountNumber)
      .select('id')
      .where((of) =>
        of.or([
          sql<boolean>`coalesce(automatic_payments, 0) <> ${counted}`,
          of.exists(
            of
              .selectFrom((from) =>
                from
                  .selectFrom('account_payments')
                  .select((payment) => inFlightOrDue(payment, today).as('in_flight_or_due'))
                  .whereRef('account_id', '=', 'accounts.id')
                  .where('automatic', '=', sql.lit(1))
                  .limit(MAX_READ)
                  .as('automatic'),
              )
              .select('in_flight_or_due')
              .where('in_flight_or_due', 'is not', null),
          ),
          of.exists(
            of
              .selectFrom('schedules')
              .select('id')
              .whereRef('account_id', '=', 'accounts.id')
              .where(SCHEDULED)
              .where('date', '<=', today),
          ),
        ]),
      ),
);

const overtaken = prepared((tx, attemptId: string, createdAt: number) =>
  tx
    .selectFrom('account_payments as mine')
    .innerJoin('accounts', 'accounts.id', 'mine.account_id')
    .select('accounts.id')
    .where('mine.attempt_id', '=', attemptId)
    .where((of) =>
      of.or([
        sql<boolean>`coalesce(billed_at, 0) > ${createdAt}`,
        of.exists(
          of
            .selectFrom((from) =>
              from
                .selectFrom('account_payments')
                .select('attempt_id')
                .whereRef('account_id', '=', 'mine.account_id')
                // The newest, because ids sort by time.
                .orderBy('attempt_id', 'desc')
                .limit(MAX_SUMMED)
                .as('others'),
            )
            .innerJoin('attempts', 'attempts.id', 'others.attempt_id')
            .select('attempts.id')
            .where('attempts.created_at', '>', createdAt),
        ),
      ]),
    ),
);

/**
 * Whether a scheduled charge belongs to the account's current enrollment. Charges of earlier ones fail on their day.
 */
export const isOfEnrollment = (accountId: string): RawBuilder<boolean> => sql`attempts.created_at >= (
  select enrolled_at from autopay where account_id = ${accountId})`;

const COUNT = sql<number>`count(*)`;
// As floating-point numbers, because a sum of integers can overflow.
const PAID = (accountId: string) => sql<number | null>`sum(cast(
  case when status in ('succeeded', 'pending', 'returned') or (status = 'scheduled' and ${isOfEnrollment(accountId)})
    then account_payments.amount else 0 end
  as double precision))`;
const UNFINISHED = sql<number>`count(case when status = 'processing' then 1 end)`;

export function accountPayments(tx: Transaction<Tables>): AccountPayments {
  return {
    record: async (accountId, attempt) => {
      const { id, amount } = attempt;
      const automatic = isAutomatic(attempt) ? 1 : null;
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
      const { payments, paid, unfinished } = await tx
        .selectFrom((from) =>
          from
            .selectFrom('account_payments')
            .select(['attempt_id', 'amount'])
            .where('account_id', '=', accountId)
            .where('attempt_id', '<>', except)
            .limit(MAX_SUMMED + 1)
            .as('account_payments'),
        )
        .innerJoin('attempts', 'attempts.id', 'account_payments.attempt_id')
        .select([COUNT.as('payments'), PAID(accountId).as('paid'), UNFINISHED.as('unfinished')])
        .executeTakeFirstOrThrow();
      return payments > MAX_SUMMED ? null : { amount: paid ?? 0, unfinished: unfinished > 0 };
    },
    forget: async (accountId, before) => {
      // Reads only the oldest. If there are more, too many are left to be summed, whether or not these are deleted.
      const { rows } =
        await sql`delete from account_payments where account_id = ${accountId} and attempt_id in (
        select attempt_id from (
          select attempt_id, automatic from account_payments
          where account_id = ${accountId} order by attempt_id limit ${sql.lit(2 * MAX_READ + 1)}
        ) as paid join attempts on attempts.id = paid.attempt_id
        where (answered_at < ${before} or (automatic is not null and answered_at is not null and created_at < ${before}))
        limit ${sql.lit(MAX_READ + 1)}) returning attempt_id`.execute(tx);
      return rows.length <= MAX_READ;
    },
    isOvertaken: async ({ id, createdAt }) => (await overtaken(tx, id, createdAt)).length > 0,
    markUnanswered: async (attemptId) => {
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
