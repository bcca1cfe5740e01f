/**
 * Runs a transaction on one connection with as few round trips as possible: BEGIN travels with the first statement,
 * writes without a result are not awaited, and COMMIT travels with the last statements. An error appears with the next
 * result, or with the COMMIT, which then acts as a ROLLBACK.
 */
import type { QueryResult as KyselyResult, Transaction } from 'kysely';
import type { TransactionOptions } from '../connection.js';
import { Lost } from '../lost.js';
import type { Tables } from '../tables.js';
import type { Answer } from './group.js';
import { isAnswer } from './link.js';
import type { Pool, Pooled } from './pool.js';
import { accepted, identityColumn } from './primary.js';
import { isWrite, notStreamed, type Prepared, type StatementConnection } from '../kysely-on.js';
import { answersNothing, postgresOn } from './statement.js';

/**
 * A write that conflicts with nothing and changes nothing. It makes the COMMIT of a read wait for the synchronous
 * standby, which may not have the rows yet.
 */
const WAIT_AS_A_WRITE = `select name from meta where name = 'environment' for key share`;

/** Server-side timeout of an idle transaction, ms, in case a process stalls. */
const IDLE_IN_TRANSACTION_MS = 15_000;

/** Maximum delay of a read's COMMIT, ms. It usually travels with the next statement, which saves a round trip. */
const KEPT_BACK_MS = 20;

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
    void transaction.answered().finally(() => {
      link.answerTimeoutMs = answerTimeoutMs;
      pool.release(link);
      if (link.owesCommit) setTimeout(() => payCommit(pool, link), KEPT_BACK_MS).unref();
    });
  }
}

/** One object for all transactions of a connection, so that the store keeps its repositories with it. */
function transactionOn(link: Pooled): Transaction<Tables> {
  const current = (): StatementConnection => link.current as StatementConnection;
  return postgresOn({
    executeQuery: (query) => current().executeQuery(query),
    rowsOf: (query) => current().rowsOf(query),
    streamQuery: notStreamed,
  });
}

/** Runs one statement that PostgreSQL refuses in a transaction, without a time limit. */
export async function runStatement(pool: Pool, text: string, kept: Limits): Promise<void> {
  const link = await pool.acquire();
  const { answerTimeoutMs } = link;
  link.answerTimeoutMs = Infinity;
  try {
    if (link.owesCommit) await link.send('commit');
    link.owesCommit = false;
    const { isDirect } = link.identity;
    if (isDirect) await link.sendAll(limits('set', 0, 0));
    await link.send(text);
    if (isDirect) await link.sendAll(sessionLimits(kept));
  } catch (error) {
    // Its timeouts may still be turned off.
    link.close();
    throw error;
  } finally {
    link.answerTimeoutMs = answerTimeoutMs;
    pool.release(link);
  }
}

/** See `identityColumn`. */
type TimelineRow = { timeline: string | null };

interface Begun {
  readonly connection: StatementConnection;
  commit(): Promise<void>;
  /** Rolls back because of an error; returns the first error of the transaction. */
  rollback(why: unknown): unknown;
  /** Resolves to the result of the last statement. */
  answered(): Promise<unknown>;
}

function begin(pool: Pool, link: Pooled, options: TransactionOptions & Limits): Begun {
  const { mode } = options;
  let failed: unknown;
  let last: Promise<unknown> = Promise.resolve();
  let wrote = false;

  const noted = <T>(answer: Promise<T>): Promise<T> => {
    const kept = answer.catch((error: unknown) => {
      // Later errors only say that the transaction is aborted.
      throw (failed ??= error);
    });
    last = kept.catch(() => undefined);
    return kept;
  };
  const { isDirect } = link.identity;
  const send = (text: string, values?: readonly unknown[], name?: string): Promise<Answer> =>
    noted(link.send(text, values, isDirect ? name : undefined));

  const begun = noted(sendBeginning(options, link));
  link.owesCommit = false;
  /** Checks that the server is the current primary. If it isn't, nothing sent to it counts, not even a COMMIT. */
  const believed = begun.then(({ rows }) => {
    // Only for a read: the report may have arrived after a COMMIT that counts. The server itself refuses writes.
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
    noted(link.sendAll(['rollback'])).catch(() => undefined);
    return failed ?? why;
  };

  const commit = async (): Promise<void> => {
    let warned = false;
    link.onWarning = () => (warned = true);
    const answer = link.send('commit', [], isDirect ? 'commit' : undefined);
    const { command } = await answer.catch(async (error: unknown) => {
      // The server itself skips a COMMIT that was sent together with a statement that failed.
      if (isDirect && isAnswer(failed)) throw rollback(failed);
      if (!(error instanceof Lost) || !(await believed.catch(() => true))) throw error;
      // The broken connection failed the earlier statements too, so the outcome of the COMMIT is unknown.
      throw new Lost(error.message, { done: 'unknown', cause: error });
    });
    if (!(await believed) || command === 'ROLLBACK') throw failed;

    // The server may have stopped waiting for its standby, so the commit may exist only here.
    if (warned) throw new Lost('The database committed with a warning.', { done: 'unknown' });
  };

  const executeQuery = async <R>(query: Prepared): Promise<KyselyResult<R>> => {
    const writes = isWrite(query);
    if (writes && mode === 'read') throw new TypeError(`A read writes nothing: ${query.sql}`);

    wrote ||= writes;
    const answer = send(query.sql, query.parameters, query.name);
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
      if (mode === 'write' && !wrote) send(WAIT_AS_A_WRITE, [], 'wait-as-a-write').catch(() => undefined);
      const committed = commit();
      last = committed.catch(() => undefined);
      await committed;
    },
    rollback,
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

/** The settings that {@link beginning} repeats for every transaction, for a connection that keeps them. */
export function sessionLimits({ statementTimeoutMs }: Limits): readonly string[] {
  return limits('set', statementTimeoutMs, IDLE_IN_TRANSACTION_MS);
}

function limits(set: string, statementMs: number, idleMs: number): readonly string[] {
  return [
    `${set} statement_timeout = ${statementMs}`,
    `${set} idle_in_transaction_session_timeout = ${idleMs}`,
  ];
}

/** A direct connection keeps its limits and these statements, so they travel with the first one of the transaction. */
async function sendBeginning(options: TransactionOptions & Limits, link: Pooled): Promise<Answer> {
  const texts = beginning(options, link);
  if (!link.identity.isDirect || options.mode === 'migration') return link.sendAll(texts);

  const answers = await Promise.all(texts.map((text) => link.send(text, [], text)));
  return answers.at(-1) as Answer;
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
