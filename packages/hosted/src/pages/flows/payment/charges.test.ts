import { beforeAll, describe, expect, it } from 'vitest';
import type { PageCharge } from '../../../../../service/src/shared/page.js';
import english from '../../kit/text/en/manage.js';
import { speak } from '../../kit/text/index.js';
import { amountField, chosenField, initialCharges, orderedCharges, totalOf } from './charges.js';
import { checkCharges } from './order.js';

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

beforeAll(() => speak(english));

describe('R-33 R-59 what is paid', () => {
  it('is everything at first', () => {
    const values = initialCharges(charges);
    expect(checkCharges(charges, values)).toEqual({});
    expect(totalOf(charges, values)).toBe(7800);
  });

  it('leaves out what was not chosen, never a fixed charge', () => {
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
  });

  it('does not mind the amount of what is left out', () => {
    const values = { ...initialCharges(charges), [amountField(first)]: '', [chosenField(first)]: 'no' };
    expect(checkCharges(charges, values)).toEqual({});
  });

  it('asks for at least one account', () => {
    const accounts = [first, second];
    const values = { [chosenField(first)]: 'no', [chosenField(second)]: 'no' };
    expect(checkCharges(accounts, values)).toHaveProperty(chosenField(first));
  });
});
