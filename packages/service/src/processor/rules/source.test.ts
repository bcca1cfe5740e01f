import { describe, expect, it } from 'vitest';
import { checkExpiry, checkSource } from './source.js';

const today = '2026-11-21';
const card = {
  method: 'Credit Card',
  cardNumber: '4242 4242 4242 4242',
  expiry: '12/34',
  securityCode: '123',
  name: 'Ada Byron',
  zipCode: '10001',
};
const bank = {
  method: 'ACH',
  accountType: 'checking',
  holder: 'Ada Byron',
  routingNumber: '110000000',
  accountNumber: '000123456789',
};

describe('a source typed by the payer', () => {
  it('has only digits after normalization', () => {
    expect(checkSource(card, today)).toEqual({
      ok: true,
      value: { ...card, cardNumber: '4242424242424242', country: 'US' },
    });
    expect(checkSource(bank, today)).toEqual({ ok: true, value: bank });
    expect(checkSource({ ...card, zipCode: '100011234' }, today)).toMatchObject({
      value: { zipCode: '10001-1234' },
    });
  });

  it('can have spaces and dashes around and between its digits', () => {
    const typed = {
      ...card,
      cardNumber: ' 4242-4242 4242-4242 ',
      expiry: ' 12 / 34 ',
      securityCode: ' 123 ',
    };
    expect(checkSource(typed, today)).toEqual(checkSource(card, today));
    const digits = { ...bank, routingNumber: '1100-00000', accountNumber: '0001 2345-6789' };
    expect(checkSource(digits, today)).toEqual(checkSource(bank, today));
    expect(checkSource({ ...card, name: ' Ada Byron ' }, today)).toEqual(checkSource(card, today));
  });

  it.each([1, 100])('accepts a name of %d characters', (length) => {
    const name = 'x'.repeat(length);
    expect(checkSource({ ...card, name }, today)).toMatchObject({ ok: true, value: { name } });
    expect(checkSource({ ...bank, holder: name }, today)).toMatchObject({
      ok: true,
      value: { holder: name },
    });
  });

  it.each([4, 17])('accepts an account number of %d digits', (length) => {
    const accountNumber = '1'.repeat(length);
    expect(checkSource({ ...bank, accountNumber }, today)).toMatchObject({
      ok: true,
      value: { accountNumber },
    });
  });

  it.each([
    [{ ...card, name: 'x'.repeat(101) }, ['source.name']],
    [{ ...bank, holder: 'x'.repeat(101) }, ['source.holder']],
    [{ ...bank, accountNumber: '1'.repeat(3) }, ['source.accountNumber']],
    [{ ...bank, accountNumber: '1'.repeat(18) }, ['source.accountNumber']],
    [{ ...card, securityCode: '1234' }, ['source.securityCode']],
    [{ ...card, securityCode: '12a' }, ['source.securityCode']],
    [{ ...card, cardNumber: '378282246310005', securityCode: '1234' }, []],
    [Object.assign([], card), ['source.method']],
    [{ ...card, cardNumber: '4242424242424241' }, ['source.cardNumber']],
    [{ ...card, cardNumber: '0000000000000000' }, ['source.cardNumber']],
    [{ ...card, cardNumber: '42424242424242426' }, ['source.cardNumber']],
    [{ ...card, cardNumber: 4242424242424242 }, ['source.cardNumber']],
    [{ ...card, expiry: '10/26' }, ['source.expiry']],
    [{ ...card, expiry: '13/30' }, ['source.expiry']],
    [{ ...card, securityCode: '12' }, ['source.securityCode']],
    [{ ...card, cardNumber: '378282246310005' }, ['source.securityCode']],
    [{ ...card, name: ' ' }, ['source.name']],
    [{ ...card, name: '\u202e' }, ['source.name']],
    [{ ...card, name: ' \u200b\u3164 ' }, ['source.name']],
    [{ ...bank, holder: '\u2066\u2069' }, ['source.holder']],
    [{ ...card, name: 'A\u0000' }, ['source.name']],
    [{ ...card, name: 'A\u2028B' }, ['source.name']],
    [{ ...card, name: 'A\uD800' }, ['source.name']],
    [{ ...card, name: '4242 4242 4242 4242' }, ['source.name']],
    [{ ...card, name: 'Ada 4242-4242-4242-4242' }, ['source.name']],
    [{ ...card, name: '4242.4242/4242_4242 Ada' }, ['source.name']],
    [{ ...card, name: '4242–4242\u200B4242\u00A04242' }, ['source.name']],
    [{ ...card, name: '４２４２ ４２４２ ４２４２ ４２４２' }, ['source.name']],
    [{ ...card, name: '٤٢٤٢ ٤٢٤٢ ٤٢٤٢ ٤٢٤٢' }, ['source.name']],
    [{ ...card, name: '४२४२४२४२४२४२४२४२' }, ['source.name']],
    [{ ...card, name: '4242ー4242ｰ4242º4242' }, ['source.name']],
    [{ ...card, name: '4242\u3164 4242\u3164 4242\uFFA0 4242' }, ['source.name']],
    [{ ...card, name: '5555 5555 5555 4444' }, ['source.name']],
    [{ ...bank, holder: '0001 2345 6789 Ada' }, ['source.holder']],
    [{ ...bank, holder: 'Ada ۰۰۰۱۲۳۴۵۶۷۸۹' }, ['source.holder']],
    [{ ...bank, holder: 'Ada 1234-56789' }, ['source.holder']],
    [{ ...bank, accountNumber: '0000001234', holder: 'Ada 1234' }, []],
    [{ ...card, zipCode: '1' }, ['source.zipCode']],
    [{ ...bank, routingNumber: '110000001' }, ['source.routingNumber']],
    [{ ...bank, routingNumber: '000000000' }, ['source.routingNumber']],
    [{ ...bank, accountNumber: '12' }, ['source.accountNumber']],
    [{ method: 'ACH' }, ['source.holder', 'source.routingNumber', 'source.accountNumber']],
    [
      { method: 'Credit Card' },
      ['source.cardNumber', 'source.expiry', 'source.securityCode', 'source.name', 'source.zipCode'],
    ],
    [{ method: 'Cash' }, ['source.method']],
    [null, ['source.method']],
    ['4242424242424242', ['source.method']],
    [{ __proto__: { method: 'ACH' } }, ['source.holder', 'source.routingNumber', 'source.accountNumber']],
  ])('reports every problem of %o', (input, fields) => {
    const checked = checkSource(input, today);
    const problems = checked.ok ? [] : checked.problems;
    expect(problems.map((problem) => problem.field)).toEqual(fields);
    for (const { message } of problems) expect(message).toMatch(/\w \w/);
  });

  it('accepts a card and postcode of a configured country only', () => {
    const taken = ['US', 'CA', 'GB'];
    const of = (country: unknown, zipCode: string, countries = taken) => {
      const checked = checkSource({ ...card, country, zipCode }, today, countries);
      return checked.ok ? checked.value : checked.problems.map(({ field }) => field);
    };
    expect(of('CA', 'k1a 0b1')).toMatchObject({ country: 'CA', zipCode: 'K1A 0B1' });
    expect(of('GB', 'sw1a 1aa')).toMatchObject({ country: 'GB', zipCode: 'SW1A 1AA' });
    for (const typed of ['', '999077'])
      expect(of('HK', typed, ['GB', 'HK'])).toMatchObject({ country: 'HK', zipCode: '' });
    expect(of('US', '10001')).toMatchObject({ country: 'US', zipCode: '10001' });
    expect(of(undefined, '10001')).toMatchObject({ country: 'US', zipCode: '10001' });
    expect(of('US', 'K1A 0B1')).toEqual(['source.zipCode']);
    expect(of('CA', '10001')).toEqual(['source.zipCode']);
    const words = (country: string) => {
      const checked = checkSource({ ...card, country, zipCode: '?' }, today, taken);
      return checked.ok ? '' : checked.problems[0]?.message;
    };
    expect(words('US')).toContain('ZIP code');
    expect(words('CA')).toContain('postal code');
    expect(words('DE')).toContain('US, CA, GB');
    expect(of('ZW', '', ['AE', 'ZW'])).toMatchObject({ country: 'ZW', zipCode: '' });
    expect(of('AE', '', ['AE', 'ZW'])).toMatchObject({ country: 'AE', zipCode: '' });
    for (const country of ['DE', 'ca', '', 7, null, ['CA']])
      expect(of(country, '10001')).toEqual(['source.country']);
    expect(of(undefined, '10001', ['CA'])).toEqual(['source.country']);
    expect(checkSource({ ...card, country: 'CA', zipCode: 'K1A 0B1' }, today)).toMatchObject({ ok: false });
  });

  it('accepts a card until the last day of its month', () => {
    expect(checkExpiry('11/26', '2026-11-30')).toBeNull();
    expect(checkExpiry('11/26', '2026-12-01')).toBe('This card has expired.');
  });

  it('R-28 of an unknown method is refused with a list of the known ones', () => {
    expect(checkSource({}, today)).toMatchObject({
      problems: [{ message: expect.stringContaining('Credit Card or ACH') }],
    });
  });

  it('defaults to a checking account for older pages, and rejects an unknown type', () => {
    const { accountType: _, ...older } = bank;
    expect(checkSource(older, today)).toMatchObject({ value: { accountType: 'checking' } });
    expect(checkSource({ ...bank, accountType: 'savings' }, today)).toMatchObject({
      value: { accountType: 'savings' },
    });
    expect(checkSource({ ...bank, accountType: 'gold' }, today)).toMatchObject({
      problems: [{ field: 'source.accountType' }],
    });
  });

  it('accepts any later month', () => {
    expect(checkExpiry('12/99', today)).toBeNull();
  });

  it('never repeats input in a message', () => {
    const typed = { ...card, cardNumber: '4242424242424241', securityCode: '98765' };
    expect(JSON.stringify(checkSource(typed, today))).not.toMatch(/4242|98765/);
  });
});
