import { describe, expect, it } from 'vitest';
import { brandNamed, brandOf, BRANDS, securityCodeLength, type Brand } from './card.js';
import { isBankAccountNumber, isRoutingNumber } from './check-bank.js';
import { checkCardNumber, luhn } from './check-card.js';
import { environmentOfId } from './environment.js';
import { expiryProblem } from './check-expiry.js';
import { readExpiry } from './read-expiry.js';
import { inert } from './inert.js';
import { readPhone } from './phone.js';
import { readPostcode } from './postcode.js';

describe('cards', () => {
  it.each([
    ['4242424242424242', 'visa', null],
    ['5555555555554444', 'mastercard', null],
    ['2223003122003222', 'mastercard', null],
    ['378282246310005', 'amex', null],
    ['6011111111111117', 'discover', null],
    ['3056930009020004', 'diners', null],
    ['3566002020360505', 'jcb', null],
    ['6200000000000005', 'unionpay', null],
    ['4242424242424241', 'visa', 'invalid'],
    ['424242424242', 'visa', 'short'],
    ['424242424242424', 'visa', 'short'],
    ['305693090259041', 'diners', 'short'],
    ['37828224631000', 'amex', 'short'],
    ['3782822463100051', 'amex', 'invalid'],
    ['42424242424242426', 'visa', 'invalid'],
    ['0000000000000000', undefined, 'invalid'],
    ['9', undefined, 'short'],
    ['', undefined, 'short'],
    ['4242x24242424242', 'visa', 'invalid'],
  ] as const)('%s is %s, invalid: %s', (number, brand, wrong) => {
    expect(brandOf(number)).toBe(brand);
    expect(checkCardNumber(number)).toBe(wrong);
  });

  it('detects every single wrong digit by Luhn', () => {
    const good = '4242424242424242';
    for (let at = 0; at < good.length; at++) {
      for (const digit of '0123456789') {
        const number = good.slice(0, at) + digit + good.slice(at + 1);
        expect(luhn(number)).toBe(number === good);
      }
    }
    expect(luhn('')).toBe(false);
  });

  it('knows how long a security code is', () => {
    expect(securityCodeLength('3782')).toBe(4);
    expect(securityCodeLength('4242')).toBe(3);
    expect(securityCodeLength('')).toBe(3);
  });

  it.each(Object.entries(BRANDS) as [Brand, { name: string }][])(
    'finds %s by its name',
    (brand, { name }) => {
      expect(brandNamed(name)).toBe(brand);
      expect(brandNamed(name.toUpperCase())).toBe(brand);
    },
  );

  it('finds no brand for another name', () => {
    for (const name of ['Something', '', undefined]) expect(brandNamed(name)).toBeUndefined();
  });
});

it.each([
  ['11/26', null],
  ['12/34', null],
  ['12/99', null],
  ['10/26', 'past'],
  ['13/30', 'invalid'],
  ['00/30', 'invalid'],
  ['1/30', 'invalid'],
  ['', 'invalid'],
] as const)('checks expiry %s in November 2026: %s', (expiry, problem) => {
  expect(expiryProblem(expiry, '2026-11-30T23:59:59Z')).toBe(problem);
});

it.each([
  ['01/28', '01/28'],
  ['01 / 28', '01/28'],
  ['1 28', '01/28'],
  ['1-28', '01/28'],
  ['012028', '01/28'],
  ['0128', '01/28'],
  ['228', '02/28'],
  ['2028-01', '01/28'],
  ['2028/1', '01/28'],
  ['202801', '01/28'],
  ['28/01', '01/28'],
  ['１/２８', '01/28'],
  ['12/13', '12/13'],
  ['28/1', '01/28'],
  ['01–28', '01/28'],
  ['٠١/٢٨', '01/28'],
  ['۰۱ ۲۸', '01/28'],
  // Ambiguous or invalid formats.
  ['2801', null],
  ['20 28', null],
  ['128', null],
  ['01/02/2028', null],
  ['Foo 2028', null],
  ['13/2028', null],
  ['1/1928', null],
  ['12/2', null],
  ['12 / 8', null],
  ['1/1/28', null],
  ['01 Feb 28', null],
  ['', null],
  // An incomplete year is invalid.
  ['1/8', null],
  ['01 / 2', null],
  ['10/5', null],
  ['28/1', '01/28'],
] as const)('reads the expiry %j as %j and never as another date', (typed, expected) => {
  expect(readExpiry(typed)).toBe(expected);
});

describe('bank accounts', () => {
  it.each([
    ['110000000', true],
    ['021000021', true],
    ['110000001', false],
    ['000000000', false],
    ['11000000', false],
  ])('routing number %s: %s', (value, expected) => {
    expect(isRoutingNumber(value)).toBe(expected);
  });
  it('have 4 to 17 digits', () => {
    expect(isBankAccountNumber('000123456789')).toBe(true);
    expect(isBankAccountNumber('123')).toBe(false);
    expect(isBankAccountNumber('1'.repeat(18))).toBe(false);
  });
});

