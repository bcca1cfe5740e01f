/** Converts rows to records and back: snake case to camel case, null to an absent field. */
import type { Insertable, Selectable } from 'kysely';
import type { Values } from './prepared.js';
import type { Tables } from './tables.js';

type Camel<Column> = Column extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Column;

/** `never` if the record has a field without a column. */
export type Records<Table extends keyof Tables, T> =
  keyof T extends Camel<keyof Tables[Table]>
    ? Values<T> & {
        read(this: void, row: Selectable<Tables[Table]>): T;
        row(this: void, record: T): Insertable<Tables[Table]>;
      }
    : never;

interface RecordOptions<Table extends keyof Tables, T> {
  readonly json?: readonly (keyof T)[];
  /** For prepared inserts and updates: the columns to write, with null for an absent field. */
  readonly columns?: readonly (keyof Tables[Table] & string)[];
}

export function recordsOf<Table extends keyof Tables, T extends object>({
  json = [],
  columns = [],
}: RecordOptions<Table, T> = {}): Records<Table, T> {
  const jsonNames: ReadonlySet<string> = new Set(json as readonly string[]);
  const names = columns.map(nameOf);
  const valueOf = (record: Readonly<Record<string, unknown>>, name: string): unknown => {
    const value = record[name] ?? null;
    return jsonNames.has(name) && value !== null ? JSON.stringify(value) : value;
  };
  const records = {
    columns,
    values: (record: Readonly<Record<string, unknown>>) => names.map((name) => valueOf(record, name)),
    read: (row: object) => recordIn(row, jsonNames),
    row: (record: Readonly<Record<string, unknown>>) =>
      Object.fromEntries(Object.keys(record).map((name) => [columnOf(name), valueOf(record, name)])),
  };
  return records as unknown as Records<Table, T>;
}

export function recordIn(row: object, json: ReadonlySet<string> = NO_JSON): object {
  const record: Record<string, unknown> = {};
  for (const column in row) {
    const value = (row as Readonly<Record<string, unknown>>)[column];
    if (value === null) continue;
    const name = nameOf(column);
    record[name] = json.has(name) ? (JSON.parse(value as string) as unknown) : value;
  }
  return record;
}

const NO_JSON: ReadonlySet<string> = new Set();

const nameOf = cached((column) => column.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()));

const columnOf = cached((name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));

/** Converting a name takes longer than the rest. */
function cached(convert: (name: string) => string): (name: string) => string {
  const converted = new Map<string, string>();
  return (name) => {
    const known = converted.get(name);
    if (known !== undefined) return known;

    const result = convert(name);
    converted.set(name, result);
    return result;
  };
}

export async function first<R, T>(rows: Promise<readonly R[]>, read: (row: R) => T): Promise<T | null> {
  const row = (await rows)[0];
  return row === undefined ? null : read(row);
}

export async function every<R, T>(rows: Promise<readonly R[]>, read: (row: R) => T): Promise<T[]> {
  return (await rows).map((row) => read(row));
}

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

/** Size of the texts per transaction, because SQLite reads and writes them on the event loop. */
const MAX_BYTES = 2 ** 20;

/** Splits rows into chunks of `size`, or fewer if they are large, one per transaction. */
export function inBatches<T extends { readonly bytes?: number }>(
  rows: readonly T[],
  size: number,
): readonly (readonly T[])[] {
  const batches: T[][] = [];
  let batch: T[] = [];
  let total = 0;
  for (const row of rows) {
    const { bytes = 0 } = row;
    if (batches.length === 0 || batch.length === size || total + bytes > MAX_BYTES) {
      batches.push((batch = []));
      total = 0;
    }
    batch.push(row);
    total += bytes;
  }
  return batches;
}
