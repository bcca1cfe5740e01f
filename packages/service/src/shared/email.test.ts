import { expect, it } from 'vitest';
import { fastest } from '../../test/timing.js';
import { readEmail } from './email.js';

it.each(['ada@example.com', 'ada.b+c@mail.example.co', 'ада@пример.рф', "o'neil@example.com"])(
  'R-104 accepts %s',
  (address) => expect(readEmail(` ${address} `)).toBe(address),
);

it.each([
  '',
  'ada',
  '@x.example',
  'a@x',
  'a b@x.example',
  'a\u202eb@x.example',
  'a\u200bb@x.example',
  'a@x.example>',
  'a@x..example',
  '"a"@x.example',
  7,
])('R-104 refuses %j', (address) => expect(readEmail(address)).toBeNull());

it('R-91 reads a hostile address quickly', () => {
  for (const part of ['a', '.', '-', 'a.', '@'])
    expect(fastest(() => readEmail(`${'a'.repeat(60)}@${part.repeat(250)}`))).toBeLessThan(10);
  for (const part of ['a', '.', 'a.'])
    expect(fastest(() => readEmail(part.repeat(100_000)))).toBeLessThan(10);
});
