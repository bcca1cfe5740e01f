import { expect, it } from 'vitest';
import { retryAfterMs } from './retry-after.js';

const NOW = Date.UTC(2026, 10, 23, 8, 0, 0);

it.each([
  ['120', 120_000],
  ['0.5', 500],
  ['65.4321', 65_433],
  ['0', 0],
  ['Mon, 23 Nov 2026 08:01:00 GMT', 60_000],
  ['Mon, 23 Nov 2026 07:59:00 GMT', 0],
  ['-1', 0],
  ['1.2.3', 0],
  ['soon', 0],
  ['', 0],
  [null, 0],
  [undefined, 0],
])('R-52 reads a Retry-After of %j as %d ms', (header, ms) => {
  expect(retryAfterMs(header, NOW)).toBe(ms);
});
