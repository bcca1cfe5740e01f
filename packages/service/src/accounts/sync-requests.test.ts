import { EVENTS_ENDPOINT, FLOWS, type Flow } from '@embedded-sessions/server-types';
import { beforeEach, afterEach, describe, expect, it } from 'vitest';
import { SLUG } from '../../test/merchant.js';
import { startApi, type ApiResponse, type Api } from '../../test/api.js';

let api: Api;
beforeEach(async () => {
  api = await startApi();
});
afterEach(() => api.close());

const ACCOUNT_FLOWS = ['autopay', 'paperless', 'schedule-payment', 'scheduled-payments'] as const;
const CUSTOMER_FLOWS = ['wallet', 'notifications'] as const;
const full = {
  AccountNumber: '1001',
  SubAccountNumber: '01',
  Name: 'Ada Byron',
  Balance: 5_000,
  PhoneNumber: '+1 503 555 0100',
  DueDate: '2026-12-01',
  IssueDate: '2026-11-01',
  Address: { StreetAddress: '1 Pier', StreetAddress2: 'B', City: 'Astoria', State: 'OR', ZipCode: '97103' },
};
const { AccountNumber: _number, SubAccountNumber: _sub, ...fields } = full;

interface Stored {
  accounts: { number: string; sub: string; fields: unknown; customers: string[] }[];
  customers: { email: string; firstName?: string; lastName?: string }[];
  sessions: number;
}

async function stored(businessUnit = SLUG): Promise<Stored> {
  return api.service.deps.store.transaction(async (tx) => {
    const accounts = [];
    for (const account of await tx.accounts.list(businessUnit))
      accounts.push({
        number: account.accountNumber,
        sub: account.subAccountNumber,
        fields: account.fields,
        customers: (await tx.customers.ofAccount(account.id)).map(({ emailAddress }) => emailAddress),
      });
    const customers = (await tx.customers.list(businessUnit)).map(
      ({ id: _id, businessUnit: _unit, emailAddress, ...names }) => ({
        email: emailAddress,
        ...names,
      }),
    );
    return { accounts, customers, sessions: (await tx.sessions.list(businessUnit)).length };
  });
}

const pay = (accounts: unknown[], more: Record<string, unknown> = {}): Promise<ApiResponse> =>
  api.post(FLOWS.payment.endpoint, {
    BusinessUnitSlug: SLUG,
    Channel: 'QuickPay',
    Charges: accounts.map((ClientAccount) => ({ Amount: 100, ...(ClientAccount ? { ClientAccount } : {}) })),
    ...more,
  });
const manage = (
  flow: Flow,
  ClientAccount: unknown,
  more: Record<string, unknown> = {},
): Promise<ApiResponse> =>
  api.post(FLOWS[flow].endpoint, {
    BusinessUnitSlug: SLUG,
    ClientAccount,
    ClientUser: { EmailAddress: 'ada@example.com' },
    ...more,
  });
const event = (eventType: string, payload: unknown): Promise<ApiResponse> =>
  api.post(EVENTS_ENDPOINT, {
    eventType,
    businessUnitSlug: SLUG,
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
  });

