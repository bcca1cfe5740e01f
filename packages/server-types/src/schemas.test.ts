import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  accountSessionRequestSchema,
  backOfficeSchemas,
  customerSessionRequestSchema,
  fieldOf,
  paymentSessionRequestSchema,
  readEventRequest,
  readRequest,
  requestSchemas,
  sessionQuerySchema,
  wordsOf,
} from './schemas.js';

const charges = (count: number) => Array.from({ length: count }, () => ({ Amount: 1 }));
const account = { AccountNumber: '1001', Name: 'Ada Byron' };
const payment = {
  BusinessUnitSlug: 'x',
  Channel: 'QuickPay',
  Charges: [{ Amount: 100, ClientAccount: account }],
};
const managed = {
  BusinessUnitSlug: 'x',
  ClientAccount: account,
  ClientUser: { EmailAddress: 'ada@example.com' },
};

type Read = ReturnType<typeof readRequest>;
const problemsOf = (read: Read): string[] =>
  read.ok ? [] : read.problems.map(({ code, field }) => `${field}: ${code}`);
const valueOf = (read: Read): unknown => (read.ok ? read.value : read);
const readPayment = (change: object) => readRequest(paymentSessionRequestSchema, { ...payment, ...change });
const withAccount = (change: object) =>
  readPayment({ Charges: [{ Amount: 1, ClientAccount: { ...account, ...change } }] });

/** The same request without the fields that are `null` or `undefined`. */
const withoutAbsent = (request: object): unknown =>
  JSON.parse(
    JSON.stringify(request, (_, value: unknown) =>
      Object(value) === value && !Array.isArray(value)
        ? Object.fromEntries(
            Object.entries(value as object).filter(([, field]) => field !== null && field !== undefined),
          )
        : value,
    ),
  );

describe.each([undefined, null])('R-32 an optional field that is %s', (absent) => {
  const nothing = (...keys: string[]) => Object.fromEntries(keys.map((key) => [key, absent]));
  const address = nothing('StreetAddress', 'StreetAddress2', 'City', 'State', 'ZipCode');
  const bill = nothing('SubAccountNumber', 'Balance', 'PhoneNumber', 'DueDate', 'IssueDate', 'Note');
  const ClientUser = { EmailAddress: 'ada@example.com', ...nothing('FirstName', 'LastName') };
  const unset = { AccountNumber: '1001', ...bill, Address: address };
  const slug = { BusinessUnitSlug: 'x' };
  const { refund, list, charge } = backOfficeSchemas;

  it.each<[string, z.ZodType, object]>([
    [
      'a payment',
      paymentSessionRequestSchema,
      {
        ...payment,
        ...nothing('PaymentDescriptor', 'ClientReference', 'SuccessUrl', 'ReturnUrl', 'PaymentMethods'),
        ...nothing('PosUser', 'CustomMeta'),
        Charges: [
          { Amount: 1, ...nothing('Description', 'ChargeType', 'CustomMeta', 'ClientAccount') },
          { Amount: 1, ClientAccount: { ...unset, Name: 'Ada' } },
        ],
        PaymentFields: nothing('InvoiceNumber'),
        ClientUser,
      },
    ],
    [
      'an anonymous payment',
      paymentSessionRequestSchema,
      { ...payment, ...nothing('ClientUser', 'PaymentFields') },
    ],
    [
      'an account',
      accountSessionRequestSchema,
      { ...slug, ClientUser, ClientAccount: { ...unset, Name: absent }, SyncAccount: absent },
    ],
    ['a customer', customerSessionRequestSchema, { ...slug, ClientUser }],
    ['a refund', refund, { ...slug, PaymentIdentifier: 'p', ...nothing('Amount', 'Reason') }],
    ['a list', list, { ...slug, ...nothing('From', 'To', 'Status', 'ClientReference', 'Cursor', 'Limit') }],
    [
      'a charge',
      charge,
      {
        ...slug,
        AccountNumber: '1',
        Amount: 1,
        ClientReference: 'r',
        ...nothing('SubAccountNumber', 'Description'),
      },
    ],
  ])('counts as left out: %s', (_, schema, request) => {
    const read = readRequest(schema, request);
    expect(problemsOf(read)).toEqual([]);
    expect(JSON.stringify(valueOf(read))).toBe(JSON.stringify(schema.parse(withoutAbsent(request))));
  });
});

