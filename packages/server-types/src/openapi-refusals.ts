/** The error responses of the OpenAPI document. */
import type { ErrorCode } from './envelope.js';
import { errorPage } from './error-status.js';

interface RefusalDefinition {
  name: string;
  description: string;
  /** A code with this status. */
  code: ErrorCode;
  /** May have a `Retry-After` header. */
  hasRetryAfter?: true;
}

export const refusals: Readonly<Record<number, RefusalDefinition>> = {
  400: {
    name: 'Invalid',
    description: 'Fields are missing or invalid (the response lists all of them), or the body is not JSON.',
    code: 'required',
  },
  401: {
    name: 'Unauthenticated',
    description: 'The API key is missing, unknown or revoked.',
    code: 'invalid_api_key',
  },
  403: {
    name: 'Forbidden',
    description:
      'The business unit is unknown or this key cannot use it, or the request came from a browser.',
    code: 'business_unit_forbidden',
  },
  404: {
    name: 'NotFound',
    description: 'The route, session, payment, account or customer does not exist.',
    code: 'not_found',
  },
  405: {
    name: 'MethodNotAllowed',
    description: 'Every endpoint accepts only POST.',
    code: 'method_not_allowed',
  },
  409: {
    name: 'Conflict',
    description:
      'Conflicts with the current state: the reference or address is taken, the payment cannot be refunded or canceled, ' +
      'the session cannot be canceled, the account is not enrolled, or the same request is still running.',
    code: 'client_reference_taken',
    hasRetryAfter: true,
  },
  413: {
    name: 'TooLarge',
    description: 'The body is over 256 KiB.',
    code: 'body_too_large',
  },
  415: {
    name: 'UnsupportedMediaType',
    description: 'The body is not application/json.',
    code: 'unsupported_media_type',
  },
  422: {
    name: 'KeyReused',
    description: 'The Idempotency-Key was used with another body.',
    code: 'idempotency_key_reused',
  },
  429: {
    name: 'RateLimited',
    description: 'Too many requests with this key: wait for Retry-After.',
    code: 'rate_limited',
    hasRetryAfter: true,
  },
  500: {
    name: 'Internal',
    description: 'The service failed. Retrying with the same Idempotency-Key is safe.',
    code: 'internal',
  },
  503: {
    name: 'Unavailable',
    description: 'Temporarily unavailable. Retrying with the same Idempotency-Key is safe.',
    code: 'unavailable',
    hasRetryAfter: true,
  },
};

const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 0 } },
};

/** The document's `components.responses`. */
export const responses = (): Record<string, unknown> =>
  Object.fromEntries(
    Object.values(refusals).map(({ name, description, code, hasRetryAfter }) => [
      name,
      {
        description: `${description} ${errorPage('service', code)}`,
        ...(hasRetryAfter && { headers: RETRY_AFTER }),
        content: {
          'application/json': { schema: { $ref: '#/components/schemas/FailureEnvelope' } },
        },
      },
    ]),
  );
