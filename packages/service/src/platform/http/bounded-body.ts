/** Bounds what receiving a body costs, whether or not anything reads it. */
import { IncomingMessage } from 'node:http';
import { MAX_BODY_BYTES } from './body-bytes.js';

/** How much of an oversized body without a length is read, so that the client gets an answer instead of a reset. */
const MAX_DRAINED_BYTES = 8 * 1024 * 1024;

/** No client sends more; those that write each JSON token on its own send as many for a large request. */
const MAX_SMALL_CHUNKS = 2_048;
/** Average size from which chunks are not small, bytes. A chunk that is split over two reads counts as two. */
const SMALL_CHUNK = 32;

/** Bytes of bodies that a process holds. Above it, bodies that are not small are cut off. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;
const SMALL_BODY = 16 * 1024;

let held = 0;

/**
 * A request that keeps little more than `MAX_BODY_BYTES` of its body and ends it after `MAX_DRAINED_BYTES`. Each chunk
 * costs as much as a full buffer does, so thousands of small ones end the connection.
 *
 * @example createServer({ IncomingMessage: BoundedBody });
 */
export class BoundedBody extends IncomingMessage {
  #chunks = 0;
  #bytes = 0;
  #held = 0;

  override push(chunk: Uint8Array | null, encoding?: BufferEncoding): boolean {
    if (chunk === null) return super.push(chunk, encoding);
    if (this.socket.destroyed || this.#bytes > MAX_DRAINED_BYTES) return true;

    this.#chunks += 1;
    this.#bytes += chunk.length;
    const isInTinyChunks = this.#chunks > MAX_SMALL_CHUNKS && this.#bytes < this.#chunks * SMALL_CHUNK;
    if (isInTinyChunks || (held > MAX_HELD_BYTES && this.#bytes > SMALL_BODY)) {
      this.socket.destroy();
      return true;
    }

    if (this.#held <= MAX_BODY_BYTES) {
      this.#held += chunk.length;
      held += chunk.length;
      return super.push(chunk, encoding);
    }
    if (this.#bytes > MAX_DRAINED_BYTES) super.push(null);
    return true;
  }

  /** Called once the answer is finished, or the connection has ended. */
  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    held -= this.#held;
    this.#held = 0;
    // oxlint-disable-next-line no-underscore-dangle -- the name is Node's
    super._destroy(error, done);
  }
}
