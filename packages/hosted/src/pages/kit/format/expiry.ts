/** Formats expiry dates in their field: `MM / YY`. */
import { plain } from '@shared/plain.js';
import { readExpiry } from '@shared/read-expiry.js';

/** `1234` → `12 / 34` while the user types. A first digit above 2 is a month; 2 may begin a year. */
export function formatExpiry(typed: string, typing: boolean): string {
  const digits = /^[3-9]/.test(typed) && typing ? `0${typed}` : typed;
  const month = digits.slice(0, 2);
  if (!/^(0[1-9]|1[0-2])$/.test(month)) return digits;

  // Accepts a four-digit year and shortens it to two digits when complete. Leaves years of other centuries unchanged.
  const year = digits.slice(2, 6).replace(/^20(?=..$)|^(?!20)(..).$/, '$1');
  return year === '' && !typing ? month : `${month} / ${year}`;
}

/** Returns the input to format while the user types, or null to leave it unchanged. */
export function maskable(value: string): string | null {
  const typed = plain(value);
  // The user may type a slash that the field has already inserted.
  const [, month, rest = ''] = /^\s*(0?[1-9]|1[0-2])[/.\s-]+(\d{0,4})\s*$/.exec(typed) ?? [];
  if (month !== undefined) return `${month.padStart(2, '0')}/${rest}`;
  return /^\d{0,2}$|^(0[1-9]|1[0-2])\d*$/.test(typed) ? typed : null;
}

/** Formats a valid date when the field loses focus. */
export function tidyExpiry(value: string): string {
  return readExpiry(value)?.replace('/', ' / ') ?? value;
}
