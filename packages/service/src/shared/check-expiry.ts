/** Checks expiry dates. Apart from `read-expiry.ts`, because the payment form doesn't need it. */
import { isPast } from './expiry.js';

export type ExpiryProblem = 'invalid' | 'past';

/** Returns the problem with an expiry at `when`, an ISO 8601 day or instant, or null. */
export function expiryProblem(expiry: string, when: string): ExpiryProblem | null {
  if (!/^(0[1-9]|1[0-2])\/\d\d$/.test(expiry)) return 'invalid';
  return isPast(expiry, when) ? 'past' : null;
}
