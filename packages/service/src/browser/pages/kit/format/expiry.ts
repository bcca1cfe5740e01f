/** Expiry dates of cards: `MM / YY` in the field, `MM/YY` on the wire. */
import { expiryProblem, readExpiry, type ExpiryProblem } from '../../../../shared/expiry.js';
import { locale } from './locale.js';

/** `1234` → `12 / 34`, while it is typed; a first digit above 2 is a month, and 2 may begin a year. */
export function formatExpiry(typed: string, typing: boolean): string {
  const digits = /^[3-9]/.test(typed) && typing ? `0${typed}` : typed;
  const month = digits.slice(0, 2);
  if (!/^(0[1-9]|1[0-2])$/.test(month)) return digits;
  let year = digits.slice(2, 6);
  // A year in full is taken as it is typed, and becomes its last two digits when complete.
  if (year.length > 2)
    year = year.startsWith('20') ? (year.length === 4 ? year.slice(2) : year) : year.slice(0, 2);
  return year === '' && !typing ? month : `${month} / ${year}`;
}

/** What is formatted while it is typed: digits, or a month and what follows it. Null: it stays as it is typed. */
export function maskable(value: string): string | null {
  const [, month, rest = ''] = /^\s*(0?[1-9]|1[0-2])\s*[/.\s-]\s*(\d{0,4})\s*$/.exec(value) ?? [];
  if (month !== undefined) return `${month.padStart(2, '0')}/${rest}`;
  return /^\d{0,2}$|^(0[1-9]|1[0-2])\d*$/.test(value.normalize('NFKC')) ? value : null;
}

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

/** By the first three letters of its name, in the page's language or in English. */
function monthOf(name: string): number {
  const start = name.slice(0, 3);
  const months = [locale(), 'en-US'].map((tag) =>
    Array.from({ length: 12 }, (_, month) =>
      new Intl.DateTimeFormat(tag, { month: 'long', timeZone: 'UTC' })
        .format(Date.UTC(2028, month))
        .toLowerCase()
        .slice(0, 3),
    ),
  );
  if (start.length < 3) return 0;
  const [own = [], english = []] = months;
  // Two months that begin alike, as `juin` and `juillet` do, are told apart by nothing here.
  const found = own.indexOf(start) === own.lastIndexOf(start) ? own.indexOf(start) : -1;
  return (found === -1 ? english.indexOf(start) : found) + 1;
}
