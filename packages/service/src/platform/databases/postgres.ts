import type { Connection, DatabaseOptions } from './connection.js';
import { Link } from './postgres/link.js';
import { Pool } from './postgres/pool.js';
import { runStatement, runTransaction, sessionLimits } from './postgres/transaction.js';

const POOL_SIZE = 10;
const STATEMENT_TIMEOUT_MS = 4_000;
/** Drop the connection this long after the server's statement timeout, ms. */
const GRACE_MS = 1_000;

export function connectPostgres(
  database: string,
  { poolSize = POOL_SIZE, statementTimeoutMs = STATEMENT_TIMEOUT_MS }: DatabaseOptions,
): Connection {
  const servers = serversOf(database);
  // Throws if an address is invalid, which the pool would try again like a server that is down.
  for (const connectionString of servers) void new Link({ connectionString });
  const pool = new Pool(servers, {
    size: poolSize,
    answerTimeoutMs: statementTimeoutMs + GRACE_MS,
    settings: sessionLimits(statementTimeoutMs),
  });
  return {
    engine: 'postgres',
    pool: () => ({ used: pool.used(), size: poolSize }),
    transaction: (work, { mode }) => runTransaction(pool, work, mode, statementTimeoutMs),
    statement: (text) => runStatement(pool, text),
    close: () => pool.close(),
  };
}

/**
 * The address of each server of `postgres://user@one:5432,two:5432/name`. The pool connects to the server that accepts
 * writes, so libpq's parameter `target_session_attrs=read-write` is allowed and has no effect.
 */
export function serversOf(database: string): readonly string[] {
  const [, before = '', hosts = '', after = ''] =
    /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(database) ?? [];
  return hosts.split(',').map((host) => `${before}${host}${after}`);
}
