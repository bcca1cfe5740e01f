/** A connection to a PostgreSQL server, with timeouts. */
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Client, DatabaseError, TypeOverrides, types as pgTypes } from 'pg';
import { Lost } from '../lost.js';
import { Group, StatementCache, type StatementResult, type ColumnTypes } from './group.js';
import type { Server } from './servers.js';

const KEEP_ALIVE_AFTER_MS = 10_000;

/** Adds the parts of `pg` that its types omit. */
type DriverClient = Client & {
  /** The process id that the server, or a pooler in front of it, reported at connect. */
  readonly processID: number | null;
  readonly connection: {
    readonly stream: Duplex;
    on(event: 'parameterStatus', listener: (status: ParameterStatus) => void): void;
  };
};

interface ParameterStatus {
  readonly parameterName: string;
  readonly parameterValue: string;
}

interface Chunk {
  readonly chunk: Buffer;
  readonly encoding: BufferEncoding;
}

/** Joins small buffers, because writing one takes a third less CPU time than writing twenty. */
class OneWriteSocket extends Socket {
  override _writev(chunks: Chunk[], callback: (error?: Error | null) => void): void {
    const [{ encoding }] = chunks as [Chunk];
    // oxlint-disable-next-line no-underscore-dangle -- the name that streams give it
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), encoding, callback);
  }
}

/** @throws Lost */
export async function openLink(server: Server, connectMs: number, answerTimeoutMs: number): Promise<Link> {
  // Every bigint in the schema is an instant or an amount in cents, so it is a safe integer.
  const types = new TypeOverrides();
  types.setTypeParser(pgTypes.builtins.INT8, Number);
  const socket = new OneWriteSocket();
  const client = new Client({
    connectionString: server.connectionString,
    application_name: 'embedded-sessions',
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    pipeline: true,
    stream: () => socket,
    types,
  });
  // Without a listener, an `error` event ends the process. Pending statements reject on their own.
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    socket.destroy();
    const why = toLost(error);
    throw why instanceof Lost ? why : new Lost(messageOf(error), { passing: false, cause: error });
  }
  return new Link(client as DriverClient, socket, types, answerTimeoutMs);
}

export class Link {
  /** Drop the connection if a statement takes longer, ms; `Infinity` while migrating. */
  answerTimeoutMs: number;
  /** Called for each server warning. */
  onWarning: () => void = () => undefined;
  /** Resolves once the connection has ended. */
  readonly ended: Promise<void>;
  readonly #client: DriverClient;
  readonly #socket: Socket;
  #isOpen = true;
  #isReadOnly = false;
  #isCorked = false;
  readonly #statementCache: StatementCache;
  /** Statements of this turn of the event loop, sent at its end. */
  #group: Group | undefined;
  #unanswered = 0;
  #overdue: NodeJS.Timeout | undefined;

  constructor(client: DriverClient, socket: Socket, types: TypeOverrides, answerTimeoutMs: number) {
    this.#statementCache = new StatementCache(types as unknown as ColumnTypes);
    this.#client = client;
    this.#socket = socket;
    this.answerTimeoutMs = answerTimeoutMs;
    this.ended = new Promise((resolve) => {
      client.once('end', () => {
        this.#isOpen = false;
        resolve();
      });
    });
    client.connection.on('parameterStatus', ({ parameterName, parameterValue }) => {
      if (parameterName === 'default_transaction_read_only') this.#isReadOnly = parameterValue === 'on';
    });
    client.on('notice', ({ severity }) => {
      if (severity === 'WARNING') this.onWarning();
    });
  }

  /** Whether another transaction may use it. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** The server has reported that new transactions are read-only. PostgreSQL 14 and later do so with any result. */
  get isReadOnly(): boolean {
    return this.#isReadOnly;
  }

  /** See {@link DriverClient}. */
  get processId(): number | null {
    return this.#client.processID;
  }

