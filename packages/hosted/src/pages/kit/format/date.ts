import { locale } from './locale.js';

/** The month is always a word, because payers in the US read 05/12 as May 12. */
const STYLES = {
  medium: { year: 'numeric', month: 'short', day: 'numeric' },
  long: { dateStyle: 'long' },
} satisfies Record<string, Intl.DateTimeFormatOptions>;

/** A calendar day, `YYYY-MM-DD` (or the day of an ISO 8601 instant), independent of time zones. */
export function day(iso: string, style: 'medium' | 'long' = 'medium'): string {
  const date = new Date(`${iso.slice(0, 10)}T00:00:00Z`);
  return Number.isNaN(date.getTime())
    ? iso
    : new Intl.DateTimeFormat(locale(), { ...STYLES[style], timeZone: 'UTC' }).format(date);
}
