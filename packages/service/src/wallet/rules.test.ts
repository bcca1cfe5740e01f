import { expect, it } from 'vitest';
import { forbiddingCode, isSameMethod, removalBlockedBy } from './rules.js';

const visa = {
  method: 'Credit Card',
  brand: 'Visa',
  last4: '4242',
  expiry: '12/34',
  holder: 'Ada Byron',
  fingerprint: 'one',
} as const;
const bank = { method: 'ACH', last4: '6789', holder: 'Ada Byron', fingerprint: 'one' } as const;
const unmarked = { ...visa, fingerprint: undefined as never };

it.each([
  ['the same again', visa, visa, true],
  ['with a new date, by the processor’s word', visa, { ...visa, expiry: '01/36' }, true],
  ['another, by the processor’s word', visa, { ...visa, fingerprint: 'two' }, false],
  ['of other digits', visa, { ...visa, last4: '1881' }, false],
  ['of another brand', unmarked, { ...unmarked, brand: 'Mastercard' }, false],
  ['of a brand in another spelling, by the processor’s word', visa, { ...visa, brand: 'visa' }, true],
  ['a bank account', visa, { ...visa, method: 'ACH' } as const, false],
  ['the same bank account', bank, { ...bank, holder: 'Mary Byron' }, true],
  ['another bank account', bank, { ...bank, fingerprint: 'two' }, false],
  ['a bank account without a fingerprint', bank, { ...bank, fingerprint: undefined as never }, false],
  ['without fingerprints', unmarked, { ...unmarked, holder: 'ADA BYRON' }, true],
  ['with a fingerprint of only one', unmarked, visa, true],
  ['with a fingerprint of only the other', visa, unmarked, true],
  ['of another date', unmarked, { ...unmarked, expiry: '01/36' }, false],
  ['of another holder', unmarked, { ...unmarked, holder: 'Mary Byron' }, false],
])('R-57 matches a method with a saved one: %s', (_, saved, typed, same) => {
  expect(isSameMethod(saved, typed)).toBe(same);
});

it('R-57 blocks further debits of a bank account only if it is closed, unknown, frozen or revoked', () => {
  const forbidding = [
    'R02',
    'R03',
    'R04',
    'R05',
    'R07',
    'R08',
    'R10',
    'R11',
    'R12',
    'R13',
    'R14',
    'R15',
    'R16',
    'R20',
    'R29',
  ];
  const codes = Array.from({ length: 85 }, (_, index) => `R${String(index + 1).padStart(2, '0')}`);
  expect(codes.filter((code) => forbiddingCode(code) === code)).toEqual(forbidding);
  const forms = [
    ['r03', 'R03'],
    ['R03 - No Account', 'R03'],
    ['ach_return: R10 Ada Byron', 'R10'],
    ['R10_UNAUTHORIZED', 'R10'],
    ['ach_return_r10', 'R10'],
    ['R-10', 'R10'],
    ['R 10', 'R10'],
  ];
  expect(forms.map(([reason]) => [reason, forbiddingCode(reason)])).toEqual(forms);
  expect(
    ['R01 - R333', 'PR03', 'R1', 'over 10', '', undefined].flatMap((reason) => forbiddingCode(reason) ?? []),
  ).toEqual([]);
});

it('R-57 keeps a method that is in use, and says why', () => {
  const blocked = (['autopay', 'scheduled-payment'] as const).map((use) => removalBlockedBy([use]));
  blocked.push(removalBlockedBy(['autopay', 'scheduled-payment']));
  expect(blocked.map((why) => why?.reason)).toEqual([
    'used_by_autopay',
    'used_by_scheduled',
    'used_by_autopay',
  ]);
  expect(removalBlockedBy([])).toBeNull();
});
