import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { API_KEY, config, SECRETS, SLUG } from '../../test/merchant.js';
import { open, payer } from '../../test/payer.js';
import { startReceiver, type Receiver } from '../../test/receiver.js';
import { startTestService, type OpenTestService } from '../start/test-service.js';
import { FLOWS, type Flow } from '@embedded-sessions/server-types';
import { MAX_BODY_BYTES } from '../platform/http/body.js';
import { inexactNumbers } from './exact-numbers.js';

describe('R-63 a number', () => {
  it.each([
    '0',
    '1',
    '-1',
    '1.10',
    '0.1',
    '1e2',
    '1E+2',
    '100000000000000000000000',
    '1.234567812345679E7',
    '1.2345678901234568e-05',
    '12.500000000000000000',
    '9007199254740992',
    '1.7976931348623157e308',
    '5e-324',
    '0e400',
    '0.30000000000000004',
    '123456789012345680000',
  ])('%s is exact', (number) => {
    expect(inexactNumbers(`{"a":[${number}]}`)).toEqual([]);
  });

  it.each([
    '9007199254740993',
    '1e-400',
    '1e400',
    '-1e400',
    '0.1234567890123456789',
    '-0',
    '-0.0e3',
    '1.00000000000000000001',
    '12345678901234567890123',
    '3e-324',
    '1e99999999999999999999',
  ])('%s is inexact', (number) => {
    expect(inexactNumbers(`{"a":[1,${number}]}`)).toEqual(['a[1]']);
  });

  it('is found at any depth, but not inside strings', () => {
    const bad = '9007199254740993';
    const json = `{"a":{"b":[{"c":${bad}},"x",[${bad},[]]],"${bad}":"${bad}, {[:\\" ${bad}","\\u0064":${bad}},"e":${bad}}`;
    expect(inexactNumbers(json)).toEqual(['a.b[0].c', 'a.b[2][0]', 'a.d', 'e']);
    expect(inexactNumbers(bad)).toEqual(['']);
  });
});

it.each(['1,', '-0,'])(
  'R-91 R-97 the largest body, full of %s, takes less time than its tokens stand for',
  (item) => {
    const json = `[${item.repeat(Math.floor(MAX_BODY_BYTES / item.length) - 2)}-0]`;
    const times = Array.from({ length: 5 }, () => {
      const before = process.threadCpuUsage();
      inexactNumbers(json, {});
      const { user, system } = process.threadCpuUsage(before);
      return (user + system) / 1_000;
    });
    // It costs as much as 25 requests, and a key may send 200 per second.
    expect(Math.min(...times)).toBeLessThan(125);
  },
);

