/** Bounds what a connection costs, and closes all of them at shutdown. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { BoundedRequest } from './bounded-request.js';

export interface Connections {
  /**
   * Calls `begin` once all earlier responses on the connection are read, so a client that doesn't read costs one
   * buffered response. Never calls it if the connection ends first.
   */
  inTurn(request: IncomingMessage, answer: ServerResponse, begin: () => void): void;
  /**
   * Stops accepting connections; resolves once all have closed.
   * @param until deadline, on the clock of `performance.now()`
   * @param lingerMs how long an idle connection may still send a request
   */
  drain(until: number, lingerMs?: number): Promise<void>;
}

/** A response must be read within this multiple of the request timeout. */
const READ_TIMEOUT_FACTOR = 6;
/** During shutdown, time for a partly received request to complete. */
const REST_MS = 5_000;

/** Call it before adding other listeners. @param receiveMs request timeout, ms */
export function connectionsOf(server: Server<typeof BoundedRequest>, receiveMs: number): Connections {
  const open = new Set<Socket>();
  const unfinished = new Map<Socket, Set<ServerResponse>>();
  let isDraining = false;

  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      unfinished.delete(socket);
    });
  });

  server.on('request', (request, answer) => {
    const { socket } = request;
    if (socket.destroyed) return;
    if (isDraining) answer.setHeader('connection', 'close');
    const answers = unfinished.get(socket) ?? new Set();
    unfinished.set(socket, answers.add(answer));
    answer.once('close', () => {
      request.answered();
      answers.delete(answer);
      if (answers.size === 0) unfinished.delete(socket);
    });
  });

  /** When a response last made progress, and how many bytes of its connection had been read by then. */
  const progress = new WeakMap<ServerResponse, { readonly since: number; readonly taken: number }>();
  /** `server.timeout` is no use here: it starts again whenever the client sends something. */
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
   * Node waits for connections that browsers open in advance, and for requests that never arrive completely.
   * @param ms since shutdown began
   */
  const endUnused = (ms: number): void => {
    for (const socket of open) {
      const isPending = [...(unfinished.get(socket) ?? [])].some(({ req }) => req.complete);
      if (socket.bytesRead === 0 || (ms >= REST_MS && !isPending)) socket.destroy();
    }
  };

  return {
    inTurn: ({ socket }, answer, begin) => {
      if (socket.destroyed) return;

      const answers = [...(unfinished.get(socket) ?? [])];
      const before = answers[answers.indexOf(answer) - 1];
      if (before === undefined) begin();
      // Let other clients' requests run first; a hundred pipelined requests would make them wait.
      else before.once('close', () => setImmediate(() => socket.destroyed || begin()));
    },
    drain: async (until, lingerMs = 0) => {
      isDraining = true;
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
