import type { ERROR_STATUS } from './error-status.js';

/** Error codes of a single request field; status 400. */
export type FieldErrorCode = 'required' | 'invalid' | 'too_many' | 'too_few' | 'too_long' | 'not_allowed';

/** Every error code of this project's service; `ERROR_STATUS` has their statuses. The contract defines none. */
export type ErrorCode = keyof typeof ERROR_STATUS;

/** An item of `errors`. Operators may add codes. */
export interface ErrorItem {
  code: ErrorCode | (string & {});
  /** What is wrong, and how to fix it. */
  message: string;
  /** Path in the request, such as `Charges[3].Amount`. */
  field?: string;
}

/** One problem of a request. */
export interface Problem {
  code: FieldErrorCode;
  message: string;
  /** Path in the request; absent if the problem concerns the whole body. */
  field?: string;
}

/** A response with data. */
export interface SuccessEnvelope<T> {
  hasErrors: false;
  errors: [];
  data: T;
}

/** A response with errors. Operators may use their own error items. */
export interface FailureEnvelope<E = ErrorItem> {
  hasErrors: true;
  errors: E[];
  data: null;
}

/** The response of every session endpoint, errors included. Check `hasErrors` before you read `data`. */
export type Envelope<T, E = ErrorItem> = SuccessEnvelope<T> | FailureEnvelope<E>;
