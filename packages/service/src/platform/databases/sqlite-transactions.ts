import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { CompiledQuery, QueryResult } from 'kysely';
import {
  notStreamed,
  type Prepared,
  type PreparingConnection,
  rowsWith,
  type RowOf,
  type TransactionOptions,
} from './connection.js';
import type { TransactionControl } from './transaction-queue.js';
import type { WalDurability } from './wal-durability.js';

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

/** Longer than a fast disk's sync, but too short to notice. On slower disks, the sync itself spaces transactions. */
const SPACING_MS = 4;

/** Runs transactions and their statements. Prepares each statement only once per version of the schema. */
export class SqliteTransactions implements PreparingConnection, TransactionControl {
  readonly meta: Map<string, string | null> = new Map();
  readonly spacingMs: number;
  writes = 0;
  readonly #database: DatabaseSync;
  readonly #durability: WalDurability | null;
  readonly #statements = new Map<string, Statement>();
  readonly #schemaVersion: StatementSync;
  readonly #dataVersion: StatementSync;
  #schemaSeen: unknown;
  #dataSeen: unknown;
  #isReadOnly = false;
  #writesAtBegin = 0;
  #isCommitted = true;

  constructor(database: DatabaseSync, durability: WalDurability | null) {
    this.#database = database;
    this.#durability = durability;
    this.spacingMs = durability === null ? 0 : SPACING_MS;
    this.#schemaVersion = database.prepare('pragma schema_version');
    this.#dataVersion = database.prepare('pragma data_version');
    this.#dataSeen = this.#currentData();
  }

  begin(mode: TransactionOptions['mode']): void {
    this.#isReadOnly = mode === 'read';
    this.#writesAtBegin = this.writes;
    this.#database.exec(mode === 'read' ? 'begin' : 'begin immediate');

    const data = this.#currentData();
    if (data !== this.#dataSeen) {
      // Another process's commit may not be on the disk yet.
      this.#durability?.committed();
      this.#checkSchema();
    }
    // An error may also have rolled back the last transaction.
    if (data !== this.#dataSeen || !this.#isCommitted) this.meta.clear();
    this.#dataSeen = data;
    this.#isCommitted = false;
  }

  commit(): void {
    this.#database.exec('commit');
    this.#isCommitted = true;
    if (this.writes > this.#writesAtBegin) this.#durability?.committed();
  }

  rollback(): void {
    this.#database.exec('rollback');
    this.#checkSchema();
  }

  currentSync(): Promise<void> | null {
    return this.#durability?.currentSync() ?? null;
  }

  get isOpen(): boolean {
    return this.#database.isOpen && this.#database.isTransaction;
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
      if (this.#isReadOnly) throw new TypeError(`This writes in a read-only transaction: ${sql}`);
      this.writes += 1;
    }
    return statement;
  }

  #prepare(sql: string): Statement {
    const changesSchema = CHANGES_SCHEMA.test(sql);
    if (changesSchema) this.#schemaSeen = undefined;
    if (changesSchema || this.#statements.size >= MAX_STATEMENTS) this.#statements.clear();
    const prepared = this.#database.prepare(sql);
    prepared.setReturnArrays(true);
    const statement = { prepared, returnsRows: prepared.columns().length > 0, writes: !READS.test(sql) };
    if (!changesSchema) this.#statements.set(sql, statement);
    return statement;
  }

  /** Another process's commit, or a rollback, may have changed the columns of `select *`. */
  #checkSchema(): void {
    const version = this.#schemaVersion.get()?.['schema_version'];
    if (version !== this.#schemaSeen) this.#statements.clear();
    this.#schemaSeen = version;
  }

  /** Changes whenever another connection commits. */
  #currentData(): unknown {
    return this.#dataVersion.get()?.['data_version'];
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
