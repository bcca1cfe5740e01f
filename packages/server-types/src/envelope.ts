/** Codes that name what is wrong with one field of a request; status 400. */
export type FieldErrorCode = 'required' | 'invalid' | 'too_many' | 'too_few' | 'too_long' | 'not_allowed';

/** Every code of this project's service, its status in `ERROR_STATUS`; the contract shows none. */
export type ErrorCode =
  | FieldErrorCode
  | 'account_not_found'
  | 'account_not_synced'
  | 'body_too_large'
  | 'browser_refused'
  | 'business_unit_forbidden'
  | 'client_reference_taken'
  | 'customer_not_found'
  | 'email_in_use'
  | 'expectation_failed'
  | 'headers_too_large'
  | 'idempotency_in_flight'
  | 'idempotency_key_reused'
  | 'internal'
  | 'invalid_api_key'
  | 'invalid_json'
  | 'method_not_allowed'
  | 'not_cancelable'
  | 'not_enrolled'
  | 'not_found'
  | 'not_refundable'
  | 'rate_limited'
  | 'request_timeout'
  | 'unavailable'
  | 'unsupported_media_type';

/** An item of `errors`, open for an operator's own codes. */
export interface ErrorItem {
  code: ErrorCode | (string & {});
  /** Says what is wrong and what to do. */
  message: string;
  /** Path as the caller wrote the request, such as `Charges[3].Amount`. */
  field?: string;
}

/** One problem of a request: which field, what is wrong. */
export interface Problem {
  code: FieldErrorCode;
  message: string;
  /** Path as the caller wrote the request; absent when the body as a whole is wrong. */
  field?: string;
}

/** An answer that carries data. */
export interface SuccessEnvelope<T> {
  hasErrors: false;
  errors: [];
  data: T;
}

/** An answer that carries errors, for an operator's own items too. */
export interface FailureEnvelope<E = ErrorItem> {
  hasErrors: true;
  errors: E[];
  data: null;
}

/** What every session endpoint answers, errors too: read `hasErrors` before `data`. */
export type Envelope<T, E = ErrorItem> = SuccessEnvelope<T> | FailureEnvelope<E>;
