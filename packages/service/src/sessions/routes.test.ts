import { EVENTS_ENDPOINT, FLOWS, MAX_CHARGES, type Flow } from '@embedded-sessions/server-types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SLUG } from '../../test/merchant.js';
import { startApi, type ApiResponse, type Api } from '../../test/api.js';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const PAYMENT = FLOWS.payment.endpoint;
const charge = { Amount: 12_345, Description: 'Water, May' };
const account = { AccountNumber: '1001', Name: 'Ada Byron' };
const user = { EmailAddress: 'ada@example.com' };
const payment = { BusinessUnitSlug: SLUG, Channel: 'QuickPay', Charges: [charge] };
const pay = (changes: Record<string, unknown>): Promise<ApiResponse> =>
  api.post(PAYMENT, { ...payment, ...changes });
const managed = { BusinessUnitSlug: SLUG, SyncAccount: true, ClientAccount: account, ClientUser: user };

const problems = ({ errors }: ApiResponse): string[] =>
  errors.map(({ code, field }) => `${field ?? ''}: ${code}`);

describe('payment sessions', () => {
  it('R-40 R-41 R-1 returns an id, a URL with a secret in its fragment, and RequiresPaymentSource', async () => {
    const response = await pay({});
    expect(response).toMatchObject({ status: 200, hasErrors: false, errors: [] });
    expect(response.data.Status).toBe('RequiresPaymentSource');
    expect(response.data.PaymentSessionIdentifier).toMatch(/^stg_/);
    const url = new URL(response.data.PaymentLogInLink);
    expect(url.pathname).toBe(`/s/${response.data.PaymentSessionIdentifier}`);
    expect(Buffer.from(url.hash.slice(1), 'base64url')).toHaveLength(32);
    expect(response.headers.get('x-request-id')).toMatch(/^req_/);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('R-7 R-51 returns the environment and expiry of a session, also for a replay', async () => {
    const ask = () => api.post(PAYMENT, payment, { 'idempotency-key': 'repeated' });
    const first = await ask();
    await api.service.control.advance(10 * 60_000);
    const again = await ask();
    expect(again.data).toEqual(first.data);
    for (const [{ headers }, minutes] of [
      [first, 30],
      [again, 20],
    ] as const) {
      expect(headers.get('x-session-environment')).toBe('staging');
      const seconds = Number(headers.get('x-session-expires-in'));
      expect(seconds).toBeGreaterThan((minutes - 1) * 60);
      expect(seconds).toBeLessThanOrEqual(minutes * 60);
    }
  });

  it.each([
    ['R-20 BusinessUnitSlug', { BusinessUnitSlug: undefined }, ['BusinessUnitSlug: required']],
    ['R-20 Channel', { Channel: undefined }, ['Channel: required']],
    ['R-20 Channel, unknown', { Channel: 'Phone' }, ['Channel: invalid']],
    ['R-20 Charges', { Charges: undefined }, ['Charges: required']],
    ['R-20 Amount', { Charges: [{}] }, ['Charges[0].Amount: required']],
    [
      'R-20 AccountNumber and Name',
      { Charges: [charge, { ...charge, ClientAccount: {} }] },
      ['Charges[1].ClientAccount.AccountNumber: required', 'Charges[1].ClientAccount.Name: required'],
    ],
    ['R-20 EmailAddress', { ClientUser: { FirstName: 'Ada' } }, ['ClientUser.EmailAddress: required']],
    ['R-21 no charge', { Charges: [] }, ['Charges: too_few']],
    [
      'R-21 26 charges',
      { Charges: Array.from({ length: MAX_CHARGES + 1 }, () => charge) },
      ['Charges: too_many'],
    ],
    ['R-22 SuccessUrl alone', { SuccessUrl: 'https://a.example' }, ['ReturnUrl: required']],
    ['R-22 ReturnUrl alone', { ReturnUrl: 'https://a.example' }, ['SuccessUrl: required']],
    [
      'R-22 other schemes',
      { SuccessUrl: 'javascript:alert(1)', ReturnUrl: '/back' },
      ['ReturnUrl: invalid', 'SuccessUrl: invalid'],
    ],
    [
      'R-23 ClientUser on POS',
      { Channel: 'POS', PosUser: 'agent@harborlight.example', ClientUser: user },
      ['ClientUser: not_allowed'],
    ],
    ['R-24 PosUser on QuickPay', { PosUser: 'agent@harborlight.example' }, ['PosUser: not_allowed']],
    ['R-24 whatever PosUser holds', { PosUser: 'x' }, ['PosUser: invalid', 'PosUser: not_allowed']],
    ['R-25 no PosUser', { Channel: 'POS' }, ['PosUser: required']],
    [
      'R-25 no permission',
      { Channel: 'POS', PosUser: 'trainee@harborlight.example' },
      ['PosUser: not_allowed'],
    ],
    [
      'R-25 unknown agent',
      { Channel: 'POS', PosUser: 'nobody@harborlight.example' },
      ['PosUser: not_allowed'],
    ],
    ['R-28 another method', { PaymentMethods: ['ACH', 'Cash'] }, ['PaymentMethods[1]: invalid']],
    ['R-28 no method', { PaymentMethods: [] }, ['PaymentMethods: too_few']],
    [
      'R-28 a disabled method that stands among wrong ones',
      { BusinessUnitSlug: 'harborlight-gas', PaymentMethods: ['ACH', 'Cash'] },
      ['PaymentMethods[1]: invalid'],
    ],
    [
      'R-28 only disabled methods',
      { BusinessUnitSlug: 'harborlight-gas', PaymentMethods: ['ACH'] },
      ['PaymentMethods: not_allowed'],
    ],
    ['R-29 unknown key', { PaymentFields: { Unknown: 'x' } }, ['PaymentFields.Unknown: not_allowed']],
    ['R-30 not an object', { CustomMeta: [1] }, ['CustomMeta: invalid']],
    [
      'R-31 addresses and dates',
      {
        Charges: [
          {
            ...charge,
            ClientAccount: {
              ...account,
              DueDate: '31.05.2026',
              IssueDate: '2026-02-30',
              Address: {
                StreetAddress: 'x'.repeat(101),
                StreetAddress2: 'x'.repeat(101),
                City: 'x'.repeat(101),
              },
            },
          },
        ],
      },
      [
        'Charges[0].ClientAccount.Address.City: too_long',
        'Charges[0].ClientAccount.Address.StreetAddress2: too_long',
        'Charges[0].ClientAccount.Address.StreetAddress: too_long',
        'Charges[0].ClientAccount.DueDate: invalid',
        'Charges[0].ClientAccount.IssueDate: invalid',
      ],
    ],
  ])('refuses %s', async (_, changes, expected) => {
    const response = await pay(changes);
    expect(response).toMatchObject({ status: 400, hasErrors: true, data: null });
    expect(problems(response).sort()).toEqual(expected);
  });

  it.each([
    'a@x.example>,<b',
    'a@x.example,b@x.example',
    'Ada <a@x.example>',
    '"a"@x.example',
    'a@x.example;b',
    'a(b)@x.example',
    'a\u0007@x.example',
    'a\u202Eb@x.example',
    'a@x..example',
    'a@.example',
    'a@x.example.',
    'a@[127.0.0.1]',
  ])('R-20 rejects the e-mail address %j', async (EmailAddress) => {
    const response = await pay({ ClientUser: { EmailAddress } });
    expect(problems(response)).toEqual(['ClientUser.EmailAddress: invalid']);
  });

  it.each(["o'brien+bill@mail.example.com", 'a@localhost', 'jörg@bücher.example', '用户@例子.example'])(
    'R-20 accepts the e-mail address %j',
    async (EmailAddress) => {
      expect((await pay({ ClientUser: { EmailAddress } })).errors).toEqual([]);
    },
  );

  it.each(['a\nb', 'a\r\nBcc: b@x.example', 'a\tb', 'a\u007F', 'a\u0085', 'a\u2028b'])(
    'R-20 rejects %j in names and descriptors',
    async (line) => {
      const response = await pay({
        Charges: [{ ...charge, ClientAccount: { ...account, Name: line } }],
        ClientUser: { ...user, FirstName: line, LastName: line },
        PaymentDescriptor: line,
      });
      expect(problems(response).toSorted()).toEqual([
        'Charges[0].ClientAccount.Name: invalid',
        'ClientUser.FirstName: invalid',
        'ClientUser.LastName: invalid',
        'PaymentDescriptor: invalid',
      ]);
      const payload = { accountNumber: '1', subAccountNumber: '', firstName: line, lastName: line };
      const event = await api.post(EVENTS_ENDPOINT, {
        eventType: 'Accounts.ManageCustomer',
        businessUnitSlug: SLUG,
        payload: JSON.stringify({ ...payload, emailAddress: 'a@b.example' }),
      });
      expect(problems(event)).toEqual(['payload.firstName: invalid', 'payload.lastName: invalid']);
    },
  );

  it('R-32 keeps line breaks in notes', async () => {
    const ClientAccount = { ...account, Note: 'one\ntwo' };
    expect((await pay({ Charges: [{ ...charge, ClientAccount }] })).errors).toEqual([]);
  });

  it.each([12.5, '1250', 0, -1, null, true, Number.MAX_SAFE_INTEGER + 1])(
    'R-27 rejects the amount %j',
    async (Amount) => {
      expect(problems(await pay({ Charges: [{ Amount }] }))).toEqual(['Charges[0].Amount: invalid']);
    },
  );

  it('R-27 rejects the amount 1e400', async () => {
    const body = JSON.stringify(payment).replace('12345', '1e400');
    expect(problems(await api.post(PAYMENT, body))).toEqual(['Charges[0].Amount: invalid']);
  });

  it('R-28 names the enabled methods if none of the requested ones is enabled', async () => {
    const { errors } = await pay({ BusinessUnitSlug: 'harborlight-gas', PaymentMethods: ['ACH'] });
    expect(errors[0]?.message).toContain('Credit Card');
    const some = await pay({ BusinessUnitSlug: 'harborlight-gas', PaymentMethods: ['ACH', 'Credit Card'] });
    expect(some.status).toBe(200);
  });

  it('R-29 R-32 treats null as a missing payment field, whether it is configured or not', async () => {
    const PaymentFields = { InvoiceNumber: null, Unknown: null };
    expect((await pay({ PaymentFields })).errors).toEqual([]);
  });

  it('R-43 reports all problems of a request together', async () => {
    const response = await pay({
      Channel: 'POS',
      ClientUser: {},
      Charges: [...Array.from({ length: 25 }, () => charge), { Amount: 0 }],
      SuccessUrl: 'x',
      PaymentFields: { Unknown: 1 },
    });
    expect(problems(response).sort()).toEqual([
      'Charges: too_many',
      'Charges[25].Amount: invalid',
      'ClientUser.EmailAddress: required',
      'ClientUser: not_allowed',
      'PaymentFields.Unknown: not_allowed',
      'PosUser: required',
      'ReturnUrl: required',
      'SuccessUrl: invalid',
    ]);
    for (const { message, field } of response.errors) expect(message).toContain(field?.split('.')[0]);
  });

  it('R-91 refuses more than a hundred PaymentFields without a problem for each', async () => {
    const fields = (count: number, value: unknown) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]));
    expect(problems(await pay({ PaymentFields: fields(100, 1) }))).toHaveLength(100);
    for (const value of [1, null, {}])
      expect(problems(await pay({ PaymentFields: fields(101, value) }))).toEqual(['PaymentFields: too_many']);
  });

  it('R-21 R-25 R-32 accepts 25 charges, an agent in any case, and unknown keys', async () => {
    const response = await pay({
      Channel: 'POS',
      PosUser: ' AGENT@harborlight.example ',
      Charges: Array.from({ length: MAX_CHARGES }, () => ({ ...charge, Colour: 'blue' })),
      Unknown: { deep: [] },
    });
    expect(response.status).toBe(200);
  });

  it('R-26 rejects a repeated ClientReference, only within its business unit', async () => {
    expect((await pay({ ClientReference: 'invoice-1' })).status).toBe(200);
    const again = await pay({ ClientReference: 'invoice-1' });
    expect(again.status).toBe(409);
    expect(problems(again)).toEqual(['ClientReference: client_reference_taken']);
    expect((await pay({ ClientReference: 'invoice-1', BusinessUnitSlug: 'harborlight-gas' })).status).toBe(
      200,
    );
  });

  it('R-26 keeps a ClientReference available after a rejected request', async () => {
    expect((await pay({ ClientReference: 'invoice-2', Charges: [] })).status).toBe(400);
    expect((await pay({ ClientReference: 'invoice-2' })).status).toBe(200);
  });
});

