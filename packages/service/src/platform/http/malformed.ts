/** Handles requests that can't become a `Request`. Node itself responds to invalid HTTP. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { RequestError } from '@hono/node-server';
import { ServiceError } from '../../core/error.js';
import { failure, refusal, guard } from './envelope.js';

const UNREADABLE = new ServiceError('invalid', 'This is not a valid HTTP/1.1 request.');
const DOT_SEGMENTS = new ServiceError('invalid', 'The path must not contain dot segments or backslashes.');
/** Four times our longest URLs. Decoding longer ones takes milliseconds. */
const MAX_URL_LENGTH = 4_096;
const TOO_LONG = new ServiceError('invalid', `The URL must not be longer than ${MAX_URL_LENGTH} characters.`);

/** Responds to a request with an invalid URL. Returns whether it did. */
export function rejectUrl({ url = '' }: IncomingMessage, answer: ServerResponse): boolean {
  const problem = urlProblem(url);
  if (problem) {
    const { status, headers, body } = refusal(problem);
    const all = new Headers({ ...headers, connection: 'close' });
    guard(all);
    answer.writeHead(status, Object.fromEntries(all)).end(body);
  }
  return problem !== undefined;
}

/** `URL` resolves `.` and `..`, even percent-encoded, so a path could bypass a proxy's prefix list. */
function urlProblem(url: string): ServiceError | undefined {
  if (url.length > MAX_URL_LENGTH) return TOO_LONG;
  const [path = ''] = url.split('?', 1);
  const isResolved = path.includes('\\') || /\/(?:\.|%2e){1,2}(?:\/|$)/i.test(path);
  return isResolved ? DOT_SEGMENTS : undefined;
}

/** The response if the adapter can't build a `Request`, for example from an invalid path. */
export function malformedResponse(error: unknown): Response {
  const answer = failure(error instanceof RequestError ? UNREADABLE : error, { connection: 'close' });
  guard(answer.headers);
  return answer;
}
