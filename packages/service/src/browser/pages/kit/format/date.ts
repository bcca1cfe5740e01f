import { locale } from './locale.js';

/** A day of the calendar, `YYYY-MM-DD` (or an ISO 8601 instant, of which the day counts): the same day everywhere. */
export function day(iso: string, style: 'medium' | 'long' = 'medium'): string {
  const date = new Date(`${iso.slice(0, 10)}T00:00:00Z`);
  return Number.isNaN(date.getTime())
    ? iso
    : new Intl.DateTimeFormat(locale(), { dateStyle: style, timeZone: 'UTC' }).format(date);
}

/** An instant, ISO 8601, in the payer's own time, which it names: `Nov 22, 2026, 1:18 AM EST`. */
export function instant(iso: string): string {
  return new Intl.DateTimeFormat(locale(), {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
  }).format(new Date(iso));
}
