/** Limits the cost of connections and closes them at shutdown. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { BoundedRequest } from './bounded-request.js';

/** A response must be read within this multiple of the request timeout. */
const READ_TIMEOUT_FACTOR = 6;
/** During shutdown, time for a partly received request to complete. */
const REST_MS = 5_000;

/** Requests that begin per turn of the event loop, so that earlier responses go out in between. */
const MAX_BEGUN_PER_TURN = 16;

/** Sent to a connection over the limit. */
const FULL =
  'HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';

/** The connections of a server. */
export class Connections {
  readonly #server: Server<typeof BoundedRequest>;
  readonly #maxConnections: () => number;
  readonly #open = new Set<Socket>();
  readonly #unfinished = new Map<Socket, ServerResponse>();
  /** Responses that the client has stopped reading. */
  readonly #unreadSince = new WeakMap<ServerResponse, number>();
  /** Requests that begin in a later turn. */
  readonly #waiting: (() => void)[] = [];
  #begunThisTurn = 0;
  #isDraining = false;

  /**
   * Call this before adding other listeners.
   * @param receiveMs request timeout, ms
   * @param maxConnections each has at most one request at a time
   */
  constructor(server: Server<typeof BoundedRequest>, receiveMs: number, maxConnections: () => number) {
    this.#server = server;
    this.#maxConnections = maxConnections;
    server.on('connection', (socket) => this.#add(socket));
    server.on('request', (request, response) => this.#addRequest(request, response));
    // Node would respond to an unknown `Expect` itself, and the connection would never be ready for its next request.
    server.on('checkExpectation', (request, response) => server.emit('request', request, response));
    const readMs = receiveMs * READ_TIMEOUT_FACTOR;
    const interval = setInterval(() => this.#closeStalledReaders(readMs), receiveMs / 4).unref();
    server.once('close', () => clearInterval(interval));
  }

  /** Calls `begin` in a turn of the event loop in which few requests begin, unless the connection ends first. */
  inTurn({ socket }: IncomingMessage, begin: () => void): void {
    if (this.#begunThisTurn === 0) setImmediate(() => this.#nextTurn());
    this.#begunThisTurn += 1;
    if (this.#begunThisTurn <= MAX_BEGUN_PER_TURN) begin();
    else this.#waiting.push(() => socket.destroyed || begin());
  }

  /**
   * Stops accepting connections. Resolves once all have closed.
   * @param until deadline, on the clock of `performance.now()`
   * @param lingerMs how long an idle connection may still send a request
   */
  async drain(until: number, lingerMs = 0): Promise<void> {
    const server = this.#server;
    this.#isDraining = true;
    for (const response of this.#unfinished.values())
      if (!response.headersSent) response.setHeader('connection', 'close');
    // HTTP's `close` drops idle connections immediately, even if a request is on its way.
    const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
    const from = performance.now();
    while (this.#open.size > 0 && performance.now() < Math.min(from + lingerMs, until)) await delay(20);
    server.close();
    // No event reports when a kept-alive connection becomes idle after its last response.
    for (let isOpen = true; isOpen;) {
      if (performance.now() >= until) server.closeAllConnections();
      else {
        server.closeIdleConnections();
        this.#endUnused(performance.now() - from);
      }
      isOpen = await Promise.race([closed.then(() => false), delay(20, true)]);
    }
  }

  #add(socket: Socket): void {
    this.#open.add(socket);
    if (this.#open.size > this.#maxConnections()) this.#makeRoom(socket);
    socket.once('close', () => {
      this.#open.delete(socket);
      this.#unfinished.delete(socket);
    });
  }

  #addRequest(request: BoundedRequest, response: ServerResponse): void {
    const { socket } = request;
    if (socket.destroyed) return;
    if (this.#isDraining) response.setHeader('connection', 'close');
    this.#unfinished.set(socket, response);
    response.once('close', () => {
      request.answered();
      this.#unfinished.delete(socket);
    });
  }

  /**
   * Closes the oldest connection without a pending response, or else this one, so idle and stalled connections can't lock
   * out others.
   */
  #makeRoom(socket: Socket): void {
    const isBusy = (each: Socket): boolean =>
      this.#isPending(each) && this.#unfinished.get(each)?.writableEnded === false;
    const oldest = [...this.#open].find((each) => !isBusy(each)) ?? socket;
    this.#open.delete(oldest);
    if (oldest === socket) socket.end(FULL, () => socket.destroy());
    else oldest.destroy();
  }

  /** Whether a request has arrived completely and its response has not been sent. */
  #isPending(socket: Socket): boolean {
    return this.#unfinished.get(socket)?.req.complete === true;
  }

  #nextTurn(): void {
    const next = this.#waiting.splice(0, MAX_BEGUN_PER_TURN);
    this.#begunThisTurn = next.length;
    if (next.length > 0) setImmediate(() => this.#nextTurn());
    for (const begin of next) begin();
  }

  /** `server.timeout` doesn't help, because it restarts whenever the client sends something. */
  #closeStalledReaders(readMs: number): void {
    const now = performance.now();
    for (const [socket, response] of this.#unfinished) {
      const since = this.#unreadSince.get(response);
      if (response.writableLength === 0) this.#unreadSince.delete(response);
      else if (since === undefined) this.#unreadSince.set(response, now);
      else if (now - since > readMs) socket.destroy();
    }
  }

  /**
   * Node would wait for connections that browsers open in advance and for requests that never complete.
   * @param ms since shutdown began
   */
  #endUnused(ms: number): void {
    for (const socket of this.#open)
      if (socket.bytesRead === 0 || (ms >= REST_MS && !this.#isPending(socket))) socket.destroy();
  }
}
