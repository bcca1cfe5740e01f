/**
 * One transaction on one connection, in as few round trips as its decisions need: BEGIN goes with the first statement,
 * what answers nothing is not waited for, and COMMIT goes with the last ones. What failed on the way is told by the next
 * answer or by the COMMIT, which is a ROLLBACK then.
 */
import type { CompiledQuery, QueryResult as KyselyResult, Transaction } from 'kysely';
import type { QueryResult } from 'pg';
import type { TransactionOptions } from '../connection.js';
import { Lost } from '../lost.js';
import type { Tables } from '../tables.js';
import type { Pool, Pooled } from './pool.js';
import { accepted, identityColumn } from './primary.js';
import { isWrite, notStreamed, type Prepared, type StatementConnection } from '../kysely-on.js';
import { answersNothing, postgresOn } from './statement.js';

/**
 * Writes what any number may write at once and what changes nothing, so that the COMMIT waits for a synchronous standby
 * as that of a write does: what a transaction has only read, the standby may not have.
 */
const WAIT_AS_A_WRITE = `select name from meta where name = 'environment' for key share`;

/** A process that stands still in a transaction holds up the others no longer than this, ms. */
const IDLE_IN_TRANSACTION_MS = 15_000;

/**
 * How long the COMMIT of a read is kept back to go with whatever the connection is used for next, ms: alone it would be
 * a round trip for nothing.
 */
const KEPT_BACK_MS = 20;

export interface Limits {
  /** A statement ends by then on the server, ms. */
  readonly statementTimeoutMs: number;
}

/** @throws Lost, `unknown` where the connection broke with the COMMIT on its way */
export async function runTransaction<T>(
  pool: Pool,
  work: (tx: Transaction<Tables>) => Promise<T>,
  options: TransactionOptions & Limits,
): Promise<T> {
  const link = await pool.acquire();
  const { patienceMs } = link;
  if (options.mode === 'migration') link.patienceMs = Infinity;
  const transaction = begin(pool, link, options);
  try {
    const result = await work(postgresOn(transaction.connection)).catch((error: unknown) => {
      throw transaction.rollback(error);
    });
    await transaction.commit();
    return result;
  } finally {
    void transaction.answered().finally(() => {
      link.patienceMs = patienceMs;
      pool.release(link);
      if (link.owesCommit) setTimeout(() => payCommit(pool, link), KEPT_BACK_MS).unref();
    });
  }
}

interface Begun {
  readonly connection: StatementConnection;
  commit(): Promise<void>;
  /** Takes why, and answers what went wrong first. */
  rollback(why: unknown): unknown;
  /** Resolves with the answer of the last statement, whatever it is. */
  answered(): Promise<unknown>;
}

function begin(pool: Pool, link: Pooled, options: TransactionOptions & Limits): Begun {
  const { mode } = options;
  let failed: unknown;
  let last: Promise<unknown> = Promise.resolve();
  let wrote = false;

  const noted = <T>(answer: Promise<T>): Promise<T> => {
    const kept = answer.catch((error: unknown) => {
      // What fails after it only says that the transaction is aborted.
      throw (failed ??= error);
    });
    last = kept.catch(() => undefined);
    return kept;
  };
  const send = (text: string, values?: readonly unknown[]): Promise<QueryResult> =>
    noted(link.send(text, values));

  const begun = noted(link.sendAll(beginning(options, link)));
  link.owesCommit = false;
  /** Whether the server may be believed; where not, nothing that was sent to it counts, not even a COMMIT. */
  const believed = begun.then(({ rows }) => {
    try {
      pool.heard(link, accepted<{ timeline: string | null }>(rows[0]).timeline);
      return true;
    } catch (error) {
      failed = error;
      link.destroy(error as Lost);
      return false;
    }
  });
  believed.catch(() => undefined);

  const commit = async (): Promise<void> => {
    let warned = false;
    link.onWarning = () => (warned = true);
    const { command } = await link.send('commit').catch(async (error: unknown) => {
      if (!(error instanceof Lost) || !(await believed.catch(() => true))) throw error;
      // What ended the connection has ended the statements before it too: that says nothing of what was done.
      throw new Lost(error.message, { done: 'unknown', cause: error });
    });
    if (!(await believed) || command === 'ROLLBACK') throw failed;
    // It may have stopped waiting for its standby: committed here, and perhaps nowhere else.
    if (warned) throw new Lost('The database committed with a warning.', { done: 'unknown' });
  };

  const executeQuery = async <R>(query: CompiledQuery): Promise<KyselyResult<R>> => {
    const writes = isWrite(query);
    if (writes && mode === 'read') throw new TypeError(`A read writes nothing: ${query.sql}`);
    wrote ||= writes;
    const answer = send(query.sql, query.parameters);
    if (answersNothing(query)) {
      answer.catch(() => undefined);
      return { rows: [] };
    }
    const { rows, rowCount } = await answer;
    if (!(await believed)) throw failed;
    return { rows: rows as R[], ...(writes ? { numAffectedRows: BigInt(rowCount ?? 0) } : {}) };
  };

  return {
    connection: {
      executeQuery,
      rowsOf: async <R>(query: Prepared<R>) => (await executeQuery<R>(query)).rows,
      streamQuery: notStreamed,
    },
    commit: async () => {
      if (mode === 'read') {
        link.owesCommit = true;
        return;
      }
      if (mode === 'write' && !wrote) send(WAIT_AS_A_WRITE).catch(() => undefined);
      const committed = commit();
      last = committed.catch(() => undefined);
      await committed;
    },
    rollback: (why) => {
      send('rollback').catch(() => undefined);
      return failed ?? why;
    },
    answered: () => last,
  };
}

function payCommit(pool: Pool, link: Pooled): void {
  if (!link.owesCommit || !pool.takeOut(link)) return;
  link.owesCommit = false;
  void link
    .send('commit')
    .catch(() => undefined)
    .finally(() => pool.release(link));
}

/** `SET LOCAL`: a pooler refuses these as parameters of a connection, and gives what a plain SET says to others. */
function beginning(
  { mode, isolation = 'repeatable read', statementTimeoutMs }: TransactionOptions & Limits,
  { identity, owesCommit }: Pooled,
): readonly string[] {
  const limited = mode !== 'migration';
  return [
    ...(owesCommit ? ['commit'] : []),
    `begin isolation level ${limited ? isolation : 'read committed'}`,
    `set local statement_timeout = ${limited ? statementTimeoutMs : 0}`,
    `set local idle_in_transaction_session_timeout = ${limited ? IDLE_IN_TRANSACTION_MS : 0}`,
    identityColumn(identity),
  ];
}
