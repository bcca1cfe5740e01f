import {
  BACK_OFFICE_ENDPOINTS,
  EVENTS_ENDPOINT,
  FLOWS,
  QUERY_ENDPOINT,
} from '@embedded-sessions/server-types';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { collectLog } from '../../test/collect-log.js';
import { heapUsed } from '../../test/heap.js';
import { losing } from '../../test/losing.js';
import { API_KEY, SLUG } from '../../test/merchant.js';
import { createApp, type App } from '../app.js';
import { MAX_WAIT_MS, type Store } from '../core/store.js';
import { startTestService } from '../start/test-service.js';
import { checkResponse, CONFIG, startApi, type ApiResponse, type Api } from '../../test/api.js';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const PATH = FLOWS.payment.endpoint;
const ENDPOINTS = [...Object.values(FLOWS).map(({ endpoint }) => endpoint), QUERY_ENDPOINT, EVENTS_ENDPOINT];
const body = { BusinessUnitSlug: SLUG, Channel: 'QuickPay', Charges: [{ Amount: 100 }] };
const codes = ({ errors }: ApiResponse): string[] => errors.map(({ code }) => code);

describe('authentication', () => {
  it.each(ENDPOINTS)('R-50 %s refuses a missing, an unknown and a malformed key alike', async (path) => {
    const responses = [];
    for (const key of [
      null,
      'stg_unknown',
      '',
      'ключ'.normalize().replace(/./g, 'x'),
      `${API_KEY} `.trimEnd() + 'x',
    ])
      responses.push(await api.post(path, body, { 'x-service-api-key': key }));
    for (const response of responses)
      expect(response).toMatchObject({ status: 401, errors: [{ code: 'invalid_api_key' }] });
    expect(new Set(responses.map(({ errors }) => JSON.stringify(errors))).size).toBe(1);
  });

  it.each([
    { origin: 'https://shop.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'cross-site' },
  ])('R-3 refuses a browser: %j', async (headers) => {
    for (const path of ENDPOINTS) {
      const response = await api.post(path, body, headers);
      expect(response).toMatchObject({ status: 403, errors: [{ code: 'browser_refused' }] });
      expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });

  it('R-3 accepts Sec-Fetch-Site: none', async () => {
    expect((await api.post(PATH, body, { 'sec-fetch-site': 'none' })).status).toBe(200);
  });

  it('R-43 refuses an unknown business unit and one of another key alike', async () => {
    const unknown = await api.post(PATH, { ...body, BusinessUnitSlug: 'nowhere' });
    const foreign = await api.post(PATH, { ...body, BusinessUnitSlug: 'foreign' });
    expect(unknown).toMatchObject({
      status: 403,
      errors: [{ code: 'business_unit_forbidden', field: 'BusinessUnitSlug' }],
    });
    expect(foreign.status).toBe(403);
    expect(foreign.errors).toEqual(unknown.errors);
  });

  it('R-50 accepts a key stored only as a hash, and one created while the service runs', async () => {
    const { createKey } = await import('../cli/keys.js');
    const { key } = await createKey(api.service.deps.store, 'staging', [SLUG]);
    await expect
      .poll(async () => (await api.post(PATH, body, { 'x-service-api-key': key })).status)
      .toBe(200);
  });

  it('R-50 refuses a key within five seconds of its revocation', async () => {
    const { createKey, revokeKey } = await import('../cli/keys.js');
    const { store } = api.service.deps;
    const fresh = await startApi({ database: ':memory:' });
    const { id, key } = await createKey(fresh.service.deps.store, 'staging', [SLUG]);
    expect((await fresh.post(PATH, body, { 'x-service-api-key': key })).status).toBe(200);
    await revokeKey(fresh.service.deps.store, id);
    await expect
      .poll(async () => (await fresh.post(PATH, body, { 'x-service-api-key': key })).status, {
        timeout: 5_000,
      })
      .toBe(401);
    await expect(revokeKey(store, 'key_none')).rejects.toMatchObject({ code: 'key_not_found' });
    await fresh.close();
  });
});

describe('request validation', () => {
  it('R-50 refuses a request without a key after a second if its body never arrives', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const headers = { 'content-type': 'application/json' };
    const neverEnding = { method: 'POST', headers, body: new ReadableStream(), duplex: 'half' };
    const response = api.service.fetch(PATH, neverEnding);
    await vi.advanceTimersByTimeAsync(1_000);
    const late = new Promise<null>((resolve) => setImmediate(resolve, null));
    const first = await Promise.race([response, late]);
    vi.useRealTimers();
    expect(first?.status).toBe(401);
  });

  it('R-43 R-65 refuses a business unit that was removed from the config but not from the key', async () => {
    const { config } = api.service.deps;
    const { businessUnits } = config;
    Object.assign(config, { businessUnits: businessUnits.filter(({ slug }) => slug !== SLUG) });
    const response = await api.post(PATH, body);
    Object.assign(config, { businessUnits });
    expect(response).toMatchObject({ status: 403, errors: [{ code: 'business_unit_forbidden' }] });
  });

  it.each(ENDPOINTS)('R-43 %s accepts only POST, with an Allow header', async (path) => {
    for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
      const response = await api.service.fetch(path, { method });
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe('POST');
      expect(await response.json()).toMatchObject({
        hasErrors: true,
        errors: [{ code: 'method_not_allowed' }],
      });
    }
  });

  it('R-40 responds to an unknown route with the envelope', async () => {
    const response = await api.post('/integrations/embedded/initiate/', body);
    expect(response).toMatchObject({
      status: 404,
      hasErrors: true,
      data: null,
      errors: [{ code: 'not_found' }],
    });
  });

  it.each([
    null,
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'application/json5',
  ])('R-43 refuses the media type %s', async (type) => {
    expect(await api.post(PATH, body, { 'content-type': type })).toMatchObject({
      status: 415,
      errors: [{ code: 'unsupported_media_type' }],
    });
  });

  it('R-43 accepts JSON with a charset', async () => {
    expect((await api.post(PATH, body, { 'content-type': 'Application/JSON; charset=utf-8' })).status).toBe(
      200,
    );
  });

  it('R-43 accepts 256 KiB and refuses one byte more', async () => {
    const padded = (size: number): string => {
      const text = JSON.stringify({ ...body, Padding: '' });
      return text.replace('"Padding":""', `"Padding":"${'x'.repeat(size - text.length)}"`);
    };
    expect((await api.post(PATH, padded(256 * 1024))).status).toBe(200);
    expect(await api.post(PATH, padded(256 * 1024 + 1))).toMatchObject({
      status: 413,
      errors: [{ code: 'body_too_large' }],
    });
  });

  it.each(['', '{', '{"a":1}}', 'nul', '\u0000', '{"a":01}', "{'a':1}"])(
    'R-43 refuses the JSON %j',
    async (text) => {
      expect(await api.post(PATH, text)).toMatchObject({ status: 400, errors: [{ code: 'invalid_json' }] });
    },
  );

  it('R-43 refuses a request without a body', async () => {
    const headers = { 'content-type': 'application/json', 'x-service-api-key': API_KEY };
    const response = await api.service.fetch(PATH, { method: 'POST', headers });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{ code: 'invalid_json' }] });
  });

  it('R-43 refuses bytes that are not UTF-8', async () => {
    const bytes = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0xc0]), Buffer.from('"}')]);
    const response = await api.service.fetch(PATH, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-service-api-key': API_KEY },
      body: bytes,
    });
    expect(await response.json()).toMatchObject({ errors: [{ code: 'invalid_json' }] });
  });

  it.each(['null', '[]', '"text"', '1', 'true'])('R-43 refuses the body %s', async (text) => {
    const response = await api.post(PATH, text);
    expect(response.status).toBe(400);
    expect(response.errors.length).toBeGreaterThan(0);
  });
});

