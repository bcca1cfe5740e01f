/** Finds rows by their due day, per business unit so that no unit's backlog hides another's. */
import { sql, type RawBuilder, type Selectable, type SelectQueryBuilder, type Transaction } from 'kysely';
import type { ForgettableRows, WaitingRows } from '../../core/queue-rows.js';
import { every } from './records.js';
import type { Tables } from './tables.js';

interface WaitingTable {
  readonly table: 'schedules' | 'autopay' | 'attempts';
  readonly id: string;
  readonly day: string;
  /** The condition of the partial index on business unit and day. */
  readonly waiting: RawBuilder<boolean>;
}

export function waitingRows(tx: Transaction<Tables>, names: WaitingTable): WaitingRows {
  const table = sql.table(names.table);
  const day = sql.ref(names.day);
  const id = sql.ref(names.id);
  const { waiting } = names;

  return {
    units: async () => {
      const units = firstOfUnits<string>(tx, { table: names.table, column: names.day, waiting });
      return (await units.execute()).map(({ businessUnit, first: day }) => ({ businessUnit, day }));
    },

    due: async (businessUnit, until, limit) => {
      const due = sql<{ id: string; sessionId: string }>`(
        select ${id} as "id", session_id as "sessionId" from ${table}
        where ${waiting} and ${ofUnit(businessUnit, names.day, '', until)}
        order by business_unit, ${day} limit ${sql.lit(limit)})`;
      const rows = await tx.selectFrom(due.as('due')).select(['id', 'sessionId']).execute();
      return rows.map((row) => ({ ...row, businessUnit }));
    },
  };
}

/**
 * The rows of a business unit from one value of a column to another, as a range of the index on both. Order by both too. With
 * an equality, PostgreSQL may choose an index on the column alone and read through the backlogs of all other units.
 */
export function ofUnit<T extends string | number>(
  businessUnit: string,
  column: string,
  from: T,
  to: T,
): RawBuilder<boolean> {
  const both = sql`(business_unit, ${sql.ref(column)})`;
  return sql`${both} >= (${businessUnit}, ${from}) and ${both} <= (${businessUnit}, ${to})`;
}

/** Narrows a query to a business unit's rows up to a value of a column, ordered as {@link ofUnit} requires. */
export function upTo<DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  { businessUnit, column, until }: { businessUnit: string; column: string; until: number },
): SelectQueryBuilder<DB, TB, O> {
  return query
    .where(ofUnit(businessUnit, column, 0, until))
    .orderBy(sql.ref('business_unit'))
    .orderBy(sql.ref(column));
}

// Literal, because a bound value would keep SQLite from using the partial index.
const FORGETTABLE = sql<boolean>`forget_at is not null`;

type Forgettable = Pick<Tables['attempts'], 'business_unit' | 'forget_at'>;

interface ForgettableTable<Table> {
  readonly table: Table;
  /** Rows of release 0.3 without a time. The condition of a partial index on `since`. */
  readonly older: RawBuilder<boolean>;
  readonly since: 'created_at' | 'removed_at';
}

/** Finds rows with a token or personal data to remove at a given time. */
export function forgettableRows<Table extends 'attempts' | 'methods', T>(
  tx: Transaction<Tables>,
  { table, ...names }: ForgettableTable<Table>,
  read: (found: Selectable<Tables[Table]>) => T,
): ForgettableRows<T> {
  const forgettable = tx as unknown as Transaction<{ attempts: Forgettable }>;
  const all = () => forgettable.selectFrom(table as 'attempts').selectAll();
  const since = sql.ref(names.since);
  return {
    unitsToForget: (now) => unitsDue(tx, { table, column: 'forget_at', waiting: FORGETTABLE }, now),
    toForget: (businessUnit, now, limit) =>
      every(
        upTo(all().where(FORGETTABLE), { businessUnit, column: 'forget_at', until: now })
          .limit(limit)
          .execute(),
        read as (found: object) => T,
      ),
    forgetOlder: async (before, now, limit) => {
      const { rows } = await sql`update ${sql.table(table)} set forget_at = ${now} where id in (
        select id from ${sql.table(table)} where ${names.older} and ${since} < ${before}
        order by ${since} limit ${sql.lit(limit)}) returning id`.execute(tx);
      return rows.length;
    },
  };
}

export interface UnitRows {
  readonly table: 'schedules' | 'autopay' | 'attempts' | 'refunds' | 'methods' | 'messages' | 'outbox';
  /** The column after the business unit in the index. */
  readonly column: string;
  /** The condition of the partial index. */
  readonly waiting: RawBuilder<boolean>;
}

interface UnitFirst<First> {
  readonly businessUnit: string;
  readonly first: First;
}

/** The business units that have such rows with a time up to `now`. */
export async function unitsDue(tx: Transaction<Tables>, names: UnitRows, now: number): Promise<string[]> {
  const units = await firstOfUnits<number>(tx, names).execute();
  return units.filter(({ first }) => first <= now).map(({ businessUnit }) => businessUnit);
}

/** The number of such rows of each business unit, up to `most`, to select along with {@link firstOfUnits}. */
export function countOfUnit({ table, column, waiting }: UnitRows, most: number): RawBuilder<number> {
  const rows = sql`select 1 from ${sql.table(table)} where ${waiting}
    and business_unit >= waiting."businessUnit" and business_unit <= waiting."businessUnit"
    order by business_unit, ${sql.ref(column)} limit ${sql.lit(most)}`;
  return sql<number>`(select count(*) from (${rows}) as few)`;
}

/**
 * The business units that have such rows, each with its smallest value of the column. A skip scan: jumps to the next
 * business unit in the index, so a backlog of any length costs one step. Every step orders by both columns, so that
 * PostgreSQL uses this index, as in {@link ofUnit}.
 *
 * @param ready a further condition of the smallest value, which is null if none of a unit's rows meets it. Nearly all
 * rows must meet it, because the rest are read too.
 */
export function firstOfUnits<First extends string | number | null>(
  tx: Transaction<Tables>,
  { table: name, column: columnName, waiting }: UnitRows,
  ready: RawBuilder<boolean> = sql`1 = 1`,
): SelectQueryBuilder<Tables & { waiting: UnitFirst<First> }, 'waiting', UnitFirst<First>> {
  const table = sql.table(name);
  const column = sql.ref(columnName);
  const inOrder = sql`order by business_unit, ${column} limit 1`;
  const units = sql<UnitFirst<First>>`(
    with recursive units (slug) as (
      select (select business_unit from ${table} where ${waiting} ${inOrder})
      union all
      select (select business_unit from ${table} where ${waiting} and business_unit > units.slug ${inOrder})
      from units where units.slug is not null
    )
    select slug as "businessUnit",
      (select ${column} from ${table}
        where ${waiting} and ${ready} and business_unit >= units.slug and business_unit <= units.slug
        ${inOrder}) as "first"
    from units where slug is not null)`;
  const query = tx.selectFrom(units.as('waiting')).select(['businessUnit', 'first']);
  return query.$castTo<UnitFirst<First>>();
}
