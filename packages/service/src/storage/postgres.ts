import { Kysely, PostgresDialect } from 'kysely';
import { Pool, TypeOverrides, types as pgTypes } from 'pg';
import type { Connection } from './connect.js';
import type { Tables } from './tables.js';

const POOL_SIZE = 10;
const STATEMENT_TIMEOUT_MS = 15_000;

export function connectPostgres(connectionString: string): Connection {
  // Every bigint here is an instant or cents, both within the safe integers.
  const types = new TypeOverrides();
  types.setTypeParser(pgTypes.builtins.INT8, Number);
  const pool = new Pool({
    connectionString,
    max: POOL_SIZE,
    connectionTimeoutMillis: STATEMENT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    application_name: 'embedded-sessions',
    types,
  });
  // A connection that breaks is replaced by the pool; unheard, its event would end the process. The pool hears those
  // of idle connections alone, and a transaction in one that breaks is told by its query.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  return {
    engine: 'postgres',
    transaction: (work, { isolation = 'repeatable read', mode }) =>
      db
        .transaction()
        .setIsolationLevel(mode === 'migration' ? 'read committed' : isolation)
        .execute(work),
    close: () => db.destroy(),
  };
}
