/** Statements that are sent together and end with one Sync, so the server sends their results together. */
import { Query, type FieldDef, type QueryResultRow } from 'pg';

export interface Answer<R extends QueryResultRow = QueryResultRow> {
  readonly rows: R[];
  readonly rowCount: number;
  /** Such as `UPDATE`. */
  readonly command: string;
}

/** How the values of each type are read. */
export interface ColumnTypes {
  getTypeParser(dataTypeId: number, format: 'text'): (text: string) => unknown;
}

interface Column {
  readonly name: string;
  readonly parse: (text: string) => unknown;
}

/** A statement that the server keeps for a connection. */
interface Kept {
  readonly serverName: string;
  /** Undefined until the server has described them. */
  columns?: readonly Column[];
}

/** Statements that the server keeps for one connection, by their names in this process. */
export class KeptStatements {
  readonly types: ColumnTypes;
  readonly #kept = new Map<string, Kept>();
  #made = 0;

  constructor(types: ColumnTypes) {
    this.types = types;
  }

  find(name: string): Kept | undefined {
    return this.#kept.get(name);
  }

  /** Under a new name, because the server may still keep a statement that failed when it was first used. */
  keep(name: string): Kept {
    const kept = { serverName: `${name}_${++this.#made}` };
    this.#kept.set(name, kept);
    return kept;
  }

  forget(name: string): void {
    this.#kept.delete(name);
  }
}

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly name: string | undefined;
  readonly rows: QueryResultRow[];
  columns: readonly Column[] | undefined;
  /** Undefined if the server does not keep it. */
  kept?: Kept;
  /** This group has the server parse it. */
  isNew?: boolean;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (why: unknown) => void;
}

/** The parts of the driver's connection that a group writes to. */
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

/** The driver calls its methods with the messages of the server, in their order. */
export class Group extends Query {
  readonly #keptStatements: KeptStatements;
  readonly #statements: Statement[] = [];
  #answered = 0;

  constructor(keptStatements: KeptStatements) {
    super('');
    this.#keptStatements = keptStatements;
  }

  /** @param name under which the server keeps the statement; the same name is the same text */
  add(text: string, values: readonly unknown[], name: string | undefined): Promise<Answer> {
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
    const known = name === undefined ? undefined : this.#keptStatements.find(name);
    const kept = known ?? (name === undefined ? undefined : this.#keptStatements.keep(name));
    const serverName = kept?.serverName ?? '';
    if (known === undefined) wire.parse({ name: serverName, text });
    wire.bind({ statement: serverName, values: (values as readonly Parameter[]).map(inText) });
    if (known?.columns === undefined) wire.describe({ type: 'P' });
    wire.execute(null);
    Object.assign(statement, { kept, isNew: known === undefined, columns: known?.columns });
  }

  handleRowDescription({ fields }: RowDescription): void {
    const statement = this.#current();
    const { types } = this.#keptStatements;
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
      if (isNew === true && name !== undefined) this.#keptStatements.forget(name);
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
