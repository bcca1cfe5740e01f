/**
 * Runs a transaction on one connection with as few round trips as possible: BEGIN travels with the first statement,
 * writes without a result are not awaited, and COMMIT travels with the last statements. An error appears with the next
 * result, or with the COMMIT, which then acts as a ROLLBACK.
 */
import type { QueryResult as KyselyResult, Transaction } from 'kysely';
import type { TransactionOptions } from '../connection.js';
import { Lost } from '../lost.js';
import type { Tables } from '../tables.js';
import type { StatementResult } from './group.js';
import { isServerError } from './link.js';
import type { Pool, Pooled } from './pool.js';
import { accepted, identityColumn } from './primary.js';
import { isWrite, notStreamed, type Prepared, type StatementConnection } from '../kysely-on.js';
import { returnsNoRows, postgresOn } from './statement.js';

/**
 * A write that conflicts with nothing and changes nothing. It makes the COMMIT of a read wait for the synchronous
 * standby, which may not have the rows yet.
 */
const WAIT_FOR_STANDBY = `select name from meta where name = 'environment' for key share`;

/** Server-side timeout of an idle transaction, in case a process stalls, ms. */
const IDLE_IN_TRANSACTION_MS = 15_000;

/** Maximum delay of a read's COMMIT, ms. It usually goes with the next statement, which saves a round trip. */
const MAX_COMMIT_DELAY_MS = 20;

export interface Limits {
  /** Statement timeout on the server, ms. */
  readonly statementTimeoutMs: number;
}

/** @throws Lost, with `unknown` if the connection broke during COMMIT */
export async function runTransaction<T>(
  pool: Pool,
  work: (tx: Transaction<Tables>) => Promise<T>,
  options: TransactionOptions & Limits,
): Promise<T> {
  const link = await pool.acquire();
  const { answerTimeoutMs } = link;
  if (options.mode === 'migration') link.answerTimeoutMs = Infinity;
  const transaction = begin(pool, link, options);
  link.current = transaction.connection;
  try {
    const result = await work((link.tx ??= transactionOn(link))).catch((error: unknown) => {
      throw transaction.rollback(error);
    });
    await transaction.commit();
    return result;
  } finally {
    void transaction.lastResult().finally(() => {
      link.answerTimeoutMs = answerTimeoutMs;
      pool.release(link);
      if (link.owesCommit) setTimeout(() => flushCommit(pool, link), MAX_COMMIT_DELAY_MS).unref();
    });
  }
}

/** One object for all transactions of a connection, because the store caches its repositories by it. */
function transactionOn(link: Pooled): Transaction<Tables> {
  const current = (): StatementConnection => link.current as StatementConnection;
  return postgresOn({
    executeQuery: (query) => current().executeQuery(query),
    rowsOf: (query) => current().rowsOf(query),
    streamQuery: notStreamed,
  });
}

/** Runs a statement that PostgreSQL refuses in a transaction, without a timeout. */
export async function runStatement(pool: Pool, text: string, settings: Limits): Promise<void> {
  const link = await pool.acquire();
  const { answerTimeoutMs } = link;
  link.answerTimeoutMs = Infinity;
  try {
    if (link.owesCommit) await link.send('commit');
    link.owesCommit = false;
    const { isDirect } = link.identity;
    if (isDirect) await link.sendAll(limits('set', 0, 0));
    await link.send(text);
    if (isDirect) await link.sendAll(sessionLimits(settings));
  } catch (error) {
    // Its timeouts may still be off.
    link.close();
    throw error;
  } finally {
    link.answerTimeoutMs = answerTimeoutMs;
    pool.release(link);
  }
}

/** See `identityColumn`. */
type TimelineRow = { timeline: string | null };

interface OpenTransaction {
  readonly connection: StatementConnection;
  commit(): Promise<void>;
  /** Rolls back because of an error. Returns the transaction's first error. */
  rollback(cause: unknown): unknown;
  /** Resolves once the last statement has. */
  lastResult(): Promise<unknown>;
}

