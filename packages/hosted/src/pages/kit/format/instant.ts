import { locale } from './locale.js';

const MINUTE = {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  timeZoneName: 'short',
} as const;

/** An instant, ISO 8601, in the payer's time zone, which it names as the US does: `Nov 22, 2026, 1:18 AM EST`. */
export function instant(iso: string): string {
  const partsIn = (language: string) =>
    new Intl.DateTimeFormat(language, MINUTE).formatToParts(new Date(iso));
  // Other languages name US zones in other ways: GMT-5, UTC−5.
  const zone = partsIn('en-US').find(({ type }) => type === 'timeZoneName')?.value;
  return partsIn(locale())
    .map(({ type, value }) => (type === 'timeZoneName' ? zone : value))
    .join('');
}