describe('the order of checks', () => {
  // Everything is wrong at first; each step fixes one thing.
  const wrong = '{';
  const large = `"${'x'.repeat(300_000)}"`;
  const bad = { 'content-type': 'text/plain', 'x-service-api-key': null, origin: 'https://shop.example' };
  const steps: [string, string, Record<string, string | null>, string][] = [
    ['media type', large, bad, 'unsupported_media_type'],
    ['size', large, { ...bad, 'content-type': 'application/json' }, 'body_too_large'],
    ['JSON', wrong, { ...bad, 'content-type': 'application/json' }, 'invalid_json'],
    ['key', '{}', { 'x-service-api-key': null, origin: 'https://shop.example' }, 'invalid_api_key'],
    ['browser', '{"BusinessUnitSlug":"nowhere"}', { origin: 'https://shop.example' }, 'browser_refused'],
    ['business unit', '{"BusinessUnitSlug":"nowhere"}', {}, 'business_unit_forbidden'],
    ['fields', JSON.stringify({ ...body, Charges: [] }), {}, 'too_few'],
  ];
  it.each(steps)('R-43 %s', async (_, text, headers, code) => {
    expect(codes(await api.post(PATH, text, headers))).toEqual([code]);
  });
});

it('R-91 parses a large body only for a caller within its limits', async () => {
  const large = '['.repeat(200_000);
  expect(codes(await api.post(PATH, large, { 'x-service-api-key': 'wrong' }))).toEqual(['invalid_api_key']);
  expect(codes(await api.post(PATH, large))).toEqual(['invalid_json']);

  const limited = await startApi({ config: { ...CONFIG, rateLimit: { perSecond: 1 / 3_600, burst: 20 } } });
  expect(codes(await limited.post(PATH, large))).toEqual(['invalid_json']);
  expect(codes(await limited.post(PATH, large))).toEqual(['rate_limited']);
  await limited.close();
});

