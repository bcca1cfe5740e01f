/** Reads expiry dates as people write them. */
import { plain } from './plain.js';

/** Returns `MM/YY`, or null if month or year is invalid. */
function formatExpiry(month: number, year: string): string | null {
  if (!(month >= 1 && month <= 12) || !/^(20)?\d\d$/.test(year)) return null;
  return `${String(month).padStart(2, '0')}/${year.slice(-2)}`;
}

/**
 * Parses an expiry as people type or paste it: `01/28`, `1 28`, `012028`, `2028-01`, `28/01`. Assumes that the month
 * comes first if possible. Returns null if the text is ambiguous or invalid.
 */
export function readExpiry(typed: string): string | null {
  const text = plain(typed);
  const [a = '', b, ...more] = text.split(/\D+/).filter(Boolean);
  if (more.length > 0 || /\p{L}/u.test(text)) return null;
  if (b === undefined) {
    const [, month = '', year = ''] = /^(\d\d|[2-9](?=\d\d$))(\d\d|\d{4})$/.exec(a) ?? [];
    const [, yearFirst = '', monthLast = ''] = /^(20\d\d)(\d\d)$/.exec(a) ?? [];
    return formatExpiry(Number(month), year) ?? formatExpiry(Number(monthLast), yearFirst);
  }
  // A possible month is not a year: `1/8` is incomplete, not August 2001.
  return formatExpiry(Number(a), b) ?? (/^(?:0?[1-9]|1[0-2])$/.test(a) ? null : formatExpiry(Number(b), a));
}
