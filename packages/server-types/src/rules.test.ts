import { describe, expect, it } from 'vitest';
import { checkPaymentRules } from './rules.js';

const charge = { Amount: 100 };
const charges = (count: number) => Array.from({ length: count }, () => charge);
const quickPay = { BusinessUnitSlug: 'x', Channel: 'QuickPay', Charges: [charge] };
const pos = { ...quickPay, Channel: 'POS', PosUser: 'agent@example.com' };
const problemsOf = (request: unknown) =>
  checkPaymentRules(request).map(({ code, field }) => `${field}: ${code}`);

describe('checkPaymentRules', () => {
  it.each<[string, unknown, string[]]>([
    ['R-20 accepts a valid QuickPay request', quickPay, []],
    ['R-34 accepts a valid POS request', pos, []],
    ['R-21 refuses no charge', { ...quickPay, Charges: [] }, ['Charges: too_few']],
    ['R-21 accepts 25 charges', { ...quickPay, Charges: charges(25) }, []],
    ['R-21 refuses 26 charges', { ...quickPay, Charges: charges(26) }, ['Charges: too_many']],
    [
      'R-22 refuses SuccessUrl alone',
      { ...quickPay, SuccessUrl: 'https://a.example' },
      ['ReturnUrl: required'],
    ],
    [
      'R-22 refuses ReturnUrl alone',
      { ...quickPay, ReturnUrl: 'https://a.example' },
      ['SuccessUrl: required'],
    ],
    [
      'R-22 accepts both URLs',
      { ...quickPay, SuccessUrl: 'https://a.example', ReturnUrl: 'https://b.example' },
      [],
    ],
    [
      'R-23 refuses ClientUser on POS',
      { ...pos, ClientUser: { EmailAddress: 'a@b.c' } },
      ['ClientUser: not_allowed'],
    ],
    ['R-24 refuses PosUser on QuickPay', { ...quickPay, PosUser: 'a@b.c' }, ['PosUser: not_allowed']],
    ['R-25 refuses POS without PosUser', { ...quickPay, Channel: 'POS' }, ['PosUser: required']],
    ['R-32 treats null as absent on POS', { ...pos, ClientUser: null, SuccessUrl: null }, []],
    ['R-32 treats null as absent on QuickPay', { ...quickPay, PosUser: null, ReturnUrl: null }, []],
    ['R-32 requires PosUser on POS, not null', { ...pos, PosUser: null }, ['PosUser: required']],
    [
      'R-27 refuses a total above the safe integers',
      { ...quickPay, Charges: [{ Amount: 2 ** 53 - 1 }, charge] },
      ['Charges: invalid'],
    ],
    [
      'R-31 refuses address lines over 100 characters',
      {
        ...quickPay,
        Charges: [
          { ...charge, ClientAccount: { Address: { StreetAddress2: 'x'.repeat(101) } } },
          {
            ...charge,
            ClientAccount: {
              Address: {
                StreetAddress: 'x'.repeat(101),
                StreetAddress2: '𝕏'.repeat(100),
                City: 'é'.repeat(101),
              },
            },
          },
        ],
      },
      [
        'Charges[0].ClientAccount.Address.StreetAddress2: too_long',
        'Charges[1].ClientAccount.Address.StreetAddress: too_long',
        'Charges[1].ClientAccount.Address.City: too_long',
      ],
    ],
    [
      'R-43 returns every problem',
      { Channel: 'POS', Charges: [], ClientUser: {}, SuccessUrl: 'x' },
      ['ClientUser: not_allowed', 'PosUser: required', 'ReturnUrl: required', 'Charges: too_few'],
    ],
  ])('%s', (_, request, problems) => {
    expect(problemsOf(request)).toEqual(problems);
  });

  it.each([
    undefined,
    null,
    7,
    'x',
    [],
    { Charges: 7 },
    { Charges: [null, 7, { ClientAccount: [] }] },
    { Charges: [{ Amount: Symbol('7'), ClientAccount: { Address: 7 } }, charge] },
    Object.create(null),
  ])('accepts %j without throwing', (request) => {
    expect(problemsOf(request)).toEqual([]);
  });
});
