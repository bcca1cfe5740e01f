import { createServer } from 'node:http';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { FLOWS, type PaymentSessionRequest } from '@embedded-sessions/server-types';
import {
  createServiceClient,
  type EventOf,
  isServiceError,
  type RequestInfo,
  type ResponseInfo,
  ServiceError,
  type ServiceClientOptions,
} from './index.js';

const KEY = 'stg_5up3r-s3cr3t-k3y';
const REQUEST: PaymentSessionRequest = {
  BusinessUnitSlug: 'harborlight-water',
  Channel: 'QuickPay',
  Charges: [{ Amount: 12_345 }],
};
const ClientUser = { EmailAddress: 'ada@example.com' };
interface Refused {
  status: number;
  errors: { code: string; message?: string }[];
}
/** Creates sessions and accepts everything else, without checking anything. */
const fakeService = () => {
  const requests: { path: string; body: unknown; idempotencyKey: string | undefined }[] = [];
  const refusals: Refused[] = [];
  let sessions = 0;
  const session = (Status: string) => {
    const PaymentSessionIdentifier = `fake_${++sessions}`;
    const PaymentLogInLink = `https://service.test/s/${PaymentSessionIdentifier}#fake`;
    return { PaymentSessionIdentifier, PaymentLogInLink, Status };
  };
  const fetch = async (request: Request) => {
    const path = new URL(request.url).pathname.replace(/^\/api(?=\/)/, '');
    const idempotencyKey = request.headers.get('idempotency-key') ?? undefined;
    requests.push({ path, body: await request.json(), idempotencyKey });
    const { status = 200, errors = [] } = refusals.shift() ?? {};
    const creates = Object.values(FLOWS).some(({ endpoint }) => endpoint === path);
    const Status = path === FLOWS.payment.endpoint ? 'RequiresPaymentSource' : 'Open';
    const data = status !== 200 ? null : creates ? session(Status) : {};
    return Response.json({ hasErrors: status !== 200, errors, data }, { status });
  };
  return { fetch, requests, refuseNext: (refusal: Refused) => void refusals.push(refusal) };
};
const setUp = (options: Partial<ServiceClientOptions> = {}) => {
  const service = fakeService();
  const client = createServiceClient({
    environment: 'staging',
    baseUrl: 'https://service.test/api/',
    apiKey: KEY,
    fetch: service.fetch,
    ...options,
  });
  return { service, client };
};
const failure = (work: Promise<unknown>) =>
  work.then(
    () => Promise.reject(new Error('expected a rejection')),
    (error: unknown) => {
      if (!isServiceError(error)) throw error;
      return error;
    },
  );
