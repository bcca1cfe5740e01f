import { expect, it } from 'vitest';
import { sourceRefused, type PaymentSource } from './port.js';
import { readRefusal, readToken } from './response.js';

it.each([{}, 'x'.repeat(41), 'card\nNumber'])(
  'R-91 shows a short line if a processor refuses a source with a long text and the field %j',
  (field) => {
    const refused = Object.assign(sourceRefused('No\u001b\u202e'.repeat(1_000)), { field });
    const shown = readRefusal(refused);
    expect(shown).toEqual({ field: 'source', message: expect.stringMatching(/^(?:No *)+…$/) as string });
    expect(shown.message.length).toBeLessThanOrEqual(301);
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
