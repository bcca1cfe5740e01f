/** Calendar days (`YYYY-MM-DD`): arithmetic without a clock. */

export const DAY_MS = 86_400_000;

/** The UTC day of an instant (ms since the epoch). */
export function dayOf(instant: number): string {
  const days = (instant - (((instant % DAY_MS) + DAY_MS) % DAY_MS)) / DAY_MS;
  return civil(days);
}

const made = new Map<string, Intl.DateTimeFormat>();

/** Makes a format once: that takes longer than all else that a job does for a business unit without work. */
function formatted(instant: number, locale: string, options: Intl.DateTimeFormatOptions): string {
  const key = `${locale} ${options.timeZone}`;
  let format = made.get(key);
  if (format === undefined) made.set(key, (format = new Intl.DateTimeFormat(locale, options)));
  return format.format(instant);
}

/**
 * The day that an instant (ms since the epoch) falls on in an IANA time zone.
 *
 * @example dayIn(Date.parse('2026-11-25T03:00:00Z'), 'America/New_York') // '2026-11-24'
 */
export function dayIn(instant: number, timeZone: string): string {
  if (timeZone === 'UTC') return dayOf(instant);

  // Swedish writes dates as ISO 8601 does.
  return formatted(instant, 'sv-SE', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
}

/** The hour, 0 to 23, of an instant (ms since the epoch) in an IANA time zone. */
export function hourIn(instant: number, timeZone: string): number {
  return Number(formatted(instant, 'en-US', { timeZone, hour: 'numeric', hourCycle: 'h23' }));
}

/** The last day that has begun in any of the time zones, or null without one. */
export function latestDay(instant: number, timeZones: Iterable<string>): string | null {
  let latest: string | null = null;
  for (const timeZone of new Set(timeZones)) {
    const day = dayIn(instant, timeZone);
    if (latest === null || day > latest) latest = day;
  }
  return latest;
}

/** The instant (ms since the epoch) at which a day begins in UTC, or null when there is no such day. */
export function startOf(day: string): number | null {
  const match = /(\d{4})-(\d{2})-(\d{2})/.exec(day);
  if (!match) return null;
  const days = count(Number(match[1]), Number(match[2]), Number(match[3]));
  return civil(days) === day ? days * DAY_MS : null;
}

/** The day `n` days after `day`. */
export function addDays(day: string, n: number): string {
  const start = startOf(day);
  return start === null ? day : dayOf(start + n * DAY_MS);
}

/** An instant (ms since the epoch) as ISO 8601 in UTC, such as `2026-11-21T09:30:00.000Z`. */
export function iso(instant: number): string {
  const ms = ((instant % DAY_MS) + DAY_MS) % DAY_MS;
  const two = (n: number): string => String(n).padStart(2, '0');
  const seconds = whole(ms, 1000);
  const time = [whole(seconds, 3600), whole(seconds, 60) % 60, seconds % 60].map(two).join(':');
  return `${dayOf(instant)}T${time}.${String(ms % 1000).padStart(3, '0')}Z`;
}

// Years begin in March here, so that a leap day is the last of its year; 719,468 days lie between
// 0000-03-01 and 1970-01-01, and an era is the 400 years after which the calendar repeats.
function count(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = whole(y, 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = whole(153 * (month + (month > 2 ? -3 : 9)) + 2, 5) + day - 1;
  return era * 146_097 + yearOfEra * 365 + whole(yearOfEra, 4) - whole(yearOfEra, 100) + dayOfYear - 719_468;
}

function civil(days: number): string {
  const z = days + 719_468;
  const era = whole(z, 146_097);
  const dayOfEra = z - era * 146_097;
  const yearOfEra = whole(
    dayOfEra - whole(dayOfEra, 1460) + whole(dayOfEra, 36_524) - whole(dayOfEra, 146_096),
    365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + whole(yearOfEra, 4) - whole(yearOfEra, 100));
  const shifted = whole(5 * dayOfYear + 2, 153);
  const day = dayOfYear - whole(153 * shifted + 2, 5) + 1;
  const month = shifted < 10 ? shifted + 3 : shifted - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

function whole(a: number, b: number): number {
  return (a - (((a % b) + b) % b)) / b;
}
