/** The only place where codes meet HTTP statuses. */
import type { ErrorCode, ErrorItem } from '@embedded-sessions/server-types';
import { ServiceError } from '../../domain/error.js';

const STATUS: Readonly<Record<ErrorCode, number>> = {
  required: 400,
  invalid: 400,
  too_many: 400,
  too_few: 400,
  too_long: 400,
  not_allowed: 400,
  invalid_json: 400,
  account_not_synced: 400,
  invalid_api_key: 401,
  business_unit_forbidden: 403,
  browser_refused: 403,
  not_found: 404,
  account_not_found: 404,
  customer_not_found: 404,
  method_not_allowed: 405,
  client_reference_taken: 409,
  email_in_use: 409,
  idempotency_in_flight: 409,
  not_cancelable: 409,
  not_enrolled: 409,
  not_refundable: 409,
  body_too_large: 413,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
};

/** an answer that carries data. */
export function success(data: unknown, headers: Record<string, string> = {}): Response {
  return json({ hasErrors: false, errors: [], data }, 200, headers);
}

/** an answer that carries errors; anything that is not a request's own fault tells no internals. */
export function failure(error: unknown, headers: Record<string, string> = {}): Response {
  const known = error instanceof ServiceError && Object.hasOwn(STATUS, error.code);
  const errors: readonly ErrorItem[] = known ? error.errors : [INTERNAL];
  const status = known ? STATUS[error.code as ErrorCode] : 500;
  const retryAfter = known && error.retryAfter !== undefined ? { 'retry-after': `${error.retryAfter}` } : {};
  return json({ hasErrors: true, errors, data: null }, status, { ...retryAfter, ...headers });
}

/** The answer that a `status` fault of the control API asked for. */
export function injected(status: number): Response {
  const message = `This ${status} was asked for through the control API.`;
  return json({ hasErrors: true, errors: [{ code: 'internal', message }], data: null }, status);
}

const INTERNAL: ErrorItem = {
  code: 'internal',
  message:
    'The service failed to answer. Try again; if it stays, tell the operator the X-Request-Id of this answer.',
};

function json(body: unknown, status: number, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...headers },
  });
}
