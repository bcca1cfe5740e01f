import { sql, type Insertable, type Selectable, type Transaction } from 'kysely';
import type {
  Attempt,
  AttemptHead,
  Attempts,
  AttemptSource,
  AttemptStatus,
  ChosenCharge,
} from './rules/attempt.js';
import { isId } from '../core/page-ids.js';
import { changingColumns, operationColumns, operationRows, readOperation } from '../processor/store.js';
import { prepared, preparedInsert, preparedUpdate } from '../platform/databases/prepared.js';
import { every, first, inChunks } from '../platform/databases/rows.js';
import { ofUnit, unitsDue, waitingRows } from '../platform/databases/waiting-rows.js';
import type { Tables } from '../platform/databases/tables.js';

const get = prepared((tx, id: string) => tx.selectFrom('attempts').selectAll().where('id', '=', id), {
  one: true,
});

const find = prepared(
  (tx, sessionId: string, requestId: string) =>
    tx
      .selectFrom('attempts')
      .selectAll()
      .where('session_id', '=', sessionId)
      .where('request_id', '=', requestId),
  { one: true },
);

// Literal, because a bound value would keep SQLite from using the partial indexes.
const SCHEDULED = sql<boolean>`status = 'scheduled'`;
const FORGETTABLE = sql<boolean>`forget_at is not null`;

/** Limited, because AutoPay keeps adding attempts to the session that enrolled. */
const MAX_PER_SESSION = 100;

// In index order. In sessions that can exceed the limit, request ids sort by time.
const newestOfSession = prepared((tx, sessionId: string) =>
  tx
    .selectFrom('attempts')
    .selectAll()
    .where('session_id', '=', sessionId)
    .orderBy('request_id', 'desc')
    .limit(MAX_PER_SESSION),
);

const insert = preparedInsert('attempts');
const update = preparedUpdate('attempts');
/** Writes more columns than {@link update}. */
const begin = preparedUpdate('attempts');

/** Limits what one read of an account's AutoPay costs. */
const MAX_SUMMED = 10_000;
const COUNT = sql<number>`count(*)`;
// As numbers with fractions, because a sum of integers can be too large for one.
const PAID = (since: number) => sql<number | null>`sum(cast(
  case when status in ('succeeded', 'pending', 'scheduled') and (answered_at is null or answered_at >= ${since})
    then account_payments.amount else 0 end
  as double precision))`;
const UNFINISHED = sql<number>`count(case when status = 'processing' then 1 end)`;

const someScheduled = prepared((tx, accountId: string, limit: number) =>
  tx.selectFrom('attempts').select('id').where('account_id', '=', accountId).where(SCHEDULED).limit(limit),
);

const refundPayment = prepared((tx, accountId: string, attemptId: string, amount: number) =>
  tx
    .updateTable('account_payments')
    .set((row) => ({ amount: row('amount', '-', amount) }))
    .where('account_id', '=', accountId)
    .where('attempt_id', '=', attemptId),
);

const byId = (tx: Transaction<Tables>, id: string) => tx.selectFrom('accounts').where('id', '=', id);

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

/** @param find selects the account within the statements, which saves a round trip to the database */
function accountPayment<A extends readonly string[]>(
  find: (tx: Transaction<Tables>, ...account: A) => ReturnType<typeof byId>,
) {
  const insert = prepared((tx, attemptId: string, amount: number, ...account: A) =>
    tx
      .insertInto('account_payments')
      .columns(['account_id', 'attempt_id', 'amount'])
      .expression(
        find(tx, ...account).select((of) => [
          'id',
          of.val(attemptId).as('attempt_id'),
          sql<number>`cast(${amount} as bigint)`.as('amount'),
        ]),
      ),
  );
  // Changes nothing, but conflicts with a concurrent AutoPay charge.
  const touchAutopay = prepared((tx, ...account: A) =>
    tx
      .updateTable('autopay')
      .set((of) => ({ method_id: of.ref('method_id') }))
      .where('account_id', '=', find(tx, ...account).select('id')),
  );
  return async (tx: Transaction<Tables>, { id, amount }: Pick<Attempt, 'id' | 'amount'>, ...account: A) => {
    await insert(tx, id, amount, ...account);
    await touchAutopay(tx, ...account);
  };
}

const recordById = accountPayment(byId);
const recordByNumber = accountPayment(byNumber);

