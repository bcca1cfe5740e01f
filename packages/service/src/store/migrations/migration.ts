import { PostgresAdapter, sql, type Kysely } from 'kysely';

/**
 * Runs in one transaction. Adds tables and columns, or drops indexes, which takes a moment whatever the size of a table
 * . To add an index, see {@link Index}.
 */
export type Change = (db: Kysely<unknown>) => Promise<void>;

/**
 * Give columns that refer to `attempts (id)` its collation, "C": PostgreSQL can't use their index in a join of two
 * collations. SQLite lacks that collation but compares bytes anyway.
 */
export function statements(...texts: readonly string[]): Change {
  return async (db) => {
    const written = (text: string) => (isPostgres(db) ? text : text.replace(' collate "C"', ''));
    for (const text of texts) await sql.raw(written(text)).execute(db);
  };
}

export function isPostgres(db: Kysely<unknown>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}

/** An index on a table that may be large. PostgreSQL builds it while the table is in use. */
export interface Index {
  readonly name: string;
  readonly table: string;
  /** Its columns, and its condition. */
  readonly of: string;
}

export function createIndex({ name, table, of }: Index, concurrently = false): string {
  return `create index ${concurrently ? 'concurrently ' : ''}if not exists ${name} on ${table} ${of}`;
}