describe('management sessions', () => {
  const flows = (Object.keys(FLOWS) as Flow[]).filter((flow) => flow !== 'payment');

  it.each(flows)('R-42 R-4 %s returns Open', async (flow) => {
    const response = await api.post(FLOWS[flow].endpoint, managed);
    expect(response).toMatchObject({ status: 200, hasErrors: false, errors: [] });
    expect(response.data.Status).toBe('Open');
    expect(response.data.PaymentLogInLink).toContain(`/s/${response.data.PaymentSessionIdentifier}#`);
  });

  it.each(flows)('R-43 %s names what is missing', async (flow) => {
    const response = await api.post(FLOWS[flow].endpoint, {});
    expect(response.status).toBe(400);
    const account = flow === 'wallet' || flow === 'notifications' ? [] : ['ClientAccount: required'];
    expect(problems(response).sort()).toEqual([
      'BusinessUnitSlug: required',
      ...account,
      'ClientUser: required',
    ]);
  });
});

describe('lifetimes', () => {
  it.each(Object.keys(FLOWS) as Flow[])('R-51 a %s session expires on time', async (flow) => {
    const { data } = await api.post(FLOWS[flow].endpoint, { ...payment, ...managed });
    const query = { BusinessUnitSlug: SLUG, PaymentSessionIdentifier: data.PaymentSessionIdentifier };
    const queried = await api.post('/integrations/embedded/query', query);
    const lifetime = Date.parse(queried.data.ExpiresAt) - Date.parse(queried.data.CreatedAt);
    expect(lifetime).toBe((flow === 'payment' ? 30 : 60) * 60_000);
    await api.service.control.advance(lifetime - 10_000);
    expect((await api.post('/integrations/embedded/query', query)).data.Status).toBe(data.Status);
    await api.service.control.advance(10_000);
    expect((await api.post('/integrations/embedded/query', query)).data.Status).toBe('Expired');
  });
});