describe('account sync', () => {
  it('D-1 D-3 a payment session creates an account and later adds, changes and removes fields', async () => {
    await pay([{ AccountNumber: '1001', SubAccountNumber: '01', Name: 'Ada' }]);
    expect((await stored()).accounts).toEqual([
      { number: '1001', sub: '01', fields: { Name: 'Ada' }, customers: [] },
    ]);
    await pay([full]);
    expect((await stored()).accounts[0]?.fields).toEqual(fields);
    await pay([
      {
        AccountNumber: '1001',
        SubAccountNumber: '01',
        Name: 'Ada B.',
        Balance: -1,
        Address: { City: 'Salem' },
      },
    ]);
    expect((await stored()).accounts[0]?.fields).toEqual({
      Name: 'Ada B.',
      Balance: -1,
      Address: { City: 'Salem' },
    });
  });

  it('D-1 keeps sub-accounts and business units apart', async () => {
    await pay([full, { ...full, SubAccountNumber: '' }, { AccountNumber: '1001', Name: 'no sub' }]);
    await pay([{ ...full, Name: 'Gas' }], { BusinessUnitSlug: 'harborlight-gas' });
    expect((await stored()).accounts.map(({ number, sub }) => [number, sub])).toEqual([
      ['1001', ''],
      ['1001', '01'],
    ]);
    expect((await stored('harborlight-gas')).accounts[0]?.fields).toMatchObject({ Name: 'Gas' });
  });

  it('D-2 never syncs Note or custom fields, and shows Note in its session', async () => {
    const { data } = await pay([{ ...full, Note: 'Meter read', MeterType: 'digital', constructor: 1 }]);
    expect((await stored()).accounts[0]?.fields).toEqual(fields);
    const session = await api.service.deps.store.transaction((tx) =>
      tx.sessions.get(data.PaymentSessionIdentifier),
    );
    expect(session?.request).toMatchObject({ Charges: [{ ClientAccount: { ...full, Note: 'Meter read' } }] });
    expect(JSON.stringify(session)).not.toContain('digital');
  });

  it('D-3 the last of two charges for an account wins', async () => {
    await pay([
      { AccountNumber: '1', Name: 'first', Balance: 1 },
      { AccountNumber: '2', Name: 'other' },
      { AccountNumber: '1', Name: 'last' },
    ]);
    expect((await stored()).accounts.map((account) => account.fields)).toEqual([
      { Name: 'last' },
      { Name: 'other' },
    ]);
  });

  it.each(ACCOUNT_FLOWS)(
    'D-4 %s refuses a new account without SyncAccount: true, and accepts a known one',
    async (flow) => {
      for (const SyncAccount of [undefined, false]) {
        const response = await manage(flow, full, { SyncAccount });
        expect(response).toMatchObject({
          status: 400,
          errors: [{ code: 'account_not_synced', field: 'SyncAccount' }],
        });
      }
      expect(await stored()).toEqual({ accounts: [], customers: [], sessions: 0 });
      expect((await manage(flow, full, { SyncAccount: true })).status).toBe(200);
      expect((await manage(flow, { ...full, Name: 'ignored' })).status).toBe(200);
      expect((await stored()).accounts).toEqual([
        { number: '1001', sub: '01', fields, customers: ['ada@example.com'] },
      ]);
    },
  );

  it.each(ACCOUNT_FLOWS)('D-4 %s writes the fields present and keeps absent ones', async (flow) => {
    await manage(flow, { ...full, Note: 'n', Custom: 1 }, { SyncAccount: true });
    await manage(flow, { AccountNumber: '1001', SubAccountNumber: '01', Balance: 7 }, { SyncAccount: true });
    expect((await stored()).accounts[0]?.fields).toEqual({ ...fields, Balance: 7 });
  });

  it.each(ACCOUNT_FLOWS)('D-4 %s changes only the sent fields of an address', async (flow) => {
    await manage(flow, full, { SyncAccount: true });
    const Address = { City: 'Salem', ZipCode: '' };
    await manage(flow, { AccountNumber: '1001', SubAccountNumber: '01', Address }, { SyncAccount: true });
    expect((await stored()).accounts[0]?.fields).toEqual({
      ...fields,
      Address: { ...full.Address, ...Address },
    });
  });

  it('D-4 accepts an account without Name', async () => {
    expect((await manage('autopay', { AccountNumber: '9' }, { SyncAccount: true })).status).toBe(200);
    expect((await stored()).accounts[0]?.fields).toEqual({});
  });

  it.each(CUSTOMER_FLOWS)('D-5 %s changes no account', async (flow) => {
    expect((await manage(flow, full, { SyncAccount: true })).status).toBe(200);
    expect(await stored()).toMatchObject({
      accounts: [],
      customers: [{ email: 'ada@example.com' }],
      sessions: 1,
    });
  });
});

