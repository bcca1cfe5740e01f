/** Every state that a hosted page can be in and every message, and how a payer gets there. */
import { LATER } from './later.js';
import { MANAGEMENT } from './management.js';
import { ON_MERCHANTS_PAGE } from './merchant.js';
import { MESSAGE_STATES } from './messages.js';
import { PAYMENT } from './payment.js';
import type { PageState } from './reach.js';

export { leave, type PageState } from './reach.js';

/** The last ones move a clock, so the order matters. */
export const STATES: readonly PageState[] = [
  ...PAYMENT,
  ...ON_MERCHANTS_PAGE,
  ...MANAGEMENT,
  ...MESSAGE_STATES,
  ...LATER,
];