it('R-61 R-97 a request that waits for its turn gets a response in time, and then does not begin', async () => {
  const waiting = await startApi();
  const { store } = waiting.service.deps;
  const real = { ...store };
  let begun = 0;
  let recover = (): void => undefined;
  const hanging = new Promise<void>((resolve) => (recover = resolve));
  vi.spyOn(store, 'transaction').mockImplementation(async (work, options) => {
    begun += 1;
    await hanging;
    return real.transaction(work, options);
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const requests = Array.from({ length: 60 }, () => waiting.post(PATH, body));
  await vi.waitUntil(() => begun > 0);
  await vi.advanceTimersByTimeAsync(MAX_WAIT_MS);
  const responses = await Promise.all(requests);
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([503]));
  vi.useRealTimers();
  recover();
  expect((await waiting.post(PATH, body)).status).toBe(200);
  expect(begun).toBeLessThan(40);
  await waiting.close();
});

describe('the rate limit', () => {
  it('R-43 responds 429 with Retry-After per key, and recovers', async () => {
    // Even on a busy machine, twenty requests finish sooner than the nine seconds that the limit would require.
    const rateLimit = { perSecond: 2, burst: 3 };
    const apiKeys = [...CONFIG.apiKeys, { key: 'stg_another_key', businessUnits: [SLUG] }];
    const limited = await startApi({ config: { ...CONFIG, apiKeys, rateLimit } });
    const statuses = [];
    for (let n = 0; n < 20; n++) statuses.push(await limited.post(PATH, body));
    const refused = statuses.find(({ status }) => status === 429);
    expect(refused).toMatchObject({ errors: [{ code: 'rate_limited' }] });
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect((await limited.post(PATH, body, { 'x-service-api-key': 'stg_another_key' })).status).toBe(200);
    await expect.poll(async () => (await limited.post(PATH, body)).status).toBe(200);
    await limited.close();
  });

  it('R-97 R-43 counts each charge of a request', async () => {
    // One charge's tokens take an hour to refill.
    const rateLimit = { perSecond: 1 / 3_600, burst: 30 };
    const limited = await startApi({ config: { ...CONFIG, rateLimit } });
    const charges = (count: number) => ({
      ...body,
      Charges: Array.from({ length: count }, () => ({ Amount: 100 })),
    });
    const statuses = [];
    for (const count of [25, 6, 5, 1]) statuses.push((await limited.post(PATH, charges(count))).status);
    expect(statuses).toEqual([200, 429, 200, 429]);
    await limited.close();
  });

  it('R-91 R-43 counts each 10 KiB of a request', async () => {
    const rateLimit = { perSecond: 1 / 3_600, burst: 30 };
    const limited = await startApi({ config: { ...CONFIG, rateLimit } });
    const sized = (bytes: number) => ({ ...body, CustomMeta: { text: 'x'.repeat(bytes) } });
    const statuses = [];
    for (const bytes of [250_000, 55_000, 45_000, 0])
      statuses.push((await limited.post(PATH, sized(bytes))).status);
    expect(statuses).toEqual([200, 429, 200, 429]);
    await limited.close();
  });

  it('R-91 R-43 counts every 20 payments of a list’s limit and cursor', async () => {
    const rateLimit = { perSecond: 1 / 3_600, burst: 30 };
    const limited = await startApi({ config: { ...CONFIG, rateLimit } });
    // A list ignores fields of other requests, and so does its cost.
    const list = (Limit: number, Cursor?: string) =>
      limited.post(BACK_OFFICE_ENDPOINTS.list, { BusinessUnitSlug: SLUG, Limit, Cursor, Charges: [] });
    const statuses = [(await list(250, `1.pay_0${'~aa'.repeat(250)}`)).status];
    for (const limit of [120, 100, 1]) statuses.push((await list(limit)).status);
    expect(statuses).toEqual([200, 429, 200, 429]);
    await limited.close();
  });

  it('R-91 R-43 counts each 10 KiB of a response', async () => {
    const rateLimit = { perSecond: 1 / 3_600, burst: 30 };
    const limited = await startApi({ config: { ...CONFIG, rateLimit } });
    const created = await limited.post(PATH, { ...body, CustomMeta: { text: 'x'.repeat(95_000) } });
    const { PaymentSessionIdentifier } = created.data as { PaymentSessionIdentifier: string };
    const query = () => limited.post(QUERY_ENDPOINT, { BusinessUnitSlug: SLUG, PaymentSessionIdentifier });
    const statuses = [];
    // Ten tokens each.
    for (let times = 0; times < 4; times++) statuses.push((await query()).status);
    expect(statuses).toEqual([200, 200, 429, 429]);
    await limited.close();
  });

  it('R-91 R-43 counts each 10 KiB of a session that a refund reads', async () => {
    const rateLimit = { perSecond: 1 / 3_600, burst: 40 };
    const limited = await startApi({ config: { ...CONFIG, rateLimit } });
    const created = await limited.post(PATH, { ...body, CustomMeta: { text: 'x'.repeat(95_000) } });
    const { PaymentSessionIdentifier: id } = created.data as { PaymentSessionIdentifier: string };
    await limited.service.control.pay(id);
    const payments = await limited.service.deps.store.read((tx) => tx.attempts.ofSession(id));
    const request = { BusinessUnitSlug: SLUG, PaymentIdentifier: payments[0]?.id, Amount: 1 };
    const statuses = [];
    for (let times = 0; times < 3; times++)
      statuses.push((await limited.post(BACK_OFFICE_ENDPOINTS.refund, request)).status);
    expect(statuses).toEqual([200, 200, 429]);
    await limited.close();
  });

  it.each(['refunds', 'queries'] as const)(
    'R-91 counts them before it reads them for %s sent at once',
    async (kind) => {
      const rateLimit = { perSecond: 1 / 3_600, burst: 41 };
      const limited = await startApi({ config: { ...CONFIG, rateLimit } });
      const created = await limited.post(PATH, { ...body, CustomMeta: { text: 'x'.repeat(95_000) } });
      const { PaymentSessionIdentifier: id } = created.data as { PaymentSessionIdentifier: string };
      await limited.service.control.pay(id);
      const [payment] = await limited.service.deps.store.read((tx) => tx.attempts.ofSession(id));
      const send = () =>
        kind === 'refunds'
          ? limited.post(BACK_OFFICE_ENDPOINTS.refund, {
              BusinessUnitSlug: SLUG,
              PaymentIdentifier: payment?.id,
              Amount: 1,
            })
          : limited.post(QUERY_ENDPOINT, { BusinessUnitSlug: SLUG, PaymentSessionIdentifier: id });
      const responses = await Promise.all(Array.from({ length: 10 }, send));
      expect(responses.filter(({ status }) => status === 200)).toHaveLength(2);
      expect(responses.filter(({ status }) => status === 429)).toHaveLength(8);
      await limited.close();
    },
  );
});

describe('idempotency', () => {
  const key = (name: string) => ({ 'idempotency-key': name });

  it('R-58 repeats the response for the same body, secret included, and creates once', async () => {
    const withReference = { ...body, ClientReference: 'once' };
    const [first, second] = [
      await api.post(PATH, withReference, key('a')),
      await api.post(PATH, withReference, key('a')),
    ];
    expect(first.status).toBe(200);
    expect(second.data).toEqual(first.data);
    for (const { headers } of [first, second]) expect(headers.get('cache-control')).toBe('no-store');
  });

  it('R-58 refuses another body under the same key', async () => {
    await api.post(PATH, body, key('b'));
    const response = await api.post(PATH, { ...body, PaymentDescriptor: 'x' }, key('b'));
    expect(response).toMatchObject({ status: 422, errors: [{ code: 'idempotency_key_reused' }] });
  });

  it('R-58 separates keys by endpoint and API key', async () => {
    const apiKeys = [...CONFIG.apiKeys, { key: 'stg_another_key', businessUnits: [SLUG] }];
    const both = await startApi({ config: { ...CONFIG, apiKeys } });
    const first = await both.post(PATH, body, key('c'));
    const other = await both.post(PATH, body, { ...key('c'), 'x-service-api-key': 'stg_another_key' });
    expect(other.status).toBe(200);
    expect(other.data.PaymentSessionIdentifier).not.toBe(first.data.PaymentSessionIdentifier);
    const wallet = { BusinessUnitSlug: SLUG, ClientUser: { EmailAddress: 'ada@example.com' } };
    expect((await both.post(FLOWS.wallet.endpoint, wallet, key('c'))).status).toBe(200);
    await both.close();
  });

  it('R-58 stores no refused request', async () => {
    const account = {
      BusinessUnitSlug: SLUG,
      ClientAccount: { AccountNumber: 'new' },
      ClientUser: { EmailAddress: 'a@b.c' },
    };
    const refused = await api.post(FLOWS.autopay.endpoint, account, key('d'));
    expect(refused).toMatchObject({
      status: 400,
      errors: [{ code: 'account_not_synced', field: 'SyncAccount' }],
    });
    expect((await api.post(FLOWS.autopay.endpoint, { ...account, SyncAccount: true }, key('d'))).status).toBe(
      200,
    );
  });

  it('R-58 responds 409 with Retry-After while the first request runs', async () => {
    const responses = await Promise.all(Array.from({ length: 5 }, () => api.post(PATH, body, key('e'))));
    const created = responses.filter(({ status }) => status === 200);
    const waiting = responses.filter(({ status }) => status === 409);
    expect(created.length + waiting.length).toBe(5);
    expect(new Set(created.map(({ data }) => data.PaymentSessionIdentifier)).size).toBe(1);
    expect(waiting.length).toBeGreaterThan(0);
    for (const response of waiting) {
      expect(codes(response)).toEqual(['idempotency_in_flight']);
      expect(response.headers.get('retry-after')).toBe('1');
    }
  });

  it('R-58 does not block other keys, callers or endpoints while the first request runs', async () => {
    const apiKeys = [...CONFIG.apiKeys, { key: 'stg_another_key', businessUnits: [SLUG] }];
    const slow = await startApi({ config: { ...CONFIG, apiKeys } });
    const { store } = slow.service.deps;
    const transaction = store.transaction.bind(store);
    let go = (): void => undefined;
    const held = new Promise<void>((resolve) => (go = resolve));
    // The first request is inside its transaction.
    const started = vi.spyOn(store, 'transaction').mockImplementationOnce(async (work, options) => {
      await held;
      return transaction(work, options) as never;
    });
    const first = slow.post(PATH, body, key('g'));
    await expect.poll(() => started).toHaveBeenCalled();
    expect(codes(await slow.post(PATH, body, key('g')))).toEqual(['idempotency_in_flight']);
    expect((await slow.post(PATH, body, key('h'))).status).toBe(200);
    const other = { ...key('g'), 'x-service-api-key': 'stg_another_key' };
    expect((await slow.post(PATH, body, other)).status).toBe(200);
    const wallet = { BusinessUnitSlug: SLUG, ClientUser: { EmailAddress: 'ada@example.com' } };
    expect((await slow.post(FLOWS.wallet.endpoint, wallet, key('g'))).status).toBe(200);
    go();
    const { data } = await first;
    expect((await slow.post(PATH, body, key('g'))).data).toEqual(data);
    await slow.close();
  });

  it('R-58 forgets a key after 24 hours', async () => {
    const first = await api.post(PATH, body, key('f'));
    await api.service.control.advance(24 * 3_600_000 - 10_000);
    expect((await api.post(PATH, body, key('f'))).data).toEqual(first.data);
    await api.service.control.advance(10_000);
    expect((await api.post(PATH, body, key('f'))).data).not.toEqual(first.data);
  });

  it('R-58 forgets a key exactly after 24 hours, even before the sweep', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const first = await api.post(PATH, body, key('i'));
    const { store } = api.service.deps;
    const later = async (ms: number): Promise<ApiResponse> => {
      const offset = await store.transaction(async (tx) => {
        const before = await tx.meta.get('clock-offset');
        await tx.meta.set('clock-offset', String(Number(before) + ms));
        return before;
      });
      const response = await api.post(PATH, body, key('i'));
      await store.transaction((tx) => tx.meta.set('clock-offset', offset ?? '0'));
      return response;
    };
    expect((await later(24 * 3_600_000 - 1)).data).toEqual(first.data);
    expect((await later(24 * 3_600_000)).data).not.toEqual(first.data);
    vi.useRealTimers();
  });

  it('R-58 R-61 reports success if the response to a commit was lost, and runs it once, even without a key', async () => {
    const { deps } = api.service;
    const app = createApp({ ...deps, store: losing(deps.store) });
    const ask = async (path: string, payload: object, headers: object = {}): Promise<ApiResponse> => {
      const request = new Request(`http://service.test${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-service-api-key': API_KEY, ...headers },
        body: JSON.stringify(payload),
      });
      return checkResponse(path, await app.fetch(request));
    };
    const before = (await deps.store.read((tx) => tx.sessions.list(SLUG))).length;
    const { status, data } = await ask(PATH, body);
    expect(status).toBe(200);
    expect(await deps.store.read((tx) => tx.sessions.list(SLUG))).toHaveLength(before + 1);
    const canceled = { BusinessUnitSlug: SLUG, PaymentSessionIdentifier: data.PaymentSessionIdentifier };
    const { cancel } = BACK_OFFICE_ENDPOINTS;
    expect((await ask(cancel, canceled)).status).toBe(200);
    expect((await ask(cancel, canceled, key('j'))).status).toBe(200);
  });

  it('R-58 accepts keys of up to 255 characters', async () => {
    expect((await api.post(PATH, body, key('x'.repeat(255)))).status).toBe(200);
    expect(await api.post(PATH, body, key('x'.repeat(256)))).toMatchObject({
      status: 400,
      errors: [
        { code: 'too_long', field: 'Idempotency-Key', message: expect.stringContaining('255') as string },
      ],
    });
    expect(await api.post(PATH, body, key(''))).toMatchObject({
      status: 400,
      errors: [{ code: 'invalid', field: 'Idempotency-Key' }],
    });
  });
});

it('R-43 treats a blank business unit as missing', async () => {
  for (const BusinessUnitSlug of ['', '  ', 7])
    expect(await api.post(PATH, { ...body, BusinessUnitSlug })).toMatchObject({
      status: 400,
      errors: [{ field: 'BusinessUnitSlug' }],
    });
});

it('R-63 reports inexact numbers together with all other problems', async () => {
  const text = JSON.stringify({ ...body, Channel: 'Fax' }).replace(
    /\}$/,
    ',"CustomMeta":{"id":9007199254740993}}',
  );
  const { errors } = await api.post(PATH, text);
  expect(errors.map(({ field }) => field)).toEqual(['Channel', 'CustomMeta.id']);
});

it('R-60 tells a test at which point the connection was dropped', async () => {
  for (const [kind, where] of [
    ['drop-before-commit', 'dropped before the commit'],
    ['drop-after-commit', 'dropped after the commit'],
  ] as const) {
    api.service.control.fault({ kind, times: 1 });
    await expect(api.post(PATH, body)).rejects.toThrow(where);
  }
});

it('R-60 responds without fault injection, as in production', async () => {
  const { faults: _, ...deps } = api.service.deps;
  const response = await createApp(deps).fetch(
    new Request(`http://service.test${PATH}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-service-api-key': API_KEY },
      body: JSON.stringify(body),
    }),
  );
  expect(response.status).toBe(200);
});

it('R-91 keeps nothing of ignored fields while a request waits', async () => {
  const started: (() => void)[] = [];
  const { store } = api.service.deps;
  const hanging = {
    ...store,
    transaction: () => new Promise<never>(() => started.shift()?.()),
  };
  const app = createApp({ ...api.service.deps, store: hanging });
  const ignored = `,"x":[${'{},'.repeat(80_000)}{}]}`;
  const before = heapUsed();
  for (let count = 0; count < 3; count++) {
    const begun = new Promise<void>((resolve) => started.push(resolve));
    const request = new Request(`http://service.test/integrations/payments/refund`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-service-api-key': API_KEY },
      body: `{"BusinessUnitSlug":"${SLUG}","PaymentIdentifier":"pay_1"${ignored}`,
    });
    void app.fetch(request);
    await begun;
  }
  expect(heapUsed() - before).toBeLessThan(5_000_000);
});

