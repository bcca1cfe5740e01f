/** API responses: data, or errors with their code's status. */
import { ERROR_STATUS, type ErrorCode, type ErrorItem } from '@embedded-sessions/server-types';
import { ServiceError } from '../../core/error.js';

/** a response with data. */
export function success(data: unknown, headers: Record<string, string> = {}): Response {
  return json(successText(data), 200, headers);
}

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

/** Whether an error maps to an API error code. */
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

/** Adds the default headers to a response, unless already set. */
export function guard(headers: Headers): void {
  for (const [name, value] of Object.entries(DEFAULT_HEADERS))
    if (!headers.has(name)) headers.set(name, value);
}

/** The same headers as a plain object, which is much cheaper than `Headers`. */
export function guarded(requestId = '', headers: Record<string, string> = {}): Record<string, string> {
  return { [REQUEST_ID]: requestId, ...DEFAULT_HEADERS, ...headers };
}
