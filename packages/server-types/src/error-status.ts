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

/** A package with a page about its error codes. */
export type ErrorPage = 'loader' | 'react' | 'server' | 'service';

/** The pages live in the repository until the site has a host. */
const BASE = 'https://github.com/embedded-sessions/embedded-sessions/blob/main/docs/errors';

/**
 * Returns the URL of an error code's documentation: its meaning, whether a retry helps, and what to do.
 *
 * @example
 * for (const { code } of error.errors) if (code) console.log(errorPage('service', code));
 */
export const errorPage = (page: ErrorPage, code?: string): string =>
  `${BASE}/${page}.md${code === undefined ? '' : `#${code.toLowerCase()}`}`;
