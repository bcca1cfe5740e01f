import { FLOWS, QUERY_ENDPOINT, type Flow } from '@embedded-sessions/server-types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SLUG } from '../../test/merchant.js';
import { startApi, type ApiResponse, type Api } from '../../test/api.js';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const create = async (body: object, flow: Flow = 'payment'): Promise<string> =>
  (await api.post(FLOWS[flow].endpoint, { BusinessUnitSlug: SLUG, ...body })).data
    .PaymentSessionIdentifier as string;
const query = (id: unknown, BusinessUnitSlug = SLUG): Promise<ApiResponse> =>
  api.post(QUERY_ENDPOINT, { BusinessUnitSlug, PaymentSessionIdentifier: id });

describe('query', () => {
  it('R-55 R-30 returns a payment session with unchanged metadata and without its link', async () => {
    const CustomMeta = JSON.parse(
      '{"nested":{"list":[1,null,{"a":"\\u0000\\ud800"}],"empty":{}},"__proto__":{"own":true},"constructor":"x","big":9007199254740991,"10":"ten"}',
    ) as Record<string, unknown>;
    const Charges = [
      { Amount: 100, Description: 'Water', ChargeType: 'usage', CustomMeta },
      {
        Amount: 200,
        ClientAccount: { AccountNumber: '1', SubAccountNumber: '', Name: 'A', Note: 'private' },
      },
    ];
    const id = await create({ Channel: 'QuickPay', Charges, CustomMeta, ClientReference: 'query-1' });
    const { status, data } = await query(id);
    expect(status).toBe(200);
    expect(data).toMatchObject({
      PaymentSessionIdentifier: id,
      Flow: 'payment',
      Status: 'RequiresPaymentSource',
      ClientReference: 'query-1',
      Charges: [
        { Amount: 100, Description: 'Water', ChargeType: 'usage' },
        { Amount: 200, ClientAccount: { AccountNumber: '1' } },
      ],
      Payments: [],
    });
    expect(JSON.stringify(data.CustomMeta)).toBe(JSON.stringify(CustomMeta));
    expect(JSON.stringify(data.Charges[0].CustomMeta)).toBe(JSON.stringify(CustomMeta));
    expect(JSON.stringify(data)).not.toMatch(/private|\/s\/|#/);
  });

  it.each((Object.keys(FLOWS) as Flow[]).filter((flow) => flow !== 'payment'))(
    'R-55 returns a %s session',
    async (flow) => {
      const ClientUser = { EmailAddress: 'ada@example.com' };
      const id = await create({ SyncAccount: true, ClientAccount: { AccountNumber: '1' }, ClientUser }, flow);
      expect((await query(id)).data).toMatchObject({ Flow: flow, Status: 'Open', Charges: [], Payments: [] });
    },
  );

  it('R-55 returns not found for an unknown session and for one of another business unit', async () => {
    const id = await create({ Channel: 'QuickPay', Charges: [{ Amount: 1 }] });
    const unknown = await query('stg_unknown');
    expect(unknown).toMatchObject({
      status: 404,
      errors: [{ code: 'not_found', field: 'PaymentSessionIdentifier' }],
    });
    expect((await query(id, 'harborlight-gas')).errors).toEqual(unknown.errors);
    for (const odd of ['../', 'x'.repeat(10_000), "' or 1=1 --"]) expect((await query(odd)).status).toBe(404);
    expect((await query(7)).status).toBe(400);
  });
});
