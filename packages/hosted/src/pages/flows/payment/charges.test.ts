import { beforeAll, describe, expect, it } from 'vitest';
import type { PageCharge } from '@shared/page.js';
import { setTexts } from '../../kit/text/index.js';
import { textsOf } from '../../../../../service/src/texts/texts.js';
import { amountField, byAccount, chosenField, initialCharges, totalOf } from './charges.js';
import { checkCharges, orderedCharges } from './order.js';

const charge = (index: number, amount: number, more: Partial<PageCharge> = {}): PageCharge => ({
  index,
  amount,
  selectable: false,
  adjustable: false,
  maxAmount: amount,
  ...more,
});
const first = charge(0, 5000, { selectable: true, adjustable: true, maxAmount: 9000 });
const second = charge(1, 2500, { selectable: true });
const fixed = charge(2, 300);
const charges = [first, second, fixed];

beforeAll(() => setTexts(textsOf('en')));

describe('R-33 R-59 the charges to pay', () => {
  it('initially include every charge', () => {
    const values = initialCharges(charges);
    expect(checkCharges(charges, values)).toEqual({});
    expect(totalOf(charges, values)).toEqual({ text: '$78.00', isPayable: true });
  });

  it('exclude unselected charges, but never a fixed one', () => {
    const values = { ...initialCharges(charges), [chosenField(second)]: 'no', [chosenField(fixed)]: 'no' };
    expect(orderedCharges(charges, values)).toEqual([
      { index: 0, amount: 5000 },
      { index: 2, amount: 300 },
    ]);
  });

  it.each([
    ['90.00', true],
    ['90.01', false],
    ['0.01', true],
    ['0', false],
    ['', false],
    ['abc', false],
  ])('an adjusted amount of %j is allowed: %s', (typed, allowed) => {
    const values = { ...initialCharges(charges), [amountField(first)]: typed };
    expect(Object.keys(checkCharges(charges, values))).toEqual(allowed ? [] : [amountField(first)]);
    expect(totalOf(charges, values).isPayable).toBe(allowed);
  });

  it('ignore the amount of an unselected charge', () => {
    const values = { ...initialCharges(charges), [amountField(first)]: '', [chosenField(first)]: 'no' };
    expect(checkCharges(charges, values)).toEqual({});
  });

  it('must include at least one account', () => {
    const accounts = [first, second];
    const values = { [chosenField(first)]: 'no', [chosenField(second)]: 'no' };
    expect(checkCharges(accounts, values)).toHaveProperty(chosenField(first));
    expect(totalOf(accounts, values)).toEqual({ text: '$0.00', isPayable: false });
  });

  describe('an account with several charges', () => {
    const group = { first: 0, maxAmount: 10_000 };
    const bill = charge(0, 6000, { selectable: true, adjustable: true, maxAmount: 10_000, group });
    const other = charge(1, 2500, { selectable: true, adjustable: true });
    const fee = charge(2, 4000, { selectable: true, adjustable: true, maxAmount: 10_000, group });
    const all = [bill, other, fee];
    const adjusted = (one: string, two: string) => ({
      ...initialCharges(all),
      [amountField(bill)]: one,
      [amountField(fee)]: two,
    });

    it('is selected as a whole', () => {
      const values = { ...initialCharges(all), [chosenField(fee)]: 'no' };
      expect(orderedCharges(all, values)).toEqual([{ index: 1, amount: 2500 }]);
      expect(byAccount(all).map(({ index }) => index)).toEqual([0, 2, 1]);
    });

    it('has one limit for all its charges', () => {
      expect(totalOf(all, adjusted('60.00', '40.00')).text).toBe('$125.00');
      expect(totalOf(all, adjusted('99.99', '0.01')).text).toBe('$125.00');
      const tooMuch = adjusted('100.00', '0.01');
      expect(totalOf(all, tooMuch).isPayable).toBe(false);
      expect(checkCharges(all, tooMuch)).toEqual({
        [amountField(bill)]: expect.stringContaining('$99.99'),
      });
    });
  });
});
