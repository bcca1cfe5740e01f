// The contract.
export type * from './envelope.js';
export * from './flows.js';
export type * from './session.js';
export { PAYMENT_METHODS } from './session.js';
export { checkPaymentRules } from './rules.js';

// Only this project's service: webhooks, error codes and limits. `./back-office` is exported here as well, so that imports
// from before the subpath existed keep working.
export * from './back-office.js';
export * from './error-status.js';
export type * from './events.js';
export { receiptNumber } from './receipt-number.js';
export { retryAfterMs } from './retry-after.js';
export * from './webhook-events.js';
