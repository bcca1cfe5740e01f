/** Converts rows to records and back: snake case to camel case, null to an absent field. */
import type { Insertable, Selectable } from 'kysely';
import type { Tables } from './tables.js';

type Camel<Column> = Column extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Column;

/** `never` if the record has a field without a column. */
export type Records<Table extends keyof Tables, T> =
  keyof T extends Camel<keyof Tables[Table]>
    ? {
        read(this: void, row: Selectable<Tables[Table]>): T;
        row(this: void, record: T): Insertable<Tables[Table]>;
      }
    : never;

/**
 * @param json the fields that are stored as JSON
 * @example const { read, row } = recordsOf<'messages', PayerMessage>(['facts']);
 */
export function recordsOf<Table extends keyof Tables, T extends object>(
  json: readonly (keyof T)[] = [],
): Records<Table, T> {
  const isJson = (field: string): boolean => (json as readonly string[]).includes(field);
  const records = {
    read: (row: object) => recordIn(row, isJson),
    row: (record: T) => {
      const row: Record<string, unknown> = {};
      for (const [field, value] of Object.entries(record))
        row[columnOf(field)] = isJson(field) ? JSON.stringify(value) : (value ?? null);
      return row;
    },
  };
  return records as Records<Table, T>;
}

/** Converts a row of any query to a record. */
export function recordIn(row: object, isJson: (field: string) => boolean = () => false): object {
  const record: Record<string, unknown> = {};
  for (const [column, value] of Object.entries(row)) {
    if (value === null) continue;
    const field = fieldOf(column);
    record[field] = isJson(field) ? (JSON.parse(value as string) as unknown) : value;
  }
  return record;
}

const fieldOf = cached((column) => column.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()));
const columnOf = cached((field) => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));

function cached(nameOf: (name: string) => string): (name: string) => string {
  const names = new Map<string, string>();
  return (name) => {
    const known = names.get(name);
    if (known !== undefined) return known;

    const found = nameOf(name);
    names.set(name, found);
    return found;
  };
}
