import { expect, it } from 'vitest';
import { receiptNumber } from './receipt-number.js';

it('R-72 derives ten digits from the id of a payment', () => {
  expect(receiptNumber('pay_1m84mws3mUpjOZ3_YL14HgEChGiqGfg')).toBe('24751 13575');
  const ids = Array.from({ length: 10_000 }, (_, index) => `pay_${index}`);
  const numbers = ids.map(receiptNumber);
  for (const number of numbers) expect(number).toMatch(/^\d{5} \d{5}$/);
  expect(new Set(numbers).size).toBeGreaterThan(9_990);
});
