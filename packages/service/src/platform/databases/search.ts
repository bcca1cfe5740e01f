/** Finds rows by conditions that no index serves, a page at a time. */
import { sql, type RawBuilder, type Transaction } from 'kysely';
import type { Tables } from './tables.js';

export interface Search<R> {
  readonly table: keyof Tables;
  /** The first column of the primary key; default: `id`. */
  readonly key?: 'id' | 'account_id';
  readonly columns: RawBuilder<R>;
  readonly where: RawBuilder<unknown>;
  /** Rows per page, of which some match. */
  readonly size: number;
}

export interface SearchPage<R> {
  /** In the order of their keys. */
  readonly rows: R[];
  /** Where the next page begins; absent after the last one. */
  readonly next?: string;
}

/** An expression, so that no index of the business unit replaces the primary key: each page would read the whole unit. */
export function inUnit(businessUnit: string): RawBuilder<boolean> {
  return sql<boolean>`business_unit || '' = ${businessUnit}`;
}

/** @param after `next` of the previous page, or an empty string */
export async function searchPage<R>(
  tx: Transaction<Tables>,
  { table, key = 'id', columns, where, size }: Search<R>,
  after: string,
): Promise<SearchPage<R>> {
  const name = sql.ref(key);
  const from = sql`from ${sql.table(table)} where ${name} > ${after}`;
  const last = sql<{ id: string }>`select ${name} as id ${from} order by ${name} limit 1
    offset ${sql.lit(size - 1)}`;
  const next = (await last.execute(tx)).rows[0]?.id;
  const until = next === undefined ? sql`` : sql`and ${name} <= ${next}`;
  const { rows } = await sql<R>`select ${columns} ${from} ${until} and ${where} order by ${name}`.execute(tx);
  return { rows, ...(next !== undefined && { next }) };
}
