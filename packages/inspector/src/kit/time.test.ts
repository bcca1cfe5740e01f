import { expect, it } from 'vitest';
import { shortDuration, shortTime } from './time.js';

it.each([
  [-5_000, '0 s'],
  [999, '0 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [7_200_000, '2 h'],
  [200_000_000, '2 d'],
])('R-90 formats a duration of %i ms as %s', (ms, duration) => {
  expect(shortDuration(ms)).toBe(duration);
});

/** Converts digits to those of the current locale. */
const digits = (text: string): string => {
  const numbers = new Intl.NumberFormat(undefined, { useGrouping: false });
  return text.replace(/\d/g, (digit) => numbers.format(Number(digit)));
};

it('R-90 formats the first hour of a day as 00, not 24', () => {
  const at = new Date(2026, 10, 22, 0, 5).toISOString();
  expect(shortTime(at)).toContain(digits('00:05:00'));
});

it('R-90 formats a time of today to the millisecond', () => {
  const today = new Date();
  today.setHours(0, 5, 7, 89);
  const formatted = shortTime(today.toISOString());
  expect(formatted.replace(/[^\p{Nd}]/gu, '')).toBe(digits('000507089'));
  expect(formatted.startsWith(digits('00:05:07'))).toBe(true);
});