  /**
   * Sends a statement without waiting for earlier ones; results arrive in order. If one fails, the server skips those that
   * were sent in the same turn after it, except those of {@link sendAll}.
   * @param name prepares the statement under this name; the same name must have the same text
   * @throws Lost if the connection broke or the server cannot serve.
   */
  send(text: string, values: readonly unknown[] = [], name?: string): Promise<StatementResult> {
    if (values.length === 0 && name === undefined) return this.sendAll([text]);
    this.#cork();
    this.#group ??= new Group(this.#statementCache);
    return this.#answerTo(this.#group.add(text, values, name));
  }

  /** Sends statements without parameters as one. Resolves to the last result. */
  async sendAll(statements: readonly string[]): Promise<StatementResult> {
    this.#cork();
    this.#sendGroup();
    // The driver returns one result per statement, but its types don't say so.
    const answers: unknown = await this.#answerTo(this.#client.query(statements.join('; ')));
    return (Array.isArray(answers) ? answers.at(-1) : answers) as StatementResult;
  }

  /** Ends the connection immediately. Pending statements reject with the reason. */
  destroy(reason: Lost): void {
    this.#isOpen = false;
    this.#socket.destroy(reason);
  }

  /** Ends the connection with a Terminate message. */
  close(): void {
    this.#isOpen = false;
    this.#client.end().catch(() => undefined);
  }

  /** Corks the socket until the end of the turn, because a write to it costs more than the rest of a statement. */
  #cork(): void {
    if (this.#isCorked) return;

    this.#isCorked = true;
    const { stream } = this.#client.connection;
    stream.cork();
    process.nextTick(() => {
      this.#isCorked = false;
      this.#sendGroup();
      stream.uncork();
    });
  }

  #sendGroup(): void {
    const group = this.#group;
    this.#group = undefined;
    if (group) this.#client.query(group);
  }

  async #answerTo<T>(answer: Promise<T>): Promise<T> {
    this.#unanswered += 1;
    if (this.#unanswered === 1) this.#watch();
    try {
      return await answer;
    } catch (error) {
      // Stay connected until the transaction is over, because the COMMIT may still be in flight.
      if (isOfConnection(error)) this.#isOpen = false;
      throw toLost(error);
    } finally {
      this.#unanswered -= 1;
      if (this.#unanswered === 0) clearTimeout(this.#overdue);
      else this.#overdue?.refresh();
    }
  }

  #watch(): void {
    clearTimeout(this.#overdue);
    this.#overdue = undefined;
    const ms = this.answerTimeoutMs;
    if (ms === Infinity) return;
    this.#overdue = setTimeout(
      () => this.destroy(new Lost(`The database did not respond within ${ms} ms.`)),
      ms,
    );
  }
}

/**
 * SQLSTATE classes for a server that cannot serve right now, as opposed to a faulty statement: connection exceptions,
 * read-only, insufficient resources, operator intervention, system errors.
 */
const CANNOT_SERVE = /^(?:08|25006|25P03|53|57|58|XX)/;

/** The server no longer takes writes. */
const READ_ONLY = '25006';

/**
 * A prepared statement reads a table that was changed: `cached plan must not change result type`, in the
 * server's language.
 */
function isOutdatedPlan({ code, routine }: DatabaseError): boolean {
  return code === '0A000' && routine === 'RevalidateCachedQuery';
}

/** Whether another connection may succeed. */
function isOfConnection(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code === READ_ONLY || isOutdatedPlan(error));
}

/** Whether the server returned this error for a statement, as opposed to a broken connection. */
export function isServerError(error: unknown): boolean {
  return error instanceof DatabaseError || (error instanceof Lost && error.cause instanceof DatabaseError);
}

/** Maps driver errors to {@link Lost}; statement errors stay unchanged. */
function toLost(error: unknown): unknown {
  if (error instanceof Lost) return error;
  if (!(error instanceof DatabaseError)) return new Lost(messageOf(error), { cause: error });
  const isLost = CANNOT_SERVE.test(error.code ?? '') || isOutdatedPlan(error);
  return isLost ? new Lost(error.message, { cause: error }) : error;
}

function messageOf(error: unknown): string {
  // If several addresses were tried, the inner errors have the messages.
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