describe('R-91 large requests', () => {
  const METADATA = `"CustomMeta":{"parts":[${'{},'.repeat(80_000)}{}]}`;
  const large = JSON.stringify(body).replace(/\}$/, `,${METADATA}}`);
  const headers = { 'content-type': 'application/json', 'x-service-api-key': API_KEY };
  const post = (app: App): Promise<Response> =>
    app.fetch(new Request(`http://service.test${PATH}`, { method: 'POST', headers, body: large }));

  it('are parsed a few at a time while the database is slow', async () => {
    const { store } = api.service.deps;
    const transaction = vi.fn(() => new Promise<never>(() => undefined));
    const app = createApp({ ...api.service.deps, store: { ...store, transaction } });
    const before = heapUsed();
    for (let count = 0; count < 30; count++) void post(app);
    await vi.waitUntil(() => transaction.mock.calls.length > 2, { timeout: 10_000 });
    for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate);
    expect(heapUsed() - before).toBeLessThan(60_000_000);
  });

  it('R-61 get a response in time while the database is silent, and succeed afterwards', async () => {
    const { store } = api.service.deps;
    let recover = (): void => undefined;
    const silence = new Promise<void>((resolve) => (recover = resolve));
    let begun = 0;
    const transaction: Store['transaction'] = async (work, options) => {
      begun += 1;
      await silence;
      return store.transaction(work, options);
    };
    const app = createApp({ ...api.service.deps, store: { ...store, transaction } });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const requests = Array.from({ length: 20 }, () => post(app));
    await vi.waitUntil(() => begun > 2, { timeout: 10_000 });
    for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate);
    await vi.advanceTimersByTimeAsync(MAX_WAIT_MS);
    const statuses = (await Promise.all(requests)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([503]));
    vi.useRealTimers();
    recover();
    const later = await Promise.all(Array.from({ length: 9 }, () => post(app)));
    expect(new Set(later.map(({ status }) => status))).toEqual(new Set([200]));
  });
});

