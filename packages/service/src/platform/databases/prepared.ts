import type {
  CompiledQuery,
  Insertable,
  InsertQueryBuilder,
  InsertResult,
  QueryExecutor,
  Selectable,
  Transaction,
  Updateable,
} from 'kysely';
import { connectionOf, type Prepared } from './connection.js';
import type { Tables } from './tables.js';

interface Plan<R> extends Prepared<R> {
  readonly argumentOf: readonly number[];
}

let plansMade = 0;

/**
 * A query that is built once per engine and number of arguments, and then only filled in, because building one takes
 * longer than running it. Each argument must become one or more of its parameters unchanged.
 *
 * @example
 * const byId = prepared((tx, id: string) => tx.selectFrom('sessions').selectAll().where('id', '=', id));
 * const [row] = await byId(tx, 'stg_1');
 */
export function prepared<A extends readonly unknown[], R>(
  build: (tx: Transaction<Tables>, ...args: A) => Compilable<R>,
): (tx: Transaction<Tables>, ...args: A) => Promise<R[]> {
  const ofEngine = new WeakMap<object, Plan<R>[]>();
  const plansOf = ({ adapter }: QueryExecutor): Plan<R>[] => {
    const known = ofEngine.get(adapter) ?? [];
    if (known.length === 0) ofEngine.set(adapter, known);
    return known;
  };
  return (tx, ...args) => {
    const plan = (plansOf(tx.getExecutor())[args.length] ??= planOf(
      (marks) => build(tx, ...(marks as unknown as A)).compile(tx),
      args.length,
    ));
    const { query, argumentOf } = plan;
    const parameters = argumentOf.map((from, index) => (from < 0 ? query.parameters[index] : args[from]));
    return connectionOf(tx).run(plan, parameters);
  };
}

function planOf<R>(compile: (marks: readonly unknown[]) => CompiledQuery<R>, args: number): Plan<R> {
  // Placeholders, found among the parameters by identity.
  const marks: unknown[] = Array.from({ length: args }, () => Object.freeze({}));
  const query = compile(marks);
  const argumentOf = query.parameters.map((parameter) => marks.indexOf(parameter));
  const unused = marks.findIndex((_, index) => !argumentOf.includes(index));
  if (unused >= 0)
    throw new TypeError(`Argument ${unused} of a prepared query is not one of its parameters: ${query.sql}`);
  return { query, argumentOf, name: `p${++plansMade}` };
}

/** Finds the row whose key has these values. The key's columns are texts. */
export function preparedFind<T extends keyof Tables, const C extends readonly (keyof Tables[T] & string)[]>(
  table: T,
  ...key: C
): (tx: Transaction<Tables>, ...values: TextsOf<C>) => Promise<Selectable<Tables[T]>[]> {
  const find = prepared((tx, ...values: string[]) =>
    (tx as Transaction<Record<string, Record<string, unknown>>>)
      .selectFrom(table as string)
      .selectAll()
      .where((row) => row.and(rowOf(key, values))),
  );
  return (tx, ...values) => find(tx, ...values) as Promise<unknown[]> as Promise<Selectable<Tables[T]>[]>;
}

type TextsOf<C extends readonly string[]> = { readonly [I in keyof C]: string };

export interface Values<V> {
  readonly columns: readonly string[];
  values(this: void, written: V): unknown[];
}

interface InsertOptions<T extends keyof Tables, R, V> {
  /** Default: rows, which must all have the same columns. */
  readonly of?: Values<V>;
  /** Adds clauses such as `onConflict` and `returning`. */
  readonly more?: (insert: InsertQueryBuilder<Tables, T, InsertResult>) => Compilable<R>;
}

export function preparedInsert<T extends keyof Tables, R = InsertResult, V = Insertable<Tables[T]>>(
  table: T,
  { of = rowsOf(table), more = (insert) => insert }: InsertOptions<T, R, V> = {},
): (tx: Transaction<Tables>, written: V) => Promise<R[]> {
  const insert = prepared((tx, ...values: unknown[]) =>
    more(tx.insertInto(table).values(rowOf(of.columns, values) as Insertable<Tables[T]>)),
  );
  return (tx, written) => insert(tx, ...of.values(written));
}

/**
 * For an insert whose unique key identifies a person. If another transaction inserts the same key, PostgreSQL reports a
 * serialization failure, which is retried. It would log the key of a unique violation.
 */
export function withoutViolation<T extends keyof Tables>(
  insert: InsertQueryBuilder<Tables, T, InsertResult>,
): InsertQueryBuilder<Tables, T, InsertResult> {
  return insert.onConflict((conflict) => conflict.doNothing());
}

/** Updates a row by its id. @param of default: rows, which must all have the same columns */
export function preparedUpdate<T extends TablesWithId, V = Updateable<Tables[T]>>(
  table: T,
  of: Values<V> = rowsOf(table),
): (tx: Transaction<Tables>, id: string, written: V) => Promise<unknown> {
  const update = prepared((tx, id: string, ...values: unknown[]) =>
    (tx as Transaction<Record<string, { id: string }>>)
      .updateTable(table as string)
      .set(rowOf(of.columns, values))
      .where('id', '=', id),
  );
  return (tx, id, written) => update(tx, id, ...of.values(written));
}

type TablesWithId = {
  [T in keyof Tables]: Tables[T] extends { id: string } ? T : never;
}[keyof Tables];

interface Compilable<R> {
  compile(db: Transaction<Tables>): CompiledQuery<R>;
}

/** The first row determines the columns. */
function rowsOf<V>(table: string): Values<V> {
  let columns: readonly string[] = [];
  return {
    get columns() {
      return columns;
    },
    values: (row) => {
      const values = row as Readonly<Record<string, unknown>>;
      if (columns.length === 0) columns = Object.keys(values);
      if (Object.keys(values).length !== columns.length)
        throw new TypeError(`Every row of ${table} must have the columns ${columns.join(', ')}.`);
      return columns.map((column) => values[column]);
    },
  };
}

function rowOf(columns: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  return Object.fromEntries(columns.map((column, index) => [column, values[index]]));
}
