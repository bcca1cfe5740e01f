export type * from './back-office.js';
export type * from './envelope.js';
export type * from './events.js';
export type * from './session.js';
export { PAYMENT_METHODS } from './session.js';
export * from './error-status.js';
export * from './flows.js';
export { checkPaymentRules } from './rules.js';
export * from './webhook-events.js';
