import { type CompiledQuery, type Insertable, type Transaction } from 'kysely';
import { connectionOf, type Prepared } from './kysely-on.js';
import type { Tables } from './tables.js';

interface Plan<R> {
  readonly query: CompiledQuery<R>;
  /** The argument that each parameter of the query comes from, or -1 for a constant. */
  readonly argumentOf: readonly number[];
}

/**
 * A query that is built once per engine and then only filled in, because building one takes longer than running it.
 * Each argument must become one or more of its parameters unchanged.
 *
 * @example
 * const byId = prepared((tx, id: string) => tx.selectFrom('sessions').selectAll().where('id', '=', id));
 * const [row] = await byId(tx, 'stg_1');
 */
export function prepared<A extends readonly unknown[], R>(
  build: (tx: Transaction<Tables>, ...args: A) => { compile(db: Transaction<Tables>): CompiledQuery<R> },
  { one = false }: Pick<Prepared, 'one'> = {},
): (tx: Transaction<Tables>, ...args: A) => Promise<R[]> {
  const plans = new WeakMap<object, Plan<R>>();
  return (tx, ...args) => {
    const { adapter } = tx.getExecutor();
    let plan = plans.get(adapter);
    if (plan === undefined) {
      // Placeholders, recognized among the parameters by identity.
      const marks = args.map(() => Object.freeze({}));
      plan = planOf(build(tx, ...(marks as unknown as A)).compile(tx), marks);
      plans.set(adapter, plan);
    }
    const { query, argumentOf } = plan;
    const parameters = argumentOf.map((from, index) => (from < 0 ? query.parameters[index] : args[from]));
    const filled: Prepared<R> = {
      sql: query.sql,
      query: query.query,
      queryId: query.queryId,
      parameters,
      one,
    };
    return connectionOf(tx).rowsOf(filled);
  };
}

function planOf<R>(query: CompiledQuery<R>, marks: readonly unknown[]): Plan<R> {
  const argumentOf = query.parameters.map((parameter) => marks.indexOf(parameter));
  const unused = marks.findIndex((_, index) => !argumentOf.includes(index));
  if (unused >= 0)
    throw new TypeError(`Argument ${unused} of a prepared query is not one of its parameters: ${query.sql}`);
  return { query, argumentOf };
}

/**
 * An insert of one row that is built once per engine and then only filled in. Every row must have the same columns.
 *
 * @example
 * const insert = preparedInsert('customers');
 * await insert(tx, { id, business_unit, email_key, fields });
 */
export function preparedInsert<T extends keyof Tables>(
  table: T,
): (tx: Transaction<Tables>, row: Insertable<Tables[T]>) => Promise<unknown> {
  let columns: readonly string[] | undefined;
  const insert = prepared((tx, ...values: unknown[]) => {
    const row = Object.fromEntries((columns ?? []).map((column, index) => [column, values[index]]));
    return tx.insertInto(table).values(row as Insertable<Tables[T]>);
  });
  return (tx, row) => {
    const values: Readonly<Record<string, unknown>> = row;
    columns ??= Object.keys(values);
    if (Object.keys(values).length !== columns.length)
      throw new TypeError(`Every row of ${table} must have the columns ${columns.join(', ')}.`);
    return insert(tx, ...columns.map((column) => values[column]));
  };
}
