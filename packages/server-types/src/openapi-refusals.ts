/** What the OpenAPI document says of answers that carry errors. */
import type { ErrorItem } from './envelope.js';
import { errorPage } from './error-pages.js';

interface RefusalDefinition {
  name: string;
  description: string;
  /** The answer may say how many seconds to wait. */
  saysWhen?: true;
  example: ErrorItem;
}

export const refusals: Readonly<Record<number, RefusalDefinition>> = {
  400: {
    name: 'Invalid',
    description: 'Fields are missing or wrong, all of them named; or the body is not JSON.',
    example: { code: 'required', field: 'Channel', message: 'Channel is required.' },
  },
  401: {
    name: 'Unauthenticated',
    description: 'The API key is missing, unknown or revoked.',
    example: { code: 'invalid_api_key', message: 'The API key is not valid in this environment.' },
  },
  403: {
    name: 'Forbidden',
    description: 'The business unit is unknown or not of this key, or the request came from a browser.',
    example: {
      code: 'business_unit_forbidden',
      field: 'BusinessUnitSlug',
      message: 'This API key may not act for this business unit.',
    },
  },
  404: {
    name: 'NotFound',
    description: 'There is no such thing: route, session, payment, account or customer.',
    example: { code: 'not_found', message: 'There is no such session in this business unit.' },
  },
  405: {
    name: 'MethodNotAllowed',
    description: 'Every endpoint takes POST only.',
    example: { code: 'method_not_allowed', message: 'Use POST.' },
  },
  408: {
    name: 'TimedOut',
    description:
      'The request did not arrive whole in time; sending it again with the same Idempotency-Key is safe.',
    example: {
      code: 'request_timeout',
      message: 'The request did not arrive whole in the time that it has.',
    },
  },
  409: {
    name: 'Conflict',
    description:
      'Its state forbids it: the reference or the address is taken, the payment cannot be refunded, the session cannot ' +
      'be canceled, nobody is enrolled, or the same request is still running.',
    saysWhen: true,
    example: {
      code: 'client_reference_taken',
      field: 'ClientReference',
      message: 'This ClientReference was used before.',
    },
  },
  413: {
    name: 'TooLarge',
    description: 'The body is over 256 KiB.',
    example: { code: 'body_too_large', message: 'The body is over 256 KiB.' },
  },
  415: {
    name: 'UnsupportedMediaType',
    description: 'The body is not application/json.',
    example: { code: 'unsupported_media_type', message: 'Send application/json.' },
  },
  417: {
    name: 'ExpectationFailed',
    description: 'An Expect header other than 100-continue.',
    example: { code: 'expectation_failed', message: 'Expect may be 100-continue and nothing else.' },
  },
  422: {
    name: 'KeyReused',
    description: 'The Idempotency-Key was used with another body.',
    example: {
      code: 'idempotency_key_reused',
      message: 'This Idempotency-Key was used with another body: send a new one.',
    },
  },
  429: {
    name: 'RateLimited',
    description: 'Too many requests for this key: wait as Retry-After says.',
    saysWhen: true,
    example: { code: 'rate_limited', message: 'Too many requests with this API key: slow down.' },
  },
  431: {
    name: 'HeadersTooLarge',
    description: 'The headers are over 16 KiB together.',
    example: { code: 'headers_too_large', message: 'The headers are over 16 KiB together.' },
  },
  500: {
    name: 'Internal',
    description: 'The service failed; trying again with the same Idempotency-Key is safe.',
    example: { code: 'internal', message: 'The service failed to answer. Try again.' },
  },
  503: {
    name: 'Unavailable',
    description: 'It could not be served now; trying again with the same Idempotency-Key is safe.',
    saysWhen: true,
    example: { code: 'unavailable', message: 'The service cannot answer right now. Try again.' },
  },
};

const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 0 } },
};

/** The document's `components.responses`. */
export const responses = (): Record<string, unknown> =>
  Object.fromEntries(
    Object.values(refusals).map(({ name, description, saysWhen, example }) => [
      name,
      {
        description: `${description} ${errorPage('service', example.code)}`,
        ...(saysWhen && { headers: RETRY_AFTER }),
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/FailureEnvelope' },
            example: { hasErrors: true, errors: [example], data: null },
          },
        },
      },
    ]),
  );
