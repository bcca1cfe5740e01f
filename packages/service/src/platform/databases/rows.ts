/** Rows of a query as the domain has them; every area reads through the first two. */

/** The first row, null where there is none. */
export async function first<R, T>(rows: Promise<readonly R[]>, read: (row: R) => T): Promise<T | null> {
  const row = (await rows)[0];
  return row === undefined ? null : read(row);
}

export async function every<R, T>(rows: Promise<readonly R[]>, read: (row: R) => T): Promise<T[]> {
  return (await rows).map((row) => read(row));
}

/** Values of one statement: a database takes some ten thousand. */
const AT_ONCE = 1_000;

/** The values in pieces of which a statement takes one each. */
export function inPieces<T>(values: readonly T[]): readonly (readonly T[])[] {
  const count = Math.ceil(values.length / AT_ONCE);
  return Array.from({ length: count }, (_, place) => values.slice(place * AT_ONCE, (place + 1) * AT_ONCE));
}

/** The first `limit`, in this order, of what is found with any of the values: one statement for each piece of them. */
export async function firstOfAny<V, T>(
  values: readonly V[],
  limit: number,
  find: (piece: readonly V[]) => Promise<readonly T[]>,
  order: (one: T, other: T) => number,
): Promise<T[]> {
  const found: T[] = [];
  for (const piece of inPieces(values)) found.push(...(await find(piece)));
  return found.toSorted(order).slice(0, limit);
}

/** Ids sort by time. */
export const newestFirst = (one: { id: string }, other: { id: string }): number =>
  one.id < other.id ? 1 : -1;
