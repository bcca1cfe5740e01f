/** Parses expiry dates from their field: `MM/YY` on the wire. */
import { readExpiry } from '@shared/read-expiry.js';

/** Formats a valid date when the field loses focus. */
export function tidyExpiry(value: string): string {
  return readExpiry(value, monthOf)?.replace('/', ' / ') ?? value;
}

const MONTHS = 'janfebmaraprmayjunjulaugsepoctnovdec';

/** Matches the first three letters of the English month name, as cards and statements print it. */
export function monthOf(name: string): number {
  const at = name.length < 3 ? -1 : MONTHS.indexOf(name.slice(0, 3));
  return at % 3 === 0 ? at / 3 + 1 : 0;
}
