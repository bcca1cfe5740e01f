import { expect, it } from 'vitest';
import { shortAge } from './short-age.js';

it.each([
  [-5_000, '0 s'],
  [999, '0 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [7_200_000, '2 h'],
  [200_000_000, '2 d'],
])('R-90 formats an age of %i ms as %s', (ms, age) => {
  const at = Date.parse('2026-11-24T10:00:00Z');
  expect(shortAge(new Date(at).toISOString(), at + ms)).toBe(age);
});
