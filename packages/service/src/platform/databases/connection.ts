import type { Transaction } from 'kysely';
import type { Tables } from './tables.js';

export interface TransactionOptions {
  /**
   * `read` writes nothing, so it takes no write lock and doesn't wait at its end. `migration` has no time limit.
   */
  readonly mode: 'write' | 'read' | 'migration';
  /** PostgreSQL only; `repeatable read` is enough for what `Store` promises. */
  readonly isolation?: 'repeatable read' | 'serializable';
}

export interface DatabaseOptions {
  /** PostgreSQL only: maximum number of connections; default 10. */
  readonly poolSize?: number;
  /** PostgreSQL only: timeout of one statement, ms; default 4,000. */
  readonly statementTimeoutMs?: number;
  /** In memory only: what the database starts with, see `Connection.content`. */
  readonly content?: Uint8Array;
}

/** Connections in use, and the maximum. */
export interface PoolUse {
  readonly used: number;
  readonly size: number;
}

/**
 * A database engine, as the rest of the service sees it. The statements of a transaction may be sent before earlier
 * ones return. Nothing waits for the result of an insert or update, so use RETURNING if the result matters.
 */
export interface Connection {
  readonly engine: 'sqlite' | 'postgres';
  /** Use of the connection pool, if the engine has one. */
  readonly pool?: () => PoolUse;
  /** Runs `work` once, in one transaction. `retrying` decides whether it can run again after an error. */
  transaction<T>(work: (tx: Transaction<Tables>) => Promise<T>, options: TransactionOptions): Promise<T>;
  /** PostgreSQL only: runs one statement outside of a transaction, without a time limit. */
  readonly statement?: (text: string) => Promise<void>;
  /** In memory only: a copy of the database. */
  readonly content?: () => Uint8Array;
  close(): Promise<void>;
}
