import { expect, it } from 'vitest';
import { accepts } from './encoding.js';

it.each([
  ['gzip, deflate, br', true],
  ['br;q=1.0, gzip;q=0.8', true],
  ['BR', true],
  ['br;q=0.001', true],
  ['gzip', false],
  ['br;q=0', false],
  ['gzip, br ; q=0.000', false],
  ['brotli, x-br', false],
  ['', false],
  [undefined, false],
])('Accept-Encoding %j takes brotli: %s', (header, taken) => {
  expect(accepts('br', header)).toBe(taken);
});
