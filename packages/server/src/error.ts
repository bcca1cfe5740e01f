import { errorPage } from '@embedded-sessions/server-types';

/** What kind of failure it is: what a caller branches on. */
export type ErrorKind =
  | 'validation' // the service, or the preflight, refused the request: `errors` names every problem
  | 'referenceConflict' // the ClientReference is taken: see `ambiguous`
  | 'authentication' // the API key is missing, unknown or revoked
  | 'permission' // the business unit is not this key's
  | 'rateLimit' // too many requests, and no time left to wait
  | 'connection' // refused, reset, DNS, TLS, or an answer cut short
  | 'timeout' // an attempt, or all of them together, took too long
  | 'aborted' // the caller's signal
  | 'server' // 5xx with an envelope
  | 'protocol' // an answer that is not the contract's: an HTML page, a redirect, no JSON
  | 'signature' // a webhook that is not the service's
  | 'configuration'; // options that cannot work

/** A problem that the service named; an operator's own shape survives in `raw`. */
export interface ServiceProblem {
  code?: string | undefined;
  message: string;
  /** Path as the caller wrote the request, such as `Charges[3].Amount`. */
  field?: string | undefined;
  raw: unknown;
}

/** How one attempt of a request ended. */
export interface Attempt {
  /** HTTP status, when there was an answer. */
  status?: number | undefined;
  /** What went wrong, when something did. */
  kind?: ErrorKind | undefined;
  /** Duration in milliseconds. */
  ms: number;
  /** Whether the service may have acted on it: false where no connection came about, or it was refused. */
  mayHaveArrived: boolean;
}

/** What an error knows besides its kind and message. */
export interface ErrorDetails {
  errors?: readonly ServiceProblem[];
  status?: number | undefined;
  requestId?: string | undefined;
  attempts?: readonly Attempt[];
  ambiguous?: boolean | undefined;
  details?: Readonly<Record<string, unknown>>;
  cause?: unknown;
}

const BRAND = Symbol.for('@embedded-sessions/server:error');

/**
 * Every rejection of this package. Its message says what to do; the API key is in none of its parts.
 *
 * @example
 * try {
 *   await client.payments.create(request);
 * } catch (error) {
 *   if (!isServiceError(error)) throw error;
 *   if (error.kind === 'validation') showProblems(error.errors);
 *   else if (error.kind === 'referenceConflict' && error.ambiguous) lookUpTheOrder();
 *   else throw error;
 * }
 */
export class ServiceError<K extends ErrorKind = ErrorKind> extends Error {
  declare readonly kind: K;
  /** Every problem that the service, or the preflight, named; empty where none was. */
  declare readonly errors: readonly ServiceProblem[];
  /** HTTP status of the last answer. */
  declare readonly status: number | undefined;
  /** The service's id of the request, for its operator. */
  declare readonly requestId: string | undefined;
  /** Every attempt, oldest first. */
  declare readonly attempts: readonly Attempt[];
  /** Set on kind `referenceConflict` alone: an earlier attempt of this very call may be what took the reference. */
  declare readonly ambiguous: K extends 'referenceConflict' ? boolean : undefined;
  declare readonly details: Readonly<Record<string, unknown>>;

  constructor(kind: K, message: string, { cause, ...known }: ErrorDetails = {}) {
    const page = errorPage('server', kind);
    // One that is told again has it already.
    super(message.endsWith(page) ? message : `${message} ${page}`, cause === undefined ? {} : { cause });
    Object.assign(this, { kind, errors: [], attempts: [], details: {}, ...known });
    this.name = `Service${kind.charAt(0).toUpperCase()}${kind.slice(1)}Error`;
    Object.defineProperty(this, BRAND, {});
  }
}

/** Any error of this package, told apart by `kind`. */
export type AnyServiceError = { [K in ErrorKind]: ServiceError<K> }[ErrorKind];
/** An answer that is not the contract's. */
export type ServiceProtocolError = ServiceError<'protocol'>;

/**
 * Tells whether a value is a {@link ServiceError}, also one of another copy of this package.
 *
 * @example
 * if (isServiceError(error) && error.kind === 'rateLimit') tryAgainLater();
 */
export function isServiceError(value: unknown): value is AnyServiceError {
  return BRAND in Object(value);
}

/** What was thrown, as an error of this package: what is none came from the caller's own values and functions. */
export const asServiceError = (cause: unknown): ServiceError =>
  isServiceError(cause)
    ? cause
    : new ServiceError('configuration', 'A value or function of yours failed: see cause.', { cause });