it('the time of a request includes its wait for other requests', async () => {
  const { log, lines } = collectLog();
  const waiting = await startTestService({ log });
  const incoming = { arrivedAt: performance.now() - 5_000 };
  await createApp(waiting.deps).fetch(new Request('http://service.test/openapi.json'), { incoming });
  expect(lines.find(({ msg }) => msg === 'request')?.['ms']).toBeGreaterThanOrEqual(5_000);
  await waiting.close();
});

it('R-50 logs the id of the key and the business unit of each request', async () => {
  const { log, lines } = collectLog();
  const logged = await startApi({ log });
  await logged.post(PATH, body);
  await logged.post(PATH, { ...body, Charges: [] });
  await logged.post(PATH, { ...body, BusinessUnitSlug: '' });
  await logged.post(PATH, body, { 'x-service-api-key': 'stg_unknown' });
  await logged.close();
  const keyId = expect.stringMatching(/\w/) as string;
  expect(lines).toMatchObject([
    { status: 200, keyId, businessUnit: SLUG },
    { status: 400, keyId, businessUnit: SLUG, codes: ['too_few'] },
    { status: 400, keyId },
    { status: 401, codes: ['invalid_api_key'] },
  ]);
  expect(lines[2]).not.toHaveProperty('businessUnit');
  expect(lines[3]).not.toHaveProperty('keyId');
  expect(JSON.stringify(lines)).not.toContain(API_KEY);
});

