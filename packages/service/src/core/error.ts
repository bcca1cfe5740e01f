import type { ErrorCode, ErrorItem } from '@embedded-sessions/server-types';
import { defined } from './defined.js';

/** Why the service failed to start, or a command failed. */
export type StartErrorCode =
  | 'invalid_arguments'
  | 'invalid_config'
  | 'database_unavailable'
  | 'environment_mismatch'
  | 'session_key_missing'
  | 'schema_too_new'
  | 'processor_invalid'
  | 'key_not_found'
  | 'message_not_found'
  | 'ledger_incomplete'
  | 'payment_in_flight'
  | 'statement_differs';

/**
 * The error class of this package. In a request it becomes the envelope's `errors`; `platform/http/envelope.ts` maps its
 * `code` to a status. At start it is printed on stderr. Thrown inside a transaction, it rolls everything back (D-9).
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode | StartErrorCode;
  readonly errors: readonly ErrorItem[];
  /** Seconds, for `Retry-After`. */
  readonly retryAfter: number | undefined;

  constructor(
    code: ErrorCode | StartErrorCode,
    message: string,
    options: { errors?: readonly ErrorItem[]; field?: string; retryAfter?: number; cause?: unknown } = {},
  ) {
    super(message, options);
    this.code = code;
    const { field } = options;
    this.errors = options.errors ?? [{ code, message, ...defined({ field }) }];
    this.retryAfter = options.retryAfter;
  }
}

/** For an identifier that is unknown or of another business unit, which a caller can't distinguish. */
export function unknownIdentifier(what: 'payment' | 'session'): ServiceError {
  const field = what === 'payment' ? 'PaymentIdentifier' : 'PaymentSessionIdentifier';
  return new ServiceError('not_found', `There is no ${what} with this ${field} in this business unit.`, {
    field,
  });
}

const RETRY_AFTER_S = 2;

// A connection or statement that times out doesn't say which.
const UNAVAILABLE = `The database is too busy or cannot be reached. Retry after ${RETRY_AFTER_S} s with the same Idempotency-Key.`;

/** A request can't be served now. `cause` is for the log. */
export function unavailable(cause: unknown, message: string = UNAVAILABLE): ServiceError {
  return new ServiceError('unavailable', message, { cause, retryAfter: RETRY_AFTER_S });
}
