/** A pooled connection to a PostgreSQL server. */
import type { Socket } from 'node:net';
import type { Transaction } from 'kysely';
import { Client, DatabaseError, type PoolClient, type PoolConfig } from 'pg';
import type { PreparingConnection } from '../connection.js';
import { Lost } from '../retry.js';
import type { Tables } from '../tables.js';
import { Group, TYPES, type KeptStatement, type StatementResult } from './group.js';

const KEEP_ALIVE_AFTER_MS = 10_000;

export interface Identity {
  /** The cluster's id, shared with standbys; '' if the role may not read it. */
  readonly system: string;
  /** Eight hex digits, incremented by each promotion; '' if the role may not read it. */
  readonly timeline: string;
  /**
   * Not through a pooler, so the connection keeps its server, settings and statements. A pooler reports its own process
   * id.
   */
  readonly isDirect: boolean;
}

export class Link extends Client {
  /** Whether another transaction may use it. */
  isOpen = true;
  /** The server at the last check. Behind a pooler, it can change with every transaction. */
  identity: Identity | undefined;
  epoch = 0;
  /** A finished read whose transaction is still open: the next statement sends the COMMIT first. */
  owesCommit = false;
  onWarning: () => void = () => undefined;
  tx: Transaction<Tables> | undefined;
  current: PreparingConnection | undefined;
  declare release: PoolClient['release'];
  /** The process id that the server, or a pooler in front of it, reported at connect. */
  declare readonly processID: number | null;
  readonly #kept = new Map<string, KeptStatement>();
  /** Statements of this turn of the event loop, sent at its end. */
  #group: Group | undefined;
  #awaitsAnswer = false;

  constructor(config: PoolConfig = {}) {
    super({
      ...config,
      application_name: 'embedded-sessions',
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
      pipeline: true,
      types: TYPES,
    });
    this.on('error', () => (this.isOpen = false));
    this.on('drain', () => (this.#awaitsAnswer = false));
    this.once('connect', () => {
      this.connection.stream.on('timeout', () => {
        if (this.#awaitsAnswer)
          this.connection.stream.destroy(new Error('The database server does not respond.'));
      });
      this.limitAnswers(config.connectionTimeoutMillis ?? 0);
    });
    this.on('notice', ({ severity }) => {
      if (severity === 'WARNING') this.onWarning();
    });
  }

  get isDirect(): boolean {
    return this.identity?.isDirect === true;
  }

  /** Ends the connection if the server is silent for longer while it owes a result, ms; 0 for no limit. */
  limitAnswers(ms: number): void {
    const stream = this.connection.stream as Socket;
    if (stream.timeout !== ms) stream.setTimeout(ms);
  }

  /**
   * Sends a statement without waiting for earlier ones; results arrive in order. If one fails, the server skips those that
   * were sent in the same turn after it, except those of {@link sendAll}.
   * @param name prepares the statement under this name; the same name must have the same text
   * @throws Lost if the connection broke or the server cannot serve.
   */
  send(text: string, values: readonly unknown[] = [], name?: string): Promise<StatementResult> {
    if (values.length === 0 && name === undefined) return this.sendAll([text]);
    if (this.#group === undefined) process.nextTick(() => this.#sendGroup());
    this.#group ??= new Group(this.#kept, this.#errorOf);
    return this.#group.add(text, values, name);
  }

  /** Sends statements without parameters as one. Resolves to the last result. */
  async sendAll(statements: readonly string[]): Promise<StatementResult> {
    this.#sendGroup();
    this.#awaitsAnswer = true;
    try {
      // The driver returns one result per statement, but its types don't say so.
      const answers: unknown = await this.query(statements.join('; '));
      return (Array.isArray(answers) ? answers.at(-1) : answers) as StatementResult;
    } catch (error) {
      throw this.#errorOf(error);
    }
  }

  destroy(): void {
    this.isOpen = false;
    this.connection.stream.destroy();
  }

  #sendGroup(): void {
    const group = this.#group;
    this.#group = undefined;
    if (group === undefined) return;

    this.#awaitsAnswer = true;
    this.query(group);
  }

  /** Stays connected after an error of a statement until the transaction is over, because the COMMIT may still be in flight. */
  readonly #errorOf = (why: unknown): unknown => {
    if (!(why instanceof DatabaseError) || isOfConnection(why)) this.isOpen = false;
    return toLost(why);
  };
}

/**
 * SQLSTATE classes for a server that cannot serve right now, as opposed to a faulty statement: connection exceptions,
 * read-only, insufficient resources, operator intervention, system errors.
 */
const CANNOT_SERVE = /^(?:08|25006|25P03|53|57|58|XX)/;

/** The server no longer takes writes. */
const READ_ONLY = '25006';

/** `cached plan must not change result type`, in the server's language: a table was changed. */
function isOutdatedPlan({ code, routine }: DatabaseError): boolean {
  return code === '0A000' && routine === 'RevalidateCachedQuery';
}

function isOfConnection(error: DatabaseError): boolean {
  return error.code === READ_ONLY || isOutdatedPlan(error);
}

/** Whether the server returned this error for a statement, as opposed to a broken connection. */
export function isServerError(error: unknown): boolean {
  return error instanceof DatabaseError || (error instanceof Lost && error.cause instanceof DatabaseError);
}

export function toLost(error: unknown): unknown {
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
