import { locale } from './locale.js';

/** A day of the calendar, `YYYY-MM-DD` (or an ISO 8601 instant, of which the day counts): the same day everywhere. */
export function day(iso: string, style: 'medium' | 'long' = 'medium'): string {
  const date = new Date(`${iso.slice(0, 10)}T00:00:00Z`);
  return Number.isNaN(date.getTime())
    ? iso
    : new Intl.DateTimeFormat(locale(), { dateStyle: style, timeZone: 'UTC' }).format(date);
}
