import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { SavedMethod, Reason } from '@shared/page.js';
import { setTexts } from '../text/index.js';
import { textsOf } from '../../../../../service/src/texts/texts.js';
import { firstChoice, initialSource } from './source-form.js';
import { checkSource, expiresBefore, newSource, refusedFields } from './source-check.js';

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
  accountType: 'checking',
  holder: 'Dana Reyes',
  routingNumber: '110000000',
  accountNumber: '000123456789',
};
const saved: SavedMethod = { id: 'm1', method: 'ACH', last4: '6789', isDefault: true, usedBy: [] };

beforeAll(() => setTexts(textsOf('en')));

describe('a new source', () => {
  it('is sent as digits', () => {
    expect(checkSource(card, now)).toEqual({});
    expect(newSource(card, now)).toEqual({
      method: 'Credit Card',
      cardNumber: '4242424242424242',
      expiry: '12/34',
      securityCode: '123',
      name: 'Dana Reyes',
      country: 'US',
      zipCode: '04101',
    });
    expect(checkSource(bank, now)).toEqual({});
    expect(newSource(bank, now)).toEqual({ ...bank });
  });

  it('is sent as ASCII digits even if typed with an input method for another script', () => {
    const wide = (text: string) =>
      text.replace(/\d/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0));
    const typed = (source: Record<string, string>, fields: readonly string[]) => ({
      ...source,
      ...Object.fromEntries(fields.map((field) => [field, ` ${wide(source[field] ?? '')}\u3000`])),
    });
    const wideCard = typed(card, ['cardNumber', 'securityCode', 'zipCode']);
    expect(checkSource(wideCard, now)).toEqual({});
    expect(newSource(wideCard, now)).toEqual(newSource(card, now));
    const wideBank = typed(bank, ['routingNumber', 'accountNumber']);
    expect(checkSource(wideBank, now)).toEqual({});
    expect(newSource(wideBank, now)).toEqual(bank);
    expect(Object.keys(checkSource({ ...wideBank, accountNumber: '１２３あ４５' }, now))).toEqual([
      'accountNumber',
    ]);
  });

  it('reports every problem in the order of the form', () => {
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
    ['cardNumber', '4242 4242 4242 4241', /isn’t valid/],
    ['cardNumber', '4242', /incomplete/],
    ['expiry', '10 / 26', /expired/],
    ['expiry', '1', /MM\s\/\sYY/],
    ['securityCode', '12', /3 digits/],
    ['name', 'x'.repeat(101), /too long/],
    ['zipCode', '0410', /9 digits/],
  ])('%s %j is refused', (field, value, message) => {
    expect(checkSource({ ...card, [field]: value }, now)[field]).toMatch(message);
  });

  it('names the length of the security code only if the card number determines it', () => {
    const codeProblem = (cardNumber: string, securityCode: string) =>
      checkSource({ ...card, cardNumber, securityCode }, now)['securityCode'];
    expect(codeProblem('', '')).toBe('Required.');
    expect(codeProblem(card.cardNumber, '')).toBe('Required.');
    expect(codeProblem('', '1234')).toBeUndefined();
    expect(codeProblem('3', '12')).toBe('Enter 3 digits.');
    expect(codeProblem('37', '123')).toBe('Enter 4 digits.');
  });

  it('requires a four-digit security code for American Express', () => {
    const amex = { ...card, cardNumber: '3782 822463 10005' };
    expect(checkSource(amex, now)).toHaveProperty('securityCode');
    expect(checkSource({ ...amex, securityCode: '1234' }, now)).toEqual({});
  });
});

it('R-71 chooses the payer’s default, then another saved method, then a new one', () => {
  expect(firstChoice(['Credit Card', 'ACH'], [saved], now)).toBe('saved:m1');
  expect(firstChoice(['ACH'], [{ ...saved, id: 'm3', isDefault: false }, saved], now)).toBe('saved:m1');
  expect(firstChoice(['ACH'], [], now)).toBe('ACH');
  expect(firstChoice([], [saved], now)).toBe('saved:m1');
  expect(firstChoice([], [], now)).toBe('');
  expect(checkSource({ method: '' }, now)).toHaveProperty('method');
});

it.each(['04101-1234', '041011234', '04101 1234', '０４１０１-1234'])(
  'ZIP code %s is taken as ZIP+4',
  (zipCode) => {
    expect(checkSource({ ...card, zipCode }, now)).toEqual({});
    expect(newSource({ ...card, zipCode }, now)).toMatchObject({ zipCode: '04101-1234' });
  },
);