export function attempts(tx: Transaction<Tables>): Attempts {
  const all = () => tx.selectFrom('attempts').selectAll();
  return {
    ...operationRows(tx, {
      table: 'attempts',
      get,
      update: (attempt) => update(tx, attempt.id, changes(attempt)),
      read: attempt,
      head,
    }),
    find: (sessionId, requestId) => first(find(tx, sessionId, requestId), attempt),
    ofSession: async (sessionId) =>
      isId(sessionId) ? (await every(newestOfSession(tx, sessionId), attempt)).toSorted(inOrder) : [],
    insert: async (attempt) => {
      await insert(tx, row(attempt));
    },
    begin: async (attempt) => {
      await begin(tx, attempt.id, {
        created_at: attempt.createdAt,
        session_id: attempt.sessionId,
        authorization_id: attempt.authorizationId ?? null,
        ...changes(attempt),
      });
    },
    recordAccountPayment: (accountId, payment) => recordById(tx, payment, accountId),
    recordChargePayment: (businessUnit, { accountNumber, subAccountNumber }, payment) =>
      recordByNumber(tx, payment, businessUnit, accountNumber, subAccountNumber),
    removeAccountPayments: async (attemptId) => {
      await tx.deleteFrom('account_payments').where('attempt_id', '=', attemptId).execute();
    },
    refundAccountPayment: async (accountId, { attemptId, amount }) => {
      await refundPayment(tx, accountId, attemptId, amount);
    },
    paidFor: async (accountId, since) => {
      const { payments, paid, unfinished } = await tx
        .selectFrom((from) =>
          from
            .selectFrom('account_payments')
            .select(['attempt_id', 'amount'])
            .where('account_id', '=', accountId)
            .limit(MAX_SUMMED + 1)
            .as('account_payments'),
        )
        .innerJoin('attempts', 'attempts.id', 'account_payments.attempt_id')
        .select([COUNT.as('payments'), PAID(since).as('paid'), UNFINISHED.as('unfinished')])
        .executeTakeFirstOrThrow();
      return payments > MAX_SUMMED ? null : { amount: paid ?? 0, unfinished: unfinished > 0 };
    },
    forgetPaid: async (sessionIds) => {
      for (const ids of inChunks(sessionIds))
        await tx
          .deleteFrom('account_payments')
          .where('attempt_id', 'in', (eb) =>
            eb
              .selectFrom('attempts')
              .select('id')
              .where('session_id', 'in', ids)
              .where('answered_at', 'is not', null),
          )
          .where((eb) =>
            eb.not(
              eb.exists(
                eb
                  .selectFrom('accounts')
                  .innerJoin('attempts', 'attempts.id', 'account_payments.attempt_id')
                  .select('accounts.id')
                  .whereRef('accounts.id', '=', 'account_payments.account_id')
                  .whereRef('balance_synced_at', '<=', 'answered_at'),
              ),
            ),
          )
          .execute();
    },
    scheduledFor: async (accountId) => {
      const scheduled = all().where('account_id', '=', accountId).where(SCHEDULED);
      return every(scheduled.orderBy('charge_on').orderBy('id').execute(), head);
    },
    hasManyScheduled: async (accountId, count) =>
      (await someScheduled(tx, accountId, count)).length === count,
    waiting: waitingRows(tx, {
      table: 'attempts',
      id: 'id',
      day: 'charge_on',
      waiting: SCHEDULED,
    }),
    unitsToForget: (now) =>
      unitsDue(tx, { table: 'attempts', column: 'forget_at', waiting: FORGETTABLE }, now),
    toForget: (businessUnit, now, limit) =>
      every(
        all()
          .where(FORGETTABLE)
          .where(ofUnit(businessUnit, 'forget_at', 0, now))
          .orderBy('business_unit')
          .orderBy('forget_at')
          .limit(limit)
          .execute(),
        attempt,
      ),
    forgetOlder: async (sessionIds, now) => {
      for (const ids of inChunks(sessionIds))
        await tx
          .updateTable('attempts')
          .set({ forget_at: now })
          .where('session_id', 'in', ids)
          .where('forget_at', 'is', null)
          .where('status', 'not in', ['scheduled', 'processing'])
          .where('source', 'not like', '%"holder":""%')
          .execute();
    },
    isCharging: async (methodId) => {
      const charging = tx
        .selectFrom('attempts')
        .select('id')
        .where(sql<boolean>`status = 'processing'`)
        .where('source', 'like', `%${JSON.stringify(methodId)}%`)
        .limit(1);
      return (await charging.execute()).length > 0;
    },
    page: async ({ businessUnit, from = 0, to = Infinity, statuses, clientReference, after, limit }) => {
      const since = Math.max(from, after?.createdAt ?? 0);
      // An expression, so that SQLite uses the index on the reference, which has few rows.
      const time = sql<number>`created_at + 0`;
      const read = async (rows: ReturnType<typeof all>): Promise<Attempt[]> => {
        let page = rows.where('business_unit', '=', businessUnit).limit(limit);
        page = page.where(clientReference === undefined ? 'created_at' : time, '>=', since);
        // If the bound were only a pair, SQLite would choose an index without the status.
        if (after !== undefined)
          page = page.where((eb) => eb.or([eb(time, '>', after.createdAt), eb('id', '>', after.id)]));
        page = page.orderBy(clientReference === undefined ? 'created_at' : time).orderBy('id');
        return every(page.execute(), attempt);
      };
      const found: Attempt[] = [];
      if (clientReference !== undefined) {
        const withReference = all().where('client_reference', '=', clientReference);
        const filtered = statuses && withReference.where(sql`status || ''`, 'in', statuses);
        found.push(...(await read(filtered ?? withReference)));
      } else if (statuses === undefined) found.push(...(await read(all())));
      else
        // One query per status, because for several statuses both engines sort every row.
        for (const status of statuses) found.push(...(await read(all().where('status', '=', status))));
      // Filter the end here, because with both bounds SQLite would choose an index without the status.
      return found
        .filter(({ createdAt }) => createdAt < to)
        .toSorted(inOrder)
        .slice(0, limit);
    },
  };
}

