import type { Transaction } from 'kysely';
import type { Tables } from './tables.js';

export interface TransactionOptions {
  /** `read` takes no write lock and doesn't wait at its end. `migration` has no time limit. */
  readonly mode: 'write' | 'read' | 'migration';
}

export interface DatabaseOptions {
  /** PostgreSQL only: maximum number of connections; default 10. */
  readonly poolSize?: number;
  /** PostgreSQL only: timeout of one statement, ms; default 4,000. */
  readonly statementTimeoutMs?: number;
  /** In memory only: the initial database, from `Connection.content`. */
  readonly content?: Uint8Array;
}

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
  readonly pool?: () => PoolUse;
  /** Runs `work` once in a transaction. `retrying` decides about retries. */
  transaction<T>(work: (tx: Transaction<Tables>) => Promise<T>, options: TransactionOptions): Promise<T>;
  /** PostgreSQL only: runs a statement outside of transactions, without a timeout. */
  readonly statement?: (text: string) => Promise<void>;
  /** In memory only: a copy of the database. */
  readonly content?: () => Uint8Array;
  close(): Promise<void>;
}