describe('customer sync', () => {
  it('D-6 associates the customer with every account of a payment, ignoring the case of the address', async () => {
    await pay([{ AccountNumber: '1', Name: 'a' }], { ClientUser: { EmailAddress: ' Ada@Example.com ' } });
    await pay(
      [
        { AccountNumber: '1', Name: 'a' },
        { AccountNumber: '2', Name: 'b' },
      ],
      {
        ClientUser: { EmailAddress: ' ada@example.COM ' },
      },
    );
    const { accounts, customers } = await stored();
    expect(customers).toEqual([{ email: 'Ada@Example.com' }]);
    expect(accounts.map((account) => account.customers)).toEqual([['Ada@Example.com'], ['Ada@Example.com']]);
  });

  it.each([...ACCOUNT_FLOWS, ...CUSTOMER_FLOWS])('D-6 %s keeps a customer', async (flow) => {
    await manage(flow, full, { SyncAccount: true });
    expect((await stored()).customers).toEqual([{ email: 'ada@example.com' }]);
  });

  it('D-6 folds only A to Z: addresses that differ in other letters are different customers', async () => {
    for (const EmailAddress of ['kit@example.com', '\u212Ait@example.com', 'KIT@example.com'])
      await pay([null], { ClientUser: { EmailAddress } });
    for (const EmailAddress of ['é@example.com', 'É@example.com', 'É@EXAMPLE.com'])
      await manage('wallet', undefined, { ClientUser: { EmailAddress } });
    const emails = (await stored()).customers.map(({ email }) => email);
    expect(emails.toSorted()).toEqual(
      ['kit@example.com', '\u212Ait@example.com', 'é@example.com', 'É@example.com'].toSorted(),
    );
  });

  it('D-7 saves names once, and fills in missing ones later', async () => {
    const named = (EmailAddress: string, FirstName?: string, LastName?: string) =>
      pay([null], { ClientUser: { EmailAddress, FirstName, LastName } });
    await named('ada@example.com', 'Ada', 'Byron');
    await named('ada@example.com', 'Augusta', 'King');
    await named('grace@example.com', 'Grace');
    await named('grace@example.com', 'Amazing', 'Hopper');
    await named('joan@example.com');
    await named('JOAN@example.com', 'Joan');
    await named('joan@example.com', '', 'Clarke');
    await named('joan@example.com', 'Joanna', 'Murray');
    await named('mary@example.com', '  ', '');
    await named('mary@example.com', 'Mary', 'Keller');
    expect((await stored()).customers).toEqual([
      { email: 'ada@example.com', firstName: 'Ada', lastName: 'Byron' },
      { email: 'grace@example.com', firstName: 'Grace', lastName: 'Hopper' },
      { email: 'joan@example.com', firstName: 'Joan', lastName: 'Clarke' },
      { email: 'mary@example.com', firstName: 'Mary', lastName: 'Keller' },
    ]);
  });

  it.each([...ACCOUNT_FLOWS, ...CUSTOMER_FLOWS])('D-7 %s fills in missing names', async (flow) => {
    const named = (names: Record<string, string>) =>
      manage(flow, full, { SyncAccount: true, ClientUser: { EmailAddress: 'ada@example.com', ...names } });
    await named({ LastName: 'Byron' });
    await named({ FirstName: 'Ada', LastName: 'King' });
    expect((await stored()).customers).toEqual([
      { email: 'ada@example.com', firstName: 'Ada', lastName: 'Byron' },
    ]);
  });

  it('R-32 R-31 treats null as missing, and keeps the date of a date-time as written', async () => {
    const nulls = Object.fromEntries(
      ['Balance', 'PhoneNumber', 'Note', 'Address', 'SubAccountNumber'].map((name) => [name, null]),
    );
    const dates = { DueDate: '2026-12-01T23:30:00-08:00', IssueDate: '2026-11-01T00:00:00Z' };
    const optional = [
      'ClientReference',
      'PaymentMethods',
      'PaymentFields',
      'CustomMeta',
      'PosUser',
      'SuccessUrl',
    ];
    const response = await pay([{ AccountNumber: '1001', Name: 'Ada', ...nulls, ...dates }], {
      ...Object.fromEntries(optional.map((name) => [name, null])),
      ClientUser: { EmailAddress: 'ada@example.com', FirstName: null, LastName: 'Byron' },
    });
    expect(response.errors).toEqual([]);
    expect(await stored()).toMatchObject({
      accounts: [{ sub: '', fields: { Name: 'Ada', DueDate: '2026-12-01', IssueDate: '2026-11-01' } }],
      customers: [{ email: 'ada@example.com', lastName: 'Byron' }],
    });
    expect(Object.keys((await stored()).accounts[0]?.fields ?? {}).toSorted()).toEqual([
      'DueDate',
      'IssueDate',
      'Name',
    ]);
  });

  it('D-8 a payment without ClientUser keeps no customer', async () => {
    const { data } = await pay([full]);
    expect((await stored()).customers).toEqual([]);
    const session = await api.service.deps.store.transaction((tx) =>
      tx.sessions.get(data.PaymentSessionIdentifier),
    );
    expect(session?.customerId).toBeUndefined();
  });

  it('D-9 a refused request syncs nothing', async () => {
    await pay([null], { ClientReference: 'taken' });
    const before = await stored();
    const ClientUser = { EmailAddress: 'new@example.com' };
    expect((await pay([full], { ClientUser, ClientReference: 'taken' })).status).toBe(409);
    expect((await pay([full, { AccountNumber: '2' }], { ClientUser })).status).toBe(400);
    expect((await pay([full], { ClientUser, PaymentMethods: [] })).status).toBe(400);
    expect(await stored()).toEqual(before);
  });
});

