import { locale } from './locale.js';

/** The month is always a word: payers in the US read 05/12 as May 12. */
const STYLES = {
  medium: { year: 'numeric', month: 'short', day: 'numeric' },
  long: { dateStyle: 'long' },
} satisfies Record<string, Intl.DateTimeFormatOptions>;

/** A day of the calendar, `YYYY-MM-DD` (or an ISO 8601 instant, of which the day counts): the same day everywhere. */
export function day(iso: string, style: 'medium' | 'long' = 'medium'): string {
  const date = new Date(`${iso.slice(0, 10)}T00:00:00Z`);
  return Number.isNaN(date.getTime())
    ? iso
    : new Intl.DateTimeFormat(locale(), { ...STYLES[style], timeZone: 'UTC' }).format(date);
}
