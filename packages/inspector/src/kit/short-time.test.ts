import { expect, it } from 'vitest';
import { shortTime } from './short-time.js';

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
