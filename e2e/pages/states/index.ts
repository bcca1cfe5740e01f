/** Every state of a hosted page and every message, and how to reach it. */
import { AFTER_PAYMENT } from './later.js';
import { MANAGEMENT } from './management.js';
import { ON_MERCHANTS_PAGE } from './merchant.js';
import { MESSAGE_STATES } from './messages.js';
import { PAYMENT } from './payment.js';
import type { PageState } from './reach.js';

export { leave, type PageState } from './reach.js';

/** The order matters, because the last ones move a clock. */
export const STATES: readonly PageState[] = [
  ...PAYMENT,
  ...ON_MERCHANTS_PAGE,
  ...MANAGEMENT,
  ...MESSAGE_STATES,
  ...AFTER_PAYMENT,
];
