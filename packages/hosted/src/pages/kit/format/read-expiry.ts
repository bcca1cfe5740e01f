/** Parses expiry dates from their field: `MM/YY` on the wire. */
import { expiryProblem, readExpiry, type ExpiryProblem } from '@shared/read-expiry.js';

/** Formats a valid date when the field loses focus. */
export function tidyExpiry(value: string): string {
  return readExpiry(value, monthOf)?.replace('/', ' / ') ?? value;
}

/** Returns `MM/YY` for a valid month that has not passed on the service's clock (`now`, ISO 8601). */
export function parseExpiry(value: string, now: string): { wire: string } | ExpiryProblem {
  const wire = readExpiry(value, monthOf);
  if (wire === null) return 'invalid';
  return expiryProblem(wire, now) ?? { wire };
}

const MONTHS = 'janfebmaraprmayjunjulaugsepoctnovdec';

/** Matches the first three letters of the English month name, as cards and statements print it. */
function monthOf(name: string): number {
  const at = name.length < 3 ? -1 : MONTHS.indexOf(name.slice(0, 3));
  return at % 3 === 0 ? at / 3 + 1 : 0;
}
