/** Statements sent together with one Sync at the end, so that the server returns their results together. */
import { Query, type FieldDef, type QueryResultRow } from 'pg';

export interface StatementResult<R extends QueryResultRow = QueryResultRow> {
  readonly rows: R[];
  readonly rowCount: number;
  /** Such as `UPDATE`. */
  readonly command: string;
}

/** Parses the values of each type. */
export interface ColumnTypes {
  getTypeParser(dataTypeId: number, format: 'text'): (text: string) => unknown;
}

interface Column {
  readonly name: string;
  readonly parse: (text: string) => unknown;
}

/** A prepared statement of a connection. */
interface CachedStatement {
  readonly serverName: string;
  /** Undefined until the server has described them. */
  columns?: readonly Column[];
}

/** The prepared statements of a connection, by their names in this process. */
export class StatementCache {
  readonly types: ColumnTypes;
  readonly #statements = new Map<string, CachedStatement>();
  #made = 0;

  constructor(types: ColumnTypes) {
    this.types = types;
  }

  find(name: string): CachedStatement | undefined {
    return this.#statements.get(name);
  }

  /** Uses a new name on the server, which may still have a statement that failed on first use. */
  keep(name: string): CachedStatement {
    const kept = { serverName: `${name}_${++this.#made}` };
    this.#statements.set(name, kept);
    return kept;
  }

  forget(name: string): void {
    this.#statements.delete(name);
  }
}

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly name: string | undefined;
  readonly rows: QueryResultRow[];
  columns: readonly Column[] | undefined;
  /** Undefined if the statement is not prepared. */
  kept?: CachedStatement;
  /** Whether this group sends it to be parsed. */
  isNew?: boolean;
  readonly resolve: (answer: StatementResult) => void;
  readonly reject: (why: unknown) => void;
}

/** The methods of the driver's connection that a group uses. */
interface Wire {
  parse(message: { name: string; text: string }): void;
  bind(message: { statement: string; values: readonly (string | null)[] }): void;
  describe(message: { type: 'P' }): void;
  execute(message: null): void;
  sync(): void;
}

interface RowDescription {
  readonly fields: readonly FieldDef[];
}

/** The driver calls its methods with the server's messages, in order. */
export class Group extends Query {
  readonly #statementCache: StatementCache;
  readonly #statements: Statement[] = [];
  #answered = 0;

  constructor(statementCache: StatementCache) {
    super('');
    this.#statementCache = statementCache;
  }

  /** @param name prepares the statement under this name; the same name must have the same text */
  add(text: string, values: readonly unknown[], name: string | undefined): Promise<StatementResult> {
    return new Promise((resolve, reject) => {
      this.#statements.push({ text, values, name, rows: [], columns: undefined, resolve, reject });
    });
  }

  override readonly submit = (connection: unknown): void => {
    const wire = connection as Wire;
    for (const statement of this.#statements) this.#write(wire, statement);
    wire.sync();
  };

  #write(wire: Wire, statement: Statement): void {
    const { name, text, values } = statement;
    const known = name === undefined ? undefined : this.#statementCache.find(name);
    const kept = known ?? (name === undefined ? undefined : this.#statementCache.keep(name));
    const serverName = kept?.serverName ?? '';
    if (known === undefined) wire.parse({ name: serverName, text });
    wire.bind({ statement: serverName, values: (values as readonly Parameter[]).map(inText) });
    if (known?.columns === undefined) wire.describe({ type: 'P' });
    wire.execute(null);
    Object.assign(statement, { kept, isNew: known === undefined, columns: known?.columns });
  }

  handleRowDescription({ fields }: RowDescription): void {
    const statement = this.#current();
    const { types } = this.#statementCache;
    statement.columns = fields.map(({ name, dataTypeID }) => ({
      name,
      parse: types.getTypeParser(dataTypeID, 'text'),
    }));
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const { columns = [], rows } = this.#current();
    const row: QueryResultRow = {};
    columns.forEach(({ name, parse }, place) => {
      const text = fields[place] ?? null;
      row[name] = text === null ? null : parse(text);
    });
    rows.push(row);
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    const { kept, columns = [], rows, resolve } = this.#current();
    if (kept) kept.columns = columns;
    this.#answered += 1;
    const [command = '', ...counts] = text.split(' ');
    resolve({ rows, command, rowCount: Number(counts.at(-1) ?? 0) });
  }

  /** The server skips the rest of the group. */
  handleError(why: unknown): void {
    for (const { name, isNew, reject } of this.#statements.slice(this.#answered)) {
      if (isNew === true && name !== undefined) this.#statementCache.forget(name);
      reject(why);
    }
    this.#answered = this.#statements.length;
  }

  handleReadyForQuery(): void {
    // `handleCommandComplete` has resolved each statement.
  }

  #current(): Statement {
    return this.#statements[this.#answered] as Statement;
  }
}

/** Parameter types of our statements. */
type Parameter = string | number | boolean | null | undefined;

function inText(value: Parameter): string | null {
  return value === null || value === undefined ? null : String(value);
}