const refusalOf = (construct: () => unknown): ServiceError => {
  try {
    construct();
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error('expected the constructor to throw');
};
const collect = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
};
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe('R-4 every method calls its endpoint', () => {
  it.each([
    ['payments', 'payment', REQUEST, 30],
    ['autopay', 'autopay', { BusinessUnitSlug: 'x', ClientAccount: { AccountNumber: '1' }, ClientUser }, 60],
    ['wallet', 'wallet', { BusinessUnitSlug: 'x', ClientUser }, 60],
    [
      'paperless',
      'paperless',
      { BusinessUnitSlug: 'x', ClientAccount: { AccountNumber: '1' }, ClientUser },
      60,
    ],
    [
      'schedulePayment',
      'schedule-payment',
      { BusinessUnitSlug: 'x', ClientAccount: { AccountNumber: '1' }, ClientUser },
      60,
    ],
    [
      'scheduledPayments',
      'scheduled-payments',
      { BusinessUnitSlug: 'x', ClientAccount: { AccountNumber: '1' }, ClientUser },
      60,
    ],
    ['notifications', 'notifications', { BusinessUnitSlug: 'x', ClientUser }, 60],
  ] as const)('%s.create', async (method, flow, request, minutes) => {
    const { client, service } = setUp();
    const sessions: { create(request: unknown): ReturnType<typeof client.wallet.create> } = client[method];
    const before = Date.now();
    const session = await sessions.create(request);
    expect(service.requests).toEqual([
      { path: FLOWS[flow].endpoint, body: request, idempotencyKey: expect.any(String) },
    ]);
    expect(session).toMatchObject({
      sessionId: 'fake_1',
      sessionUrl: 'https://service.test/s/fake_1#fake',
      environment: 'staging',
      status: flow === 'payment' ? 'RequiresPaymentSource' : 'Open',
      raw: { hasErrors: false, errors: [], data: { PaymentSessionIdentifier: 'fake_1' } },
    });
    const endsAt = Date.parse(session.expiresAt);
    expect(endsAt).toBeGreaterThanOrEqual(before + minutes * 60_000);
    expect(session.expiresInMs).toBeGreaterThan(minutes * 60_000 - 5000);
    expect(session.expiresInMs).toBeLessThanOrEqual(minutes * 60_000);
  });

  it('does not send undefined fields', async () => {
    const { client, service } = setUp();
    const missing: string | undefined = undefined;
    await client.payments.create({
      ...REQUEST,
      Charges: [{ Amount: 1, ClientAccount: { AccountNumber: '1', Name: 'Ada', PhoneNumber: missing } }],
      PaymentFields: { InvoiceNumber: missing },
      ClientReference: missing,
      SuccessUrl: missing,
      ReturnUrl: missing,
      PosUser: missing,
    });
    expect(service.requests[0]?.body).toStrictEqual({
      ...REQUEST,
      Charges: [{ Amount: 1, ClientAccount: { AccountNumber: '1', Name: 'Ada' } }],
      PaymentFields: {},
    });
  });

  it.each(['', '/', '//'])('appends the path to a base URL that ends with %j', async (end) => {
    const urls: string[] = [];
    const baseUrl = `https://service.test/api${end}`;
    const { client } = setUp({ baseUrl, onRequest: ({ url }) => urls.push(url) });
    await client.payments.create(REQUEST);
    expect(urls).toEqual(['https://service.test/api/integrations/embedded/initiate']);
  });

  it('R-42 readSession reads an operator’s own response, and its errors are protocol errors', async () => {
    const response = { hasErrors: false, errors: [], data: { Link: 'https://op.example/x', Id: 7 } };
    const fetch = () => Response.json(response);
    const readSession = (flow: string, data: unknown) => ({
      sessionUrl: (data as { Link: string }).Link,
      sessionId: `${flow}-${(data as { Id: number }).Id}`,
    });
    const { client } = setUp({ fetch, readSession });
    expect(await client.wallet.create({ BusinessUnitSlug: 'x', ClientUser })).toMatchObject({
      sessionUrl: 'https://op.example/x',
      sessionId: 'wallet-7',
      raw: response,
    });
    const plain = setUp({ fetch }).client;
    expect((await failure(plain.wallet.create({ BusinessUnitSlug: 'x', ClientUser }))).kind).toBe('protocol');
    const linkOnly = setUp({ fetch, readSession: () => ({ sessionUrl: response.data.Link }) }).client;
    expect(await linkOnly.wallet.create({ BusinessUnitSlug: 'x', ClientUser })).toMatchObject({
      sessionId: '',
      status: '',
    });
    for (const sessionUrl of ['javascript:alert(1)', 'javascript:open("https://op.example")']) {
      const script = setUp({ fetch, readSession: () => ({ sessionUrl }) }).client;
      expect(await failure(script.wallet.create({ BusinessUnitSlug: 'x', ClientUser }))).toMatchObject({
        kind: 'protocol',
        cause: { message: 'not a web address' },
      });
    }
  });

  it('withResponse causes no unhandled rejection of the promise itself', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const { client, service } = setUp();
    service.refuseNext({ status: 400, errors: [{ code: 'invalid' }] });
    await failure(client.payments.create(REQUEST).withResponse());
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});

describe('the back office', () => {
  const unit = { BusinessUnitSlug: 'x' };
  const charge = { ...unit, AccountNumber: '1', Amount: 100, ClientReference: 'bill-1' };
  const payment = {
    Id: 'p1',
    Amount: 100,
    Refunded: 0,
    Method: 'ACH',
    Status: 'succeeded',
    Last4: '6789',
    CreatedAt: '2026-11-22T10:00:00Z',
  };
  const clientReturning = (...responses: unknown[]) => {
    const requests: { path: string; body: unknown; key: string | null }[] = [];
    const fetch = async (request: Request) => {
      const path = new URL(request.url).pathname.replace('/api', '');
      requests.push({ path, body: await request.json(), key: request.headers.get('idempotency-key') });
      const response = responses.length > 1 ? responses.shift() : responses[0];
      if (response instanceof Response) return response.clone();
      return Response.json({ hasErrors: false, errors: [], data: response });
    };
    vi.spyOn(Math, 'random').mockReturnValue(0);
    return { requests, ...setUp({ fetch }) };
  };
  const refusing = (status: number, code: string) =>
    Response.json({ hasErrors: true, errors: [{ code, message: code }], data: null }, { status });
  type Client = ReturnType<typeof setUp>['client'];

  it.each<[string, (client: Client) => Promise<unknown>, string, object]>([
    [
      'R-80 refund',
      (client) => client.payments.refund({ ...unit, PaymentIdentifier: 'p1', Amount: 1 }),
      '/integrations/payments/refund',
      { ...unit, PaymentIdentifier: 'p1', Amount: 1 },
    ],
    [
      'R-81 cancel',
      (client) => client.sessions.cancel('x', 's1'),
      '/integrations/embedded/cancel',
      { ...unit, PaymentSessionIdentifier: 's1' },
    ],
    ['R-83 charge', (client) => client.autopay.charge(charge), '/integrations/autopay/charge', charge],
    [
      'R-83 scheduled charge',
      (client) => client.autopay.charge({ ...charge, ChargeOn: '2026-12-01' }),
      '/integrations/autopay/charge',
      { ...charge, ChargeOn: '2026-12-01' },
    ],
    [
      'R-83 cancel of a scheduled charge',
      (client) => client.payments.cancel({ ...unit, PaymentIdentifier: 'p1' }),
      '/integrations/payments/cancel',
      { ...unit, PaymentIdentifier: 'p1' },
    ],
  ])('%s calls its endpoint with one Idempotency-Key for all attempts', async (_, call, path, body) => {
    const { client, requests } = clientReturning(refusing(503, 'unavailable'), { Status: 'succeeded' });
    expect(await call(client)).toEqual({ Status: 'succeeded' });
    expect(requests).toEqual([
      { path, body, key: expect.stringMatching(/^[-0-9a-f]{36}$/) },
      { path, body, key: requests[0]?.key },
    ]);
  });

  it('R-58 sends the caller’s Idempotency-Key', async () => {
    const { client, requests } = clientReturning({});
    await client.payments.refund({ ...unit, PaymentIdentifier: 'p1' }, { idempotencyKey: 'refund-1' });
    await client.autopay.charge(charge, { idempotencyKey: 'charge-1' });
    await client.sessions.cancel('x', 's1', { idempotencyKey: 'cancel-1' });
    expect(requests.map(({ key }) => key)).toEqual(['refund-1', 'charge-1', 'cancel-1']);
  });

  it('R-82 list returns one page, and all requests each page when it is needed', async () => {
    const [second, third] = [
      { ...payment, Id: 'p2' },
      { ...payment, Id: 'p3' },
    ];
    const { client, requests } = clientReturning(
      { Payments: [payment], NextCursor: 'after-1' },
      { Payments: [payment], NextCursor: 'after-1' },
      { Payments: [second], NextCursor: 'after-2' },
      { Payments: [third] },
    );
    const request = { ...unit, From: '2026-11-01', Limit: 1 };
    expect(await client.payments.list(request)).toEqual({ Payments: [payment], NextCursor: 'after-1' });
    const seen: string[] = [];
    for await (const { Id } of client.payments.all(request)) {
      seen.push(Id);
      expect(requests).toHaveLength(1 + seen.length);
    }
    expect(seen).toEqual(['p1', 'p2', 'p3']);
    expect(requests.slice(1).map(({ body }) => body)).toEqual([
      request,
      { ...request, Cursor: 'after-1' },
      { ...request, Cursor: 'after-2' },
    ]);
    expect(requests.every(({ path, key }) => path === '/integrations/payments/list' && key === null)).toBe(
      true,
    );
  });

  it('R-82 all stops when the loop is left, and rejects with a page’s error', async () => {
    const { client, requests } = clientReturning(
      { Payments: [payment], NextCursor: 'c' },
      refusing(403, 'business_unit_forbidden'),
    );
    for await (const _ of client.payments.all(unit)) break;
    expect(requests).toHaveLength(1);
    expect(await failure(collect(client.payments.all(unit)))).toMatchObject({ kind: 'permission' });
  });

  it.each([
    ['at once', ['a', 'a'], 2],
    ['later', ['a', 'b', 'a'], 3],
  ])('R-82 all rejects if a cursor repeats %s', async (_, cursors, pages) => {
    const { client, requests } = clientReturning(
      ...cursors.map((NextCursor) => ({ Payments: [payment], NextCursor })),
    );
    const seen: string[] = [];
    const error = await failure(
      (async () => {
        for await (const { Id } of client.payments.all(unit)) seen.push(Id);
      })(),
    );
    expect(error).toMatchObject({ kind: 'protocol', message: expect.stringContaining('NextCursor') });
    expect([seen.length, requests.length]).toEqual([pages, pages]);
  });

  it('R-82 all rejects an empty page with a cursor, after which the list might never end', async () => {
    let next = 0;
    const fetch = () => {
      if (++next > 50) throw new Error('requested 50 pages');
      return Response.json({ hasErrors: false, errors: [], data: { Payments: [], NextCursor: `${next}` } });
    };
    const { client } = setUp({ fetch });
    expect(await failure(collect(client.payments.all(unit)))).toMatchObject({
      kind: 'protocol',
      message: expect.stringContaining('NextCursor') as string,
    });
  });

  it.each([undefined, null, {}])('R-82 all rejects a page whose list is %j', async (Payments) => {
    const { client } = clientReturning({ Payments });
    expect(await failure(collect(client.payments.all(unit)))).toMatchObject({
      kind: 'protocol',
      message: expect.stringContaining('check baseUrl') as string,
    });
  });

  it('R-82 all ends at a null cursor', async () => {
    const { client, requests } = clientReturning({ Payments: [payment], NextCursor: null });
    expect(await collect(client.payments.all(unit))).toHaveLength(1);
    expect(requests).toHaveLength(1);
  });

  it('R-82 all starts at the given cursor and detects a loop back to it', async () => {
    const { client, requests } = clientReturning({ Payments: [payment], NextCursor: 'mine' });
    const error = await failure(collect(client.payments.all({ ...unit, Cursor: 'mine' })));
    expect(error).toMatchObject({ kind: 'protocol' });
    expect(requests.map(({ body }) => body)).toEqual([{ ...unit, Cursor: 'mine' }]);
  });

  it.each<[string, (client: Client) => Promise<unknown>]>([
    ['refund', (client) => client.payments.refund({ ...unit, PaymentIdentifier: 'p1' })],
    ['all', (client) => collect(client.payments.all(unit))],
    ['retrieve', (client) => client.sessions.retrieve('x', 's1')],
  ])('R-53 a response to %s without data is a protocol error', async (_, call) => {
    const { client } = clientReturning(null);
    expect(await failure(call(client))).toMatchObject({
      kind: 'protocol',
      status: 200,
      message: expect.stringContaining('has no data') as string,
      cause: { message: 'not an object' },
    });
  });

  it.each<[number, string, (client: Client) => Promise<unknown>]>([
    [409, 'not_refundable', (client) => client.payments.refund({ ...unit, PaymentIdentifier: 'p1' })],
    [409, 'not_cancelable', (client) => client.sessions.cancel('x', 's1')],
    [409, 'not_enrolled', (client) => client.autopay.charge(charge)],
  ])('reports %i %s as validation with its code, without a retry', async (status, code, call) => {
    const { client, requests } = clientReturning(refusing(status, code));
    expect(await failure(call(client))).toMatchObject({ kind: 'validation', status, errors: [{ code }] });
    expect(requests).toHaveLength(1);
  });

  it('R-83 reports a used reference as referenceConflict, ambiguous after a lost response', async () => {
    const taken = refusing(409, 'client_reference_taken');
    expect(await failure(clientReturning(taken).client.autopay.charge(charge))).toMatchObject({
      kind: 'referenceConflict',
      ambiguous: false,
    });
    const lost = clientReturning(refusing(503, 'unavailable'), taken);
    expect(await failure(lost.client.autopay.charge(charge))).toMatchObject({
      kind: 'referenceConflict',
      ambiguous: true,
    });
  });

  it('R-6 development has no back office', async () => {
    const { client } = setUp({ environment: 'development' });
    for (const call of [
      client.payments.refund({ ...unit, PaymentIdentifier: 'p1' }),
      client.payments.list(unit),
      client.autopay.charge(charge),
      client.sessions.cancel('x', 's1'),
    ])
      expect((await failure(call)).message).toMatch(/only the Events API/);
  });
});

describe('the preflight', () => {
  const wrong = {
    ...REQUEST,
    Channel: 'POS',
    ClientUser,
    SuccessUrl: 'https://a.example',
  } as unknown as PaymentSessionRequest;

  it('R-22 R-23 R-25 reports every problem and sends nothing', async () => {
    const { client, service } = setUp();
    const error = await failure(client.payments.create(wrong));
    expect(error).toMatchObject({ kind: 'validation', details: { preflight: true }, attempts: [] });
    const messages = error.errors.map(({ message }) => message).join(' ');
    expect(error.message).toContain(`Nothing was sent: ${messages} https://`);
    expect(error.message).toMatch(/docs\/errors\/server\.md#validation$/);
    expect(error.errors.map(({ field, code }) => `${field} ${code}`)).toEqual([
      'ClientUser not_allowed',
      'PosUser required',
      'ReturnUrl required',
    ]);
    expect(service.requests).toEqual([]);
  });
  it('R-22 checks payment sessions only', async () => {
    const { client, service } = setUp();
    const request = { BusinessUnitSlug: 'x', ClientUser, SuccessUrl: 'https://a.example' };
    await client.wallet.create(request);
    expect(service.requests).toMatchObject([{ body: request }]);
  });
  it('can be turned off for the client or the call', async () => {
    const off = setUp({ preflight: false });
    await off.client.payments.create(wrong);
    await failure(off.client.payments.create(wrong, { preflight: true }));
    const on = setUp();
    await on.client.payments.create(wrong, { preflight: false });
    expect([off.service.requests.length, on.service.requests.length]).toEqual([1, 1]);
  });
});

describe('R-6 R-8 the environment', () => {
  const baseUrls = {
    development: 'http://127.0.0.1:1',
    staging: 'https://staging.op.example/api',
    production: 'https://op.example/api',
  };
  it.each<[string, Partial<ServiceClientOptions>, string]>([
    ['given', { environment: 'production', baseUrl: 'https://x.example' }, 'production'],
    ['found in baseUrls', { baseUrl: 'https://OP.example:443/api/', baseUrls }, 'production'],
    ['given, the URL found', { environment: 'staging', baseUrls }, 'staging'],
    [
      'given, another one not known',
      { environment: 'staging', baseUrl: 'https://x.example', baseUrls: { production: undefined } },
      'staging',
    ],
    ['given and found', { environment: 'staging', baseUrl: baseUrls.staging, baseUrls }, 'staging'],
  ])('is %s', (_, options, environment) => {
    expect(createServiceClient({ apiKey: KEY, ...options }).environment).toBe(environment);
  });
  it.each(['localhost', 'shop.localhost', '127.0.0.1', '127.10.20.30', '[::1]'])(
    'may use plain http on the loopback host %s',
    (host) => {
      const options = { environment: 'staging', baseUrl: `http://${host}:8080/api/` } as const;
      expect(createServiceClient({ apiKey: KEY, ...options }).environment).toBe('staging');
    },
  );
  it.each<[string, Partial<ServiceClientOptions>, RegExp]>([
    [
      'neither is given',
      { baseUrl: 'https://x.example' },
      /environment is undefined, baseUrls has this URL under none/,
    ],
    ['the URL is not listed', { baseUrl: 'https://x.example', baseUrls }, /environment/],
    [
      'the environments disagree',
      { environment: 'staging', baseUrl: baseUrls.production, baseUrls },
      /staging.*production/,
    ],
    [
      'the environment has another URL',
      { environment: 'staging', baseUrl: 'https://x.example', baseUrls },
      /staging/,
    ],
    [
      'it is unknown',
      { environment: 'test' as 'staging', baseUrl: 'https://x.example' },
      /environment is test/,
    ],
    ['the URL is relative', { environment: 'staging', baseUrl: '/api' }, /https:/],
    ['the URL is no http', { environment: 'staging', baseUrl: 'ftp://x.example' }, /https/],
    ['the URL is no http, on loopback', { environment: 'staging', baseUrl: 'ftp://localhost' }, /https/],
    [
      'the URL of its environment is plain http',
      { environment: 'staging', baseUrls: { staging: 'http://x.example' } },
      /https/,
    ],
    ...[
      'x.example',
      'evillocalhost',
      'localhost.evil.example',
      '127.evil.example',
      '127.0.0.1.evil.example',
      '128.0.0.1',
      '[::2]',
    ].map((host): [string, Partial<ServiceClientOptions>, RegExp] => [
      `the URL is plain http beyond loopback, at ${host}`,
      { environment: 'staging', baseUrl: `http://${host}` },
      /https/,
    ]),
    ['the URL has a password', { environment: 'staging', baseUrl: 'https://a:b@x.example' }, /credentials/],
    [
      'two environments have the URL',
      {
        baseUrl: 'https://x.example',
        baseUrls: { staging: 'https://x.example', production: 'https://x.example/' },
      },
      /staging and production/,
    ],
    [
      'timeoutMs is none',
      { environment: 'staging', baseUrl: 'https://x.example', timeoutMs: -1 },
      /timeoutMs/,
    ],
    ...[2 ** 31, Infinity, NaN].map((ms): [string, Partial<ServiceClientOptions>, RegExp] => [
      `totalTimeoutMs is ${ms}, which no timer can wait for`,
      { environment: 'staging', baseUrl: 'https://x.example', totalTimeoutMs: ms },
      /totalTimeoutMs must be from 0 to 2147483647/,
    ]),
    [
      'maxRetries is none',
      { environment: 'staging', baseUrl: 'https://x.example', maxRetries: -1 },
      /maxRetries/,
    ],
  ])('is refused if %s', (_, options, message) => {
    const error = refusalOf(() => createServiceClient({ apiKey: KEY, ...options }));
    expect(error).toMatchObject({ kind: 'configuration', errors: [], attempts: [], details: {} });
    expect(error.message).toMatch(message);
    expect(inspect(error)).not.toContain('cause');
  });
  it('R-52 accepts timeouts up to the maximum of a timer', () => {
    const maxMs = 2 ** 31 - 1;
    const { client } = setUp({ timeoutMs: maxMs, totalTimeoutMs: maxMs });
    expect(client.environment).toBe('staging');
  });
  it('accepts plain http outside loopback with a custom fetch', async () => {
    const { client, service } = setUp({ baseUrl: 'http://payments.internal:8080' });
    await client.payments.create(REQUEST);
    expect(service.requests).toHaveLength(1);
  });
  it.each<[string, Partial<ServiceClientOptions>, RegExp]>([
    [
      'the key',
      { environment: 'staging', baseUrl: 'https://x.example', apiKey: undefined },
      /apiKey is not set/,
    ],
    [
      'the key, empty',
      { environment: 'staging', baseUrl: 'https://x.example', apiKey: '' },
      /apiKey is not set/,
    ],
    ['the URL', { environment: 'staging' }, /baseUrl/],
    ['the URL, empty', { environment: 'staging', baseUrl: '' }, /baseUrl/],
    [
      'the URL of the environment',
      { environment: 'staging', baseUrls: { production: 'https://x.example' } },
      /baseUrl/,
    ],
    ['all', { environment: undefined, baseUrl: undefined, apiKey: undefined }, /baseUrl/],
  ])('fails the first call, not the import, if missing: %s', async (_, options, message) => {
    const client = createServiceClient({ apiKey: KEY, ...options });
    for (const call of [
      () => client.payments.create(REQUEST),
      () => client.payments.create(REQUEST).withResponse(),
      () =>
        client.events.unenrollAutopay({ businessUnitSlug: 'x', accountNumber: '1', subAccountNumber: '' }),
      () => client.sessions.retrieve('x', '1'),
      () => client.payments.refund({ BusinessUnitSlug: 'x', PaymentIdentifier: '1' }),
      () => collect(client.payments.all({ BusinessUnitSlug: 'x' })),
    ]) {
      const error = await failure(call());
      expect(error.kind).toBe('configuration');
      expect(error.message).toMatch(message);
    }
  });
  it.each([
    ['production', 'staging'],
    ['staging', 'production'],
  ] as const)('R-7 is %s: refuses a session that the service assigns to %s', async (environment, of) => {
    const service = fakeService();
    const clientReturning = async (request: Request, header: Record<string, string>) =>
      new Response((await service.fetch(request)).body, {
        headers: { 'x-request-id': 'req_1', ...header },
      });
    const { client } = setUp({
      environment,
      fetch: (request) => clientReturning(request, { 'X-Session-Environment': of }),
    });
    const error = await failure(client.payments.create(REQUEST));
    expect(error).toMatchObject({
      kind: 'configuration',
      details: { expected: environment, found: of },
      status: 200,
      requestId: 'req_1',
      attempts: [{ status: 200 }],
    });
    expect(error.message).toMatch(new RegExp(`${environment}.*${of}`));
    expect(inspect(error, { depth: 9 })).not.toContain('fake_1');
    for (const header of [{ 'X-Session-Environment': environment }, {}]) {
      const { client: same } = setUp({ environment, fetch: (request) => clientReturning(request, header) });
      expect((await same.wallet.create({ BusinessUnitSlug: 'x', ClientUser })).environment).toBe(environment);
    }
  });
  it('R-50 does not repeat what the service reports instead of an environment', async () => {
    const service = fakeService();
    const { client } = setUp({
      environment: 'staging',
      fetch: async (request) =>
        new Response((await service.fetch(request)).body, { headers: { 'X-Session-Environment': KEY } }),
    });
    const error = await failure(client.payments.create(REQUEST));
    expect(error).toMatchObject({
      kind: 'configuration',
      details: { expected: 'staging', found: 'unknown' },
    });
    expect(error.message).toContain('staging');
    expect(inspect(error, { depth: 9 })).not.toContain(KEY);
  });
  it('development has events only', async () => {
    const { client, service } = setUp({ environment: 'development' });
    expect((await failure(client.payments.create(REQUEST))).message).toMatch(/only the Events API/);
    expect((await failure(client.sessions.retrieve('x', '1'))).kind).toBe('configuration');
    await client.events.unenrollAutopay({ businessUnitSlug: 'x', accountNumber: '1', subAccountNumber: '' });
    expect(service.requests).toHaveLength(1);
  });
});

it('R-3 refuses to construct in React Native', () => {
  vi.stubGlobal('navigator', { product: 'ReactNative' });
  const error = refusalOf(() => createServiceClient({ environment: 'staging', apiKey: KEY }));
  expect(error.kind).toBe('configuration');
  expect(error.message).toMatch(/In a browser or an app, anyone can read the API key/);
});

describe('R-3 in a browser', () => {
  const construct = () => {
    const [node, document] = [process, {}];
    vi.stubGlobal('document', document);
    return (runtime: 'browser' | 'bundle' | 'Deno' | 'Node') => {
      // A bundler may define a `process` without versions.
      if (runtime !== 'Node') vi.stubGlobal('process', runtime === 'bundle' ? { env: {} } : undefined);
      if (runtime === 'Deno') vi.stubGlobal('Deno', {});
      try {
        return createServiceClient({ environment: 'staging', baseUrl: 'https://x.example', apiKey: KEY });
      } finally {
        vi.stubGlobal('process', node);
      }
    };
  };
  it.each(['browser', 'bundle'] as const)('refuses to construct in a %s, with a reason', (where) => {
    const error = refusalOf(() => construct()(where));
    expect(error.kind).toBe('configuration');
    expect(error.message).toMatch(/In a browser or an app, anyone can read the API key.*session URL/);
  });
  it.each(['Deno', 'Node'] as const)('constructs in %s despite a document', (runtime) => {
    expect(construct()(runtime).environment).toBe('staging');
  });
});

describe('E-1 events', () => {
  const customer = {
    accountNumber: '1',
    subAccountNumber: '',
    firstName: 'A',
    lastName: 'B',
    emailAddress: 'a@b.c',
  };

  it.each<[string, EventOf<typeof customer>]>([
    ['next to the slug', { businessUnitSlug: 'x', ...customer }],
    ['as payload', { businessUnitSlug: 'x', payload: customer }],
  ])('accept the payload %s and send it as a string', async (_, event) => {
    const { client, service } = setUp();
    expect(await client.events.manageCustomer(event)).toEqual({
      raw: { hasErrors: false, errors: [], data: {} },
    });
    expect(service.requests[0]?.body).toEqual({
      eventType: 'Accounts.ManageCustomer',
      payload: JSON.stringify(customer),
      businessUnitSlug: 'x',
    });
  });

  const unenroll = (accountNumber: string) => ({
    businessUnitSlug: 'x',
    accountNumber,
    subAccountNumber: '',
  });

  it.each<[string, () => Response, unknown]>([
    ['204', () => new Response(null, { status: 204 }), ''],
    ['nothing', () => new Response(''), ''],
    ['{}', () => Response.json({}), {}],
    ['null', () => Response.json(null), null],
    ['OK', () => new Response('OK'), 'OK'],
    ['202', () => Response.json({ queued: true }, { status: 202 }), { queued: true }],
    ['a list', () => Response.json([1]), [1]],
  ])('E-1 accepts %s from another operator', async (_, response, raw) => {
    const { client } = setUp({ fetch: response });
    const sent = await client.events.unenrollAutopay(unenroll('F')).withResponse();
    expect(sent.data).toEqual({ raw });
    expect(sent.attempts).toHaveLength(1);
  });

  it.each<[string, () => Response, object]>([
    [
      'hasErrors',
      () => Response.json({ hasErrors: true, errors: ['no'] }),
      { kind: 'validation', errors: [{ raw: 'no' }] },
    ],
    ['400 without an envelope', () => new Response('no', { status: 400 }), { kind: 'protocol' }],
    ['a redirect', () => new Response(null, { status: 302 }), { kind: 'protocol' }],
    ['JSON that was cut', () => new Response('{"hasErr'), { kind: 'connection' }],
  ])('E-1 rejects on %s', async (_, response, error) => {
    const { client } = setUp({ fetch: response, maxRetries: 0 });
    expect(await failure(client.events.unenrollAutopay(unenroll('G')))).toMatchObject(error);
  });

  it('E-1 readEvent refuses an operator’s own error responses', async () => {
    const seen: unknown[] = [];
    const responses = [{ ok: true }, { ok: false }];
    const fetch = vi.fn(() => Response.json(responses.shift()));
    const { client } = setUp({
      fetch,
      readEvent: ({ status, body }) => {
        seen.push([status, body]);
        if (!(body as { ok: boolean }).ok) throw new Error('it was not accepted');
      },
    });
    await client.events.unenrollAutopay(unenroll('H'));
    expect(await failure(client.events.unenrollAutopay(unenroll('H')))).toMatchObject({
      kind: 'protocol',
      message: expect.stringContaining('readEvent failed: see cause.') as string,
      cause: { message: 'it was not accepted' },
      status: 200,
      attempts: [{ status: 200, mayHaveArrived: true }],
    });
    expect(seen).toEqual([
      [200, { ok: true }],
      [200, { ok: false }],
    ]);
    expect(fetch).toHaveBeenCalledTimes(2);
  });

  it('E-1 R-42 awaits an asynchronous readEvent or readSession and reports its rejection', async () => {
    const { client } = setUp({
      fetch: () => Response.json({ hasErrors: false, errors: [], data: {} }),
      readEvent: () => Promise.reject(new Error('it was not accepted')),
      readSession: () => Promise.reject(new Error('it was not created')),
    });
    expect(await failure(client.events.unenrollAutopay(unenroll('H')))).toMatchObject({
      kind: 'protocol',
      cause: { message: 'it was not accepted' },
    });
    expect(await failure(client.payments.create(REQUEST))).toMatchObject({
      kind: 'protocol',
      cause: { message: 'it was not created' },
    });
  });
});

describe('R-50 the API key', () => {
  it('appears in no client, response, error, stack, cause, hook or console output', async () => {
    const found: unknown[] = [];
    vi.spyOn(console, 'log').mockImplementation((...args) => void found.push(inspect(args, { depth: 9 })));
    vi.spyOn(console, 'error').mockImplementation((...args) => void found.push(inspect(args, { depth: 9 })));
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const keep = (info: RequestInfo | ResponseInfo) => void found.push(info);

    // This server echoes the request in every part of its response except for the data of a created session.
    const echo = createServer((request, response) => {
      const all = JSON.stringify(request.headers);
      const mode = /\/(\w+)\/integrations/.exec(request.url ?? '')?.[1];
      response.setHeader('x-request-id', String(request.headers['x-service-api-key']));
      if (mode === 'reset') response.destroy();
      else if (mode === 'page')
        response.writeHead(502, { 'content-type': `text/html; key=${KEY}` }).end(`<p>${all}</p>`);
      else if (mode === 'redirect')
        response.writeHead(302, { location: `https://x.example/?key=${KEY}` }).end();
      else {
        const data = { PaymentSessionIdentifier: 'stg_1', PaymentLogInLink: 'https://x.example/s/stg_1#x' };
        const refused = { code: KEY, message: `The key ${KEY} is wrong`, field: KEY, all };
        response.end(
          JSON.stringify({ hasErrors: mode === 'refuse', errors: mode === 'refuse' ? [refused] : [], data }),
        );
      }
    });
    await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
    const address = echo.address();
    const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;

    const make = (options: Partial<ServiceClientOptions>) =>
      createServiceClient({
        environment: 'staging',
        baseUrl: origin,
        apiKey: KEY,
        maxRetries: 1,
        onRequest: keep,
        onResponse: keep,
        ...options,
      });
    const badFetch = (request: Request) => {
      const error = new Error(`could not send ${request.headers.get('x-service-api-key')}`, {
        cause: new Error(KEY),
      });
      throw Object.assign(error, { config: { headers: { key: KEY } }, request, code: KEY });
    };
    const clients = [
      ...['reset', 'page', 'redirect', 'refuse', 'response'].map((mode) =>
        make({ baseUrl: `${origin}/${mode}` }),
      ),
      make({ apiKey: () => Promise.resolve(KEY) }),
      make({ fetch: badFetch }),
      make({ apiKey: `${KEY}\n` }),
      make({ apiKey: `${KEY}é` }),
      make({ timeoutMs: 1, fetch: () => new Promise(() => undefined) }),
    ];
    for (const client of clients) {
      console.log(client);
      console.error(client);
      const outcomes = await Promise.allSettled([
        client.payments.create(REQUEST).withResponse(),
        client.sessions.retrieve('x', '1'),
        client.events.unenrollAutopay({ businessUnitSlug: 'x', accountNumber: '1', subAccountNumber: '' }),
      ]);
      for (const value of [
        client,
        ...outcomes.map((outcome) =>
          outcome.status === 'fulfilled' ? outcome.value : (outcome.reason as Error),
        ),
      ]) {
        console.log(value);
        found.push(inspect(value, { depth: 20, showHidden: true, getters: true }), JSON.stringify(value));
        if (value instanceof Error)
          found.push(value.stack, value.message, inspect(value.cause, { showHidden: true }));
        try {
          found.push(inspect(structuredClone(value), { depth: 20 }));
        } catch (error) {
          found.push(inspect(error)); // A client has functions, which can't be cloned, so search the error.
        }
      }
      for (const part of [client, ...Object.values(client)])
        found.push(
          Object.getOwnPropertyNames(part),
          inspect(Object.getOwnPropertyDescriptors(part), { depth: 9 }),
        );
    }
    echo.close();
    const everything = found
      .map((value) => (typeof value === 'string' ? value : inspect(value, { depth: 20 })))
      .join('\n');
    expect(everything.length).toBeGreaterThan(10_000);
    expect(everything).toContain('[redacted]');
    expect(everything.split('\n').filter((line) => line.includes(KEY))).toEqual([]);
  });

  it('is not redacted if it is a common word', async () => {
    const { client, service } = setUp({ apiKey: 'key' });
    service.refuseNext({ status: 401, errors: [{ code: 'invalid_api_key', message: 'Which key?' }] });
    expect(await failure(client.payments.create(REQUEST))).toMatchObject({
      kind: 'authentication',
      errors: [{ code: 'invalid_api_key', message: 'Which key?' }],
    });
  });

  it('is fetched for every attempt if it is a function', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const keys = ['old', 'new'];
    const seen: (string | null)[] = [];
    const fetch = (request: Request) => {
      seen.push(request.headers.get('x-service-api-key'));
      return new Response('', { status: 503 });
    };
    const { client } = setUp({ apiKey: () => Promise.resolve(keys.shift() ?? ''), fetch, maxRetries: 1 });
    await failure(client.payments.create(REQUEST));
    expect(seen).toEqual(['old', 'new']);
  });

  it('reports a function that fails or hangs', async () => {
    const failing = setUp({ apiKey: () => Promise.reject(new Error('vault is sealed')) }).client;
    expect(await failure(failing.payments.create(REQUEST))).toMatchObject({
      kind: 'configuration',
      cause: { message: 'vault is sealed' },
    });
    const hanging = setUp({
      apiKey: () => new Promise(() => undefined),
      timeoutMs: 20,
      maxRetries: 0,
    }).client;
    expect((await failure(hanging.payments.create(REQUEST))).kind).toBe('timeout');
  });
});

describe('the hooks', () => {
  it('receive every attempt, without key and body', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const seen: (RequestInfo | ResponseInfo)[] = [];
    const keep = (info: RequestInfo | ResponseInfo) => void seen.push(info);
    const { client, service } = setUp({ onRequest: keep, onResponse: keep });
    service.refuseNext({ status: 503, errors: [{ code: 'internal' }] });
    await client.payments.create(REQUEST, { idempotencyKey: 'mine' });
    const url = 'https://service.test/api/integrations/embedded/initiate';
    const headers = {
      'content-type': 'application/json',
      'idempotency-key': 'mine',
      'X-Service-Api-Key': '[redacted]',
    };
    expect(seen).toEqual([
      { url, method: 'POST', headers, attempt: 1 },
      {
        url,
        attempt: 1,
        ms: expect.any(Number),
        status: 503,
        kind: 'server',
        mayHaveArrived: true,
        willRetry: true,
      },
      { url, method: 'POST', headers, attempt: 2 },
      { url, attempt: 2, ms: expect.any(Number), status: 200, mayHaveArrived: true, willRetry: false },
    ]);
  });
  it('receive no attempt that was aborted while its key was fetched', async () => {
    const seen: string[] = [];
    let arrive: (key: string) => void = () => undefined;
    const late = new Promise<string>((resolve) => (arrive = resolve));
    const { client } = setUp({
      apiKey: () => late,
      timeoutMs: 1,
      maxRetries: 0,
      onRequest: () => seen.push('request'),
      onResponse: () => seen.push('response'),
    });
    expect((await failure(client.payments.create(REQUEST))).kind).toBe('timeout');
    arrive('late-key');
    await new Promise(setImmediate);
    expect(seen).toEqual(['response']);
  });
  const noDisk = new Error('no disk');
  const failing: [string, () => void | Promise<void>][] = [
    [
      'throws',
      () => {
        throw noDisk;
      },
    ],
    ['rejects', () => Promise.reject(noDisk)],
  ];
  const each = failing.flatMap(([how, hook]) =>
    (['onRequest', 'onResponse'] as const).map((name) => [name, how, hook] as const),
  );
  it.each(each)('%s that %s does not affect the session and is logged', async (name, _, hook) => {
    const consoleError = vi.spyOn(console, 'error').mockReturnValue();
    const { client, service } = setUp({ [name]: hook });
    expect(await client.payments.create(REQUEST)).toMatchObject({ sessionId: 'fake_1' });
    expect(service.requests).toHaveLength(1);
    await expect.poll(() => consoleError.mock.calls).toEqual([['A hook failed:', noDisk]]);
  });
  it.each(each)('%s that %s does not hide a refusal', async (name, _, hook) => {
    vi.spyOn(console, 'error').mockReturnValue();
    const { client, service } = setUp({ [name]: hook });
    service.refuseNext({ status: 401, errors: [{ code: 'invalid_api_key' }] });
    expect(await failure(client.payments.create(REQUEST))).toMatchObject({ kind: 'authentication' });
  });
});