it.each([
  ['12345', '12345'],
  [' 12345 ', '12345'],
  ['12345-6789', '12345-6789'],
  ['123456789', '12345-6789'],
  ['12345 6789', '12345-6789'],
  ['12345–6789', '12345-6789'],
  ['１２３４５', '12345'],
  ['٠٤١٠١', '04101'],
  ['1234', null],
  ['123456', null],
  ['12345-678', null],
  ['12345--6789', null],
  ['K1A 0B1', null],
  ['', null],
])('ZIP code %j is %s', (typed, zip) => {
  expect(readPostcode(typed, 'US')).toBe(zip);
});

it.each([
  ['CA', 'K1A 0B1', 'K1A 0B1'],
  ['CA', 'k1a0b1', 'K1A 0B1'],
  ['CA', ' K1A-0B1 ', 'K1A 0B1'],
  ['CA', 'K1A 0B', null],
  ['CA', '12345', null],
  ['GB', 'sw1a 1aa', 'SW1A 1AA'],
  ['NL', '1012 ab', '1012 AB'],
  ['PT', '1000-001', '1000-001'],
  ['PL', '00–001', '00-001'],
  ['JP', '〒100-0001', '100-0001'],
  ['JP', '〒 １００ー０００１', '100-0001'],
  ['JP', '100〒0001', null],
  ['DE', '１０１１５', '10115'],
  ['IE', 'D02 X285', 'D02 X285'],
  ['DE', '1', null],
  ['DE', '12345678901', null],
  ['DE', '--', null],
  ['DE', '10115;', null],
  ['DE', '10115\n', '10115'],
  ['DE', '101\n15', null],
  ['DE', '', null],
])('postcode of %s %j is %s', (country, typed, postcode) => {
  expect(readPostcode(typed, country)).toBe(postcode);
});

it.each([
  ['2075550123', '+12075550123'],
  ['(207) 555-0123', '+12075550123'],
  ['207.555.0123', '+12075550123'],
  ['1 207 555 0123', '+12075550123'],
  ['+1 (207) 555-0123', '+12075550123'],
  ['+1 555 010 0199', '+15550100199'],
  ['+44 20 7946 0958', '+442079460958'],
  ['+44 (0)20 7946 0958', '+442079460958'],
  ['+683 4002', '+6834002'],
  ['0012025550123', '+12025550123'],
  ['00 44 20 7946 0958', '+442079460958'],
  ['011 44 20 7946 0958', '+442079460958'],
  ['tel:+1-202-555-0123', '+12025550123'],
  ['Tel: (202) 555-0123', '+12025550123'],
  ['00 20 7946', null],
  ['(002) 345-6789', null],
  ['(011) 234-5678', null],
  ['tel:', null],
  ['＋４４ ２０ ７９４６ ０９５８', '+442079460958'],
  ['٢٠٧ ٥٥٥ ٠١٢٣', '+12075550123'],
  ['+49 1234567890123', '+491234567890123'],
  ['+49 12345678901234', null],
  ['+44 123', null],
  ['+1 207 555 012', null],
  ['+1 207 555 01234', null],
  ['1075550123', null],
  ['5550123', null],
  ['442079460958', null],
  ['+0123456789', null],
  ['207-555-0123 ext. 4', null],
  ['207+5550123', null],
  ['+', null],
  ['', null],
])('phone number %j is %s', (typed, e164) => {
  expect(readPhone(typed)).toBe(e164);
});

it('R-91 does not normalize oversized text', () => {
  expect(readPhone(`２０７５５５０１２３${' '.repeat(1_000)}`)).toBeNull();
  expect(readPostcode(`１０１１５${' '.repeat(1_000)}`, 'DE')).toBeNull();
});

describe('values from the session', () => {
  it('lose characters that affect surrounding text', () => {
    expect(inert('\u202E1$ yaP\u202C')).toBe('1$ yaP');
    expect(inert('a\u0000b\nc\u2066d')).toBe('a b c d');
    expect(inert('Zoë 🏠 <b>')).toBe('Zoë 🏠 <b>');
  });
  it.each([
    '\u0085',
    '\u061C',
    '\u200B',
    '\u200E',
    '\u2028',
    '\u2029',
    '\u2060',
    '\u2069',
    '\uFEFF',
    '\uD800',
  ])('lose %j', (unseen) => {
    expect(inert(`a${unseen}b`)).toBe('a b');
  });
  it('keep the joiners in letters and emoji', () => {
    expect(inert('می‌خواهم 👩‍🚒')).toBe('می‌خواهم 👩‍🚒');
  });
  it('R-91 are truncated before they are searched, but not within a character', () => {
    expect(inert('x'.repeat(10_000))).toHaveLength(301);
    expect(inert('🏠'.repeat(10), 5)).toBe('🏠🏠…');
    expect(inert(`${' '.repeat(10)}ab`, 5)).toBe('…');
  });
});

it('reads the environment from a session id', () => {
  expect(environmentOfId('stg_1')).toBe('staging');
  expect(environmentOfId('prd_1')).toBe('production');
  expect(environmentOfId('dev_1')).toBeUndefined();
  expect(environmentOfId('constructor')).toBeUndefined();
});
