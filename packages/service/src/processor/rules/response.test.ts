import { expect, it } from 'vitest';
import { sourceRefused, type PaymentSource } from './port.js';
import { readEvents, readRefusal, readToken } from './response.js';

it.each([{}, 'x'.repeat(41), 'card\nNumber'])(
  'R-91 shows a short line if a processor refuses a source with a long text and the field %j',
  (field) => {
    const refused = Object.assign(sourceRefused('No\u001b\u202e'.repeat(1_000)), { field });
    const shown = readRefusal(refused);
    expect(shown).toEqual({ field: 'source', message: expect.stringMatching(/^(?:No *)+…$/) as string });
    expect(shown?.message.length).toBeLessThanOrEqual(301);
  },
);

it.each(['R10\tNot authorized', 'Not authorized\nR10', `R10 ${'x'.repeat(300)}`])(
  'R-93 reads the return code of %j, but not the rest',
  (reason) => {
    const returned = { attemptId: 'pay_1', outcome: 'returned', reason };
    expect(readEvents([returned])).toEqual([{ ...returned, reason: 'R10' }]);
  },
);

it.each(['token', 'brand', 'fingerprint'])(
  'R-50 refuses a %s with the number of the card or account, however its digits are separated',
  (field) => {
    const read = (text: string, source: object) =>
      readToken({ token: 'tok_1', last4: '4242', [field]: text }, source as PaymentSource);
    const card = { method: 'Credit Card', cardNumber: '4242424242424242' };
    expect(read('x_5555.5555.5555.4444', card)).not.toBeNull();
    for (const text of ['x4242.4242.4242.4242', 'x4_2_4_2_4_2_4_2_4_2_4_2_4_2_4_2'])
      expect(read(text, card)).toBeNull();
    expect(read('x_123.456.789', { method: 'ACH', accountNumber: '000123456789' })).toBeNull();
  },
);

it('keeps the fields of a token that is a class instance, as they were checked', () => {
  let reads = 0;
  const response = new (class {
    get token(): string {
      return `tok_${++reads}`;
    }
    get last4(): string {
      return '4242';
    }
  })();
  const read = readToken(response, {
    method: 'Credit Card',
    cardNumber: '4242424242424242',
  } as PaymentSource);
  expect({ ...read }).toMatchObject({ token: 'tok_1', last4: '4242' });
});
