import { expect, it } from 'vitest';
import { receiptNumber } from './receipt-number.js';

it('R-72 a receipt has ten digits to read out, the same for the same payment', () => {
  expect(receiptNumber('stg_1m80yfyxgdO1Fm7SCrWUzKWSpmLpEXA')).toBe('61783 74105');
  const ids = Array.from({ length: 10_000 }, (_, place) => `stg_${place}`);
  const numbers = ids.map(receiptNumber);
  for (const number of numbers) expect(number).toMatch(/^\d{5} \d{5}$/);
  expect(new Set(numbers).size).toBeGreaterThan(9_990);
});
