/** The error responses of the OpenAPI document. */
/** The name and description of each status. */
export const refusals: Readonly<Record<number, readonly [name: string, description: string]>> = {
  400: [
    'Invalid',
    'Fields are missing or invalid (the response lists all of them), or the body is not JSON.',
  ],
  401: ['Unauthenticated', 'The API key is missing, unknown or revoked.'],
  403: [
    'Forbidden',
    'The business unit is unknown or this key cannot use it, or the request came from a browser.',
  ],
  404: ['NotFound', 'The route, session, payment, account or customer does not exist.'],
  405: ['MethodNotAllowed', 'Every endpoint accepts only POST.'],
  409: [
    'Conflict',
    'Conflicts with the current state: the reference or address is taken, the payment cannot be refunded or canceled, ' +
      'the session cannot be canceled, the account is not enrolled, or the same request is still running.',
  ],
  413: ['TooLarge', 'The body is over 256 KiB.'],
  415: ['UnsupportedMediaType', 'The body is not application/json.'],
  422: ['KeyReused', 'The Idempotency-Key was used with another body.'],
  429: ['RateLimited', 'Too many requests with this key: wait for Retry-After.'],
  500: ['Internal', 'The service failed. Retrying with the same Idempotency-Key is safe.'],
  503: ['Unavailable', 'Temporarily unavailable. Retrying with the same Idempotency-Key is safe.'],
};

/** Statuses with a `Retry-After` header. */
const RETRYABLE: readonly string[] = ['409', '429', '503'];

const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 0 } },
};

/** The document's `components.responses`. */
export const responses = (): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(refusals).map(([status, [name, description]]) => [
      name,
      {
        description,
        ...(RETRYABLE.includes(status) && { headers: RETRY_AFTER }),
        content: {
          'application/json': { schema: { $ref: '#/components/schemas/FailureEnvelope' } },
        },
      },
    ]),
  );
