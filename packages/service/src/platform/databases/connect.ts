import type { Transaction } from 'kysely';
import type { Tables } from './tables.js';

export interface TransactionOptions {
  /**
   * `read`: nothing is written, so no lock of writers is taken and nothing is waited for at the end. `migration`:
   * without any time limit.
   */
  readonly mode: 'write' | 'read' | 'migration';
  /** PostgreSQL only; `repeatable read` is enough for what `Store` promises. */
  readonly isolation?: 'repeatable read' | 'serializable';
}

/** PostgreSQL only. */
export interface DatabaseOptions {
  /** Most connections at once; default 10. */
  readonly poolSize?: number;
  /** How long one statement may take, ms; default 4,000. */
  readonly statementTimeoutMs?: number;
}

/** How many connections carry out something at this moment, of how many. */
export interface PoolUse {
  readonly used: number;
  readonly size: number;
}

/**
 * What an engine is to everything above it. Statements of one transaction may be sent before the one before is answered;
 * an insert or update that is asked what became of it asks by RETURNING, for without it nothing waits for its answer.
 */
export interface Connection {
  readonly engine: 'libsql' | 'postgres';
  /** Of the pool, where there is one. */
  readonly pool?: () => PoolUse;
  /** Runs `work` once, in one transaction; whether it may run again after an error is for `retrying` to say. */
  transaction<T>(work: (tx: Transaction<Tables>) => Promise<T>, options: TransactionOptions): Promise<T>;
  close(): Promise<void>;
}

/** Opens `FILE`, `:memory:` or `postgres://…`; nothing is read or written yet. The engine not used is not loaded. */
export async function connect(database: string, options: DatabaseOptions = {}): Promise<Connection> {
  if (isPostgres(database)) return (await import('./postgres.js')).connectPostgres(database, options);
  return (await import('./libsql.js')).connectLibsql(database);
}

export function isPostgres(database: string): boolean {
  return /^postgres(ql)?:\/\//.test(database);
}
