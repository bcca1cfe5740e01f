/**
 * The HTTP status of each error code of this project's service.
 *
 * @example
 * ERROR_STATUS.client_reference_taken; // 409
 */
export const ERROR_STATUS = {
  required: 400,
  invalid: 400,
  too_many: 400,
  too_few: 400,
  too_long: 400,
  not_allowed: 400,
  invalid_json: 400,
  account_not_synced: 400,
  invalid_api_key: 401,
  business_unit_forbidden: 403,
  browser_refused: 403,
  not_found: 404,
  account_not_found: 404,
  customer_not_found: 404,
  method_not_allowed: 405,
  client_reference_taken: 409,
  email_in_use: 409,
  idempotency_in_flight: 409,
  not_cancelable: 409,
  not_enrolled: 409,
  not_refundable: 409,
  body_too_large: 413,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
} as const;
