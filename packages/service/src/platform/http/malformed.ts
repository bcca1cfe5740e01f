/** Requests that never become one: what Node would answer with its own words, or with none. */
import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { RequestError } from '@hono/node-server';
import { ServiceError } from '../../core/error.js';
import { failure, refusal } from './envelope.js';
import { guard } from './guarded.js';

const UNREADABLE = new ServiceError('invalid', 'This is no request of HTTP/1.1 that can be read.');
const DOT_SEGMENTS = new ServiceError('invalid', 'The path must not contain dot segments or backslashes.');
const EXPECTS = new ServiceError('expectation_failed', 'Expect may be 100-continue and nothing else.');
/** By the code of Node's error; any other is `UNREADABLE`. */
const KNOWN: Readonly<Record<string, ServiceError>> = {
  ERR_HTTP_REQUEST_TIMEOUT: new ServiceError(
    'request_timeout',
    'The request did not arrive whole in the time that it has. Send it again, under its Idempotency-Key.',
  ),
  HPE_HEADER_OVERFLOW: new ServiceError('headers_too_large', 'The headers are over 16 KiB together.'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: new ServiceError(
    'body_too_large',
    'What stands beside the chunks of the body is over 16 KiB.',
  ),
};

/** What a connection was asked and has no whole answer to yet. */
export type Pending = (socket: Socket) => Iterable<Pick<ServerResponse, 'headersSent' | 'req'>>;

/** Answers what is no request as any other is refused, and closes its connection. */
export function answerMalformed(server: Server, pending: Pending): void {
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket;
    // Whoever has part of an answer, or waits for that to a request that was whole, would take this one for it.
    const isTaken = [...pending(socket)].some(({ headersSent, req }) => headersSent || req.complete);
    if (isTaken || !socket.writable || error.code === 'ECONNRESET') socket.destroy(error);
    else end(socket, KNOWN[error.code ?? ''] ?? UNREADABLE, error);
  });
  server.on('checkExpectation', (_: IncomingMessage, answer: ServerResponse) => inTurn(answer, EXPECTS));
}

/** Whether a request lacks the host that HTTP/1.1 wants named; it is answered then. */
export function lacksHost({ httpVersion, headers }: IncomingMessage, answer: ServerResponse): boolean {
  const lacks = httpVersion === '1.1' && headers.host === undefined;
  if (lacks) inTurn(answer, UNREADABLE);
  return lacks;
}

/**
 * Whether a path has `.` or `..` segments, also percent-encoded; it is answered then. `URL` resolves them, so such a path
 * passes a proxy's list of prefixes and then reaches another route.
 */
export function hasDotSegments({ url = '' }: IncomingMessage, answer: ServerResponse): boolean {
  const [path = ''] = url.split('?', 1);
  const has = path.includes('\\') || /\/(?:\.|%2e){1,2}(?:\/|$)/i.test(path);
  if (has) inTurn(answer, DOT_SEGMENTS);
  return has;
}

/** The answer to what the adapter makes no `Request` of, such as a path that is none. */
export function answerUnmade(error: unknown): Response {
  const answer = failure(error instanceof RequestError ? UNREADABLE : error, { connection: 'close' });
  guard(answer.headers);
  return answer;
}

/** Behind the answers to what came before it on its connection, one of which it would be taken for. */
function inTurn(answer: ServerResponse, error: ServiceError): void {
  const { status, headers, body } = closing(error);
  answer.writeHead(status, Object.fromEntries(headers)).end(body);
}

/** `cause`: what the socket ends with, which tells a request on it why. */
function end(socket: Socket, error: ServiceError, cause?: Error): void {
  socket.end(textOf(error), () => socket.destroy(cause));
}

/** An answer as it goes over the wire. */
function textOf(error: ServiceError): string {
  const { status, headers, body } = closing(error);
  const lines = [...headers].map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}

/** The last answer of its connection. */
function closing(error: ServiceError): { status: number; headers: Headers; body: string } {
  const { status, body, headers } = refusal(error);
  const length = String(Buffer.byteLength(body));
  const all = new Headers({ ...headers, connection: 'close', 'content-length': length });
  guard(all);
  return { status, headers: all, body };
}
