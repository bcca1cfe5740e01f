/** Maps rows of a query to domain objects. */

/** The first row, or null. */
export async function first<R, T>(rows: Promise<readonly R[]>, read: (row: R) => T): Promise<T | null> {
  const row = (await rows)[0];
  return row === undefined ? null : read(row);
}

export async function every<R, T>(rows: Promise<readonly R[]>, read: (row: R) => T): Promise<T[]> {
  return (await rows).map((row) => read(row));
}

/** Values per statement; databases accept about ten thousand. */
const AT_ONCE = 1_000;

/** Splits values into chunks, one per statement. */
export function inChunks<T>(values: readonly T[]): readonly (readonly T[])[] {
  const count = Math.ceil(values.length / AT_ONCE);
  return Array.from({ length: count }, (_, place) => values.slice(place * AT_ONCE, (place + 1) * AT_ONCE));
}

/** The first `limit` rows, in this order, that match any of the values. Runs one statement per chunk. */
export async function firstOfAny<V, T>(
  values: readonly V[],
  limit: number,
  find: (piece: readonly V[]) => Promise<readonly T[]>,
  order: (one: T, other: T) => number,
): Promise<T[]> {
  const found: T[] = [];
  for (const piece of inChunks(values)) found.push(...(await find(piece)));
  return found.toSorted(order).slice(0, limit);
}

/** Ids sort by time. */
export const newestFirst = (one: { id: string }, other: { id: string }): number =>
  one.id < other.id ? 1 : -1;
