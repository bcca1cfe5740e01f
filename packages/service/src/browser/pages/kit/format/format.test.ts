import { describe, expect, it } from 'vitest';
import { isBankAccountNumber, isRoutingNumber } from './bank.js';
import { brandNamed, brandOf, checkCardNumber, luhn, securityCodeLength } from './card.js';
import { day } from './date.js';
import { parseExpiry } from './expiry.js';
import { inert } from './inert.js';
import { amountText, money, parseAmount } from './money.js';

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
    ['37828224631000', 'amex', 'short'],
  ] as const)('%s is %s, wrong: %s', (number, brand, wrong) => {
    expect(brandOf(number)?.brand).toBe(brand);
    expect(checkCardNumber(number)).toBe(wrong);
  });

  it('finds every single wrong digit by Luhn', () => {
    const good = '4242424242424242';
    for (let at = 0; at < good.length; at++) {
      for (const digit of '0123456789') {
        const number = good.slice(0, at) + digit + good.slice(at + 1);
        expect(luhn(number)).toBe(number === good);
      }
    }
    expect(luhn('')).toBe(false);
  });

  it('knows how long a security code is, and brands by the name of the service', () => {
    expect(securityCodeLength('3782')).toBe(4);
    expect(securityCodeLength('4242')).toBe(3);
    expect(brandNamed('American Express')).toBe('amex');
    expect(brandNamed('Visa')).toBe('visa');
    expect(brandNamed('Something')).toBeUndefined();
  });
});

describe('expiry', () => {
  const now = '2026-11-21T10:00:00Z';
  it.each([
    ['11 / 26', { wire: '11/26' }],
    ['12 / 34', { wire: '12/34' }],
    ['10 / 26', 'past'],
    ['13 / 30', 'invalid'],
    ['00 / 30', 'invalid'],
    ['12 / 99', { wire: '12/99' }],
    ['12', 'invalid'],
    ['', 'invalid'],
  ] as const)('%s', (value, expected) => {
    expect(parseExpiry(value, now)).toEqual(expected);
  });
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
  it('takes 4 to 17 digits', () => {
    expect(isBankAccountNumber('000123456789')).toBe(true);
    expect(isBankAccountNumber('123')).toBe(false);
    expect(isBankAccountNumber('1'.repeat(18))).toBe(false);
  });
});

describe('money', () => {
  it('R-27 shows cents as dollars', () => {
    expect(money(1234)).toBe('$12.34');
    expect(money(1_234_567)).toBe('$12,345.67');
    expect(amountText(5)).toBe('0.05');
  });
  it.each([
    ['12', 1200],
    ['12.3', 1230],
    ['12,34', 1234],
    ['$1,250.00', 125000],
    ['1.250,00', 125000],
    ['1,250', 125000],
    ['１２.５', 1250],
    ['0', 0],
    ['', null],
    ['-5', null],
    ['1e5', null],
    ['12.345', null],
    ['.5', 50],
    ['1,234,567.8', 123456780],
    ['1,25,0', null],
    ['12..5', null],
    ['99999999999999999999', null],
  ])('reads %j as %s cents', (typed, cents) => {
    expect(parseAmount(typed)).toBe(cents);
  });
});

it('a day is the same day everywhere', () => {
  expect(day('2026-12-05')).toBe('Dec 5, 2026');
  expect(day('not a day')).toBe('not a day');
});

describe('values from the session', () => {
  it('lose what would change how their surroundings read', () => {
    expect(inert('\u202E1$ yaP\u202C')).toBe('1$ yaP');
    expect(inert('a\u0000b\nc\u2066d')).toBe('a b c d');
    expect(inert('Zoë 🏠 <b>')).toBe('Zoë 🏠 <b>');
  });
  it('are cut where nobody would read on', () => {
    expect(inert('x'.repeat(10_000))).toHaveLength(301);
  });
});
