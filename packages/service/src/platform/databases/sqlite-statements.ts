import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { DatabaseConnection, QueryResult } from 'kysely';
import { notStreamed, type Prepared } from './kysely-on.js';

const MAX_STATEMENTS = 500;
const READS = /^\s*(select|pragma|with recursive)\b/i;

interface Statement {
  readonly prepared: StatementSync;
  readonly returnsRows: boolean;
  readonly writes: boolean;
}

/** Runs statements, preparing each only once. */
export class SqliteStatements implements DatabaseConnection {
  readOnly = false;
  writes = 0;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, Statement>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  async executeQuery<R>(query: Prepared): Promise<QueryResult<R>> {
    return this.#run(query) as QueryResult<R>;
  }

  streamQuery(): never {
    return notStreamed();
  }

  #run({ sql, parameters, one }: Prepared): QueryResult<unknown> {
    checkParameters(parameters);
    const { prepared, returnsRows, writes } = this.#statements.get(sql) ?? this.#prepare(sql);
    if (writes) {
      if (this.readOnly) throw new TypeError(`This writes in a read-only transaction: ${sql}`);
      this.writes += 1;
    }

    if (!returnsRows) return { rows: [], numAffectedRows: BigInt(prepared.run(...parameters).changes) };
    if (!one) return { rows: prepared.all(...parameters) };

    const row = prepared.get(...parameters);
    return { rows: row === undefined ? [] : [row] };
  }

  #prepare(sql: string): Statement {
    if (this.#statements.size >= MAX_STATEMENTS) this.#statements.clear();
    const prepared = this.#database.prepare(sql);
    const statement = { prepared, returnsRows: prepared.columns().length > 0, writes: !READS.test(sql) };
    this.#statements.set(sql, statement);
    return statement;
  }
}

/** Refuses booleans and NUL, which PostgreSQL refuses but SQLite would store. */
function checkParameters(parameters: readonly unknown[]): asserts parameters is SQLInputValue[] {
  for (const value of parameters)
    if (typeof value === 'boolean' || (typeof value === 'string' && value.includes('\0')))
      throw new TypeError('Booleans and NUL characters cannot be stored: use 0 or 1, or JSON.');
}
