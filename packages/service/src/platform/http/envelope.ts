/** What the API answers: data, or errors with the status of their code. */
import { ERROR_STATUS, type ErrorCode, type ErrorItem } from '@embedded-sessions/server-types';
import { ServiceError } from '../../core/error.js';

/** an answer that carries data. */
export function success(data: unknown, headers: Record<string, string> = {}): Response {
  return json({ hasErrors: false, errors: [], data }, 200, headers);
}

/** an answer that carries errors; anything that is not a request's own fault tells no internals. */
export function failure(error: unknown, headers: Record<string, string> = {}): Response {
  const { status, headers: own, body } = refusal(error);
  return new Response(body, { status, headers: { ...own, ...headers } });
}

/** What {@link failure} is made of. */
export function refusal(error: unknown): { status: number; headers: Record<string, string>; body: string } {
  const known = isRefusal(error);
  const errors: readonly ErrorItem[] = known ? error.errors : [INTERNAL];
  const status = known ? ERROR_STATUS[error.code] : 500;
  const retryAfter = known && error.retryAfter !== undefined ? { 'retry-after': `${error.retryAfter}` } : {};
  const body = JSON.stringify({ hasErrors: true, errors, data: null });
  return { status, headers: { ...JSON_HEADERS, ...retryAfter }, body };
}

/** An error that a request is answered with by its code. */
export function isRefusal(error: unknown): error is ServiceError & { readonly code: ErrorCode } {
  return error instanceof ServiceError && Object.hasOwn(ERROR_STATUS, error.code);
}

/** The answer that a `status` fault of the control API asked for; where several codes have this status, it has none of them. */
export function injected(status: number): Response {
  const message = `This ${status} was asked for through the control API.`;
  const [code = 'internal', another] = (Object.keys(ERROR_STATUS) as ErrorCode[]).filter(
    (each) => ERROR_STATUS[each] === status,
  );
  const errors = [{ code: another === undefined ? code : 'internal', message }];
  return json({ hasErrors: true, errors, data: null }, status);
}

const INTERNAL: ErrorItem = {
  code: 'internal',
  message:
    'The service failed to answer. Try again; if it stays, tell the operator the X-Request-Id of this answer.',
};

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };

function json(body: unknown, status: number, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { ...JSON_HEADERS, ...headers } });
}
