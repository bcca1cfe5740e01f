/** One POST: no redirects, one deadline, in production only public addresses. Keeps the connection for the next. */
import { promises as dns, type LookupAddress } from 'node:dns';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { connect, isIP, type LookupFunction, type Socket, type TcpNetConnectOpts } from 'node:net';
import { Duplex } from 'node:stream';
import { retryAfterMs } from '@embedded-sessions/server-types';
import { defined } from '../core/defined.js';
import { DELIVERY_DEADLINE_MS, type Delivery } from './rules.js';
import { Slots } from '../platform/slots.js';
import ipaddr from 'ipaddr.js';

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

const FORBIDDEN = 'EADDRNOTPUBLIC';

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
/** Decrypting this many bytes of key updates takes some 10 ms. */
const PIECE_BYTES = 2 * 1024;

/**
 * The connection below TLS. Node would decrypt megabytes of key updates in one turn, without an event. This passes on one
 * piece per turn, and limits what arrives per request: handshake, key updates, tickets, head and body.
 */
class BelowTls extends Duplex {
  readonly #socket: Socket;
  #left = 0;

  constructor(options: TcpNetConnectOpts) {
    super({ allowHalfOpen: false });
    const callback = (size: number, buffer: Uint8Array): boolean => {
      this.#left -= size;
      if (this.#left < 0) this.destroy(tooLong());
      this.push(Buffer.from(buffer.subarray(0, size)));
      setImmediate(() => this.#socket.resume());
      return false;
    };
    this.#socket = connect({ ...options, onread: { buffer: Buffer.alloc(PIECE_BYTES), callback } })
      .on('end', () => this.push(null))
      .on('error', (error) => this.destroy(error))
      .on('close', () => this.destroy());
  }

  begin(): void {
    this.#left = MAX_HEAD_BYTES;
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

/** By the TLS socket. */
const BELOW = new WeakMap<Duplex, BelowTls>();

class TlsAgent extends HttpsAgent {
  override createConnection(options: TcpNetConnectOpts): Duplex | null | undefined {
    const below = new BelowTls(options);
    const above = super.createConnection({ ...options, socket: below } as TcpNetConnectOpts);
    if (above) BELOW.set(above, below);
    return above;
  }
}

function tooLong(): Error {
  return Object.assign(new Error('The head is too long.'), { code: 'HPE_HEADER_OVERFLOW' });
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

/** Real ms before the next of a receiver's addresses is tried. Node's 250 are too short for a distant one or a busy process. */
const CONNECTING = { autoSelectFamilyAttemptTimeout: 2_500 };

/** Limits of draining a response so that its connection can be reused: bytes, and real ms. */
const MAX_DRAINED_BYTES = 16 * 1024;
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

    request.on('response', (response) => {
      const answered = deliveryOf(response);
      if (answerBytes === 0) settle(answered);
      const kept = readBeginning(response, answerBytes);
      delivery = () => (answerBytes === 0 ? answered : { ...answered, answer: kept() });
    });
    request.on('socket', (socket) => {
      const below = BELOW.get(socket);
      below?.begin();
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

/** Reads a response, which may be endless, and keeps its first `bytes`. Returns a getter for them. */
function readBeginning(response: IncomingMessage, bytes: number): () => string {
  let kept = Buffer.alloc(0);
  let size = 0;
  const late = bytes === 0 ? setTimeout(() => response.destroy(), DRAIN_MS).unref() : undefined;
  response.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (kept.length < bytes) kept = Buffer.concat([kept, chunk]);
    if (size >= (bytes || MAX_DRAINED_BYTES)) response.destroy();
  });
  response.on('close', () => clearTimeout(late));
  response.on('error', () => undefined);
  return () => kept.subarray(0, bytes).toString();
}

function forbidden(host: string): Delivery {
  return { type: 'forbidden', reason: `${host} is not an address on the public internet` };
}

/**
 * Resolves names for `net.connect`. In production, refuses a name if any of its addresses is internal. The connection uses
 * the checked address, so a name that resolves differently a moment later changes nothing.
 */
export function lookupOf(publicOnly: boolean): LookupFunction {
  return (hostname, { all }, callback) => void lookUp(hostname, all === true, callback);

  async function lookUp(hostname: string, all: boolean, callback: LookupCallback): Promise<void> {
    let addresses: LookupAddress[];
    try {
      addresses = await addressesOf(hostname, publicOnly);
    } catch (error) {
      callback(error as NodeJS.ErrnoException, []);
      return;
    }
    const [first] = addresses;
    if (first === undefined || (publicOnly && !addresses.every(({ address }) => isPublic(address))))
      callback(Object.assign(new Error(FORBIDDEN), { code: FORBIDDEN }), []);
    else if (all) callback(null, addresses);
    else callback(null, first.address, first.family);
  }
}

type LookupCallback = Parameters<LookupFunction>[2];

/** Real ms, per server and try. */
const RESOLVE_TIMEOUT_MS = 3_000;
/**
 * The system's lookups share two threads with those of the processor and the database, and a server that doesn't respond
 * occupies one for many seconds. So webhooks use at most one.
 */
const SYSTEM_LOOKUP = new Slots(1);

const LOOPBACK: LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];
/** The DNS doesn't know the name, or there is no DNS server. Other failures take the system many seconds. */
const NOT_IN_DNS: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED']);

/** Asks the DNS. Only the system knows names without a dot and, outside production, those in its hosts file. */
async function addressesOf(hostname: string, publicOnly: boolean): Promise<LookupAddress[]> {
  const bySystem = () => SYSTEM_LOOKUP.run(hostname, () => dns.lookup(hostname, { all: true }));
  if (/(^|\.)localhost$/.test(hostname)) return LOOPBACK;
  if (!hostname.includes('.')) return bySystem();

  const resolver = new dns.Resolver({ timeout: RESOLVE_TIMEOUT_MS, tries: 2 });
  const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const found = [
    ...(four.status === 'fulfilled' ? four.value : []).map((address) => ({ address, family: 4 })),
    ...(six.status === 'fulfilled' ? six.value : []).map((address) => ({ address, family: 6 })),
  ];
  if (found.length > 0) return found;

  const failure = four.status === 'rejected' ? (four.reason as NodeJS.ErrnoException) : undefined;
  if (!publicOnly && (failure === undefined || NOT_IN_DNS.has(failure.code))) return bySystem();
  if (failure) throw failure;
  return [];
}

/** The public IPv6 range allocated by IANA. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Whether an address is on the public internet. IPv4-mapped IPv6 addresses count as IPv4. */
export function isPublic(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_UNICAST);
}