it('validates the postcode of a Canadian card', () => {
  const canadian = { ...card, country: 'CA', zipCode: ' k1a0b1 ' };
  expect(checkSource(canadian, now)).toEqual({});
  expect(newSource(canadian, now)).toMatchObject({ country: 'CA', zipCode: 'K1A 0B1' });
  expect(checkSource({ ...canadian, zipCode: '04101' }, now)['zipCode']).toMatch(/postal code/);
  expect(checkSource({ ...card, zipCode: 'K1A 0B1' }, now)['zipCode']).toMatch(/9 digits/);
});

it('preselects the payer’s own country if offered, otherwise the first', () => {
  const of = (countries?: string[]) =>
    initialSource({ methods: ['ACH'], now, ...(countries && { countries }) }, []);
  expect(of()).toEqual({ method: 'ACH' });
  vi.stubGlobal('navigator', { languages: ['fr', 'fr-CA', 'en-US'] });
  try {
    expect(of(['US', 'CA'])).toMatchObject({ country: 'CA' });
    expect(of(['GB', 'US'])).toMatchObject({ country: 'US' });
    expect(of(['GB', 'DE'])).toMatchObject({ country: 'GB' });
  } finally {
    vi.unstubAllGlobals();
  }
});

it('fills in the name of a known customer', () => {
  const customer = { emailAddress: 'a@b.example', firstName: 'Dana', lastName: 'Reyes' };
  expect(initialSource({ methods: ['ACH'], now, customer }, [])).toMatchObject({
    name: 'Dana Reyes',
    holder: 'Dana Reyes',
  });
});

it('R-71 fills in the account’s ZIP code for US cards only', () => {
  const of = (zipCode: string, countries?: string[]) =>
    initialSource({ methods: ['Credit Card'], now, ...(countries && { countries }) }, [], {
      address: { zipCode },
    })['zipCode'];
  expect(of(' 04101-1234 ')).toBe('04101-1234');
  expect(of('K1A 0B1')).toBeUndefined();
  expect(of('04101', ['CA', 'US'])).toBeUndefined();
});

it('sends the type of a bank account', () => {
  expect(newSource({ ...bank, accountType: 'savings' }, now)).toMatchObject({ accountType: 'savings' });
});

describe('an expired card', () => {
  const visa: SavedMethod = { ...saved, id: 'm2', method: 'Credit Card', last4: '4242', expiry: '10/26' };

  it('R-71 is not replaced by another method if it is the default, because the payer might not notice', () => {
    expect(firstChoice(['Credit Card'], [{ ...saved, isDefault: false }, visa], now)).toBe('');
    expect(firstChoice(['Credit Card'], [visa], now)).toBe('');
    expect(firstChoice(['ACH'], [{ ...saved, blocked: 'R03' }], now)).toBe('');
    expect(firstChoice([], [{ ...visa, isDefault: false }, saved], now)).toBe('saved:m1');
    expect(firstChoice([], [{ ...visa, expiry: '11/26' }], now)).toBe('saved:m2');
  });

  it.each([
    ['a new card', { ...card, expiry: '12 / 26' }, '2027-01-01', { expiry: 'then' }],
    ['a new card in its last month', { ...card, expiry: '12 / 26' }, '2026-12-31', {}],
    ['a saved card', { method: 'saved:m2' }, '2026-11-30', { method: 'then' }],
    ['a bank account', bank, '2027-01-01', {}],
    ['a saved bank account', { method: 'saved:m1' }, '2027-01-01', {}],
    ['no day yet', { method: 'saved:m2' }, '', {}],
  ])('R-57 by the day of a payment: %s', (_what, values, date, expected) => {
    expect(expiresBefore(date, values, [visa, saved], 'then')).toEqual(expected);
  });
});

it('translates refusals that have a reason', () => {
  const of = (reason: Reason, field: string) =>
    refusedFields([{ code: 'invalid', field, message: 'As the service says.', reason }]);
  expect(of('method_removed', 'methodId')).toEqual({ method: textsOf('en').rest.invalid.methodRemoved });
  expect(of('card_expired', 'source.savedMethodId')).toEqual({
    method: textsOf('en').rest.invalid.expiryPast,
  });
  expect(of('source_refused', 'source.cardNumber')).toEqual({ cardNumber: 'As the service says.' });
  // The management pages have only the shared texts.
  expect(of('paid_automatically', 'date')).toEqual({ date: textsOf('en').rest.invalid.paymentInProgress });
});

it('removes invisible characters from pasted text', () => {
  expect(newSource({ ...card, name: '\tDana\u0000\nReyes ' }, now)).toMatchObject({ name: 'Dana Reyes' });
});

it('maps errors of the service to their fields', () => {
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
