/** Limits the number of chunks of a body, because each costs as much as a full buffer does. */
import { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** No client sends more; those that write each JSON token on its own send as many for a large request. */
const MAX_SMALL = 2_048;
/** Average size from which chunks are not small, bytes. A chunk that is split over two reads counts as two. */
const SMALL = 32;

/** Error code of a body in too many small chunks. */
export const TINY_CHUNKS = 'ERR_TINY_CHUNKS';

/**
 * The class of a server's requests. `refuse` ends the connection of a body in too many small chunks.
 *
 * @example createServer({ IncomingMessage: inLargeChunks((error, socket) => server.emit('clientError', error, socket)) });
 */
export function inLargeChunks(refuse: (error: Error, socket: Socket) => void): typeof IncomingMessage {
  return class extends IncomingMessage {
    #chunks = 0;
    #bytes = 0;

    override push(chunk: Uint8Array | null, encoding?: BufferEncoding): boolean {
      if (chunk === null) return super.push(chunk, encoding);
      if (this.#isRefused()) return false;

      this.#chunks += 1;
      this.#bytes += chunk.length;
      if (!this.#isRefused()) return super.push(chunk, encoding);

      refuse(Object.assign(new Error('too many small chunks'), { code: TINY_CHUNKS }), this.socket);
      return false;
    }

    #isRefused(): boolean {
      return this.#chunks > MAX_SMALL && this.#bytes < this.#chunks * SMALL;
    }
  };
}
