/** Formats expiry dates while the user types: `MM / YY`. */
import { plain } from '@shared/plain.js';

/** `1234` → `12 / 34` while the user types. A first digit above 2 is a month; 2 may begin a year. */
export function formatExpiry(typed: string, typing: boolean): string {
  const digits = /^[3-9]/.test(typed) && typing ? `0${typed}` : typed;
  const month = digits.slice(0, 2);
  if (!/^(0[1-9]|1[0-2])$/.test(month)) return digits;

  // A four-digit year is accepted while typing and shortened to two digits when complete. Years of other centuries stay unchanged.
  const year = digits.slice(2, 6).replace(/^20(?=..$)|^(?!20)(..).$/, '$1');
  return year === '' && !typing ? month : `${month} / ${year}`;
}

/** The input to format while the user types: digits, or a month and what follows it. Null leaves the input unchanged. */
export function maskable(value: string): string | null {
  const typed = plain(value);
  // The user may type the slash that the field already inserted.
  const [, month, rest = ''] = /^\s*(0?[1-9]|1[0-2])[/.\s-]+(\d{0,4})\s*$/.exec(typed) ?? [];
  if (month !== undefined) return `${month.padStart(2, '0')}/${rest}`;
  return /^\d{0,2}$|^(0[1-9]|1[0-2])\d*$/.test(typed) ? typed : null;
}
