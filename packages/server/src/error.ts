import { errorPage } from '@embedded-sessions/server-types';

/** What kind of failure it is, for your code to branch on. */
export type ErrorKind =
  | 'validation' // the service or the preflight refused the request: `errors` has every problem
  | 'referenceConflict' // the ClientReference is taken: see `ambiguous`
  | 'authentication' // the API key is missing, unknown or revoked
  | 'permission' // the key is not valid for the business unit
  | 'rateLimit' // too many requests, with not enough time left to wait
  | 'connection' // refused, reset, DNS, TLS, or a response cut short
  | 'timeout' // an attempt or the whole call took too long
  | 'aborted' // the caller's signal
  | 'server' // 5xx with an envelope
  | 'protocol' // a response outside the contract: an HTML page, a redirect, invalid JSON
  | 'signature' // a webhook that the service did not sign
  | 'configuration'; // wrong options

/** A problem that the service reported. `raw` is the unchanged item, for an operator's own fields. */
export interface ServiceProblem {
  code?: string | undefined;
  message: string;
  /** Path in the request, such as `Charges[3].Amount`. */
  field?: string | undefined;
  raw: unknown;
}

/** The result of one attempt of a request. */
export interface Attempt {
  /** HTTP status, if there was a response. */
  status?: number | undefined;
  /** The kind of its failure, if it failed. */
  kind?: ErrorKind | undefined;
  /** Duration in milliseconds. */
  ms: number;
  /** Whether the service may have acted on the attempt. False without a connection and after a refusal. */
  mayHaveArrived: boolean;
}

/** The details of an error besides kind and message. */
export interface ErrorDetails {
  errors?: readonly ServiceProblem[] | undefined;
  status?: number | undefined;
  requestId?: string | undefined;
  attempts?: readonly Attempt[];
  ambiguous?: boolean | undefined;
  details?: Readonly<Record<string, unknown>> | undefined;
  cause?: unknown;
}

const BRAND = Symbol.for('@embedded-sessions/server:error');

/**
 * The error of every rejection in this package. Its message says what to do and never contains the API key.
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
  /** The problems that the service or the preflight reported. May be empty. */
  declare readonly errors: readonly ServiceProblem[];
  /** HTTP status of the last response. */
  declare readonly status: number | undefined;
  /** The service's id for the request. Give it to the operator for support. */
  declare readonly requestId: string | undefined;
  /** Every attempt, oldest first. */
  declare readonly attempts: readonly Attempt[];
  /** Only for kind `referenceConflict`: whether an earlier attempt of the same call may have taken the reference. */
  declare readonly ambiguous: K extends 'referenceConflict' ? boolean : undefined;
  declare readonly details: Readonly<Record<string, unknown>>;

  constructor(
    kind: K,
    message: string,
    { cause, errors = [], attempts = [], details = {}, ...known }: ErrorDetails = {},
  ) {
    const page = errorPage('server', kind);
    // A rethrown message already has the link.
    super(message.endsWith(page) ? message : `${message} ${page}`, cause === undefined ? {} : { cause });
    Object.assign(this, { kind, errors, attempts, details, ...known });
    this.name = `Service${kind.charAt(0).toUpperCase()}${kind.slice(1)}Error`;
    Object.defineProperty(this, BRAND, {});
  }
}

/** Any error of this package, discriminated by `kind`. */
export type AnyServiceError = { [K in ErrorKind]: ServiceError<K> }[ErrorKind];
/** The error for a response outside the contract. */
export type ServiceProtocolError = ServiceError<'protocol'>;

/**
 * Checks whether a value is a {@link ServiceError}, including one of another copy of this package.
 *
 * @example
 * if (isServiceError(error) && error.kind === 'rateLimit') tryAgainLater();
 */
export function isServiceError(value: unknown): value is AnyServiceError {
  return BRAND in Object(value);
}

/** Converts anything thrown to an error of this package. Other errors come from the caller's values or functions. */
export const asServiceError = (cause: unknown): ServiceError =>
  isServiceError(cause)
    ? cause
    : new ServiceError('configuration', 'A value or function you passed failed: see cause.', { cause });

/** Throws an error about wrong options. */
export function refuse(message: string): never {
  throw new ServiceError('configuration', message);
}
