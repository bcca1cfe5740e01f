import { expiryProblem, type ExpiryProblem } from '@shared/check-expiry.js';
import { readExpiry } from '@shared/read-expiry.js';
import { monthOf } from './read-expiry.js';

/** Returns `MM/YY` for a valid month that has not passed on the service's clock (`now`, ISO 8601). */
export function parseExpiry(value: string, now: string): { wire: string } | ExpiryProblem {
  const wire = readExpiry(value, monthOf);
  if (wire === null) return 'invalid';
  return expiryProblem(wire, now) ?? { wire };
}
