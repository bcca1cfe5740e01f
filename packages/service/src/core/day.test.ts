import { expect, it, vi } from 'vitest';
import { addDays, dayIn, dayOf, hourIn, startOf } from './day.js';

it('R-57 starts days in UTC in any machine time zone', () => {
  vi.stubEnv('TZ', 'America/New_York');
  // The first and last moment of the day on which clocks go back.
  const days = ['2026-11-01T00:00:00Z', '2026-11-01T23:59:59.999Z'].map((each) => dayOf(Date.parse(each)));
  vi.unstubAllEnvs();
  expect(days).toEqual(['2026-11-01', '2026-11-01']);
});

it.each([
  '2026-02-29',
  '2026-13-01',
  '2026-00-10',
  '2026-04-31',
  '2026-1-1',
  '',
  'tomorrow',
  '2026-01-01T00:00',
])('rejects %o as a day', (day) => expect(startOf(day)).toBeNull());

it('adds days across months, leap days and years', () => {
  expect(addDays('2028-02-28', 1)).toBe('2028-02-29');
  expect(addDays('2026-12-31', 1)).toBe('2027-01-01');
  expect(addDays('0999-12-30', 1)).toBe('0999-12-31');
  expect(addDays('2026-03-01', -1)).toBe('2026-02-28');
  // An invalid date is returned unchanged.
  expect(addDays('2026-02-30', 1)).toBe('2026-02-30');
});

it.each([
  // Clocks go forward on March 8 and back on November 1.
  ['America/New_York', '2026-03-08T04:59:59.999Z', '2026-03-07'],
  ['America/New_York', '2026-03-08T05:00:00Z', '2026-03-08'],
  ['America/New_York', '2026-03-09T03:59:59.999Z', '2026-03-08'],
  ['America/New_York', '2026-03-09T04:00:00Z', '2026-03-09'],
  ['America/New_York', '2026-11-02T04:59:59.999Z', '2026-11-01'],
  ['America/New_York', '2026-11-02T05:00:00Z', '2026-11-02'],
  // Month end and leap day.
  ['America/Los_Angeles', '2028-03-01T07:59:59.999Z', '2028-02-29'],
  ['America/Los_Angeles', '2028-03-01T08:00:00Z', '2028-03-01'],
  // No midnight on this day: clocks go from 23:59 to 01:00.
  ['America/Santiago', '2026-09-06T03:59:59.999Z', '2026-09-05'],
  ['America/Santiago', '2026-09-06T04:00:00Z', '2026-09-06'],
  // Samoa had no December 30, 2011.
  ['Pacific/Apia', '2011-12-30T09:59:59.999Z', '2011-12-29'],
  ['Pacific/Apia', '2011-12-30T10:00:00Z', '2011-12-31'],
  ['Pacific/Kiritimati', '2026-12-31T10:00:00Z', '2027-01-01'],
  ['UTC', '2026-12-31T23:59:59.999Z', '2026-12-31'],
])('R-95 in %s, %s is on %s', (timeZone, instant, day) => {
  expect(dayIn(Date.parse(instant), timeZone)).toBe(day);
});

it('R-95 knows the hour in each zone', () => {
  const hours = ['America/New_York', 'Asia/Kolkata', 'UTC'].map((zone) =>
    hourIn(Date.parse('2026-11-25T04:45:00Z'), zone),
  );
  expect(hours).toEqual([23, 10, 4]);
});
