import { expect, it } from 'vitest';
import { shortTime } from './short-time.js';

it('R-90 tells the first hour of a day as everybody writes it: 00, not 24', () => {
  const at = new Date(2026, 10, 23, 0, 5).toISOString();
  expect(shortTime(at)).toMatch(/(^| )00:05:00/);
});
