/** Expiry dates of cards as they are typed: `MM / YY` in the field. */
import { plain } from '../../../../../service/src/shared/plain.js';

/** `1234` → `12 / 34`, while it is typed; a first digit above 2 is a month, and 2 may begin a year. */
export function formatExpiry(typed: string, typing: boolean): string {
  const digits = /^[3-9]/.test(typed) && typing ? `0${typed}` : typed;
  const month = digits.slice(0, 2);
  if (!/^(0[1-9]|1[0-2])$/.test(month)) return digits;
  // A year in full is taken as it is typed, and becomes its last two digits when complete; one of another century stays.
  const year = digits.slice(2, 6).replace(/^20(?=..$)|^(?!20)(..).$/, '$1');
  return year === '' && !typing ? month : `${month} / ${year}`;
}

/** What is formatted while it is typed: digits, or a month and what follows it. Null: it stays as it is typed. */
export function maskable(value: string): string | null {
  const typed = plain(value);
  // The slash that the field put there may be typed once more.
  const [, month, rest = ''] = /^\s*(0?[1-9]|1[0-2])[/.\s-]+(\d{0,4})\s*$/.exec(typed) ?? [];
  if (month !== undefined) return `${month.padStart(2, '0')}/${rest}`;
  return /^\d{0,2}$|^(0[1-9]|1[0-2])\d*$/.test(typed) ? typed : null;
}
