/** Expiry dates of cards: `MM / YY` in the field, `MM/YY` on the wire. */

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
export function parseExpiry(value: string, now: string): { wire: string } | 'invalid' | 'past' {
  const match = /^(\d{2}) \/ (\d{2})$/.exec(value);
  if (match === null) return 'invalid';
  const [, month = '', year = ''] = match;
  if (Number(month) < 1 || Number(month) > 12) return 'invalid';
  const wire = `${month}/${year}`;
  return isPast(wire, now) ? 'past' : { wire };
}

/** True when the month of a `MM/YY` had ended at `when`, an ISO 8601 day or instant. */
export function isPast(wire: string, when: string): boolean {
  return `20${wire.slice(3)}-${wire.slice(0, 2)}` < when.slice(0, 7);
}
