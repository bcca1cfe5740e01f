import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { CompiledQuery, QueryResult } from 'kysely';
import { notStreamed, type Prepared, type PreparingConnection, rowsWith, type RowOf } from './connection.js';

const MAX_STATEMENTS = 500;
const READS = /^\s*(select|pragma|with recursive)\b/i;
const CHANGES_SCHEMA = /^\s*(create|alter|drop)\b/i;

interface Statement {
  readonly prepared: StatementSync;
  readonly returnsRows: boolean;
  readonly writes: boolean;
  /** Known after the first run, which prepares the statement again if the connection's schema is outdated. */
  rowOf?: RowOf;
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

  /** Call it after another process's commit or a rollback, which may have changed the columns of `select *`. */
  checkSchema(): void {
    const version = this.#schemaVersion.get()?.['schema_version'];
    if (version !== this.#versionSeen) this.#statements.clear();
    this.#versionSeen = version;
  }

  async executeQuery<R>({
    sql,
    parameters,
  }: Pick<CompiledQuery, 'sql' | 'parameters'>): Promise<QueryResult<R>> {
    checkParameters(parameters);
    const statement = this.#use(sql);
    return statement.returnsRows
      ? { rows: read<R>(statement, parameters) }
      : { rows: [], numAffectedRows: BigInt(statement.prepared.run(...parameters).changes) };
  }

  async run<R>({ query: { sql } }: Prepared<R>, parameters: readonly unknown[]): Promise<R[]> {
    return (await this.executeQuery<R>({ sql, parameters })).rows;
  }

  readonly streamQuery: () => never = notStreamed;

  #use(sql: string): Statement {
    const statement = this.#statements.get(sql) ?? this.#prepare(sql);
    if (statement.writes) {
      if (this.readOnly) throw new TypeError(`This writes in a read-only transaction: ${sql}`);
      this.writes += 1;
    }
    return statement;
  }

  #prepare(sql: string): Statement {
    const changesSchema = CHANGES_SCHEMA.test(sql);
    if (changesSchema) this.#versionSeen = undefined;
    if (changesSchema || this.#statements.size >= MAX_STATEMENTS) this.#statements.clear();
    const prepared = this.#database.prepare(sql);
    prepared.setReturnArrays(true);
    const statement = { prepared, returnsRows: prepared.columns().length > 0, writes: !READS.test(sql) };
    if (!changesSchema) this.#statements.set(sql, statement);
    return statement;
  }
}

/** As arrays, because Node makes slow objects of rows. */
function read<R>(statement: Statement, parameters: readonly SQLInputValue[]): R[] {
  const rows = statement.prepared.all(...parameters) as unknown as unknown[][];
  statement.rowOf ??= rowsWith(statement.prepared.columns().map(({ name }) => name));
  return rows.map(statement.rowOf) as R[];
}

/** Refuses booleans and NUL, which PostgreSQL refuses but SQLite would store. */
function checkParameters(parameters: readonly unknown[]): asserts parameters is SQLInputValue[] {
  for (const value of parameters)
    if (typeof value === 'boolean' || (typeof value === 'string' && value.includes('\0')))
      throw new TypeError('Booleans and NUL characters cannot be stored: use 0 or 1, or JSON.');
}
