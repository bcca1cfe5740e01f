// The contract.
export type * from './envelope.js';
export * from './flows.js';
export type * from './session.js';
export { PAYMENT_METHODS } from './session.js';
export { checkPaymentRules } from './rules.js';

// This project's service only: webhooks, error codes and limits. Refunds, lists and charges live in `./back-office`
// and are exported here as well, so that imports from before the subpath keep working.
export * from './back-office.js';
export * from './error-pages.js';
export * from './error-status.js';
export type * from './events.js';
export { receiptNumber } from './receipt-number.js';
export { retryAfterMs } from './retry-after.js';
export * from './webhook-events.js';
