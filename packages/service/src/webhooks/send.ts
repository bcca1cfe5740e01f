/** One POST: no redirects, one deadline, in production only public addresses. Keeps the connection for the next. */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP, type TcpNetConnectOpts } from 'node:net';
import type { Duplex } from 'node:stream';
import { retryAfterMs } from '@embedded-sessions/server-types';
import { defined } from '../core/defined.js';
import { DELIVERY_DEADLINE_MS, type Delivery } from './rules.js';
import { cutOff } from '../platform/http/cut-off.js';
import { BelowTls, CIPHERS, CONNECTING, MAX_HANDSHAKE_BYTES, tooLong } from '../platform/below-tls.js';
import { FORBIDDEN, isPublic, lookupOf } from '../platform/lookup.js';

export interface Outgoing {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Refuse addresses that are not on the public internet. */
  readonly publicOnly: boolean;
  readonly signal?: AbortSignal;
  /** Timeout of lookup, connection, request and response together, real ms. */
  readonly deadlineMs?: number;
  /** Bytes of the response to keep; default: 0. */
  readonly answerBytes?: number;
}

/** Resolves to the outcome. Rejects if the request can't be built, for example because of invalid header characters. */
export async function send(outgoing: Outgoing): Promise<Delivery> {
  const { url, publicOnly, deadlineMs = DELIVERY_DEADLINE_MS } = outgoing;
  const target = new URL(url);
  const host = target.hostname.replace(/[[\]]/g, '');
  if (publicOnly && isIP(host) !== 0 && !isPublic(host)) return forbidden(host);

  const deadline = Date.now() + deadlineMs;
  const delivery = await post(outgoing, target, deadline, publicOnly ? PUBLIC_AGENTS : AGENTS);
  // The receiver closed an idle connection while it was being reused.
  return delivery === STALE ? ((await post(outgoing, target, deadline, FRESH_AGENTS)) as Delivery) : delivery;
}

const STALE = 'stale';

/** Keep idle connections this long, real ms. Shorter than servers keep them. */
const IDLE_MS = 4_000;
/** Idle connections per receiver. */
const MAX_IDLE = 8;

/** Limit of what a receiver sends before its status: Node bounds each head, but not their number. */
const MAX_HEAD_BYTES = 32 * 1024;
/** Informational responses (`1xx`) before the status. Each costs more CPU time than its bytes suggest. */
const MAX_INFORMATIONAL = 100;
/** Keyed by the TLS socket. */
const BELOW = new WeakMap<Duplex, BelowTls>();

class TlsAgent extends HttpsAgent {
  override createConnection(options: TcpNetConnectOpts): Duplex | null | undefined {
    const below = new BelowTls(options);
    const above = super.createConnection({
      ...options,
      ciphers: CIPHERS,
      socket: below,
    } as TcpNetConnectOpts);
    if (above) BELOW.set(above, below);
    return above;
  }
}

type AgentOptions = ConstructorParameters<typeof HttpAgent>[0];
const agents = (options?: AgentOptions) => ({
  'http:': new HttpAgent(options),
  'https:': new TlsAgent(options),
});
const KEPT: AgentOptions = { keepAlive: true, maxFreeSockets: MAX_IDLE, timeout: IDLE_MS };
const AGENTS = agents(KEPT);
/** Separate agents, because the address is checked when a connection is opened. */
const PUBLIC_AGENTS = agents(KEPT);
/** Without kept connections. */
const FRESH_AGENTS = agents();

/** Limits of draining a response so that its connection can be reused: bytes, and real ms. */
const MAX_DRAINED_BYTES = 16 * 1024;
/** A chunk counts as at least this many bytes, because tiny ones cost as much CPU time. */
const MIN_DRAINED_BYTES = 256;
const DRAIN_MS = 1_000;

