/**
 * Runs a transaction on one connection with as few round trips as possible: BEGIN travels with the first statement,
 * writes without a result are not awaited, and COMMIT travels with the last statements. An error appears with the next
 * result, or with the COMMIT, which then acts as a ROLLBACK.
 */
import {
  PostgresAdapter,
  PostgresQueryCompiler,
  type CompiledQuery,
  type QueryResult,
  type Transaction,
} from 'kysely';
import {
  type TransactionOptions,
  isWrite,
  kyselyOn,
  notStreamed,
  type Prepared,
  type PreparingConnection,
} from '../connection.js';
import { Lost } from '../retry.js';
import type { Tables } from '../tables.js';
import type { StatementResult } from './group.js';
import { isServerError, type Identity, type Link } from './link.js';
import { type Pool, identityColumn, type TimelineRow } from './pool.js';

const postgresOn = kyselyOn(new PostgresAdapter(), new PostgresQueryCompiler());

/** Changes nothing, but makes the COMMIT of a read wait for the standby, which may not have the rows yet. */
const WAIT_FOR_STANDBY = `select name from meta where name = 'environment' for key share`;

/** Server-side timeout of an idle transaction, in case a process stalls, ms. */
const IDLE_IN_TRANSACTION_MS = 15_000;

/** Maximum delay of a read's COMMIT, ms. It usually goes with the next statement, which saves a round trip. */
const MAX_COMMIT_DELAY_MS = 20;

/** @throws Lost, with `unknown` if the connection broke during COMMIT */
export async function runTransaction<T>(
  pool: Pool,
  work: (tx: Transaction<Tables>) => Promise<T>,
  mode: TransactionOptions['mode'],
  statementTimeoutMs: number,
): Promise<T> {
  const link = await pool.acquire();
  const transaction = new PipelinedTransaction(link, mode);
  link.current = transaction;
  try {
    const result = await transaction
      .begin(pool, statementTimeoutMs)
      .then(() => work((link.tx ??= transactionOn(link))))
      .catch((error: unknown) => {
        throw transaction.rollback(error);
      });
    await transaction.commit();
    return result;
  } finally {
    void transaction.ended().finally(() => {
      // Until then, a pooler can't give the server's connection to others.
      if (!link.isDirect) flushCommit(link);
      pool.release(link);
      if (link.owesCommit) setTimeout(() => flushCommit(link), MAX_COMMIT_DELAY_MS).unref();
    });
  }
}

/** Runs a statement that PostgreSQL refuses in a transaction, without a timeout. */
export async function runStatement(pool: Pool, text: string): Promise<void> {
  const link = await pool.acquire();
  try {
    link.limitAnswers(0);
    // A read may have left its transaction open.
    await link.sendAll(['commit', ...(link.isDirect ? limits('set', 0, 0) : [])]);
    await link.send(text);
  } finally {
    // It has no timeouts.
    pool.discard(link);
  }
}

/** One object for all transactions of a connection, because the store caches its repositories by it. */
function transactionOn(link: Link): Transaction<Tables> {
  return postgresOn({
    executeQuery: (query) => (link.current as PreparingConnection).executeQuery(query),
    run: (prepared, parameters) => (link.current as PreparingConnection).run(prepared, parameters),
    streamQuery: notStreamed,
  });
}

class PipelinedTransaction implements PreparingConnection {
  #last: Promise<unknown> = Promise.resolve();
  readonly #link: Link;
  readonly #mode: TransactionOptions['mode'];
  #failed: unknown;
  #wrote = false;

  constructor(link: Link, mode: TransactionOptions['mode']) {
    this.#link = link;
    this.#mode = mode;
  }

  /** A direct connection keeps its limits and prepared statements, so its BEGIN goes with the first statement. */
  async begin(pool: Pool, statementTimeoutMs: number): Promise<void> {
    const link = this.#link;
    const { isDirect } = link;
    const isMigration = this.#mode === 'migration';
    const begin = [
      ...(link.owesCommit ? ['commit'] : []),
      `begin isolation level ${isMigration ? 'read committed' : 'repeatable read'}`,
    ];
    link.owesCommit = false;
    if (isDirect && !isMigration) {
      for (const text of begin) this.#send(text, [], text).catch(() => undefined);
      return;
    }
    if (isMigration) link.limitAnswers(0);
    // `SET LOCAL`, because a pooler refuses these as connection parameters and leaks a plain SET to other clients.
    if (isMigration) begin.push(...limits('set local', 0, 0));
    else begin.push(...limits('set local', statementTimeoutMs, IDLE_IN_TRANSACTION_MS));
    if (!isDirect) begin.push(identityColumn(link.identity as Identity));
    const { rows } = await this.#tracked(link.sendAll(begin));
    if (isDirect) return;

    try {
      pool.checkServer(link, rows[0] as TimelineRow);
    } catch (error) {
      link.destroy();
      throw error;
    }
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { rows, rowCount } = await this.#execute(query, query.parameters);
    return { rows: rows as R[], ...(isWrite(query) ? { numAffectedRows: BigInt(rowCount ?? 0) } : {}) };
  }

