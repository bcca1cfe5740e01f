/** Builds an index on PostgreSQL while the table is in use. */
import { sql } from 'kysely';
import type { Connection } from '../platform/databases/connection.js';
import { retrying } from '../platform/databases/retry.js';
import { createIndex, type Index } from './migrations/migration.js';

/** deadlock_detected: another process builds an index on the same table. */
const DEADLOCK = '40P01';
/** Two builds have met in the catalog. PostgreSQL gives it no code of its own and doesn't translate it. */
const COLLISION = /^tuple concurrently updated/;

/** Resolves once the index is complete, whether this or another process has built it. */
export async function buildIndex(connection: Connection, index: Index): Promise<void> {
  for (;;) {
    const state = await stateOf(connection, index);
    if (state === 'valid') return;

    try {
      // Left behind by a process that ended during the build.
      if (state === 'invalid')
        await connection.statement?.(`drop index concurrently if exists ${index.name}`);
      await connection.statement?.(createIndex(index, true));
    } catch (error) {
      const { code, message } = error as Error & { readonly code?: unknown };
      if (code !== DEADLOCK && !COLLISION.test(message)) throw error;
    }
  }
}

/** Waits for a process that is building an index on the table and holds this lock. */
function stateOf(connection: Connection, { name, table }: Index): Promise<'valid' | 'invalid' | 'missing'> {
  return retrying(
    () =>
      connection.transaction(
        async (tx) => {
          await sql.raw(`lock table ${table} in share update exclusive mode`).execute(tx);
          const { rows } = await sql<{ isvalid: boolean }>`select indisvalid as isvalid from pg_index
            join pg_class on pg_class.oid = indexrelid
            where relname = ${name} and relnamespace = current_schema()::regnamespace`.execute(tx);
          if (rows[0] === undefined) return 'missing';
          return rows[0].isvalid ? 'valid' : 'invalid';
        },
        { mode: 'migration' },
      ),
    { repeatable: true },
  );
}
