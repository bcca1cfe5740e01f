import { sql, type Selectable, type Transaction } from 'kysely';
import type { Operation, OperationRows } from './rules/operation.js';
import type { OperationColumns } from '../platform/databases/payment-tables.js';
import { every, first } from '../platform/databases/rows.js';
import type { Tables } from '../platform/databases/tables.js';
import { firstOfUnits, ofUnit } from '../platform/databases/waiting-rows.js';

interface Mapping<R extends Operation, H extends Operation> {
  readonly table: 'attempts' | 'refunds';
  /** Columns that only this kind has. */
  readonly row: (asked: R) => object;
  readonly read: (found: never) => R;
  /** Reads the columns that are not JSON. */
  readonly head: (found: never) => H;
}

// Literal, as in the indexes: a bound value would keep SQLite from using them.
const DUE = sql<boolean>`due_at is not null`;
const UNBOOKED = sql<boolean>`status in ('succeeded', 'returned') and booked is distinct from status`;

/** The part of the repository that payments and refunds share. */
export function asked<R extends Operation, H extends Operation>(
  tx: Transaction<Tables>,
  { table, row, read, head }: Mapping<R, H>,
): OperationRows<R, H> {
  const shared = tx as unknown as Transaction<Record<Mapping<R, H>['table'], OperationColumns>>;
  const all = () => shared.selectFrom(table).selectAll();
  const kind = read as (found: OperationColumns) => R;
  return {
    get: (id) => first(all().where('id', '=', id).execute(), kind),
    byReference: async (reference) => {
      const found = await all().where('reference', '=', reference).limit(2).execute();
      return found.length === 1 ? first(Promise.resolve(found), kind) : null;
    },
    update: async (asked) => {
      await shared.updateTable(table).set(row(asked)).where('id', '=', asked.id).execute();
    },
    due: (now, limit, businessUnit) => {
      const found =
        businessUnit === undefined
          ? all().where(DUE).where('due_at', '<=', now)
          : all()
              .where(DUE)
              .where(ofUnit(businessUnit, 'due_at', 0, now))
              .orderBy('business_unit');
      return every(found.orderBy('due_at').limit(limit).execute(), head as (found: OperationColumns) => H);
    },
    unitsDue: async (now) => {
      const units = await firstOfUnits(tx, { table, column: 'due_at', waiting: DUE });
      return units.filter(({ first }) => Number(first) <= now).map(({ businessUnit }) => businessUnit);
    },
    list: (businessUnit) =>
      every(
        all().where('business_unit', '=', businessUnit).orderBy('created_at').orderBy('id').execute(),
        kind,
      ),
    unbooked: (limit) =>
      shared.selectFrom(table).select('id').where(UNBOOKED).orderBy('created_at').limit(limit).execute(),
  };
}

export function operationColumns(asked: Operation): OperationColumns {
  return {
    id: asked.id,
    business_unit: asked.businessUnit,
    status: asked.status,
    amount: asked.amount,
    created_at: asked.createdAt,
    due_at: asked.dueAt ?? null,
    lookups: asked.lookups,
    reason: asked.reason ?? null,
    reference: asked.reference ?? null,
    booked: asked.booked ?? null,
  };
}

export function readOperation(found: Selectable<OperationColumns>): Omit<Operation, 'status'> {
  return {
    id: found.id,
    businessUnit: found.business_unit,
    amount: found.amount,
    createdAt: found.created_at,
    ...(found.due_at === null ? {} : { dueAt: found.due_at }),
    lookups: found.lookups,
    ...(found.reason === null ? {} : { reason: found.reason }),
    ...(found.reference === null ? {} : { reference: found.reference }),
    ...(found.booked === null ? {} : { booked: found.booked }),
  };
}
