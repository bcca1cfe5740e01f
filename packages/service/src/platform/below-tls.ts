/** Connections to other people's servers, which may send anything. */
import { connect, type Socket, type TcpNetConnectOpts } from 'node:net';
import { Duplex } from 'node:stream';
import { DEFAULT_CIPHERS } from 'node:tls';

/**
 * Real ms before trying a server's next address. Node's default of 250 is too short for a distant server or a busy
 * process.
 */
export const CONNECTING = { autoSelectFamilyAttemptTimeout: 2_500 };

/** A server chooses the group of a DHE key exchange, and one of 10,000 bits takes a second. */
export const CIPHERS: string = `${DEFAULT_CIPHERS}:!DHE`;

/** Verifying a certificate chain of this length takes up to 100 ms. Most have 3 to 6 KB. */
export const MAX_HANDSHAKE_BYTES: number = 16 * 1024;

/** Decrypting this many bytes of key updates takes some 10 ms. */
const PIECE_BYTES = 2 * 1024;

/** Real ms per turn for the pieces of all connections. A costly one ends the turn. */
const TURN_MS = 5;

/** A process that was suspended within a turn must not pause for as long. */
const MAX_PAUSE_MS = 250;

/** What passes on the pieces of all connections, oldest first. */
const waiting: (() => void)[] = [];
let isScheduled = false;

function inTurn(passOn: () => void): void {
  waiting.push(passOn);
  if (!isScheduled) setImmediate(passOnSome);
  isScheduled = true;
}

function passOnSome(): void {
  const begunAt = performance.now();
  try {
    while (waiting.length > 0 && performance.now() < begunAt + TURN_MS) waiting.shift()?.();
  } finally {
    // An error ends only this turn. Everything else needs several, so after a costly piece it gets as much time.
    const tookMs = performance.now() - begunAt;
    const pauseMs = tookMs < 2 * TURN_MS ? 0 : Math.min(tookMs, MAX_PAUSE_MS);
    isScheduled = waiting.length > 0 || pauseMs > 0;
    if (isScheduled) setTimeout(passOnSome, pauseMs);
  }
}

/**
 * The connection below TLS. Node would decrypt megabytes of key updates in one turn, without an event, and finish many
 * handshakes. This passes on a few ms of work per turn, and limits what arrives: handshake, key updates, tickets and data.
 */
export class BelowTls extends Duplex {
  readonly #socket: Socket;
  #left = 0;

  constructor(options: TcpNetConnectOpts) {
    super({ allowHalfOpen: false });
    const callback = (size: number, buffer: Uint8Array): boolean => {
      this.#left -= size;
      if (this.#left < 0) this.destroy(tooLong());
      const piece = Buffer.from(buffer.subarray(0, size));
      inTurn(() => {
        this.push(piece);
        this.#socket.resume();
      });
      return false;
    };
    this.#socket = connect({ ...options, onread: { buffer: Buffer.alloc(PIECE_BYTES), callback } })
      .on('end', () => this.push(null))
      .on('error', (error) => this.destroy(error))
      .on('close', () => this.destroy());
  }

  /** Allows this many bytes from now on. */
  begin(bytes: number): void {
    this.#left = bytes;
    this.#socket.ref();
  }

  /** Lets the process end while the connection is idle. */
  idle(): void {
    this.#socket.unref();
  }

  override _read(): void {}

  override _write(chunk: Buffer, _: string, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, done);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}

export function tooLong(): Error & { readonly code: string } {
  return Object.assign(new Error('The response is too long.'), { code: 'HPE_HEADER_OVERFLOW' });
}
