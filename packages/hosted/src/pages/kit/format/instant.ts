import { locale } from './locale.js';

const MINUTE = {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  timeZoneName: 'short',
} as const;

/** Formats an ISO 8601 instant in the payer's time zone, with its US abbreviation: `Nov 22, 2026, 1:18 AM EST`. */
export function instant(iso: string): string {
  const partsIn = (language: string) =>
    new Intl.DateTimeFormat(language, MINUTE).formatToParts(new Date(iso));
  // Other languages would show GMT-5 or UTC−5.
  const zone = partsIn('en-US').find(({ type }) => type === 'timeZoneName')?.value;
  return partsIn(locale())
    .map(({ type, value }) => (type === 'timeZoneName' ? zone : value))
    .join('');
}