describe('Events API', () => {
  const payload = {
    accountNumber: '1001',
    subAccountNumber: '',
    firstName: 'Ada',
    lastName: 'Byron',
    emailAddress: 'ada@example.com',
  };
  const problems = ({ errors }: ApiResponse): string[] =>
    errors.map(({ code, field }) => `${field}: ${code}`);

  it('R-42 E-2 creates account and customer, and responds with empty data', async () => {
    const response = await event('Accounts.ManageCustomer', payload);
    expect(response).toMatchObject({ status: 200, hasErrors: false, errors: [], data: {} });
    expect(await stored()).toMatchObject({
      accounts: [{ number: '1001', sub: '', fields: { Name: 'Ada Byron' }, customers: ['ada@example.com'] }],
      customers: [{ email: 'ada@example.com', firstName: 'Ada', lastName: 'Byron' }],
    });
  });

  it('E-2 renames the account, updates the customer, and associates another address', async () => {
    await pay([{ AccountNumber: '1001', Name: 'The Byrons', Balance: 3 }]);
    await event('Accounts.ManageCustomer', payload);
    expect((await stored()).accounts).toMatchObject([{ fields: { Name: 'Ada Byron', Balance: 3 } }]);
    await event('Accounts.ManageCustomer', {
      ...payload,
      lastName: 'King',
      emailAddress: 'ADA@example.com',
    });
    expect((await stored()).accounts).toMatchObject([{ fields: { Name: 'Ada King', Balance: 3 } }]);
    await event('Accounts.ManageCustomer', {
      ...payload,
      emailAddress: 'william@example.com',
      firstName: 'William',
      lastName: 'King',
    });
    expect(await stored()).toMatchObject({
      accounts: [
        {
          fields: { Name: 'William King', Balance: 3 },
          customers: ['ADA@example.com', 'william@example.com'],
        },
      ],
      customers: [
        { email: 'ADA@example.com', firstName: 'Ada', lastName: 'King' },
        { email: 'william@example.com', firstName: 'William', lastName: 'King' },
      ],
    });
  });

  it('E-2 renames the account if an address change is replayed with another name', async () => {
    await event('Accounts.ManageCustomer', payload);
    const move = { ...payload, emailAddress: 'king@example.com', originalEmailAddress: 'ada@example.com' };
    await event('Accounts.ManageCustomer', move);
    await event('Accounts.ManageCustomer', { ...move, lastName: 'King' });
    expect(await stored()).toMatchObject({
      accounts: [{ fields: { Name: 'Ada King' }, customers: ['king@example.com'] }],
      customers: [{ email: 'king@example.com', firstName: 'Ada', lastName: 'King' }],
    });
  });

  it.each(['', '  '])(
    'E-2 accepts the last name %j of a business, and refuses a missing one',
    async (lastName) => {
      const business = { ...payload, firstName: 'Byron & Co.', lastName };
      expect((await event('Accounts.ManageCustomer', business)).status).toBe(200);
      expect((await stored()).accounts).toMatchObject([{ fields: { Name: 'Byron & Co.' } }]);
      const missing = await event('Accounts.ManageCustomer', { ...business, lastName: undefined });
      expect(problems(missing)).toEqual(['payload.lastName: required']);
    },
  );

  it('R-32 E-3 treats a null originalEmailAddress as missing', async () => {
    const response = await event('Accounts.ManageCustomer', { ...payload, originalEmailAddress: null });
    expect(response.status).toBe(200);
    expect((await stored()).customers).toMatchObject([{ email: 'ada@example.com' }]);
  });

  it('E-2 trims an address', async () => {
    await event('Accounts.ManageCustomer', { ...payload, emailAddress: ' Ada@example.com ' });
    expect((await stored()).customers).toMatchObject([{ email: 'Ada@example.com' }]);
  });

  it('E-3 D-7 changes an address, and a replay succeeds', async () => {
    await event('Accounts.ManageCustomer', payload);
    const move = {
      ...payload,
      emailAddress: 'countess@example.com',
      originalEmailAddress: 'Ada@Example.com',
    };
    expect((await event('Accounts.ManageCustomer', move)).status).toBe(200);
    const after = await stored();
    expect(after.customers).toEqual([{ email: 'countess@example.com', firstName: 'Ada', lastName: 'Byron' }]);
    expect(after.accounts[0]?.customers).toEqual(['countess@example.com']);
    expect((await event('Accounts.ManageCustomer', move)).status).toBe(200);
    expect(await stored()).toEqual(after);
    // Even if the account has another customer.
    await event('Accounts.ManageCustomer', { ...payload, emailAddress: 'william@example.com' });
    expect((await event('Accounts.ManageCustomer', move)).status).toBe(200);
  });

  it('E-3 refuses an unknown original address and an address of another customer', async () => {
    await event('Accounts.ManageCustomer', payload);
    await event('Accounts.ManageCustomer', {
      ...payload,
      accountNumber: '2',
      emailAddress: 'grace@example.com',
    });
    const before = await stored();
    const unknown = {
      ...payload,
      emailAddress: 'new@example.com',
      originalEmailAddress: 'nobody@example.com',
    };
    const first = await event('Accounts.ManageCustomer', unknown);
    expect(first).toMatchObject({ status: 404 });
    expect(problems(first)).toEqual(['payload.originalEmailAddress: customer_not_found']);
    const held = { ...payload, emailAddress: 'grace@example.com', originalEmailAddress: 'ada@example.com' };
    const second = await event('Accounts.ManageCustomer', held);
    expect(second).toMatchObject({ status: 409 });
    expect(problems(second)).toEqual(['payload.emailAddress: email_in_use']);
    expect(await stored()).toEqual(before);
  });

  it('E-3 moves no customer of another account, for example if a change is repeated when somebody has the old address', async () => {
    await event('Accounts.ManageCustomer', payload);
    const move = (originalEmailAddress: string, emailAddress: string) =>
      event('Accounts.ManageCustomer', { ...payload, originalEmailAddress, emailAddress });
    await move('ada@example.com', 'countess@example.com');
    await move('countess@example.com', 'lovelace@example.com');
    const next = { ...payload, accountNumber: '2', firstName: 'Grace', lastName: 'Hopper' };
    await event('Accounts.ManageCustomer', next);
    const before = await stored();

    const repeated = await move('ada@example.com', 'countess@example.com');
    expect(repeated).toMatchObject({ status: 404 });
    expect(problems(repeated)).toEqual(['payload.originalEmailAddress: customer_not_found']);
    expect((await move('ada@example.com', 'lovelace@example.com')).status).toBe(200);
    expect(await stored()).toEqual(before);
  });

  it('E-3 changes the address of a customer whose account is new or has no customer yet', async () => {
    await event('Accounts.ManageCustomer', payload);
    await pay([{ AccountNumber: '3', Name: 'Ada' }]);
    for (const [index, accountNumber] of ['2', '3'].entries())
      expect(
        await event('Accounts.ManageCustomer', {
          ...payload,
          accountNumber,
          originalEmailAddress: index === 0 ? 'ada@example.com' : 'ada0@example.com',
          emailAddress: `ada${index}@example.com`,
        }),
      ).toMatchObject({ status: 200 });
    expect((await stored()).customers).toMatchObject([{ email: 'ada1@example.com' }]);
  });

  it('E-3 changes no address if the original equals the new one', async () => {
    await event('Accounts.ManageCustomer', payload);
    const same = { ...payload, firstName: 'A', originalEmailAddress: ' ADA@example.com' };
    expect((await event('Accounts.ManageCustomer', same)).status).toBe(200);
    expect((await stored()).customers).toMatchObject([{ email: 'ada@example.com', firstName: 'A' }]);
  });

  it('E-3 refuses a replay for another account, and an unknown original address', async () => {
    await event('Accounts.ManageCustomer', payload);
    // This account has its own customer.
    await event('Accounts.ManageCustomer', {
      ...payload,
      accountNumber: '2',
      emailAddress: 'mary@example.com',
    });
    const before = await stored();
    // The new address belongs to a customer of another account, who never changed it.
    const foreign = {
      ...payload,
      accountNumber: '2',
      firstName: 'Eve',
      originalEmailAddress: 'nobody@example.com',
    };
    const [first, unchanged] = [
      await event('Accounts.ManageCustomer', foreign),
      await event('Accounts.ManageCustomer', {
        ...payload,
        emailAddress: 'new@example.com',
        originalEmailAddress: 'NEW@example.com ',
      }),
    ];
    for (const response of [first, unchanged]) {
      expect(response).toMatchObject({ status: 404 });
      expect(problems(response)).toEqual(['payload.originalEmailAddress: customer_not_found']);
      expect(response.errors[0]?.message).toMatch(/\w/);
    }
    expect(await stored()).toEqual(before);
  });

  it('E-3 treats another spelling of an address as the same customer', async () => {
    await event('Accounts.ManageCustomer', payload);
    const respelled = {
      ...payload,
      emailAddress: 'Ada@Example.COM',
      originalEmailAddress: 'ada@example.com',
    };
    expect((await event('Accounts.ManageCustomer', respelled)).status).toBe(200);
    expect((await stored()).customers).toMatchObject([{ email: 'Ada@Example.COM' }]);
  });

  it('E-4 accepts any known account, enrolled or not, and refuses an unknown one', async () => {
    await pay([{ AccountNumber: '1001', Name: 'Ada' }]);
    const unenroll = { accountNumber: '1001', subAccountNumber: '' };
    expect(await event('Accounts.UnenrollAutopay', unenroll)).toMatchObject({ status: 200, data: {} });
    expect(await event('Accounts.UnenrollAutopay', unenroll)).toMatchObject({ status: 200, data: {} });
    const unknown = await event('Accounts.UnenrollAutopay', { ...unenroll, subAccountNumber: '01' });
    expect(unknown).toMatchObject({ status: 404, errors: [{ code: 'account_not_found' }] });
  });

  it('E-1 refuses a payload that is an object or invalid JSON', async () => {
    const raw = { eventType: 'Accounts.ManageCustomer', businessUnitSlug: SLUG, payload };
    const object = await api.post(EVENTS_ENDPOINT, raw);
    expect(object.status).toBe(400);
    expect(problems(object)).toEqual(['payload: invalid']);
    expect(object.errors[0]?.message).toMatch(/JSON string.*JSON\.stringify/);
    const text = await event('Accounts.ManageCustomer', '{not json');
    expect(problems(text)).toEqual(['payload: invalid']);
  });

  it('E-1 E-2 E-4 R-43 names every missing field, including those of the payload', async () => {
    expect(problems(await api.post(EVENTS_ENDPOINT, {})).sort()).toEqual([
      'businessUnitSlug: required',
      'eventType: required',
      'payload: required',
    ]);
    expect(problems(await event('Accounts.ManageCustomer', { emailAddress: 'x' })).sort()).toEqual([
      'payload.accountNumber: required',
      'payload.emailAddress: invalid',
      'payload.firstName: required',
      'payload.lastName: required',
      'payload.subAccountNumber: required',
    ]);
    expect(problems(await event('Accounts.UnenrollAutopay', {})).sort()).toEqual([
      'payload.accountNumber: required',
      'payload.subAccountNumber: required',
    ]);
  });

  it('E-5 refuses any other event', async () => {
    for (const type of ['Accounts.Delete', 'accounts.manageCustomer', 'toString', '']) {
      const response = await event(type, payload);
      expect(response.status).toBe(400);
      expect(problems(response)).toEqual(['eventType: invalid']);
    }
  });
});
