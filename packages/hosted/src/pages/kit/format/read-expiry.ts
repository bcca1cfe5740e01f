/** Expiry dates of cards, read from their field: `MM/YY` on the wire. */
import {
  expiryProblem,
  readExpiry,
  type ExpiryProblem,
} from '../../../../../service/src/shared/read-expiry.js';

/** As it stands in the field once it is left, where it is understood. */
export function tidyExpiry(value: string): string {
  return readExpiry(value, monthOf)?.replace('/', ' / ') ?? value;
}

/** `MM/YY` when it is a month that has not passed on the service's clock (`now`, ISO 8601). */
export function parseExpiry(value: string, now: string): { wire: string } | ExpiryProblem {
  const wire = readExpiry(value, monthOf);
  if (wire === null) return 'invalid';
  return expiryProblem(wire, now) ?? { wire };
}

const MONTHS = 'janfebmaraprmayjunjulaugsepoctnovdec';

/** By the first three letters of its English name, as cards and statements print it. */
function monthOf(name: string): number {
  const at = name.length < 3 ? -1 : MONTHS.indexOf(name.slice(0, 3));
  return at % 3 === 0 ? at / 3 + 1 : 0;
}