it.each(['PaymentSessionIdentifier', 'PaymentIdentifier'])(
  'R-50 logs %s only if it is an id',
  async (field) => {
    const { log, lines } = collectLog();
    const logged = await startApi({ log });
    const { data } = await logged.post(PATH, body);
    const id = (data as { PaymentSessionIdentifier: string }).PaymentSessionIdentifier;
    const secret = 'fuNEKqQopH4nZfQwxyki7krsGcau2F8tbyDjkk9mTe0';
    for (const value of [id, API_KEY, secret, '4242424242424242', `stg_${secret}`])
      await logged.post('/integrations/embedded/query', { BusinessUnitSlug: SLUG, [field]: value });
    await logged.close();
    expect(JSON.stringify(lines.slice(1))).toContain(id);
    for (const value of [API_KEY, secret, '4242424242424242'])
      expect(JSON.stringify(lines)).not.toContain(value);
  },
);

it('R-43 responds 500 to an internal error, without details', async () => {
  const broken = await startApi();
  await broken.service.deps.store.close();
  const response = await broken.post(PATH, body);
  expect(response).toMatchObject({
    status: 500,
    hasErrors: true,
    data: null,
    errors: [{ code: 'internal' }],
  });
  expect(JSON.stringify(response)).not.toMatch(/sql|destroyed|stack| at /i);
  expect((await broken.service.fetch('/readyz')).status).toBe(503);
  expect((await broken.service.fetch('/healthz')).status).toBe(200);
});
