import { beforeAll, describe, expect, it } from 'vitest';
import type { SavedMethod } from '../../../wire/page.js';
import { speak } from '../text/index.js';
import english from '../text/en/payment.js';
import { checkSource, firstChoice, newSource, refusedFields } from './source-form.js';

const now = '2026-11-21T10:00:00Z';
const card = {
  method: 'Credit Card',
  cardNumber: '4242 4242 4242 4242',
  expiry: '12 / 34',
  securityCode: '123',
  name: ' Dana Reyes ',
  zipCode: '04101',
};
const bank = {
  method: 'ACH',
  holder: 'Dana Reyes',
  routingNumber: '110000000',
  accountNumber: '000123456789',
};
const saved: SavedMethod = { id: 'm1', method: 'ACH', last4: '6789', isDefault: true, usedBy: [] };

beforeAll(() => speak(english, () => undefined));

describe('a new source', () => {
  it('is sent as digits', () => {
    expect(checkSource(card, now)).toEqual({});
    expect(newSource(card, now)).toEqual({
      method: 'Credit Card',
      cardNumber: '4242424242424242',
      expiry: '12/34',
      securityCode: '123',
      name: 'Dana Reyes',
      zipCode: '04101',
    });
    expect(checkSource(bank, now)).toEqual({});
    expect(newSource(bank, now)).toEqual({ ...bank });
  });

  it('names every problem, in the order of the form', () => {
    expect(Object.keys(checkSource({ method: 'Credit Card' }, now))).toEqual([
      'cardNumber',
      'expiry',
      'securityCode',
      'name',
      'zipCode',
    ]);
    expect(Object.keys(checkSource({ method: 'ACH' }, now))).toEqual([
      'holder',
      'routingNumber',
      'accountNumber',
    ]);
  });

  it.each([
    ['cardNumber', '4242 4242 4242 4241', /not valid/],
    ['cardNumber', '4242', /not complete/],
    ['expiry', '10 / 26', /expired/],
    ['expiry', '1', /MM \/ YY/],
    ['securityCode', '12', /3 digits/],
    ['name', 'x'.repeat(101), /too long/],
    ['zipCode', '0410', /ZIP/],
  ])('%s %j is refused', (field, value, message) => {
    expect(checkSource({ ...card, [field]: value }, now)[field]).toMatch(message);
  });

  it('an American Express card has four digits of security code', () => {
    const amex = { ...card, cardNumber: '3782 822463 10005' };
    expect(checkSource(amex, now)).toHaveProperty('securityCode');
    expect(checkSource({ ...amex, securityCode: '1234' }, now)).toEqual({});
  });
});

it('a new card comes before a saved method, and a saved one alone is chosen', () => {
  expect(firstChoice(['Credit Card', 'ACH'], [saved], now)).toBe('Credit Card');
  expect(firstChoice(['ACH'], [], now)).toBe('ACH');
  expect(firstChoice([], [saved], now)).toBe('saved:m1');
  expect(firstChoice([], [], now)).toBe('');
  expect(checkSource({ method: '' }, now)).toHaveProperty('method');
});

it('refusals of the service stand beside their fields', () => {
  expect(
    refusedFields([
      { code: 'invalid', field: 'source.cardNumber', message: 'Check the card number.' },
      { code: 'invalid', field: 'fields.InvoiceNumber', message: 'Enter it.' },
      { code: 'invalid', field: 'source.savedMethodId', message: 'This card has expired.' },
    ]),
  ).toEqual({
    cardNumber: 'Check the card number.',
    'fields.InvoiceNumber': 'Enter it.',
    method: 'This card has expired.',
  });
});
