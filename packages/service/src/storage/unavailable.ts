import { ServiceError } from '../domain/error.js';

/** the request could not be served for the database's sake, and is safe to send again. */
export function unavailable(cause: unknown): ServiceError {
  return new ServiceError(
    'unavailable',
    'The service cannot reach its database right now: send the request again, with its Idempotency-Key where it has one.',
    { retryAfter: 1, cause },
  );
}
