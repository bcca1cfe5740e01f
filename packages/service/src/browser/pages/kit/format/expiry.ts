/** Expiry dates of cards: `MM / YY` in the field, `MM/YY` on the wire. */
import { expiryProblem, type ExpiryProblem } from '../../../../shared/expiry.js';

/** Takes `1234`, `12/34`, `12/2034` and what lies on the way to them; a first digit above 1 is a month. */
export function formatExpiry(typed: string, typing: boolean): string {
  const digits = /^[2-9]/.test(typed) && typing ? `0${typed}` : typed;
  const month = digits.slice(0, 2);
  let year = digits.slice(2, 6);
  // A year in full is taken as it is typed, and becomes its last two digits when complete.
  if (year.length > 2)
    year = year.startsWith('20') ? (year.length === 4 ? year.slice(2) : year) : year.slice(0, 2);
  if (month.length < 2) return month;
  return year === '' && !typing ? month : `${month} / ${year}`;
}

/** `1/` means January. */
export function completeMonth(value: string): string {
  return value.replace(/^\s*(\d)\s*[/.-]/, '0$1/');
}

/** `MM/YY` when it is a month that has not passed on the service's clock (`now`, ISO 8601). */
export function parseExpiry(value: string, now: string): { wire: string } | ExpiryProblem {
  const wire = value.replace(' / ', '/');
  return expiryProblem(wire, now) ?? { wire };
}
