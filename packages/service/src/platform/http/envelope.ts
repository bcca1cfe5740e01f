/** Responses: data, errors with their code's status, and refusals of requests that no route handles. */
import { ERROR_STATUS, type ErrorCode, type ErrorItem } from '@embedded-sessions/server-types';
import { ServiceError } from '../../core/error.js';
import type { Context, Env, Hono } from 'hono';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { RequestError } from '@hono/node-server';

/** the body of a response with data. */
export function successText(data: unknown): string {
  return JSON.stringify({ hasErrors: false, errors: [], data });
}

/** a response with errors. Internal errors reveal no details. */
export function failure(error: unknown, headers: Record<string, string> = {}): Response {
  const { status, headers: own, body } = refusal(error);
  return new Response(body, { status, headers: { ...own, ...headers } });
}

export function refusal(error: unknown): { status: number; headers: Record<string, string>; body: string } {
  const known = isRefusal(error);
  const errors: readonly ErrorItem[] = known ? error.errors : [INTERNAL];
  const status = known ? ERROR_STATUS[error.code] : 500;
  const retryAfter = known && error.retryAfter !== undefined ? { 'retry-after': `${error.retryAfter}` } : {};
  const body = JSON.stringify({ hasErrors: true, errors, data: null });
  return { status, headers: { ...JSON_HEADERS, ...retryAfter }, body };
}

export function isRefusal(error: unknown): error is ServiceError & { readonly code: ErrorCode } {
  return error instanceof ServiceError && Object.hasOwn(ERROR_STATUS, error.code);
}

/** The response for a `status` fault. It has no code if several codes share the status. */
export function injected(status: number): Response {
  const message = `This ${status} was requested through the control API.`;
  const [code = 'internal', another] = (Object.keys(ERROR_STATUS) as ErrorCode[]).filter(
    (each) => ERROR_STATUS[each] === status,
  );
  const errors = [{ code: another === undefined ? code : 'internal', message }];
  return json(JSON.stringify({ hasErrors: true, errors, data: null }), status);
}

const INTERNAL: ErrorItem = {
  code: 'internal',
  message: 'Internal error. Try again; if it persists, give the operator the X-Request-Id of this response.',
};

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };

export function json(body: string, status: number, headers: Record<string, string> = {}): Response {
  return new Response(body, { status, headers: { ...JSON_HEADERS, ...headers } });
}

/** Default security headers: no sniffing, no loading, no framing, no referrer. */
const DEFAULT_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

export const REQUEST_ID = 'x-request-id';

export function guard(headers: Headers): void {
  for (const [name, value] of Object.entries(DEFAULT_HEADERS))
    if (!headers.has(name)) headers.set(name, value);
}

/** The same headers as a plain object, which is much cheaper than `Headers`. */
export function guarded(requestId = '', headers: Record<string, string> = {}): Record<string, string> {
  return { [REQUEST_ID]: requestId, ...DEFAULT_HEADERS, ...headers };
}

/** 405 if the path has another method, else 404. */
export function notFoundResponse<E extends Env>(app: Hono<E>, c: Context): Response {
  const allow = otherMethods(app, c);
  if (allow === null)
    return failure(new ServiceError('not_found', 'Nothing was found at this address: check the path.'));
  return failure(new ServiceError('method_not_allowed', `This address accepts only ${allow}.`), { allow });
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** The methods of the path's routes, for a 405. Null without such routes, or if one has the request's method. */
export function otherMethods<E extends Env>({ router }: Hono<E>, { req }: Context): string | null {
  const takes = METHODS.filter((method) =>
    router.match(method, req.path)[0].some(([[, route]]) => route.method === method),
  );
  const own = req.method === 'HEAD' ? 'GET' : req.method;
  if (takes.length === 0 || takes.some((method) => method === own)) return null;
  return takes.map((method) => (method === 'GET' ? 'GET, HEAD' : method)).join(', ');
}

// Node itself responds to invalid HTTP. These requests can't become a `Request`.
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
    answer.writeHead(status, { ...DEFAULT_HEADERS, ...headers, connection: 'close' }).end(body);
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