function begin(pool: Pool, link: Pooled, options: TransactionOptions & Limits): OpenTransaction {
  const { mode } = options;
  let failed: unknown;
  let last: Promise<unknown> = Promise.resolve();
  let wrote = false;

  const tracked = <T>(result: Promise<T>): Promise<T> => {
    const settled = result.catch((error: unknown) => {
      // Later errors only say that the transaction is aborted.
      throw (failed ??= error);
    });
    last = settled.catch(() => undefined);
    return settled;
  };
  const { isDirect } = link.identity;
  const send = (text: string, values?: readonly unknown[], name?: string): Promise<StatementResult> =>
    tracked(link.send(text, values, isDirect ? name : undefined));

  const started = tracked(sendBeginning(options, link));
  link.owesCommit = false;
  /** Checks that the server is the current primary. If it isn't, not even a COMMIT counts. */
  const believed = started.then(({ rows }) => {
    // Only for reads: the report may arrive after a COMMIT that counts, and the server itself refuses writes.
    const ofServer = mode === 'read' && link.isReadOnly ? undefined : link.identity;
    try {
      pool.noteTimeline(link, accepted(isDirect ? ofServer : (rows[0] as TimelineRow | undefined)).timeline);
      return true;
    } catch (error) {
      failed = error;
      link.destroy(error as Lost);
      return false;
    }
  });
  believed.catch(() => undefined);

  const rollback = (why: unknown): unknown => {
    tracked(link.sendAll(['rollback'])).catch(() => undefined);
    return failed ?? why;
  };

  const commit = async (): Promise<void> => {
    let warned = false;
    link.onWarning = () => (warned = true);
    const answer = link.send('commit', [], isDirect ? 'commit' : undefined);
    const { command } = await answer.catch(async (error: unknown) => {
      // The server skips a COMMIT that was sent together with a failed statement.
      if (isDirect && isServerError(failed)) throw rollback(failed);
      if (!(error instanceof Lost) || !(await believed.catch(() => true))) throw error;
      // The connection broke, so the COMMIT's outcome is unknown.
      throw new Lost(error.message, { done: 'unknown', cause: error });
    });
    if (!(await believed) || command === 'ROLLBACK') throw failed;

    // The server may have stopped waiting for its standby, so the commit may exist only on this server.
    if (warned) throw new Lost('The database committed with a warning.', { done: 'unknown' });
  };

  const executeQuery = async <R>(query: Prepared): Promise<KyselyResult<R>> => {
    const writes = isWrite(query);
    if (writes && mode === 'read') throw new TypeError(`A read must not write: ${query.sql}`);

    wrote ||= writes;
    const answer = send(query.sql, query.parameters, query.name);
    if (returnsNoRows(query)) {
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
      if (mode === 'write' && !wrote) send(WAIT_FOR_STANDBY, [], 'wait-as-a-write').catch(() => undefined);
      const committed = commit();
      last = committed.catch(() => undefined);
      await committed;
    },
    rollback,
    lastResult: () => last,
  };
}

function flushCommit(pool: Pool, link: Pooled): void {
  if (!link.owesCommit || !pool.takeOut(link)) return;

  link.owesCommit = false;
  void link
    .send('commit')
    .catch(() => undefined)
    .finally(() => pool.release(link));
}

/** The settings of {@link beginning} for a connection that keeps them, so they needn't be repeated. */
export function sessionLimits({ statementTimeoutMs }: Limits): readonly string[] {
  return limits('set', statementTimeoutMs, IDLE_IN_TRANSACTION_MS);
}

function limits(set: string, statementMs: number, idleMs: number): readonly string[] {
  return [
    `${set} statement_timeout = ${statementMs}`,
    `${set} idle_in_transaction_session_timeout = ${idleMs}`,
  ];
}

/** A direct connection keeps its limits and prepared statements, so these go with the transaction's first statement. */
async function sendBeginning(options: TransactionOptions & Limits, link: Pooled): Promise<StatementResult> {
  const texts = beginning(options, link);
  if (!link.identity.isDirect || options.mode === 'migration') return link.sendAll(texts);

  const answers = await Promise.all(texts.map((text) => link.send(text, [], text)));
  return answers.at(-1) as StatementResult;
}

/** `SET LOCAL`, because a pooler refuses these as connection parameters and leaks a plain SET to other clients. */
function beginning(
  { mode, isolation = 'repeatable read', statementTimeoutMs }: TransactionOptions & Limits,
  { identity, owesCommit }: Pooled,
): readonly string[] {
  const limited = mode !== 'migration';
  const begin = [
    ...(owesCommit ? ['commit'] : []),
    `begin isolation level ${limited ? isolation : 'read committed'}`,
  ];
  const local = limited
    ? limits('set local', statementTimeoutMs, IDLE_IN_TRANSACTION_MS)
    : limits('set local', 0, 0);
  if (identity.isDirect) return limited ? begin : [...begin, ...local];
  return [...begin, ...local, identityColumn(identity)];
}
