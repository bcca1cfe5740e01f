/** Requests that never become a `Request`. Node answers those that are not HTTP. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { RequestError } from '@hono/node-server';
import { ServiceError } from '../../core/error.js';
import { failure, refusal } from './envelope.js';
import { guard } from './guarded.js';

const UNREADABLE = new ServiceError('invalid', 'This is not a valid HTTP/1.1 request.');
const DOT_SEGMENTS = new ServiceError('invalid', 'The path must not contain dot segments or backslashes.');

/**
 * Answers a path with `.` or `..` segments, also percent-encoded; returns whether it did. `URL` resolves them, so
 * such a path could pass a proxy's prefix list and reach another route.
 */
export function hasDotSegments({ url = '' }: IncomingMessage, answer: ServerResponse): boolean {
  const [path = ''] = url.split('?', 1);
  const has = path.includes('\\') || /\/(?:\.|%2e){1,2}(?:\/|$)/i.test(path);
  if (has) {
    const { status, headers, body } = refusal(DOT_SEGMENTS);
    const all = new Headers({ ...headers, connection: 'close' });
    guard(all);
    answer.writeHead(status, Object.fromEntries(all)).end(body);
  }
  return has;
}

/** Response if the adapter can't build a `Request`, for example from an invalid path. */
export function answerUnmade(error: unknown): Response {
  const answer = failure(error instanceof RequestError ? UNREADABLE : error, { connection: 'close' });
  guard(answer.headers);
  return answer;
}
