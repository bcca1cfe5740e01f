import { describe, expect, it } from 'vitest';
import { makeId } from '../platform/ids.js';
import { heightTold } from '../shared/first-height.js';
import { heightsAsIdEnd, paymentHeights, scheduledHeights, walletHeights } from './first-height.js';

const method = (kind: string, uses: readonly string[] = []) => ({ method: { method: kind }, uses });
const payments = (...statuses: ('scheduled' | 'executing' | 'executed' | 'failed' | 'canceled')[]) =>
  scheduledHeights(statuses.map((status) => ({ status })));

describe('R-71 how high a page will be', () => {
  it('stands at the end of an id in four digits, whatever it is', () => {
    expect(heightsAsIdEnd([960, 780])).toBe('6o5f');
    expect(heightsAsIdEnd([0, 4])).toBe('0001');
    expect(heightsAsIdEnd([1e6, 1e6])).toBe('zzzz');
  });

  it('is read from an id that was made with it, and is that of a payment in one of an older process', () => {
    const id = makeId('stg_', Date.now());
    const told = (end: string) => [heightTold(id + end, false), heightTold(id + end, true)];
    expect(told(heightsAsIdEnd([1160, 532]))).toEqual([1160, 532]);
    expect(told(heightsAsIdEnd([4, 1e6]))).toEqual([4, 4 * (36 ** 2 - 1)]);
    for (const before of ['', 'p', 'w', 'z']) expect(told(before)).toEqual([780, 780]);
    expect([heightTold('stg_x', true), heightTold('', false)]).toEqual([780, 780]);
  });

  it('of a payment goes with its charges, the ways to pay and what else the merchant gave', () => {
    const account = (place: number, more = {}) => ({
      Amount: 100,
      ClientAccount: { AccountNumber: `HW-${place}`, Name: 'Dana Reyes', ...more },
    });
    const line = { Amount: 100, Description: 'Fee' };
    const higher = (request: object, adjustable = false): number[] => {
      const plain = { BusinessUnitSlug: 'b', Channel: 'QuickPay', Charges: [line] } as const;
      const [narrow, wide] = paymentHeights({ ...plain, ...request }, adjustable);
      return [narrow - 960, wide - 780];
    };
    const many = (count: number, make: (place: number) => object) => ({
      Charges: Array.from({ length: count }, (_, place) => make(place)),
    });
    // As measured in the browser, px.
    expect(higher({})).toEqual([0, 0]);
    expect(higher({ PaymentMethods: ['ACH'] })).toEqual([78, 137]);
    expect(higher({ PaymentMethods: ['Credit Card'] })).toEqual([-60, 0]);
    expect(higher({ PaymentMethods: ['Credit Card', 'ACH'] })).toEqual([0, 0]);
    expect(higher({ PaymentDescriptor: 'Bill', ReturnUrl: 'https://shop.example/' })).toEqual([68, 68]);
    expect(higher({ Charges: [account(1)] })).toEqual([21, 21]);
    expect(higher({ Charges: [account(1, { Balance: 100 })] })).toEqual([48, 48]);
    expect(higher(many(3, () => line))).toEqual([144, 144]);
    expect(higher(many(4, () => line))).toEqual([-12, -12]);
    expect(higher(many(2, account))).toEqual([171, 171]);
    expect(higher(many(4, (place) => account(place, { Balance: 100 })))).toEqual([419, 419]);
    expect(higher(many(25, (place) => account(place, { Balance: 100 })))).toEqual([-12, -12]);
    expect(higher(many(2, account), true)).toEqual([239, 239]);
  });

  it('of a wallet goes with its methods and their uses', () => {
    const [, none] = walletHeights([]);
    const [narrow, one] = walletHeights([method('Credit Card')]);
    expect(one).toBeGreaterThan(none);
    expect(walletHeights([method('Credit Card'), method('ACH')])).toEqual([narrow + 106, one + 106]);
    expect(walletHeights([method('Credit Card'), method('Credit Card')])).toEqual([narrow + 146, one + 106]);
    expect(walletHeights([method('Credit Card', ['autopay'])])).toEqual([narrow + 92, one + 70]);
  });

  it('of scheduled payments goes with what is to come and what was', () => {
    expect(payments()).toEqual([415, 376]);
    expect(payments('scheduled', 'executing')).toEqual([634, 552]);
    expect(payments('executed')).toEqual([525, 486]);
    expect(payments('scheduled', 'failed', 'canceled')).toEqual([506 + 46 + 86 + 64, 446 + 46 + 86 + 64]);
  });
});