  async run<R>({ query, name }: Prepared<R>, parameters: readonly unknown[]): Promise<R[]> {
    return (await this.#execute(query, parameters, name)).rows as R[];
  }

  #execute(
    query: CompiledQuery,
    parameters: readonly unknown[],
    name?: string,
  ): Promise<StatementResult> | StatementResult {
    const writes = isWrite(query);
    if (writes && this.#mode === 'read') throw new TypeError(`A read must not write: ${query.sql}`);

    this.#wrote ||= writes;
    const answer = this.#send(query.sql, parameters, name);
    if (!returnsNoRows(query)) return answer;

    answer.catch(() => undefined);
    return NO_ROWS;
  }

  readonly streamQuery = notStreamed;

  async commit(): Promise<void> {
    const link = this.#link;
    if (this.#mode === 'read') {
      if (this.#failed !== undefined) throw this.rollback(this.#failed);
      link.owesCommit = true;
      return;
    }
    if (this.#mode === 'write' && !this.#wrote)
      this.#send(WAIT_FOR_STANDBY, [], 'wait-as-a-write').catch(() => undefined);

    let warned = false;
    link.onWarning = () => (warned = true);
    const answer = link.send('commit', [], link.isDirect ? 'commit' : undefined);
    this.#last = answer;
    const { command } = await answer.catch((error: unknown) => {
      // The server skips a COMMIT that was sent together with a failed statement.
      if (link.isDirect && isServerError(this.#failed)) throw this.rollback(this.#failed);
      // The connection broke, so the COMMIT's outcome is unknown.
      throw error instanceof Lost ? new Lost(error.message, { done: 'unknown', cause: error }) : error;
    });
    if (command === 'ROLLBACK') throw this.#failed;

    // The server may have stopped waiting for its standby, so the commit may exist only on this server.
    if (warned) throw new Lost('The database committed with a warning.', { done: 'unknown' });
  }

  /** Resolves once the last statement has. */
  async ended(): Promise<void> {
    await this.#last.catch(() => undefined);
  }

  /** Rolls back because of an error. Returns the transaction's first error. */
  rollback(cause: unknown): unknown {
    this.#tracked(this.#link.sendAll(['rollback'])).catch(() => undefined);
    return this.#failed ?? cause;
  }

  #send(text: string, values: readonly unknown[], name: string | undefined): Promise<StatementResult> {
    return this.#tracked(this.#link.send(text, values, this.#link.isDirect ? name : undefined));
  }

  #tracked<T>(result: Promise<T>): Promise<T> {
    this.#last = result.catch((error: unknown) => {
      // Later errors only say that the transaction is aborted.
      throw (this.#failed ??= error);
    });
    return this.#last as Promise<T>;
  }
}

const NO_ROWS: StatementResult = { rows: [], rowCount: null, command: '' };

/** Excludes deletes, because callers use their row count. */
function returnsNoRows({ query }: CompiledQuery): boolean {
  return (
    (query.kind === 'InsertQueryNode' || query.kind === 'UpdateQueryNode') && query.returning === undefined
  );
}

function flushCommit(link: Link): void {
  if (!link.owesCommit) return;

  link.owesCommit = false;
  link.send('commit').catch(() => undefined);
}

/** The settings of a connection that keeps them, so that transactions needn't repeat them. */
export function sessionLimits(statementTimeoutMs: number): readonly string[] {
  return limits('set', statementTimeoutMs, IDLE_IN_TRANSACTION_MS);
}

function limits(set: string, statementMs: number, idleMs: number): readonly string[] {
  return [
    `${set} statement_timeout = ${statementMs}`,
    // One of the role or database would end a wait that `statement_timeout` limits already.
    `${set} lock_timeout = 0`,
    `${set} idle_in_transaction_session_timeout = ${idleMs}`,
  ];
}
