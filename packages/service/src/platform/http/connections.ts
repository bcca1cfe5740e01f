/** Limits the cost of connections and requests, and closes connections at shutdown. */
import { IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { MAX_BODY_BYTES } from './body.js';
import { cutOff } from './cut-off.js';

/** Read this much of an oversized body without a length, so that the client gets a response instead of a reset. */
const MAX_DRAINED_BYTES = 8 * 1024 * 1024;

/** More than clients send, even if they write each JSON token separately. */
const MAX_SMALL_CHUNKS = 2_048;
/** Chunks with a smaller average size are small, bytes. A chunk split over two reads counts as two. */
const SMALL_CHUNK = 1_024;

/** Chunks of all connections per turn of the event loop. Beyond it, each request may have only a few small ones. */
const MAX_CHUNKS_PER_TURN = 8_192;
const FEW_CHUNKS = 16;

/** Maximum total bytes of bodies in memory. Beyond it, cut off the requests that have been sending for longest. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;
const SMALL_BODY = 16 * 1024;

let held = 0;
/** Requests with an unfinished body that isn't small, oldest first. */
const receiving = new Set<BoundedRequest>();
let chunksOfTurn = 0;

/** Connections with an unanswered request. */
const busy = new WeakSet<Socket>();

/**
 * A request that keeps little more than `MAX_BODY_BYTES` of its body and ends it after `MAX_DRAINED_BYTES`. A small
 * chunk costs as much as a full buffer does, so too many of them end the connection. So does a request that does not
 * wait for the previous response: 64 KiB hold 1,500 of them.
 */
export class BoundedRequest extends IncomingMessage {
  #chunks = 0;
  #bytes = 0;
  #held = 0;
  #kept: Uint8Array[] = [];
  #isReleased = false;
  /** Once its head has arrived. Clock of `performance.now()`. */
  readonly arrivedAt: number = performance.now();

  constructor(socket: Socket) {
    super(socket);
    if (busy.has(socket)) cutOff(socket);
    busy.add(socket);
  }

  override push(chunk: Uint8Array | null, encoding?: BufferEncoding): boolean {
    if (chunk === null) return this.#end(encoding);
    if (this.socket.destroyed || this.#bytes > MAX_DRAINED_BYTES) return true;

    this.#chunks += 1;
    this.#bytes += chunk.length;
    if (this.#chunks > countChunk() && this.#bytes < this.#chunks * SMALL_CHUNK) {
      cutOff(this.socket);
      return true;
    }

    if (!this.#isReleased && this.#held <= MAX_BODY_BYTES) {
      this.#held += chunk.length;
      held += chunk.length;
      this.#kept.push(chunk);
      if (this.#bytes > SMALL_BODY) receiving.add(this);
      releaseOldest();
    } else if (this.#bytes > MAX_DRAINED_BYTES) this.#end(encoding);
    return true;
  }

  /** Passes the body on as one chunk, because small chunks take streams as long as the parser. */
  #end(encoding?: BufferEncoding): boolean {
    receiving.delete(this);
    if (this.#kept.length > 0) super.push(Buffer.concat(this.#kept), encoding);
    this.#kept = [];
    return super.push(null);
  }

  /** The response is finished, or the connection has ended. Node destroys only requests that were read to their end. */
  answered(): void {
    busy.delete(this.socket);
    this.release();
  }

  release(): void {
    this.#isReleased = true;
    held -= this.#held;
    this.#held = 0;
    this.#kept = [];
    receiving.delete(this);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.release();
    // oxlint-disable-next-line no-underscore-dangle -- the name is Node's
    super._destroy(error, done);
  }
}

function releaseOldest(): void {
  for (const oldest of receiving) {
    if (held <= MAX_HELD_BYTES) return;
    cutOff(oldest.socket);
    oldest.release();
  }
}

/** Counts a chunk. Returns the number of small chunks that its request may have. */
function countChunk(): number {
  if (chunksOfTurn === 0) setImmediate(() => (chunksOfTurn = 0));
  chunksOfTurn += 1;
  return chunksOfTurn > MAX_CHUNKS_PER_TURN ? FEW_CHUNKS : MAX_SMALL_CHUNKS;
}

/** A response must be read within this multiple of the request timeout. */
const READ_TIMEOUT_FACTOR = 6;
const REST_MS = 5_000;

/** Maximum requests that begin per turn of the event loop, so that earlier responses go out in between. */
const MAX_BEGUN_PER_TURN = 16;

const FULL =
  'HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';

export class Connections {
  /** Called for each connection that is refused because all others wait for a response. */
  onRefused: (() => void) | undefined;
  readonly #server: Server<typeof BoundedRequest>;
  readonly #maxConnections: () => number;
  readonly #open = new Set<Socket>();
  readonly #unfinished = new Map<Socket, ServerResponse>();
  /** Responses that the client has stopped reading. */
  readonly #unreadSince = new WeakMap<ServerResponse, number>();
  readonly #waiting: (() => void)[] = [];
  #begunThisTurn = 0;
  #isDraining = false;

  /** Call this before adding other listeners. @param receiveMs request timeout, ms */
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
    // HTTP's `close` drops idle connections immediately, even if a request is in flight.
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

  /** Idle and stalled connections can't lock out others: closes the oldest without a pending response. */
  #makeRoom(socket: Socket): void {
    const isBusy = (each: Socket): boolean =>
      this.#isPending(each) && this.#unfinished.get(each)?.writableEnded === false;
    const oldest = [...this.#open].find((each) => !isBusy(each)) ?? socket;
    this.#open.delete(oldest);
    if (oldest !== socket) return void oldest.destroy();
    this.onRefused?.();
    socket.end(FULL, () => socket.destroy());
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

  /** Node would wait for connections that browsers open in advance, and for requests that never complete. */
  #endUnused(ms: number): void {
    for (const socket of this.#open)
      if (socket.bytesRead === 0 || (ms >= REST_MS && !this.#isPending(socket))) socket.destroy();
  }
}