function post(
  { body, headers, publicOnly, signal, answerBytes = 0 }: Outgoing,
  target: URL,
  /** System time, ms since the epoch. */
  deadline: number,
  pool: typeof AGENTS,
): Promise<Delivery | typeof STALE> {
  return new Promise((settle) => {
    const isTls = target.protocol === 'https:';
    const call = isTls ? httpsRequest : httpRequest;
    const request = call(target, {
      method: 'POST',
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      agent: pool[isTls ? 'https:' : 'http:'],
      ...defined({ signal }),
      lookup: lookupOf(publicOnly),
      ...CONNECTING,
    });
    // Create the error lazily, because capturing a stack costs as much as the rest of this function.
    const giveUp = () => request.destroy(Object.assign(new Error('late'), { code: 'no answer in time' }));
    const timer = setTimeout(giveUp, deadline - Date.now()).unref();
    // Set once a status has arrived. After that, it doesn't matter how the body ends.
    let delivery: (() => Delivery) | undefined;

    let informational = 0;
    request.on('information', () => {
      informational += 1;
      if (informational <= MAX_INFORMATIONAL || request.socket === null) return;
      settle({ type: 'unreachable', reason: tooLong().code });
      cutOff(request.socket);
    });
    request.on('response', (response) => {
      const answered = deliveryOf(response);
      if (answerBytes === 0) settle(answered);
      const kept = readBeginning(response, answerBytes);
      delivery = () => (answerBytes === 0 ? answered : { ...answered, answer: kept() });
    });
    request.on('socket', (socket) => {
      const below = BELOW.get(socket);
      below?.begin(request.reusedSocket ? MAX_HEAD_BYTES : MAX_HANDSHAKE_BYTES);
      if (!request.reusedSocket) socket.once('secureConnect', () => below?.begin(MAX_HEAD_BYTES));
      const end = socket.bytesRead + MAX_HEAD_BYTES;
      const limit = (): void => {
        if (!delivery && socket.bytesRead > end) request.destroy(tooLong());
      };
      if (!below) socket.on('data', limit);
      request.on('close', () => {
        socket.off('data', limit);
        below?.idle();
      });
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      if (delivery) settle(delivery());
      else if (request.reusedSocket && error.code === 'ECONNRESET') settle(STALE);
      else if (error.code === FORBIDDEN) settle(forbidden(target.hostname.replace(/[[\]]/g, '')));
      else settle({ type: 'unreachable', reason: error.code ?? error.name });
    });
    // Always settle, because a queue waits for it.
    request.on('close', () => {
      clearTimeout(timer);
      settle(delivery?.() ?? { type: 'unreachable', reason: 'closed' });
    });
    request.end(body);
  });
}

function deliveryOf({ statusCode = 0, headers }: IncomingMessage): Delivery & { type: 'answered' } {
  const waitMs = retryAfterMs(headers['retry-after'], Date.now());
  return { type: 'answered', status: statusCode, ...(waitMs > 0 ? { retryAfterMs: waitMs } : {}) };
}

/**
 * Reads a response, which may be endless, and keeps its first `bytes`. Returns a getter for them. Overrides `push`, because
 * Node parses a whole read before the stream emits its first chunk, and one read can hold 10,000 chunks.
 */
function readBeginning(response: IncomingMessage, bytes: number): () => string {
  let kept = Buffer.alloc(0);
  let size = 0;
  const late = bytes === 0 ? setTimeout(() => response.destroy(), DRAIN_MS).unref() : undefined;
  const end = response.push.bind(response);
  response.push = (chunk: Buffer | null) => {
    if (chunk === null) return end(chunk);
    size += Math.max(chunk.length, MIN_DRAINED_BYTES);
    if (kept.length < bytes) kept = Buffer.concat([kept, chunk]);
    const isComplete = bytes > 0 && kept.length >= bytes;
    if (isComplete || size >= MAX_DRAINED_BYTES) cutOff(response.socket);
    return true;
  };
  response.resume();
  response.on('close', () => clearTimeout(late));
  response.on('error', () => undefined);
  return () => kept.subarray(0, bytes).toString();
}

function forbidden(host: string): Delivery {
  return { type: 'forbidden', reason: `${host} is not an address on the public internet` };
}
