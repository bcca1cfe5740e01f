/** One connection to a PostgreSQL server that is never waited for longer than was agreed. */
import { Socket } from 'node:net';
import { Client, DatabaseError, TypeOverrides, types as pgTypes } from 'pg';
import type { QueryResult } from 'pg';
import { Lost } from '../lost.js';
import type { Server } from './servers.js';

export interface Link {
  /**
   * Sends a statement without waiting for those before it; answers come in the order of the statements.
   * @throws Lost where the connection broke, or the server said that it cannot serve.
   */
  send(text: string, values?: readonly unknown[]): Promise<QueryResult>;
  /** Several statements in one, without values; the answer of the last one. */
  sendAll(statements: readonly string[]): Promise<QueryResult>;
  /** How long a statement may stay unanswered before the connection is given up, ms; `Infinity` while migrating. */
  patienceMs: number;
  /** Called for each warning of the server. */
  onWarning: () => void;
  readonly isOpen: boolean;
  /** Resolves when the connection is no more. */
  readonly ended: Promise<void>;
  /** Ends it at once; statements that are not answered yet reject with the reason. */
  destroy(reason: Lost): void;
  /** Says goodbye. */
  close(): void;
}

const KEEP_ALIVE_AFTER_MS = 10_000;

/** @throws Lost */
export async function openLink(server: Server, connectMs: number, patienceMs: number): Promise<Link> {
  // Every bigint here is an instant or cents, both within the safe integers.
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
  // Unheard, its event would end the process; what was waiting hears of it by its own promise.
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
    if (unanswered > 0 && link.patienceMs !== Infinity)
      overdue = setTimeout(
        () => link.destroy(new Lost(`The database did not answer in ${link.patienceMs} ms.`)),
        link.patienceMs,
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
    patienceMs,
    onWarning: () => undefined,
    ended,
    get isOpen() {
      return isOpen;
    },
    send: (text, values) => answerTo(client.query(text, values === undefined ? undefined : [...values])),
    sendAll: async (statements) => {
      // One result of each statement, which the driver's types do not know.
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
 * Classes of SQLSTATE that say that the server cannot serve now, and not that a statement was wrong: connection
 * exceptions, read-only, too few resources, operator intervention, system errors.
 */
const CANNOT_SERVE = /^(?:08|25006|25P03|53|57|58|XX)/;

/** A driver's error as the store understands it: an error of the statement stays what it is. */
function inWords(error: unknown): unknown {
  if (error instanceof Lost) return error;
  if (!(error instanceof DatabaseError)) return new Lost(messageOf(error), { cause: error });
  return CANNOT_SERVE.test(error.code ?? '') ? new Lost(error.message, { cause: error }) : error;
}

function messageOf(error: unknown): string {
  // One that tried several addresses has its words in its parts.
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
