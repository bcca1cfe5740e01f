import { array, assert, double, integer, property } from 'fast-check';
import { expect, it } from 'vitest';
import { account } from '../../test/merchant.js';
import { linesOfCharges, refundEntries, split, type LedgerEntry } from './rules.js';

it('R-98 split assigns leftover cents to the largest remainders', () => {
  expect(split(100, [1_000, 1_000, 1_000])).toEqual([34, 33, 33]);
  expect(split(1, [1, 99])).toEqual([0, 1]);
  expect(split(0, [0, 0])).toEqual([0, 0]);
});

it('R-98 refunds add up to the amount paid per account and never exceed it', () => {
  const cents = integer({ min: 1, max: 2 ** 45 });
  const parts = array(double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 });
  assert(
    property(array(cents, { minLength: 1, maxLength: 8 }), parts, (paid, fractions) => {
      const booked = paid.map((amount, line) => entry('payment', 'pay_1', line, amount));
      const leftOf = (line: number): number =>
        booked.filter((each) => each.line === line).reduce((sum, { amount }) => sum + amount, 0);
      let left = paid.reduce((sum, amount) => sum + amount, 0);
      for (const [place, fraction] of [...fractions, 1].entries()) {
        const amount = Math.ceil(left * fraction);
        const shares = booked.slice(0, paid.length).map((each) => ({ ...each, amount: leftOf(each.line) }));
        const entries = refundEntries({ ...REFUND, id: `ref_${place}`, amount }, shares, '2026-12-01');
        expect(entries.reduce((sum, each) => sum - each.amount, 0)).toBe(amount);
        expect(entries.every((each) => each.amount < 0)).toBe(true);
        booked.push(...entries);
        left -= amount;
      }
      for (const line of paid.keys()) expect(leftOf(line)).toBe(0);
    }),
  );
});

it('R-98 charges of an account share a line, and so do those without an account', () => {
  const { ClientAccount } = account('1001', { SubAccountNumber: 'A' });
  const charges = [
    { Amount: 100, Description: 'Water', ClientAccount },
    { Amount: 200, Description: 'Fee' },
    { Amount: 300, Description: 'Sewer', ClientAccount },
  ];
  const chosen = charges.map(({ Amount }, index) => ({ index, amount: Amount }));
  expect(linesOfCharges(chosen, charges)).toEqual([
    { accountNumber: '1001', subAccountNumber: 'A', description: 'Water; Sewer', amount: 400 },
    { accountNumber: '', subAccountNumber: '', description: 'Fee', amount: 200 },
  ]);
});

it('R-91 truncates a line’s description like pages do, because each refund repeats it', () => {
  const charges = [
    { Amount: 1, Description: 'a\u001b[2J\u202eb' },
    { Amount: 2, Description: 'x'.repeat(200_000) },
  ];
  const [line] = linesOfCharges(
    [0, 1].map((index) => ({ index, amount: 1 })),
    charges,
  );
  expect(line?.description).toMatch(/^a \[2J b; x{200,}…$/);
  expect(line?.description.length).toBeLessThan(310);
});

const REFUND = {
  businessUnit: 'water',
  attemptId: 'pay_1',
  status: 'succeeded' as const,
  leftOver: 0,
  createdAt: 0,
  lookups: 0,
};

function entry(type: LedgerEntry['type'], id: string, line: number, amount: number): LedgerEntry {
  return {
    id,
    line,
    businessUnit: 'water',
    date: '2026-11-01',
    type,
    paymentId: 'pay_1',
    sessionId: 'stg_1',
    accountNumber: `${line}`,
    subAccountNumber: '',
    description: '',
    amount,
    method: 'ACH',
    reference: undefined,
  };
}
