/** The error responses of the OpenAPI document. */
import type { ErrorItem } from './envelope.js';
import { errorPage } from './error-pages.js';

interface RefusalDefinition {
  name: string;
  description: string;
  /** May have a `Retry-After` header. */
  hasRetryAfter?: true;
  example: ErrorItem;
}

export const refusals: Readonly<Record<number, RefusalDefinition>> = {
  400: {
    name: 'Invalid',
    description: 'Fields are missing or invalid (the response lists all of them), or the body is not JSON.',
    example: { code: 'required', field: 'Channel', message: 'Channel is required.' },
  },
  401: {
    name: 'Unauthenticated',
    description: 'The API key is missing, unknown or revoked.',
    example: {
      code: 'invalid_api_key',
      message:
        'The X-Service-Api-Key header is missing, or its key is unknown or revoked: send the key that the operator issued for this environment.',
    },
  },
  403: {
    name: 'Forbidden',
    description:
      'The business unit is unknown or this key cannot use it, or the request came from a browser.',
    example: {
      code: 'business_unit_forbidden',
      field: 'BusinessUnitSlug',
      message: 'The business unit in BusinessUnitSlug does not exist, or this API key cannot use it.',
    },
  },
  404: {
    name: 'NotFound',
    description: 'The route, session, payment, account or customer does not exist.',
    example: {
      code: 'not_found',
      field: 'PaymentSessionIdentifier',
      message: 'There is no session with this PaymentSessionIdentifier in this business unit.',
    },
  },
  405: {
    name: 'MethodNotAllowed',
    description: 'Every endpoint accepts only POST.',
    example: { code: 'method_not_allowed', message: 'This endpoint accepts only POST.' },
  },
  409: {
    name: 'Conflict',
    description:
      'Conflicts with the current state: the reference or address is taken, the payment cannot be refunded or canceled, ' +
      'the session cannot be canceled, the account is not enrolled, or the same request is still running.',
    hasRetryAfter: true,
    example: {
      code: 'client_reference_taken',
      field: 'ClientReference',
      message:
        'ClientReference was already used: each payment session and AutoPay charge of a business unit needs a unique one.',
    },
  },
  413: {
    name: 'TooLarge',
    description: 'The body is over 256 KiB.',
    example: { code: 'body_too_large', message: 'The body is larger than 262144 bytes (256 KiB).' },
  },
  415: {
    name: 'UnsupportedMediaType',
    description: 'The body is not application/json.',
    example: {
      code: 'unsupported_media_type',
      message: 'The body must be JSON: send it with the header Content-Type: application/json.',
    },
  },
  422: {
    name: 'KeyReused',
    description: 'The Idempotency-Key was used with another body.',
    example: {
      code: 'idempotency_key_reused',
      message: 'This Idempotency-Key was used with a different body: use a new key for a new request.',
    },
  },
  429: {
    name: 'RateLimited',
    description: 'Too many requests with this key: wait for Retry-After.',
    hasRetryAfter: true,
    example: {
      code: 'rate_limited',
      message: 'Too many requests with this API key: wait 1 s. The limit is 200 per second.',
    },
  },
  500: {
    name: 'Internal',
    description: 'The service failed. Retrying with the same Idempotency-Key is safe.',
    example: {
      code: 'internal',
      message:
        'Internal error. Try again; if it persists, give the operator the X-Request-Id of this response.',
    },
  },
  503: {
    name: 'Unavailable',
    description: 'Temporarily unavailable. Retrying with the same Idempotency-Key is safe.',
    hasRetryAfter: true,
    example: {
      code: 'unavailable',
      message:
        'The service cannot reach its database right now. Retry in a moment with the same Idempotency-Key.',
    },
  },
};

const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 0 } },
};

/** The document's `components.responses`. */
export const responses = (): Record<string, unknown> =>
  Object.fromEntries(
    Object.values(refusals).map(({ name, description, hasRetryAfter, example }) => [
      name,
      {
        description: `${description} ${errorPage('service', example.code)}`,
        ...(hasRetryAfter && { headers: RETRY_AFTER }),
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/FailureEnvelope' },
            example: { hasErrors: true, errors: [example], data: null },
          },
        },
      },
    ]),
  );
