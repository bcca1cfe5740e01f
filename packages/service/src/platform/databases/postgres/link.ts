/** A connection to a PostgreSQL server, with a timeout for every wait. */
import { Socket } from 'node:net';
import { Client, DatabaseError, TypeOverrides, types as pgTypes } from 'pg';
import type { QueryResult } from 'pg';
import { Lost } from '../lost.js';
import type { Server } from './servers.js';

export interface Link {
  /**
   * Sends a statement without waiting for earlier ones; results arrive in order.
   * @throws Lost if the connection broke or the server cannot serve.
   */
  send(text: string, values?: readonly unknown[]): Promise<QueryResult>;
  /** Sends several statements without values as one; resolves to the last result. */
  sendAll(statements: readonly string[]): Promise<QueryResult>;
  /** How long to wait for a statement before dropping the connection, ms; `Infinity` while migrating. */
  answerTimeoutMs: number;
  /** Called for each server warning. */
  onWarning: () => void;
  readonly isOpen: boolean;
  /** Resolves once the connection has ended. */
  readonly ended: Promise<void>;
  /** Ends the connection immediately; pending statements reject with the reason. */
  destroy(reason: Lost): void;
  /** Ends the connection with a Terminate message. */
  close(): void;
}

const KEEP_ALIVE_AFTER_MS = 10_000;

/** @throws Lost */
export async function openLink(server: Server, connectMs: number, answerTimeoutMs: number): Promise<Link> {
  // Every bigint in the schema is an instant or an amount in cents, so it is a safe integer.
  const types = new TypeOverrides();
  types.setTypeParser(pgTypes.builtins.INT8, Number);
  const socket = new Socket();
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
  // Without a listener, an `error` event ends the process. Pending statements reject through their own promises.
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    socket.destroy();
    const why = inWords(error);
    throw why instanceof Lost ? why : new Lost(messageOf(error), { passing: false, cause: error });
  }
  let isOpen = true;
  const ended = new Promise<void>((resolve) => {
    client.once('end', () => {
      isOpen = false;
      resolve();
    });
  });

  let unanswered = 0;
  let overdue: NodeJS.Timeout | undefined;
  const watch = (): void => {
    clearTimeout(overdue);
    if (unanswered > 0 && link.answerTimeoutMs !== Infinity)
      overdue = setTimeout(
        () => link.destroy(new Lost(`The database did not answer in ${link.answerTimeoutMs} ms.`)),
        link.answerTimeoutMs,
      );
  };
  const answerTo = async <T>(answer: Promise<T>): Promise<T> => {
    unanswered += 1;
    watch();
    try {
      return await answer;
    } catch (error) {
      throw inWords(error);
    } finally {
      unanswered -= 1;
      watch();
    }
  };

  const link: Link = {
    answerTimeoutMs,
    onWarning: () => undefined,
    ended,
    get isOpen() {
      return isOpen;
    },
    send: (text, values) => answerTo(client.query(text, values === undefined ? undefined : [...values])),
    sendAll: async (statements) => {
      // The driver returns one result per statement, but its types don't say so.
      const answers: unknown = await answerTo(client.query(statements.join('; ')));
      return (answers as QueryResult[])[statements.length - 1] as QueryResult;
    },
    destroy: (reason) => {
      isOpen = false;
      socket.destroy(reason);
    },
    close: () => {
      isOpen = false;
      client.end().catch(() => undefined);
    },
  };
  client.on('notice', ({ severity }) => {
    if (severity === 'WARNING') link.onWarning();
  });
  return link;
}

/**
 * SQLSTATE classes for a server that cannot serve right now, as opposed to a faulty statement: connection exceptions,
 * read-only, insufficient resources, operator intervention, system errors.
 */
const CANNOT_SERVE = /^(?:08|25006|25P03|53|57|58|XX)/;

/** Maps driver errors to {@link Lost}; statement errors stay unchanged. */
function inWords(error: unknown): unknown {
  if (error instanceof Lost) return error;
  if (!(error instanceof DatabaseError)) return new Lost(messageOf(error), { cause: error });
  return CANNOT_SERVE.test(error.code ?? '') ? new Lost(error.message, { cause: error }) : error;
}

function messageOf(error: unknown): string {
  // After trying several addresses, the messages are in the inner errors.
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