describe('R-63 CustomMeta', () => {
  let receiver: Receiver;
  let service: OpenTestService;
  beforeAll(async () => {
    receiver = await startReceiver();
    const webhook = { url: receiver.url, secrets: SECRETS };
    const paymentFields = [{ key: 'Invoice', label: 'Invoice', required: false }];
    service = await startTestService({ config: config({ webhook, paymentFields }) });
  });
  afterAll(async () => {
    await service.close();
    await receiver.close();
  });

  const post = async (path: string, body: string, headers: Record<string, string> = {}) => {
    const response = await service.fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-service-api-key': API_KEY, ...headers },
      body,
    });
    return { status: response.status, text: await response.text() };
  };
  const create = (meta: string, rest = '"Charges":[{"Amount":100}]', headers = {}) =>
    post(
      '/integrations/embedded/initiate',
      `{"BusinessUnitSlug":"${SLUG}","Channel":"QuickPay","CustomMeta":${meta},${rest}}`,
      headers,
    );
  const problems = (text: string) =>
    (JSON.parse(text) as { errors: { code: string; field: string }[] }).errors.map(({ code, field }) => [
      code,
      field,
    ]);

  it('is refused with the path of each inexact number, and stores nothing', async () => {
    const bad = '9007199254740993';
    const charges = `"ClientReference":"r1","PaymentFields":{"Invoice":${bad}},"Charges":[{"Amount":100},
      {"Amount":100.00000000000000001,"CustomMeta":{"a":[0,1e-400]},"Unknown":${bad}}],"Unknown":${bad}`;
    const { status, text } = await create(`{"order":{"id":${bad}}}`, charges);
    expect(status).toBe(400);
    expect(problems(text)).toEqual([
      ['invalid', 'CustomMeta.order.id'],
      ['invalid', 'PaymentFields.Invoice'],
      ['invalid', 'Charges[1].Amount'],
      ['invalid', 'Charges[1].CustomMeta.a[1]'],
    ]);
    expect((await create('{}', '"ClientReference":"r1","Charges":[{"Amount":100}]')).status).toBe(200);
  });

  it('R-32 is accepted in an ignored field, however deep', async () => {
    const deep = `${'['.repeat(60_000)}1e400${']'.repeat(60_000)}`;
    expect((await create('{}', `"Charges":[{"Amount":100}],"Unknown":${deep}`)).status).toBe(200);
  });

  it.each([
    ['/integrations/payments/refund', '"PaymentIdentifier":"pay_1","Amount":1.00000000000000001', 'Amount'],
    [
      '/integrations/autopay/charge',
      '"AccountNumber":"1","ClientReference":"r3","Amount":1.00000000000000001',
      'Amount',
    ],
    ...['autopay', 'paperless', 'schedule-payment', 'scheduled-payments'].map(
      (flow): [string, string, string] => [
        FLOWS[flow as Flow].endpoint,
        '"ClientUser":{"EmailAddress":"a@b"},"ClientAccount":{"AccountNumber":"1","Balance":1.00000000000000001}',
        'ClientAccount.Balance',
      ],
    ),
  ])('R-27 is not an amount of %s even if its double is', async (path, body, field) => {
    const { status, text } = await post(path, `{"BusinessUnitSlug":"${SLUG}",${body}}`);
    expect(status).toBe(400);
    expect(problems(text)).toEqual([['invalid', field]]);
  });

  it('R-32 is accepted in an ignored field', async () => {
    const user = '"ClientUser":{"EmailAddress":"a@b"},"ClientAccount":{"Balance":1.00000000000000001}';
    const { status } = await post(FLOWS.wallet.endpoint, `{"BusinessUnitSlug":"${SLUG}",${user}}`);
    expect(status).toBe(200);
  });

  it('is reported once if validation also reports it', async () => {
    const { text } = await create('{}', '"Charges":[{"Amount":1e400}]');
    expect(problems(text)).toEqual([['invalid', 'Charges[0].Amount']]);
  });

  it('is returned exactly in replay, query, page and webhook', async () => {
    const meta = '{"a":1.10,"b":1e21,"c":[0.30000000000000004,9007199254740992,-1.5e-9],"d":5e-324}';
    const exact = '{"a":1.1,"b":1e+21,"c":[0.30000000000000004,9007199254740992,-1.5e-9],"d":5e-324}';
    const headers = { 'idempotency-key': 'k1' };
    const first = await create(meta, undefined, headers);
    const again = await create(meta, undefined, headers);
    expect(again.text).toBe(first.text);
    const { data } = JSON.parse(first.text) as {
      data: { PaymentSessionIdentifier: string; PaymentLogInLink: string };
    };
    const id = data.PaymentSessionIdentifier;
    const query = `{"BusinessUnitSlug":"${SLUG}","PaymentSessionIdentifier":"${id}"}`;
    expect((await post('/integrations/embedded/query', query)).text).toContain(`"CustomMeta":${exact}`);
    const page = payer(service.fetch, id, new URL(data.PaymentLogInLink).hash.slice(1));
    expect(await (await page.send('session')).text()).toContain(`"customMeta":${exact}`);
    await page.pay({ charges: [{ index: 0, amount: 100 }] });
    await service.control.advance(0);
    expect(receiver.received.at(-1)?.body).toContain(`"CustomMeta":${exact}`);
  });

  it('R-32 is an ignored unknown key in other flows', async () => {
    await open(service.fetch, 'wallet', { CustomMeta: 1e308 });
    const body = `{"BusinessUnitSlug":"${SLUG}","ClientUser":{"EmailAddress":"a@b.example"},"CustomMeta":1e400}`;
    expect((await post('/integrations/embedded/initiate-manage-wallet', body)).status).toBe(200);
  });
});
