/** Codes that name what is wrong with one field of a request; status 400. */
export type FieldErrorCode = 'required' | 'invalid' | 'too_many' | 'too_few' | 'too_long' | 'not_allowed';

/** Every code of this project's service; the contract shows none. */
export type ErrorCode =
  | FieldErrorCode
  | 'account_not_found' // 404
  | 'account_not_synced' // 400, field SyncAccount
  | 'body_too_large' // 413
  | 'browser_refused' // 403
  | 'business_unit_forbidden' // 403
  | 'client_reference_taken' // 409
  | 'customer_not_found' // 404
  | 'email_in_use' // 409
  | 'idempotency_in_flight' // 409
  | 'idempotency_key_reused' // 422
  | 'internal' // 500
  | 'invalid_api_key' // 401
  | 'invalid_json' // 400
  | 'method_not_allowed' // 405
  | 'not_cancelable' // 409
  | 'not_enrolled' // 409
  | 'not_found' // 404
  | 'not_refundable' // 409
  | 'rate_limited' // 429
  | 'unavailable' // 503
  | 'unsupported_media_type'; // 415

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
