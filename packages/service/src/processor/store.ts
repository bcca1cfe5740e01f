import { sql, type RawBuilder, type Transaction } from 'kysely';
import type { Operation, OperationRows } from './rules/operation.js';
import type { OperationColumns } from '../platform/databases/tables.js';
import { every, first, recordIn } from '../platform/databases/records.js';
import type { Tables } from '../platform/databases/tables.js';
import { upTo, unitsDue } from '../platform/databases/waiting-rows.js';

interface Mapping<R extends Operation> {
  readonly table: 'attempts' | 'refunds';
  readonly get: (tx: Transaction<Tables>, id: string) => Promise<OperationColumns[]>;
  readonly update: (row: R) => Promise<unknown>;
  readonly read: (found: never) => R;
  /** The columns of a head. */
  readonly head: readonly string[];
}

// Literal, because a bound value would keep SQLite from using the partial indexes.
export const DUE: RawBuilder<boolean> = sql<boolean>`due_at is not null`;
export const UNBOOKED: RawBuilder<boolean> = sql<boolean>`status in ('succeeded', 'returned') and booked is distinct from status`;

export function operationRows<R extends Operation, H extends Operation>(
  tx: Transaction<Tables>,
  { table, get, update, read, head }: Mapping<R>,
): OperationRows<R, H> {
  const shared = tx as unknown as Transaction<Record<Mapping<R>['table'], OperationColumns>>;
  const all = () => shared.selectFrom(table).selectAll();
  const heads = () => shared.selectFrom(table).select(head as readonly (keyof OperationColumns)[]);
  const kind = read as (found: OperationColumns) => R;
  return {
    get: (id) => first(get(tx, id), kind),
    byReference: async (reference) => {
      const found = await all().where('reference', '=', reference).limit(2).execute();
      return found.length === 1 ? first(Promise.resolve(found), kind) : null;
    },
    update: (row) => update(row),
    due: (businessUnit, now, limit) =>
      every(
        upTo(heads().where(DUE), { businessUnit, column: 'due_at', until: now }).limit(limit).execute(),
        (found) => recordIn(found) as H,
      ),
    unitsDue: (now) => unitsDue(tx, { table, column: 'due_at', waiting: DUE }, now),
    list: (businessUnit) =>
      every(
        all().where('business_unit', '=', businessUnit).orderBy('created_at').orderBy('id').execute(),
        kind,
      ),
    unbooked: (limit) =>
      shared.selectFrom(table).select('id').where(UNBOOKED).orderBy('created_at').limit(limit).execute(),
  };
}

/** Columns that an update writes. Few, because engines may rewrite the indexes of all updated columns. */
export const CHANGING_COLUMNS = ['status', 'due_at', 'lookups', 'reason', 'reference', 'booked'] as const;

export const OPERATION_COLUMNS = [
  'id',
  'business_unit',
  'amount',
  'created_at',
  'status',
  'due_at',
  'lookups',
  'reason',
  'reference',
  'booked',
] as const;
