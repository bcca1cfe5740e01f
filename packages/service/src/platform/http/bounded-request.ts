/** Limits the cost of receiving requests, whether or not anything reads them. */
import { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { MAX_BODY_BYTES } from './body-bytes.js';

/** Read this much of an oversized body without a length, so that the client gets a response instead of a reset. */
const MAX_DRAINED_BYTES = 8 * 1024 * 1024;

/** The most that clients send, even if they write each JSON token separately. */
const MAX_SMALL_CHUNKS = 2_048;
/** Chunks with a smaller average size are small, bytes. A chunk split over two reads counts as two. */
const SMALL_CHUNK = 1_024;

/** Chunks of all connections per turn of the event loop. Beyond it, each request may have only a few small ones. */
const MAX_CHUNKS_PER_TURN = 8_192;
const FEW_CHUNKS = 16;

/** Total bytes of bodies in memory. Above it, connections with larger bodies are cut off. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;
const SMALL_BODY = 16 * 1024;

let held = 0;
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
    const isInTinyChunks = this.#chunks > countChunk() && this.#bytes < this.#chunks * SMALL_CHUNK;
    if (isInTinyChunks || (held > MAX_HELD_BYTES && this.#bytes > SMALL_BODY)) {
      cutOff(this.socket);
      return true;
    }

    if (this.#held <= MAX_BODY_BYTES) {
      this.#held += chunk.length;
      held += chunk.length;
      this.#kept.push(chunk);
    } else if (this.#bytes > MAX_DRAINED_BYTES) this.#end(encoding);
    return true;
  }

  /** Passes the body on as one chunk, because small chunks take streams as long as the parser. */
  #end(encoding?: BufferEncoding): boolean {
    if (this.#kept.length > 0) super.push(Buffer.concat(this.#kept), encoding);
    this.#kept = [];
    return super.push(null);
  }

  /** Call this once the response is finished. */
  answered(): void {
    busy.delete(this.socket);
  }

  /** Called once the body is read, the response is finished, or the connection has ended. */
  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    held -= this.#held;
    this.#held = 0;
    this.#kept = [];
    // oxlint-disable-next-line no-underscore-dangle -- the name is Node's
    super._destroy(error, done);
  }
}

/** Counts a chunk. Returns the number of small chunks that its request may have. */
function countChunk(): number {
  if (chunksOfTurn === 0) setImmediate(() => (chunksOfTurn = 0));
  chunksOfTurn += 1;
  return chunksOfTurn > MAX_CHUNKS_PER_TURN ? FEW_CHUNKS : MAX_SMALL_CHUNKS;
}

/** Node's parser. Its callbacks are numbered properties, and `onIncoming` for complete headers. */
interface Parser extends Record<number, unknown> {
  onIncoming: () => number;
  readonly constructor: { readonly kOnBody: number };
}

/** Makes the parser stop, as after an upgrade. */
const STOP = 2;

/**
 * Ends a connection at once. Node would parse the rest of a read even then, and call back for every request and chunk: 10,000
 * times in 64 KiB. Without a callback for chunks the parser skips them; a request stops it.
 */
function cutOff(socket: Socket & { readonly parser?: Parser | null }): void {
  const { parser, destroyed } = socket;
  if (destroyed || !parser) return;
  socket.destroy();
  const { kOnBody } = parser.constructor;
  const onBody = parser[kOnBody];
  parser[kOnBody] = undefined;
  parser.onIncoming = () => STOP;
  // Node reuses parsers for other connections. It replaces `onIncoming`.
  socket.once('close', () => (parser[kOnBody] = onBody));
}
