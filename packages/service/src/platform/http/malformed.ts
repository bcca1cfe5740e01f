/** Malformed requests, which Node would answer with its own text or not at all. */
import { TINY_CHUNKS } from './chunks.js';
import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { RequestError } from '@hono/node-server';
import { ServiceError } from '../../core/error.js';
import { failure, refusal } from './envelope.js';
import { guard } from './guarded.js';

const UNREADABLE = new ServiceError('invalid', 'This is not a valid HTTP/1.1 request.');
const DOT_SEGMENTS = new ServiceError('invalid', 'The path must not contain dot segments or backslashes.');
const EXPECTS = new ServiceError('expectation_failed', 'Expect may only be 100-continue.');
/** By Node's error code; all others are `UNREADABLE`. */
const KNOWN: Readonly<Record<string, ServiceError>> = {
  ERR_HTTP_REQUEST_TIMEOUT: new ServiceError(
    'request_timeout',
    'The request took too long to arrive. Send it again with the same Idempotency-Key.',
  ),
  HPE_HEADER_OVERFLOW: new ServiceError('headers_too_large', 'The headers exceed 16 KiB.'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: new ServiceError(
    'body_too_large',
    'The chunk extensions of the body exceed 16 KiB.',
  ),
  [TINY_CHUNKS]: new ServiceError('invalid', 'The body comes in too many small chunks.'),
};

/** Unfinished responses of a connection. */
export type Pending = (socket: Socket) => Iterable<Pick<ServerResponse, 'headersSent' | 'req'>>;

/** Answers malformed requests in the API's error format and closes the connection. */
export function answerMalformed(server: Server, pending: Pending): void {
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket;
    // A client that is waiting for another response, or reading one, would take this one for it.
    const isTaken = [...pending(socket)].some(({ headersSent, req }) => headersSent || req.complete);
    if (isTaken || !socket.writable || error.code === 'ECONNRESET') socket.destroy(error);
    else end(socket, KNOWN[error.code ?? ''] ?? UNREADABLE, error);
  });
  server.on('checkExpectation', (_: IncomingMessage, answer: ServerResponse) => inTurn(answer, EXPECTS));
}

/** Answers an HTTP/1.1 request without a Host header; returns whether it did. */
export function lacksHost({ httpVersion, headers }: IncomingMessage, answer: ServerResponse): boolean {
  const lacks = httpVersion === '1.1' && headers.host === undefined;
  if (lacks) inTurn(answer, UNREADABLE);
  return lacks;
}

/**
 * Answers a path with `.` or `..` segments, also percent-encoded; returns whether it did. `URL` resolves them, so
 * such a path could pass a proxy's prefix list and reach another route.
 */
export function hasDotSegments({ url = '' }: IncomingMessage, answer: ServerResponse): boolean {
  const [path = ''] = url.split('?', 1);
  const has = path.includes('\\') || /\/(?:\.|%2e){1,2}(?:\/|$)/i.test(path);
  if (has) inTurn(answer, DOT_SEGMENTS);
  return has;
}

/** Response if the adapter can't build a `Request`, for example from an invalid path. */
export function answerUnmade(error: unknown): Response {
  const answer = failure(error instanceof RequestError ? UNREADABLE : error, { connection: 'close' });
  guard(answer.headers);
  return answer;
}

/** Queues the error behind earlier responses of the connection, so it isn't taken for one of them. */
function inTurn(answer: ServerResponse, error: ServiceError): void {
  const { status, headers, body } = closing(error);
  answer.writeHead(status, Object.fromEntries(headers)).end(body);
}

/** `cause` is the error that pending requests on the socket see. */
function end(socket: Socket, error: ServiceError, cause?: Error): void {
  socket.end(textOf(error), () => socket.destroy(cause));
}

/** Serializes a response. */
function textOf(error: ServiceError): string {
  const { status, headers, body } = closing(error);
  const lines = [...headers].map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}

/** A response with `Connection: close`. */
function closing(error: ServiceError): { status: number; headers: Headers; body: string } {
  const { status, body, headers } = refusal(error);
  const length = String(Buffer.byteLength(body));
  const all = new Headers({ ...headers, connection: 'close', 'content-length': length });
  guard(all);
  return { status, headers: all, body };
}
