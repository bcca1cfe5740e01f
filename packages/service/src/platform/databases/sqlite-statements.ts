import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { CompiledQuery, QueryResult } from 'kysely';
import { notStreamed, type Prepared, type PreparingConnection } from './kysely-on.js';

const MAX_STATEMENTS = 500;
const READS = /^\s*(select|pragma|with recursive)\b/i;
const CHANGES_SCHEMA = /^\s*(create|alter|drop)\b/i;

interface Statement {
  readonly prepared: StatementSync;
  readonly returnsRows: boolean;
  readonly writes: boolean;
  /** Known after the first run, which prepares the statement again if the connection's schema is outdated. */
  columns?: readonly string[];
}

/** Runs statements, preparing each only once per version of the schema. */
export class SqliteStatements implements PreparingConnection {
  readOnly = false;
  writes = 0;
  readonly meta: Map<string, string | null> = new Map();
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, Statement>();
  readonly #schemaVersion: StatementSync;
  #versionSeen: unknown;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#schemaVersion = database.prepare('pragma schema_version');
  }

  /** Call it when another process has committed, because it may have changed the columns of `select *`. */
  checkSchema(): void {
    const version = this.#schemaVersion.get()?.['schema_version'];
    if (version !== this.#versionSeen) this.#statements.clear();
    this.#versionSeen = version;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    checkParameters(parameters);
    const { prepared, returnsRows } = this.#use(sql);
    if (!returnsRows) return { rows: [], numAffectedRows: BigInt(prepared.run(...parameters).changes) };

    prepared.setReturnArrays(false);
    return { rows: prepared.all(...parameters) as R[] };
  }

  /** Async, so that an error rejects. */
  async run<R>({ query: { sql }, one }: Prepared<R>, parameters: readonly unknown[]): Promise<R[]> {
    checkParameters(parameters);
    const statement = this.#use(sql);
    const { prepared, returnsRows } = statement;
    if (!returnsRows) {
      prepared.run(...parameters);
      return [];
    }

    // Making one row object takes longer than the query, because it converts the names of all columns.
    prepared.setReturnArrays(one);
    if (!one) return prepared.all(...parameters) as R[];

    const values = prepared.get(...parameters) as unknown[] | undefined;
    statement.columns ??= prepared.columns().map(({ name }) => name);
    return values === undefined ? [] : [rowOf(statement.columns, values) as R];
  }

  streamQuery(): never {
    return notStreamed();
  }

  #use(sql: string): Statement {
    const statement = this.#statements.get(sql) ?? this.#prepare(sql);
    if (statement.writes) {
      if (this.readOnly) throw new TypeError(`This writes in a read-only transaction: ${sql}`);
      this.writes += 1;
    }
    return statement;
  }

  #prepare(sql: string): Statement {
    if (this.#statements.size >= MAX_STATEMENTS || CHANGES_SCHEMA.test(sql)) this.#statements.clear();
    const prepared = this.#database.prepare(sql);
    const statement = { prepared, returnsRows: prepared.columns().length > 0, writes: !READS.test(sql) };
    if (!CHANGES_SCHEMA.test(sql)) this.#statements.set(sql, statement);
    return statement;
  }
}

function rowOf(columns: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (const [index, column] of columns.entries()) row[column] = values[index];
  return row;
}

/** Refuses booleans and NUL, which PostgreSQL refuses but SQLite would store. */
function checkParameters(parameters: readonly unknown[]): asserts parameters is SQLInputValue[] {
  for (const value of parameters)
    if (typeof value === 'boolean' || (typeof value === 'string' && value.includes('\0')))
      throw new TypeError('Booleans and NUL characters cannot be stored: use 0 or 1, or JSON.');
}
