import { expect, it, vi } from 'vitest';
import { addDays, DAY_MS, dayOf, iso, startOf } from './day.js';

it('R-57 a day begins in UTC, wherever the machine is', () => {
  vi.stubEnv('TZ', 'America/New_York');
  // The day on which its clocks go back, from the first to the last moment.
  const told = ['2026-11-01T00:00:00Z', '2026-11-01T23:59:59.999Z'].map((each) => dayOf(Date.parse(each)));
  vi.unstubAllEnvs();
  expect(told).toEqual(['2026-11-01', '2026-11-01']);
});

it('agrees with the platform calendar on every day from 1960 to 2110', () => {
  for (let ms = Date.UTC(1960, 0, 1); ms < Date.UTC(2110, 0, 1); ms += DAY_MS) {
    const day = new Date(ms).toISOString().slice(0, 10);
    if (dayOf(ms) !== day || dayOf(ms + DAY_MS - 1) !== day || startOf(day) !== ms)
      expect([dayOf(ms), dayOf(ms + DAY_MS - 1), startOf(day)]).toEqual([day, day, ms]);
  }
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
])('knows that %o is no day', (day) => expect(startOf(day)).toBeNull());

it('counts over month, leap day and year ends', () => {
  expect(addDays('2028-02-28', 1)).toBe('2028-02-29');
  expect(addDays('2026-12-31', 1)).toBe('2027-01-01');
  expect(addDays('0999-12-30', 1)).toBe('0999-12-31');
  expect(addDays('2026-03-01', -1)).toBe('2026-02-28');
  // What is no day stays what it is.
  expect(addDays('2026-02-30', 1)).toBe('2026-02-30');
});

it.each([0, 1, 1_795_260_123_456, Date.UTC(2028, 1, 29, 23, 59, 59, 999)])(
  'writes %d as the platform does',
  (ms) => expect(iso(ms)).toBe(new Date(ms).toISOString()),
);
