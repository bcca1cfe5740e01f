/** Limits the cost of connections and closes them at shutdown. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { BoundedRequest } from './bounded-request.js';

export interface Connections {
  /** Calls `begin` in a turn of the event loop in which few requests begin, unless the connection ends first. */
  inTurn(request: IncomingMessage, begin: () => void): void;
  /**
   * Stops accepting connections. Resolves once all have closed.
   * @param until deadline, on the clock of `performance.now()`
   * @param lingerMs how long an idle connection may still send a request
   */
  drain(until: number, lingerMs?: number): Promise<void>;
}

/** A response must be read within this multiple of the request timeout. */
const READ_TIMEOUT_FACTOR = 6;
/** During shutdown, time for a partly received request to complete. */
const REST_MS = 5_000;

/** Requests that begin per turn of the event loop, so that earlier responses go out in between. */
const MAX_BEGUN_PER_TURN = 16;

/** Sent to a connection over the limit. */
const FULL =
  'HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';

/**
 * Call this before adding other listeners.
 * @param receiveMs request timeout, ms
 * @param maxConnections each has at most one request at a time
 */
export function connectionsOf(
  server: Server<typeof BoundedRequest>,
  receiveMs: number,
  maxConnections: () => number,
): Connections {
  const open = new Set<Socket>();
  const unfinished = new Map<Socket, ServerResponse>();
  let isDraining = false;
  const isPending = (socket: Socket): boolean => unfinished.get(socket)?.req.complete === true;

  /**
   * Closes the oldest connection without a pending response, or else this one, so idle and stalled connections can't lock
   * out others.
   */
  const makeRoom = (socket: Socket): void => {
    const isBusy = (each: Socket): boolean =>
      isPending(each) && unfinished.get(each)?.writableEnded === false;
    const oldest = [...open].find((each) => !isBusy(each)) ?? socket;
    open.delete(oldest);
    if (oldest === socket) socket.end(FULL, () => socket.destroy());
    else oldest.destroy();
  };

  server.on('connection', (socket) => {
    open.add(socket);
    if (open.size > maxConnections()) makeRoom(socket);
    socket.once('close', () => {
      open.delete(socket);
      unfinished.delete(socket);
    });
  });

  server.on('request', (request, answer) => {
    const { socket } = request;
    if (socket.destroyed) return;
    if (isDraining) answer.setHeader('connection', 'close');
    unfinished.set(socket, answer);
    answer.once('close', () => {
      request.answered();
      unfinished.delete(socket);
    });
  });

  let started = 0;
  const waiting: (() => void)[] = [];
  const nextTurn = (): void => {
    const next = waiting.splice(0, MAX_BEGUN_PER_TURN);
    started = next.length;
    if (started > 0) setImmediate(nextTurn);
    for (const begin of next) begin();
  };

  const unreadSince = new WeakMap<ServerResponse, number>();
  /** `server.timeout` doesn't help, because it restarts whenever the client sends something. */
  const closeStalledReaders = (): void => {
    const now = performance.now();
    for (const [socket, answer] of unfinished) {
      const since = unreadSince.get(answer);
      if (answer.writableLength === 0) unreadSince.delete(answer);
      else if (since === undefined) unreadSince.set(answer, now);
      else if (now - since > receiveMs * READ_TIMEOUT_FACTOR) socket.destroy();
    }
  };
  const interval = setInterval(closeStalledReaders, receiveMs / 4).unref();
  server.once('close', () => clearInterval(interval));

  /**
   * Node would wait for connections that browsers open in advance and for requests that never complete.
   * @param ms since shutdown began
   */
  const endUnused = (ms: number): void => {
    for (const socket of open)
      if (socket.bytesRead === 0 || (ms >= REST_MS && !isPending(socket))) socket.destroy();
  };

  return {
    inTurn: ({ socket }, begin) => {
      if (started === 0) setImmediate(nextTurn);
      started += 1;
      if (started <= MAX_BEGUN_PER_TURN) begin();
      else waiting.push(() => socket.destroyed || begin());
    },
    drain: async (until, lingerMs = 0) => {
      isDraining = true;
      for (const answer of unfinished.values())
        if (!answer.headersSent) answer.setHeader('connection', 'close');
      // HTTP's `close` drops idle connections immediately, even if a request is on its way.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
      const from = performance.now();
      while (open.size > 0 && performance.now() < Math.min(from + lingerMs, until)) await delay(20);
      server.close();
      // No event reports when a kept-alive connection becomes idle after its last response.
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
