/** Calendar days (`YYYY-MM-DD`): arithmetic without a clock. */
// oxlint-disable no-restricted-globals -- a Date of a given instant reads no clock

export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** The UTC day of an instant (ms since the epoch). */
export function dayOf(instant: number): string {
  return iso(instant).slice(0, 10);
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Caches formats, because creating one takes longer than the rest of an idle job. */
function formatted(instant: number, locale: string, options: Intl.DateTimeFormatOptions): string {
  const key = `${locale} ${options.timeZone}`;
  let format = formats.get(key);
  if (format === undefined) formats.set(key, (format = new Intl.DateTimeFormat(locale, options)));
  return format.format(instant);
}

/** The day that an instant (ms since the epoch) falls on in an IANA time zone. */
export function dayIn(instant: number, timeZone: string): string {
  if (timeZone === 'UTC') return dayOf(instant);

  // Swedish writes dates as ISO 8601 does.
  return formatted(instant, 'sv-SE', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
}

/** The hour, 0 to 23, of an instant (ms since the epoch) in an IANA time zone. */
export function hourIn(instant: number, timeZone: string): number {
  return Number(formatted(instant, 'en-US', { timeZone, hour: 'numeric', hourCycle: 'h23' }));
}

/** The instant (ms since the epoch) at which a day begins in UTC, or null if the day doesn't exist. */
export function startOf(day: string): number | null {
  const start = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(day) : NaN;
  return Number.isNaN(start) || dayOf(start) !== day ? null : start;
}

export function addDays(day: string, n: number): string {
  const start = startOf(day);
  return start === null ? day : dayOf(start + n * DAY_MS);
}

/** An instant (ms since the epoch) as ISO 8601 in UTC, such as `2026-11-21T09:30:00.000Z`. */
export function iso(instant: number): string {
  return new Date(instant).toISOString();
}
