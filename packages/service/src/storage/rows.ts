/** Rows of a query as the domain has them; every area reads through these two. */

/** The first row, null where there is none. */
export async function first<R, T>(rows: Promise<readonly R[]>, read: (row: R) => T): Promise<T | null> {
  const row = (await rows)[0];
  return row === undefined ? null : read(row);
}

export async function every<R, T>(rows: Promise<readonly R[]>, read: (row: R) => T): Promise<T[]> {
  return (await rows).map((row) => read(row));
}
