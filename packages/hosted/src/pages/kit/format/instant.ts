import { locale } from './locale.js';

/** An instant, ISO 8601, in the payer's time zone, which it names: `Nov 22, 2026, 1:18 AM EST`. */
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
