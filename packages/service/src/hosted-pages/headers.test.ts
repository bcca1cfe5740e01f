import { expect, it } from 'vitest';
import { fastest } from '../../test/timing.js';
import { chooseEncoding } from './headers.js';

it.each([
  ['gzip, deflate, br', 'br'],
  ['br;q=1.0, gzip;q=0.8', 'br'],
  ['BR', 'br'],
  ['br;q=0.001', 'br'],
  ['gzip', 'gzip'],
  ['br;q=0', 'identity'],
  ['gzip, br ; q=0.000', 'gzip'],
  ['brotli, x-br', 'identity'],
  ['', 'identity'],
  [undefined, 'identity'],
])('Accept-Encoding %j chooses %s', (header, encoding) => {
  expect(chooseEncoding(header)).toBe(encoding);
});

it.each([' ', ',', ';', '\t', ';q=0', 'a;', ' ;', '0', 'br'])(
  'R-91 reads 16 kB of %j in Accept-Encoding within 5 ms',
  (filler) => {
    const header = `a<${filler.repeat(16_000 / filler.length)}>b`;
    expect(fastest(() => chooseEncoding(header))).toBeLessThan(5);
  },
);
