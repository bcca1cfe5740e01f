import { sql, type Selectable, type Transaction } from 'kysely';
import { defined } from '../core/defined.js';
import type { Method, Methods } from './rules.js';
import { countParsed } from '../platform/context.js';
import { prepared, preparedFind, preparedUpdate } from '../platform/databases/prepared.js';
import { every, first, inChunks, recordsOf } from '../platform/databases/records.js';
import type { Tables } from '../platform/databases/tables.js';
import { forgettableRows } from '../platform/databases/waiting-rows.js';

const { read, row } = recordsOf<'methods', Stored>({ json: ['details'] });

const update = preparedUpdate(
  'methods',
  recordsOf<'methods', Stored>({
    json: ['details'],
    columns: ['token', 'removed_at', 'forget_at', 'details'],
  }),
);

const blockOf = preparedFind('blocked_accounts', 'business_unit', 'fingerprint');

const blocksOf = prepared((tx, businessUnit: string, ...fingerprints: string[]) =>
  tx
    .selectFrom('blocked_accounts')
    .select(['fingerprint', 'reason'])
    .where('business_unit', '=', businessUnit)
    .where('fingerprint', 'in', fingerprints),
);

// Literal, because a bound value would keep SQLite from using the partial index.
const REMOVED_BY_OLDER = sql<boolean>`removed_at is not null and forget_at is null and token <> ''`;

const get = preparedFind('methods', 'id');

const findByRequest = preparedFind('methods', 'customer_id', 'request_id');

const activeOfCustomer = prepared((tx, customerId: string) =>
  newMethod(tx).where('customer_id', '=', customerId),
);

// Literal, as above.
const NOT_BEGUN = sql<boolean>`status = 'scheduled'`;

const uses = prepared((tx, ...methodIds: string[]) =>
  tx
    .selectFrom('methods')
    .select((of) => {
      const enrollments = of
        .selectFrom('autopay')
        .select('account_id')
        .whereRef('method_id', '=', 'methods.id');
      const payments = of.selectFrom('schedules').select('id').whereRef('method_id', '=', 'methods.id');
      return [
        'id',
        of.exists(enrollments).as('inAutopay'),
        of.exists(payments.where(NOT_BEGUN)).as('isScheduled'),
      ];
    })
    .where('id', 'in', methodIds),
);

const defaultOf = preparedFind('wallets', 'customer_id');

function newMethod(tx: Transaction<Tables>) {
  return tx
    .selectFrom('methods')
    .selectAll()
    .where('removed_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id');
}

/** Few, because each number of values needs its own prepared statement. */
const READ_BATCH_SIZE = 50;

export function methods(tx: Transaction<Tables>): Methods {
  /** a payment by another method of the same account may have been returned. All are of one business unit. */
  const withBlocks = async (found: Method[]): Promise<Method[]> => {
    const fingerprints = found.flatMap(({ fingerprint }) => fingerprint ?? []);
    const [{ businessUnit } = { businessUnit: '' }] = found;
    if (fingerprints.length === 0) return found;

    const blocks = await blocksOf(tx, businessUnit, ...fingerprints);
    const reasons = new Map(blocks.map(({ fingerprint, reason }) => [fingerprint, reason]));
    return found.map((method) =>
      defined({ ...method, blocked: method.blocked ?? reasons.get(method.fingerprint ?? '') }),
    );
  };

  return {
    block: (businessUnit, fingerprint, reason, now) =>
      tx
        .insertInto('blocked_accounts')
        .values({ business_unit: businessUnit, fingerprint, reason, blocked_at: now })
        .onConflict((conflict) => conflict.columns(['business_unit', 'fingerprint']).doNothing())
        .execute(),
    blockOf: async (businessUnit, fingerprint) =>
      fingerprint === undefined
        ? null
        : first(blockOf(tx, businessUnit, fingerprint), ({ reason }) => reason),
    get: async (id) => (await withBlocks(await every(get(tx, id), method)))[0] ?? null,
    getMany: async (ids) => {
      const found: Method[] = [];
      for (const chunk of inChunks(ids, READ_BATCH_SIZE)) {
        const rows = tx.selectFrom('methods').selectAll().where('id', 'in', chunk).execute();
        found.push(...(await withBlocks(await every(rows, method))));
      }
      return found;
    },
    findByRequest: (customerId, requestId) => first(findByRequest(tx, customerId, requestId), method),
    ofCustomer: async (customerId) => withBlocks(await every(activeOfCustomer(tx, customerId), method)),
    uses: async (methodIds) => {
      const found = methodIds.length === 0 ? [] : await uses(tx, ...methodIds);
      return new Map(
        found.map(({ id, inAutopay, isScheduled }) => [
          id,
          [
            ...(inAutopay ? (['autopay'] as const) : []),
            ...(isScheduled ? (['scheduled-payment'] as const) : []),
          ],
        ]),
      );
    },
    insert: (method) =>
      tx
        .insertInto('methods')
        .values(row(stored(method)))
        .execute(),
    update: (method) => update(tx, method.id, stored(method)),
    touch: (id) =>
      tx
        .updateTable('methods')
        .set((row) => ({ touched: row('touched', '+', 1) }))
        .where('id', '=', id)
        .execute(),
    defaultOf: (customerId) =>
      first(defaultOf(tx, customerId), ({ default_method_id: methodId }) => methodId),
    setDefault: (customerId, methodId) =>
      tx
        .insertInto('wallets')
        .values({ customer_id: customerId, default_method_id: methodId, revision: 0 })
        .onConflict((conflict) =>
          conflict.column('customer_id').doUpdateSet((row) => ({
            default_method_id: methodId,
            revision: row('wallets.revision', '+', 1),
          })),
        )
        .execute(),
    ...forgettableRows(tx, { table: 'methods', older: REMOVED_BY_OLDER, since: 'removed_at' }, method),
    list: (businessUnit) => every(newMethod(tx).where('business_unit', '=', businessUnit).execute(), method),
  };
}

interface Stored extends Omit<Method, keyof Details> {
  readonly details: Details;
  readonly touched: number;
}

type Details = Pick<
  Method,
  'brand' | 'last4' | 'expiry' | 'holder' | 'blocked' | 'fingerprint' | 'name' | 'replaced'
>;

function stored(method: Method): Stored {
  const { brand, last4, expiry, holder, blocked, fingerprint, name, replaced, ...columns } = method;
  // JSON omits undefined fields.
  const details = { brand, last4, expiry, holder, blocked, fingerprint, name, replaced } as Details;
  return { ...columns, details, touched: 0 };
}

function method(found: Selectable<Tables['methods']>): Method {
  // Tokens may be long.
  countParsed(found.token.length + found.details.length);
  const { details, touched: _, ...columns } = read(found);
  return { ...columns, ...details };
}