describe('R-53 rejects with a ServiceError and sends nothing', () => {
  type Client = ReturnType<typeof setUp>['client'];
  const CustomMeta: Record<string, unknown> = { big: 1n };
  const customer = { accountNumber: '1', subAccountNumber: '', firstName: 1n };
  it.each<[string, (client: Client) => Promise<unknown>]>([
    ['a request that JSON cannot hold', (client) => client.payments.create({ ...REQUEST, CustomMeta })],
    ['a missing event', (client) => client.events.manageCustomer(undefined as never)],
    [
      'a payload that JSON cannot hold',
      (client) => client.events.manageCustomer({ businessUnitSlug: 'x', payload: customer as never }),
    ],
  ])('%s', async (_, work) => {
    const { client, service } = setUp();
    expect(await failure(work(client))).toMatchObject({
      kind: 'configuration',
      message: expect.stringContaining('A value or function you passed failed: see cause.') as string,
      cause: expect.any(TypeError) as TypeError,
    });
    expect(service.requests).toEqual([]);
  });
  it('for null options', async () => {
    const { client } = setUp();
    for (const ask of [
      () => client.payments.create(REQUEST, null as never),
      () => client.payments.refund({ BusinessUnitSlug: 'x', PaymentIdentifier: '1' }, null as never),
      () => client.sessions.cancel('x', '1', null as never),
    ])
      expect(await failure(ask())).toMatchObject({ kind: 'configuration' });
  });
  it.each([undefined, null, '', 'a\nb'])('for a key function that returns %j', async (key) => {
    const { client, service } = setUp({ apiKey: () => Promise.resolve(key as string) });
    expect((await failure(client.payments.create(REQUEST))).message).toMatch(/apiKey/);
    expect(service.requests).toEqual([]);
  });
  it('for a key function that fails on the second attempt, with the first attempt', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    let fetched = 0;
    const apiKey = async () => {
      if (++fetched > 1) throw new Error('the vault is closed');
      return 'key_of_the_vault';
    };
    const { client, service } = setUp({ apiKey });
    service.refuseNext({ status: 503, errors: [{ code: 'internal' }] });
    expect(await failure(client.payments.create(REQUEST))).toMatchObject({
      kind: 'configuration',
      cause: { message: 'the vault is closed' },
      attempts: [{ status: 503, mayHaveArrived: true }],
    });
  });
  it('for an onReferenceConflict that throws', async () => {
    const { client, service } = setUp();
    service.refuseNext({ status: 409, errors: [{ code: 'client_reference_taken' }] });
    const onReferenceConflict = () => {
      throw new Error('no more names');
    };
    const error = await failure(
      client.payments.create({ ...REQUEST, ClientReference: 'x' }, { onReferenceConflict }),
    );
    expect(error).toMatchObject({
      kind: 'configuration',
      cause: { message: 'no more names' },
      attempts: [{ status: 409 }],
    });
  });
});

it.each(['', 'a\nb', 'é'])('R-58 refuses the idempotencyKey %j', async (idempotencyKey) => {
  expect((await failure(setUp().client.payments.create(REQUEST, { idempotencyKey }))).message).toMatch(
    /idempotencyKey/,
  );
});

it('isServiceError recognizes an error of another copy of the package', async () => {
  vi.resetModules();
  const copy = await import('./error.js');
  expect(copy.ServiceError).not.toBe(ServiceError);
  expect(isServiceError(new copy.ServiceError('server', 'x'))).toBe(true);
  expect([isServiceError(new Error('x')), isServiceError(null), isServiceError('x')]).toEqual([
    false,
    false,
    false,
  ]);
});