/** In byte order, like both engines; ids are ASCII. */
function inOrder(a: Attempt, b: Attempt): number {
  if (a.createdAt !== b.createdAt) return a.createdAt - b.createdAt;
  return a.id < b.id ? -1 : 1;
}

function row(attempt: Attempt): Insertable<Tables['attempts']> {
  return {
    session_id: attempt.sessionId,
    request_id: attempt.requestId,
    scheduled_id: attempt.scheduledId ?? null,
    descriptor: attempt.descriptor ?? null,
    account_id: attempt.accountId ?? null,
    client_reference: attempt.clientReference ?? null,
    charges: JSON.stringify(attempt.charges),
    fields: JSON.stringify(attempt.fields),
    authorization_id: attempt.authorizationId ?? null,
    charge_on: attempt.chargeOn ?? null,
    ...operationColumns(attempt),
    ...changes(attempt),
  };
}

/** Columns that can change after the insert. */
function changes(attempt: Attempt) {
  return {
    ...changingColumns(attempt),
    source: JSON.stringify(attempt.source),
    answered_at: attempt.answeredAt ?? null,
    refunded: attempt.refunded,
    forget_at: attempt.forgetAt ?? null,
    action_url: attempt.action?.url ?? null,
    action_until: attempt.action?.until ?? null,
  };
}

function attempt(found: Selectable<Tables['attempts']>): Attempt {
  return {
    source: JSON.parse(found.source) as AttemptSource,
    charges: JSON.parse(found.charges) as ChosenCharge[],
    fields: JSON.parse(found.fields) as Record<string, string>,
    ...head(found),
  };
}

function head(found: Selectable<Tables['attempts']>): AttemptHead {
  return {
    sessionId: found.session_id,
    requestId: found.request_id,
    ...readOperation(found),
    ...(found.scheduled_id === null ? {} : { scheduledId: found.scheduled_id }),
    status: found.status as AttemptStatus,
    ...(found.answered_at === null ? {} : { answeredAt: found.answered_at }),
    refunded: found.refunded,
    ...(found.descriptor === null ? {} : { descriptor: found.descriptor }),
    ...(found.authorization_id === null ? {} : { authorizationId: found.authorization_id }),
    ...(found.account_id === null ? {} : { accountId: found.account_id }),
    ...(found.forget_at === null ? {} : { forgetAt: found.forget_at }),
    ...(found.action_url === null || found.action_until === null
      ? {}
      : { action: { url: found.action_url, until: found.action_until } }),
    ...(found.charge_on === null ? {} : { chargeOn: found.charge_on }),
    ...(found.client_reference === null ? {} : { clientReference: found.client_reference }),
  };
}
