/** Reads and checks expiry dates as people write them. */
import { isPast } from './expiry.js';
import { plain } from './plain.js';

export type ExpiryProblem = 'invalid' | 'past';

/** The problem of an expiry at `when`, an ISO 8601 day or instant; null if its month has not passed. */
export function expiryProblem(expiry: string, when: string): ExpiryProblem | null {
  if (!/^(0[1-9]|1[0-2])\/\d\d$/.test(expiry)) return 'invalid';
  return isPast(expiry, when) ? 'past' : null;
}

/** Two digits each for month and year; null if either is invalid. */
function joined(month: number, year: string): string | null {
  if (!(month >= 1 && month <= 12) || !/^(20)?\d\d$/.test(year)) return null;
  return `${String(month).padStart(2, '0')}/${year.slice(-2)}`;
}

/**
 * An expiry as people type or paste it: `01/28`, `1 28`, `012028`, `2028-01`, `28/01`, `Jan 2028`. The month comes
 * first if possible; ambiguous or invalid text returns null.
 *
 * @param monthOf number of a month by its lowercase name, 0 if unknown
 */
export function readExpiry(typed: string, monthOf: (name: string) => number = () => 0): string | null {
  const [a = '', b, ...more] = plain(typed)
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter(Boolean);
  if (more.length > 0) return null;
  if (b === undefined) {
    const [, month = '', year = ''] = /^(\d\d|[2-9](?=\d\d$))(\d\d|\d{4})$/.exec(a) ?? [];
    const [, yearFirst = '', monthLast = ''] = /^(20\d\d)(\d\d)$/.exec(a) ?? [];
    return joined(Number(month), year) ?? joined(Number(monthLast), yearFirst);
  }
  const month = (part: string): number => (/^\d{1,2}$/.test(part) ? Number(part) : monthOf(part));
  // A possible month is not a year: `1/8` is incomplete, not August 2001.
  return joined(month(a), b) ?? (/^(?:0?[1-9]|1[0-2])$/.test(a) ? null : joined(month(b), a));
}
