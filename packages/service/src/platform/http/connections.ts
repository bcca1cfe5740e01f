/** Manages a server's connections: response order, stalled readers, shutdown. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface Connections {
  /** Unfinished responses of a connection, in request order. */
  readonly unfinished: (socket: Socket) => Iterable<ServerResponse>;
  /**
   * Calls `begin` once all earlier responses on the connection are read, so a client that doesn't read costs one
   * buffered response. Never calls it if too many requests are queued or the connection ends first.
   */
  inTurn(request: IncomingMessage, answer: ServerResponse, begin: () => void): void;
  /**
   * Stops accepting connections; resolves once all have closed.
   * @param until deadline, on the clock of `performance.now()`
   * @param lingerMs how long an idle connection may still send a request
   */
  drain(until: number, lingerMs?: number): Promise<void>;
}

/** Maximum pipelined requests per connection. No known client sends even two. */
const MAX_PIPELINED = 100;
/** A response must be read within this multiple of the request timeout. */
const READ_TIMEOUT_FACTOR = 6;
/** During shutdown, time for a partly received head to complete, and for a body. */
const REST_OF_HEAD_MS = 1_000;
const REST_OF_BODY_MS = 5_000;

/** Call it before adding other listeners. @param receiveMs request timeout, ms */
export function connectionsOf(server: Server, receiveMs: number): Connections {
  const open = new Set<Socket>();
  const unfinished = new Map<Socket, Set<ServerResponse>>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      unfinished.delete(socket);
    });
  });
  let draining = false;
  server.on('request', ({ socket }, answer) => {
    if (socket.destroyed) return;
    if (draining) answer.setHeader('connection', 'close');
    const answers = unfinished.get(socket) ?? new Set();
    unfinished.set(socket, answers.add(answer));
    answer.once('close', () => {
      answers.delete(answer);
      if (answers.size === 0) unfinished.delete(socket);
    });
    if (answers.size > MAX_PIPELINED) socket.destroy();
  });

  /** When a response started, and how many bytes of its connection had been read by then. */
  const progress = new WeakMap<ServerResponse, { readonly since: number; readonly taken: number }>();
  const closeStalledReaders = (): void => {
    const now = performance.now();
    for (const [socket, [answer]] of unfinished) {
      if (answer === undefined || answer.writableLength === 0) continue;
      const taken = socket.bytesWritten - socket.writableLength;
      const before = progress.get(answer);
      if (before === undefined || before.taken < taken) progress.set(answer, { since: now, taken });
      else if (now - before.since > receiveMs * READ_TIMEOUT_FACTOR) socket.destroy();
    }
  };
  const interval = setInterval(closeStalledReaders, receiveMs / 4).unref();
  server.once('close', () => clearInterval(interval));

  /**
   * Browsers open connections in advance. Node treats those, and a partial head, as pending requests.
   * @param ms since shutdown began; a partial request gets some time to complete
   */
  const endUnused = (ms: number): void => {
    for (const socket of open) {
      const answers = unfinished.get(socket);
      const isLate = answers
        ? ms >= REST_OF_BODY_MS && [...answers].every(({ req }) => !req.complete)
        : ms >= REST_OF_HEAD_MS;
      if (socket.bytesRead === 0 || isLate) socket.destroy();
    }
  };

  return {
    unfinished: (socket) => unfinished.get(socket) ?? [],
    inTurn: ({ socket }, answer, begin) => {
      if (socket.destroyed) return;
      const answers = [...(unfinished.get(socket) ?? [])];
      const before = answers[answers.indexOf(answer) - 1];
      if (before === undefined) begin();
      // Let other clients' requests run first; a hundred pipelined requests would make them wait.
      else before.once('close', () => setImmediate(() => socket.destroyed || begin()));
    },
    drain: async (until, lingerMs = 0) => {
      draining = true;
      for (const answers of unfinished.values()) {
        const last = [...answers].at(-1);
        if (last?.headersSent === false) last.setHeader('connection', 'close');
      }
      // HTTP's `close` drops idle connections immediately, even if a request is on its way.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
      const from = performance.now();
      while (open.size > 0 && performance.now() < Math.min(from + lingerMs, until)) await delay(20);
      server.close();
      // A kept-alive connection becomes idle after its last response, and no event reports it.
      for (let isOpen = true; isOpen;) {
        if (performance.now() >= until) server.closeAllConnections();
        else {
          server.closeIdleConnections();
          endUnused(performance.now() - from);
        }
        isOpen = await Promise.race([closed.then(() => false), delay(20, true)]);
      }
    },
  };
}
