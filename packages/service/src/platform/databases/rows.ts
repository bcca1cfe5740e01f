/** Maps query rows to domain objects. */

/** The first row, or null. */
export async function first<R, T>(rows: Promise<readonly R[]>, read: (row: R) => T): Promise<T | null> {
  const row = (await rows)[0];
  return row === undefined ? null : read(row);
}

export async function every<R, T>(rows: Promise<readonly R[]>, read: (row: R) => T): Promise<T[]> {
  return (await rows).map((row) => read(row));
}

/** Runs a delete. Resolves to the number of rows. */
export async function deleted(statement: {
  executeTakeFirstOrThrow(): Promise<{ readonly numDeletedRows: bigint }>;
}): Promise<number> {
  return Number((await statement.executeTakeFirstOrThrow()).numDeletedRows);
}

/** Values per statement. Databases accept about ten thousand. */
const BATCH_SIZE = 1_000;

/** Splits values into chunks, by default one per statement. */
export function inChunks<T>(values: readonly T[], size: number = BATCH_SIZE): readonly (readonly T[])[] {
  const count = Math.ceil(values.length / size);
  return Array.from({ length: count }, (_, place) => values.slice(place * size, (place + 1) * size));
}