describe('a payment request', () => {
  it.each<[string, object, string[]]>([
    ['R-20 Channel missing', { Channel: undefined }, ['Channel: required']],
    ['R-20 Channel unknown', { Channel: 'Web' }, ['Channel: invalid']],
    ['R-20 slug missing', { BusinessUnitSlug: undefined }, ['BusinessUnitSlug: required']],
    ['R-20 slug blank', { BusinessUnitSlug: ' ' }, ['BusinessUnitSlug: required']],
    ['R-20 Charges missing', { Charges: undefined }, ['Charges: required']],
    ['R-20 Charges no array', { Charges: {} }, ['Charges: invalid']],
    ['R-20 a charge that is null', { Charges: [null] }, ['Charges[0]: invalid']],
    ['R-20 a ClientUser that is a string', { ClientUser: 'ada' }, ['ClientUser: invalid']],
    ['R-32 ClientUser null', { ClientUser: null }, []],
    ['R-20 ClientUser without address', { ClientUser: {} }, ['ClientUser.EmailAddress: required']],
    [
      'R-20 ClientUser no address',
      { ClientUser: { EmailAddress: 'ada' } },
      ['ClientUser.EmailAddress: invalid'],
    ],
    ['R-21 none', { Charges: [] }, ['Charges: too_few']],
    ['R-21 26', { Charges: charges(26) }, ['Charges: too_many']],
    [
      'R-22 relative',
      { SuccessUrl: '/a', ReturnUrl: 'https:b' },
      ['SuccessUrl: invalid', 'ReturnUrl: invalid'],
    ],
    [
      'R-22 script',
      { SuccessUrl: 'javascript:alert(1)', ReturnUrl: 'data:,x' },
      ['SuccessUrl: invalid', 'ReturnUrl: invalid'],
    ],
    ['R-22 absolute', { SuccessUrl: 'https://a.example/x?y#z', ReturnUrl: 'http://localhost:3000/' }, []],
    [
      'R-91 URLs too long to be parsed',
      { SuccessUrl: 'x'.repeat(2_049), ReturnUrl: `https://a.example/${'x'.repeat(2_031)}` },
      ['SuccessUrl: too_long', 'ReturnUrl: too_long'],
    ],
    [
      'R-91 URLs of 2,048 characters',
      { SuccessUrl: `https://a.example/${'x'.repeat(2_030)}`, ReturnUrl: 'http://a' },
      [],
    ],
    [
      'R-91 texts that are stored in rows read by the hundred',
      {
        PaymentDescriptor: 'x'.repeat(10_001),
        ClientUser: {
          EmailAddress: 'a@example.com',
          FirstName: 'x'.repeat(10_001),
          LastName: 'x'.repeat(10_000),
        },
        Charges: [
          {
            Amount: 1,
            ChargeType: 'x'.repeat(256),
            ClientAccount: {
              AccountNumber: '1',
              Name: 'x'.repeat(10_001),
              PhoneNumber: 'x'.repeat(256),
              Address: { State: 'x'.repeat(256), ZipCode: 'x'.repeat(256) },
            },
          },
        ],
      },
      [
        'ClientUser.FirstName: too_long',
        'Charges[0].ChargeType: too_long',
        'Charges[0].ClientAccount.PhoneNumber: too_long',
        'Charges[0].ClientAccount.Address.State: too_long',
        'Charges[0].ClientAccount.Address.ZipCode: too_long',
        'Charges[0].ClientAccount.Name: too_long',
        'PaymentDescriptor: too_long',
      ],
    ],
    ['R-26 blank', { ClientReference: ' ' }, ['ClientReference: invalid']],
    ['R-26 long', { ClientReference: 'x'.repeat(256) }, ['ClientReference: too_long']],
    ['R-28 none', { PaymentMethods: [] }, ['PaymentMethods: too_few']],
    ['R-28 a string, reported once', { PaymentMethods: '' }, ['PaymentMethods: invalid']],
    [
      'R-28 more than 100',
      { PaymentMethods: [...Array.from({ length: 101 }, () => 'ACH'), 'Cash'] },
      ['PaymentMethods: too_many'],
    ],
    ['R-28 unknown', { PaymentMethods: ['ACH', 'Cash'] }, ['PaymentMethods[1]: invalid']],
    ['R-29 an object', { PaymentFields: { A: {}, B: 'x', C: 1, D: true } }, ['PaymentFields.A: invalid']],
    ['R-29 not an object', { PaymentFields: [] }, ['PaymentFields: invalid']],
    ['R-32 a null in PaymentFields', { PaymentFields: { A: null } }, []],
    ['R-32 null for a required field', { BusinessUnitSlug: null }, ['BusinessUnitSlug: invalid']],
    ['R-30 no object', { CustomMeta: ['x'] }, ['CustomMeta: invalid']],
    [
      'R-30 a number that JSON cannot hold',
      { CustomMeta: { a: [JSON.parse('1e400')] } },
      ['CustomMeta: invalid'],
    ],
    [
      'identifiers that a terminal would obey',
      {
        ClientReference: 'r\u001b[8m',
        Charges: [
          { Amount: 1, ClientAccount: { AccountNumber: '1\n', SubAccountNumber: '\u009b', Name: 'x' } },
        ],
      },
      [
        'Charges[0].ClientAccount.AccountNumber: invalid',
        'Charges[0].ClientAccount.SubAccountNumber: invalid',
        'ClientReference: invalid',
      ],
    ],
    [
      'URLs with line breaks or tabs',
      { SuccessUrl: 'https://a.example/\r\nX: y', ReturnUrl: 'https://a\t.example' },
      ['SuccessUrl: invalid', 'ReturnUrl: invalid'],
    ],
    ['NUL', { PaymentDescriptor: 'a\0b' }, ['PaymentDescriptor: invalid']],
    ['half a character', { ClientReference: 'a\ud800' }, ['ClientReference: invalid']],
  ])('%s', (_, change, problems) => {
    expect(problemsOf(readPayment(change))).toEqual(problems);
  });

  it.each([12.5, '1250', JSON.parse('1e400'), 0, -1, 2 ** 53, null, true, Number.NaN])(
    'R-27 refuses an Amount of %j',
    (Amount) => {
      expect(problemsOf(readPayment({ Charges: [{ Amount: 1 }, { Amount }] }))).toEqual([
        'Charges[1].Amount: invalid',
      ]);
    },
  );
  it.each([1, 2 ** 53 - 1])('R-27 accepts an Amount of %d', (Amount) => {
    expect(problemsOf(readPayment({ Charges: [{ Amount }] }))).toEqual([]);
  });
  it.each([-5, 0, 2 ** 53 - 1, -(2 ** 53) + 1])('R-27 accepts a Balance of %d', (Balance) => {
    expect(problemsOf(withAccount({ Balance }))).toEqual([]);
  });
  it.each([1.5, '1', 2 ** 53])('R-27 refuses a Balance of %j', (Balance) => {
    expect(problemsOf(withAccount({ Balance }))).toEqual(['Charges[0].ClientAccount.Balance: invalid']);
  });
  it('R-31 accepts a name that is spelled with a joiner, but not an invisible one', () => {
    expect(problemsOf(withAccount({ Name: 'می\u200cخواهم' }))).toEqual([]);
    for (const Name of ['\u202e', ' \u200b\u2066 ', '\u3164'])
      expect(problemsOf(withAccount({ Name }))).toEqual(['Charges[0].ClientAccount.Name: required']);
  });
  it.each(['', ' ', '          ', '\u200b', '\u3164'])(
    'R-31 a blank SubAccountNumber %j is none',
    (blank) => {
      const account = { AccountNumber: '1', Name: 'Ada', SubAccountNumber: blank };
      expect(valueOf(readPayment({ Charges: [{ Amount: 1, ClientAccount: account }] }))).toMatchObject({
        Charges: [{ ClientAccount: { SubAccountNumber: '' } }],
      });
      const customer = { firstName: 'A', lastName: 'B', emailAddress: 'a@b.c' };
      const payload = JSON.stringify({ accountNumber: '1', subAccountNumber: blank, ...customer });
      for (const eventType of ['Accounts.UnenrollAutopay', 'Accounts.ManageCustomer']) {
        const event = { eventType, businessUnitSlug: 'x', payload };
        expect(valueOf(readEventRequest(event))).toMatchObject({ payload: { subAccountNumber: '' } });
      }
      const charge = { BusinessUnitSlug: 'x', AccountNumber: '1', Amount: 1, ClientReference: 'r' };
      const request = { ...charge, SubAccountNumber: blank };
      expect(valueOf(readRequest(backOfficeSchemas.charge, request))).toMatchObject({ SubAccountNumber: '' });
    },
  );
  it.each(['2024-02-29', '2026-12-31'])('R-31 accepts the date %s', (DueDate) => {
    expect(problemsOf(withAccount({ DueDate, IssueDate: DueDate }))).toEqual([]);
  });
  it.each([
    '2023-02-29',
    '2026-13-01',
    '2026-1-1',
    '31.12.2026',
    '2026-12-31T',
    '2026-12-31 00:00',
    '2026-02-30T00:00:00Z',
    '2026-12-31T24:00',
    '2026-12-31T00:00:00+2',
    '',
    20261231,
  ])('R-31 refuses the date %j', (DueDate) => {
    expect(problemsOf(withAccount({ DueDate }))).toEqual(['Charges[0].ClientAccount.DueDate: invalid']);
  });
  it.each([
    '2026-12-31T00:00:00Z',
    '2026-12-31T23:59:59.9999999-11:00',
    '2026-12-31T00:00:00',
    '2026-12-31T08:30',
    '2026-12-31T08:30:00,5+0200',
    '2026-12-31T23:59:60Z',
    '2026-12-31T00:00:00+14',
  ])('R-31 takes the date of %s as written', (dateTime) => {
    const read = withAccount({ DueDate: dateTime, IssueDate: dateTime });
    expect(valueOf(read)).toMatchObject({
      Charges: [{ ClientAccount: { DueDate: '2026-12-31', IssueDate: '2026-12-31' } }],
    });
  });
  it('R-29 R-32 drops a null from PaymentFields and keeps an own __proto__', () => {
    const fields = JSON.parse('{"A":null,"B":"x","__proto__":1}') as unknown;
    const { PaymentFields } = valueOf(readPayment({ PaymentFields: fields })) as { PaymentFields: object };
    expect(Object.entries(PaymentFields)).toEqual([
      ['B', 'x'],
      ['__proto__', 1],
    ]);
  });
  it('R-30 R-32 keeps a null inside CustomMeta and custom account fields', () => {
    const CustomMeta = { a: null, b: [null] };
    expect(valueOf(readPayment({ CustomMeta }))).toMatchObject({ CustomMeta });
    expect(valueOf(withAccount({ Meter: null }))).toMatchObject({
      Charges: [{ ClientAccount: { Meter: null } }],
    });
  });

  it('R-30 R-43 refuses custom account fields that JSON cannot hold', () => {
    const read = withAccount({ Meter: [JSON.parse('1e400')], Zone: JSON.parse('1e400'), Balance: '1' });
    expect(problemsOf(read).toSorted()).toEqual(
      ['Balance', 'Meter', 'Zone'].map((key) => `Charges[0].ClientAccount.${key}: invalid`),
    );
  });
  it('R-91 reports only the first of thousands of invalid custom account fields', () => {
    const fields = Object.fromEntries(Array.from({ length: 5_000 }, (_, place) => [`k${place}`, Infinity]));
    expect(problemsOf(withAccount(fields))).toHaveLength(10);
  });

  it('R-31 accepts 100 characters and refuses 101', () => {
    const [fits, long] = ['𝕏'.repeat(100), 'x'.repeat(101)];
    expect(
      problemsOf(withAccount({ Address: { StreetAddress: fits, StreetAddress2: fits, City: fits } })),
    ).toEqual([]);
    expect(
      problemsOf(withAccount({ Address: { StreetAddress: long, StreetAddress2: long, City: long } })),
    ).toEqual(
      ['StreetAddress', 'StreetAddress2', 'City'].map(
        (key) => `Charges[0].ClientAccount.Address.${key}: too_long`,
      ),
    );
  });

  it('R-43 returns every problem, with the path as the caller wrote it', () => {
    const request = {
      Channel: 'POS',
      ClientUser: { EmailAddress: 7 },
      SuccessUrl: '/x',
      PaymentMethods: ['Cash'],
      Charges: [{ Amount: 12.5 }, ...charges(25), { ClientAccount: { Address: { City: 7 } } }],
    };
    expect(problemsOf(readRequest(paymentSessionRequestSchema, request)).toSorted()).toEqual([
      'BusinessUnitSlug: required',
      'Charges: too_many',
      'Charges[0].Amount: invalid',
      'Charges[26].Amount: required',
      'Charges[26].ClientAccount.AccountNumber: required',
      'Charges[26].ClientAccount.Address.City: invalid',
      'Charges[26].ClientAccount.Name: required',
      'ClientUser.EmailAddress: invalid',
      'ClientUser: not_allowed',
      'PaymentMethods[0]: invalid',
      'PosUser: required',
      'ReturnUrl: required',
      'SuccessUrl: invalid',
    ]);
  });

  it.each([{ CustomMeta: 1 }, { CustomMeta: [1] }, { PaymentFields: 7 }, { PaymentFields: 'x' }])(
    'R-43 checks the rules of the whole request despite %j',
    (wrong) => {
      const broken = { PosUser: 'a@example.com', SuccessUrl: 'https://shop.example', Charges: charges(26) };
      expect(problemsOf(readPayment({ ...broken, ...wrong })).toSorted()).toEqual(
        [
          `${Object.keys(wrong)[0]}: invalid`,
          'Charges: too_many',
          'PosUser: not_allowed',
          'ReturnUrl: required',
        ].toSorted(),
      );
    },
  );

  it('R-21 R-43 refuses a huge list after reading only its first 101 items', () => {
    const endless = (item: unknown): unknown[] => Array.from({ length: 100_000 }, () => item);
    const of = problemsOf(readPayment({ Charges: endless({}), PaymentMethods: endless('Cash') }));
    expect(of).toHaveLength(203);
    expect(of).toContain('Charges: too_many');
    expect(of).toContain('Charges[100].Amount: required');
    expect(of).toContain('PaymentMethods[100]: invalid');
  });

  it('R-43 repeats no value of the request in its problems', () => {
    const read = readPayment({ ClientReference: '4242424242424242\0', Channel: '4242424242424242' });
    expect(JSON.stringify(read)).not.toContain('4242');
  });

  it('R-32 drops unknown keys, D-2 keeps custom account fields, R-30 keeps CustomMeta unchanged', () => {
    const CustomMeta = JSON.parse(
      '{"__proto__":{"a":1},"constructor":2,"\\u0000":"\\ud800","deep":[[[]]]}',
    ) as unknown;
    const request = {
      ...payment,
      Unknown: 1,
      CustomMeta,
      Charges: [{ Amount: 1, Unknown: 2, CustomMeta, ClientAccount: { ...account, Meter: { a: [1] } } }],
    };
    const value = valueOf(readRequest(paymentSessionRequestSchema, request)) as typeof request;
    expect(value).not.toHaveProperty('Unknown');
    expect(value.Charges[0]).not.toHaveProperty('Unknown');
    expect(value.Charges[0]?.ClientAccount.Meter).toEqual({ a: [1] });
    expect(JSON.stringify(value.CustomMeta)).toBe(JSON.stringify(CustomMeta));
    expect(JSON.stringify(value.Charges[0]?.CustomMeta)).toBe(JSON.stringify(CustomMeta));
  });

  it('R-32 does not set the prototype from an own __proto__', () => {
    const request: unknown = JSON.parse(
      '{"BusinessUnitSlug":"x","Channel":"QuickPay","__proto__":{"PosUser":"a@b.c"},"Charges":[{"Amount":1,"ClientAccount":{"AccountNumber":"1","Name":"n","__proto__":{"Balance":7}}}]}',
    );
    const value = valueOf(readRequest(paymentSessionRequestSchema, request)) as typeof payment & {
      PosUser?: string;
    };
    expect(value.PosUser).toBeUndefined();
    expect(value.Charges[0]?.ClientAccount).not.toHaveProperty('Balance');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it('R-30 refuses nesting that is too deep for JSON.stringify', () => {
    const deep: unknown = JSON.parse(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`);
    expect(problemsOf(readPayment({ CustomMeta: deep }))).toEqual(['CustomMeta: invalid']);
    expect(problemsOf(withAccount({ Meter: deep }))).toEqual(['Charges[0].ClientAccount.Meter: invalid']);
  });

  it('R-43 returns at most 1,000 problems, those closest to the root first', () => {
    const [Description, ChargeType, CustomMeta] = [1, 1, 1];
    const Address = { StreetAddress: 1, StreetAddress2: 1, City: 1, State: 1, ZipCode: 1 };
    const item = {
      Description,
      ChargeType,
      CustomMeta,
      ClientAccount: { Balance: 'x', DueDate: 1, Address },
    };
    const of = problemsOf(readPayment({ Channel: 'x', Charges: Array.from({ length: 100 }, () => item) }));
    expect(of).toHaveLength(1000);
    expect(of.slice(0, 2)).toEqual(['Charges: too_many', 'Channel: invalid']);
  });
});

describe('the other requests', () => {
  it.each<[string, object, string[]]>([
    ['D-4 everything', { SyncAccount: true }, []],
    ['D-4 Name may be absent', { ClientAccount: { AccountNumber: '1' } }, []],
    ['D-4 SyncAccount a string', { SyncAccount: 'true' }, ['SyncAccount: invalid']],
    ['R-20 no account', { ClientAccount: undefined }, ['ClientAccount: required']],
    ['R-20 no number', { ClientAccount: { Name: 'x' } }, ['ClientAccount.AccountNumber: required']],
    ['R-20 no customer', { ClientUser: undefined }, ['ClientUser: required']],
    [
      'R-31 address',
      { ClientAccount: { ...account, Address: { City: 'x'.repeat(101) } } },
      ['ClientAccount.Address.City: too_long'],
    ],
  ])('account: %s', (_, change, problems) => {
    expect(problemsOf(readRequest(accountSessionRequestSchema, { ...managed, ...change }))).toEqual(problems);
  });
  it('R-20 refuses an empty customer session request and query', () => {
    expect(problemsOf(readRequest(customerSessionRequestSchema, {}))).toEqual([
      'BusinessUnitSlug: required',
      'ClientUser: required',
    ]);
    expect(problemsOf(readRequest(sessionQuerySchema, { BusinessUnitSlug: 'x' }))).toEqual([
      'PaymentSessionIdentifier: required',
    ]);
  });
});

describe('the back office', () => {
  const unit = { BusinessUnitSlug: 'x' };
  const charge = { ...unit, AccountNumber: '1', Amount: 1, ClientReference: 'bill-1' };
  it.each<[string, keyof typeof backOfficeSchemas, object, string[]]>([
    ['R-80 a whole refund', 'refund', { ...unit, PaymentIdentifier: 'p' }, []],
    ['R-80 a partial refund', 'refund', { ...unit, PaymentIdentifier: 'p', Amount: 1, Reason: 'twice' }, []],
    [
      'R-80 R-43 every problem of a refund',
      'refund',
      { PaymentIdentifier: ' ', Amount: 0, Reason: 'x'.repeat(256) },
      ['BusinessUnitSlug: required', 'PaymentIdentifier: required', 'Amount: invalid', 'Reason: too_long'],
    ],
    ['R-81 no session', 'cancel', unit, ['PaymentSessionIdentifier: required']],
    ['R-82 all', 'list', unit, []],
    ['R-82 by day', 'list', { ...unit, From: '2026-11-01', To: '2026-12-01', Status: 'pending' }, []],
    [
      'R-82 by instant',
      'list',
      { ...unit, From: '2026-11-01T00:00:00Z', To: '2026-11-01T01:00:00.5+02:00', Limit: 500 },
      [],
    ],
    [
      'R-82 R-43 every problem of a list',
      'list',
      { ...unit, From: '1.11.2026', To: 7, Status: 'paid', Cursor: '', ClientReference: '', Limit: 501 },
      [
        'From: invalid',
        'To: invalid',
        'Status: invalid',
        'ClientReference: invalid',
        'Cursor: required',
        'Limit: invalid',
      ],
    ],
    ['R-82 half a payment', 'list', { ...unit, Limit: 0.5 }, ['Limit: invalid']],
    ['R-83 once per reference', 'charge', charge, []],
    [
      'R-83 every field',
      'charge',
      { ...charge, SubAccountNumber: '', Description: 'Water', ChargeOn: '2026-12-01' },
      [],
    ],
    [
      'R-91 a long description',
      'charge',
      { ...charge, Description: 'x'.repeat(10_001) },
      ['Description: too_long'],
    ],
    ['R-83 an invalid day', 'charge', { ...charge, ChargeOn: '1 Dec' }, ['ChargeOn: invalid']],
    ['cancel a payment', 'cancelPayment', { ...unit, PaymentIdentifier: 'p' }, []],
    [
      'R-43 every problem of canceling a payment',
      'cancelPayment',
      {},
      ['BusinessUnitSlug: required', 'PaymentIdentifier: required'],
    ],
    [
      'R-83 R-43 every problem of a charge',
      'charge',
      { ...unit, Amount: -1 },
      ['AccountNumber: required', 'Amount: invalid', 'ClientReference: required'],
    ],
  ])('%s', (_, call, request, problems) => {
    expect(problemsOf(readRequest<unknown>(backOfficeSchemas[call], request))).toEqual(problems);
  });
});

describe('an event', () => {
  const customer = {
    accountNumber: '1',
    subAccountNumber: '',
    firstName: 'A',
    lastName: 'B',
    emailAddress: 'a@b.c',
  };
  const event = (payload: unknown, change: object = {}) =>
    readEventRequest({ eventType: 'Accounts.ManageCustomer', payload, businessUnitSlug: 'x', ...change });

  it('E-1 E-2 parses the JSON of its payload', () => {
    expect(valueOf(event(JSON.stringify({ ...customer, extra: 1 })))).toEqual({
      eventType: 'Accounts.ManageCustomer',
      payload: customer,
      businessUnitSlug: 'x',
    });
  });
  it('E-2 E-3 accepts an empty lastName and a null originalEmailAddress', () => {
    const payload = { ...customer, lastName: '', originalEmailAddress: null };
    expect(valueOf(event(JSON.stringify(payload)))).toEqual({
      eventType: 'Accounts.ManageCustomer',
      payload: { ...customer, lastName: '', originalEmailAddress: undefined },
      businessUnitSlug: 'x',
    });
  });
  it.each<[string, unknown, object, string[]]>([
    ['E-2 lastName null', JSON.stringify({ ...customer, lastName: null }), {}, ['payload.lastName: invalid']],
    ['E-1 an object', customer, {}, ['payload: invalid']],
    ['E-1 not JSON', '{', {}, ['payload: invalid']],
    ['E-1 JSON, but not an object', '[]', {}, ['payload: invalid']],
    [
      'E-1 nothing',
      undefined,
      { businessUnitSlug: undefined },
      ['payload: required', 'businessUnitSlug: required'],
    ],
    [
      'E-2 all missing',
      '{}',
      {},
      ['accountNumber', 'subAccountNumber', 'firstName', 'lastName', 'emailAddress'].map(
        (key) => `payload.${key}: required`,
      ),
    ],
    [
      'E-3 original address',
      JSON.stringify({ ...customer, originalEmailAddress: 'x' }),
      {},
      ['payload.originalEmailAddress: invalid'],
    ],
    [
      'E-4 sub-account missing',
      '{"accountNumber":"1"}',
      { eventType: 'Accounts.UnenrollAutopay' },
      ['payload.subAccountNumber: required'],
    ],
    ['E-5 another type', '{}', { eventType: 'Accounts.Delete' }, ['eventType: invalid']],
    ['E-5 a name of the prototype', '{}', { eventType: 'constructor' }, ['eventType: invalid']],
    [
      'E-5 a missing type, and a payload that is not JSON',
      '{',
      { eventType: undefined },
      ['eventType: required', 'payload: invalid'],
    ],
  ])('%s', (_, payload, change, problems) => {
    expect(problemsOf(event(payload, change))).toEqual(problems);
  });
  it('E-1 explains how to send the payload', () => {
    const read = event(customer);
    expect(read.ok ? '' : read.problems[0]?.message).toContain('JSON.stringify');
  });
});

it('R-43 returns a value or problems for any input', () => {
  const near = fc.record(
    {
      BusinessUnitSlug: fc.oneof(fc.string(), fc.anything()),
      Channel: fc.oneof(fc.constantFrom('QuickPay', 'POS'), fc.anything()),
      PosUser: fc.oneof(fc.emailAddress(), fc.anything()),
      ClientUser: fc.oneof(fc.record({ EmailAddress: fc.string() }), fc.anything()),
      ClientAccount: fc.anything(),
      Charges: fc.oneof(
        fc.array(fc.record({ Amount: fc.oneof(fc.integer(), fc.double()), ClientAccount: fc.anything() })),
        fc.anything(),
      ),
      SuccessUrl: fc.oneof(fc.webUrl(), fc.string()),
      PaymentFields: fc.anything(),
      CustomMeta: fc.anything({ withNullPrototype: true }),
      payload: fc.oneof(fc.json(), fc.string(), fc.anything()),
      eventType: fc.oneof(
        fc.constantFrom('Accounts.ManageCustomer', 'Accounts.UnenrollAutopay'),
        fc.anything(),
      ),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(near, fc.anything()), (input) => {
      for (const read of [
        ...[...Object.values(requestSchemas), ...Object.values(backOfficeSchemas)].map((schema) =>
          readRequest<unknown>(schema, input),
        ),
        readEventRequest(input),
      ]) {
        if (read.ok) continue;
        expect(read.problems.length).toBeGreaterThan(0);
        const fields = read.problems.map(({ field, code }) => `${field} ${code}`);
        expect(new Set(fields).size, 'no duplicate problem').toBe(fields.length);
        for (const { message } of read.problems) expect(message).toMatch(/^\S.+\.$/s);
      }
    }),
    { numRuns: 150 },
  );
});

it.each<[string, z.ZodType, unknown, string[]]>([
  ['nothing', z.object({ a: z.string() }), {}, ['a: is required']],
  ['another type', z.object({ a: z.int() }), { a: 'x' }, ['a: must be a number']],
  ['half', z.object({ a: z.int() }), { a: 0.5 }, ['a: must be a whole number']],
  ['another value', z.object({ a: z.enum(['x', 'y']) }), { a: 'z' }, ['a: must be "x" or "y"']],
  ['an empty text', z.object({ a: z.string().min(1) }), { a: '' }, ['a: must not be empty']],
  ['a long text', z.object({ a: z.string().max(2) }), { a: 'xxx' }, ['a: takes at most 2 characters']],
  ['an empty list', z.object({ a: z.array(z.string()).min(1) }), { a: [] }, ['a: needs at least 1 item']],
  ['a long list', z.object({ a: z.array(z.string()).max(1) }), { a: ['', ''] }, ['a: takes at most 1 item']],
  ['too little', z.object({ a: z.number().positive() }), { a: 0 }, ['a: must be more than 0']],
  ['too much', z.object({ a: z.number().max(9) }), { a: 10 }, ['a: must be at most 9']],
  ['a pattern', z.object({ a: z.string().regex(/^x$/, 'must be x') }), { a: 'y' }, ['a: must be x']],
  ['a key too many', z.strictObject({}), { key: 1 }, [': does not take key']],
  ['a rule', z.object({ a: z.string().refine(() => false, 'is odd') }), { a: 'x' }, ['a: is odd']],
])('wordsOf %s', (_, schema, input, problems) => {
  const { error } = schema.safeParse(input);
  expect(error?.issues.map((issue) => `${fieldOf(issue.path)}: ${wordsOf(issue, input)}`)).toEqual(problems);
});
