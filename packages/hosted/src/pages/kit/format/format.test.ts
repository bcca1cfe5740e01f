import { describe, expect, it, vi } from 'vitest';
import { formatCardNumber } from './card.js';
import { day, longDay } from './date.js';
import { instant } from './instant.js';
import { isolate } from './locale.js';
import { parseExpiry } from '../source/source-check.js';
import { amountText, money, parseAmount } from './money.js';

it.each([
  ['4242424242424242', '4242 4242 4242 4242'],
  ['378282246310005', '3782 822463 10005'],
  ['3782822463100059', '3782 822463 10005'],
  ['30569309', '3056 9309'],
  ['99', '99'],
])('a card number %s stands in the groups of its brand', (digits, grouped) => {
  expect(formatCardNumber(digits)).toBe(grouped);
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
    ['25.', 2500],
    ['$1,250.', 125000],
    ['.', null],
    ['25..', null],
    // In floating point, 100 times either is slightly less.
    ['0.29', 29],
    ['19.99', 1999],
    ['$1,250.00', 125000],
    ['1.250,00', 125000],
    ['1,250', 125000],
    ['１２.５', 1250],
    ['٢٥', 2500],
    ['٢٥٫٥٠', 2550],
    ['١٬٢٥٠٫٠٠', 125000],
    ['0', 0],
    ['', null],
    ['-5', null],
    ['1e5', null],
    ['12.345', null],
    ['.5', 50],
    ['1,234,567.8', 123456780],
    ['1,25,0', null],
    ['1 250.5 ', 125050],
    [' $ 1 250 000', 125000000],
    ['\u202a25.50\u202c\u200e', 2550],
    ['12 50', null],
    ['1 2 3 4', null],
    ['12 ,50', null],
    ['12..5', null],
    ['99999999999999999999', null],
  ])('reads %j as %s cents', (typed, cents) => {
    expect(parseAmount(typed)).toBe(cents);
  });
  it('groups by periods where the decimal sign is a comma', () => {
    vi.stubGlobal('navigator', { languages: ['en-DE'] });
    const read = ['1.250', '1,250', '1.250,00', '1,250.00', '12,5'].map(parseAmount);
    vi.unstubAllGlobals();
    expect(read).toEqual([125000, null, 125000, 125000, 1250]);
  });
});

it.each(['America/Los_Angeles', 'Pacific/Kiritimati'])(
  'R-31 R-57 a day is the same day everywhere, in %s too',
  (zone) => {
    vi.stubEnv('TZ', zone);
    const formatted = ['2026-12-05', '2026-11-01T23:30:00.000Z', 'undated'].map((each) => day(each));
    vi.unstubAllEnvs();
    expect(formatted).toEqual(['Dec\u00a05,\u00a02026', 'Nov\u00a01,\u00a02026', 'undated']);
  },
);

it('R-73 R-94 shows the day of an authorization on one line', () => {
  const shown = longDay('2026-12-05');
  expect(shown).toBe('December\u00a05,\u00a02026');
});

it.each(['en-TH-u-ca-buddhist', 'en-SA-u-ca-islamic-umalqura-nu-arab', 'en-IN-u-nu-deva'])(
  'R-70 a payer whose browser is of %s reads the days of the bill, in the digits that are typed',
  (tag) => {
    vi.stubGlobal('navigator', { languages: [tag] });
    const formatted = [day('2026-12-05'), instant('2026-12-05T12:00:00Z'), amountText(123456)];
    vi.unstubAllGlobals();
    for (const each of formatted.slice(0, 2)) expect(each).toContain('2026');
    expect(formatted[2]).toMatch(/^1234\D56$/);
  },
);

it.each(['דנה', 'دانا', 'ﺩﺍﻧﺎ', '𞤀𞤁', '𐤀𐤁'])('the name %s does not reverse the text around it', (name) => {
  expect(isolate(name)).toBe(`\u2068${name}\u2069`);
  expect(isolate('Dana – 丹')).toBe('Dana – 丹');
});

it.each([
  ['en', 'Dec 5, 2026, 8:05 AM EST', '$1,234.50'],
  ['es', '5 dic 2026, 8:05 a.m. EST', '$1,234.50'],
  ['fr', '5 déc. 2026, 08:05 EST', '1 234,50 $'],
  ['pt', '5 de dez. de 2026, 08:05 EST', '$ 1.234,50'],
  ['zh-Hans', '2026年12月5日 EST 08:05', '$1,234.50'],
  ['zh-Hant', '2026年12月5日 上午8:05 [EST]', '$1,234.50'],
  ['vi', '08:05 EST 5 thg 12, 2026', '1.234,50 $'],
  ['ko', '2026년 12월 5일 오전 8:05 EST', '$1,234.50'],
  ['fil', 'Dis 5, 2026, 8:05 AM EST', '$1,234.50'],
  ['ru', '5 дек. 2026 г., 08:05 EST', '1 234,50 $'],
  ['ht', '5 déc. 2026, 08:05 EST', '$1,234.50'],
  ['ar', '5 ديسمبر 2026، 8:05 ص EST', '1,234.50 $'],
])(
  'R-70 in %s the month is a word, the zone is named, and the amount is in dollars',
  (lang, time, amount) => {
    vi.stubEnv('TZ', 'America/New_York');
    vi.stubGlobal('document', { documentElement: { lang } });
    const shown = [instant('2026-12-05T13:05:00Z'), money(123450)];
    vi.unstubAllGlobals();
    vi.unstubAllEnvs();
    expect(shown.map((each) => each.replaceAll(/[\u00a0\u202f]/g, ' ').replaceAll('\u200f', ''))).toEqual([
      time,
      amount,
    ]);
  },
);

it.each([
  ['en', '$12.34'],
  ['fr', '12,34 $'],
  ['ar', '$'],
])('R-70 an amount in %s has the sign of a dollar and no other', (lang, said) => {
  vi.stubGlobal('document', { documentElement: { lang } });
  const text = money(1234);
  vi.unstubAllGlobals();
  expect(text.normalize('NFKC')).toContain(said);
  expect(text).not.toContain('US');
});
