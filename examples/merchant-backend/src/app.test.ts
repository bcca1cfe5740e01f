import { createHmac, randomUUID } from 'node:crypto';
import { createServiceClient, type ServiceClient } from '@embedded-sessions/server';
import type { Flow, SessionDetails, WebhookData, WebhookEvent } from '@embedded-sessions/server-types';
import { createTestService, type TestService } from '@embedded-sessions/service';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createApp } from './app.js';
import { createBilling } from './billing.js';
import type { Config } from './config.js';
import type { SiteView } from './page.js';
import { openStore } from './store.js';

const API_KEY = 'stg_example_of_a_key';
const BUSINESS_UNIT = 'harborlight-water';
const SECRET = `whsec_${Buffer.from('a secret that both sides know').toString('base64')}`;
const SERVICE = 'http://service.test';
const FLOWS: readonly Flow[] = [
  'payment',
  'autopay',
  'wallet',
  'paperless',
  'schedule-payment',
  'scheduled-payments',
  'notifications',
];

const config: Config = {
  apiKey: API_KEY,
  loaderUrl: `${SERVICE}/app/embedded.loader.js`,
  baseUrl: SERVICE,
  environment: 'staging',
  operator: {
    businessUnit: BUSINESS_UNIT,
    staging: { baseUrl: SERVICE, loaderUrl: `${SERVICE}/app/embedded.loader.js` },
    production: {
      baseUrl: 'http://live.test',
      loaderUrl: 'http://live.test/app/embedded.loader.js',
    },
  },
  webhookSecrets: { staging: SECRET, production: undefined },
  port: 0,
  stateFile: undefined,
};

let service: TestService;
let reachable = true;
let log: string[] = [];
let client: ServiceClient;

const clientOver = (fetch: (request: Request) => Promise<Response>): ServiceClient =>
  createServiceClient({
    baseUrl: config.baseUrl,
    baseUrls: { staging: config.operator.staging.baseUrl, production: config.operator.production.baseUrl },
    apiKey: config.apiKey,
    maxRetries: 0,
    fetch,
  });

beforeAll(async () => {
  service = await createTestService({
    publicUrl: SERVICE,
    config: {
      businessUnits: [{ slug: BUSINESS_UNIT, name: 'Harborlight Water', allowAmountAdjustment: true }],
      apiKeys: [{ key: API_KEY, businessUnits: [BUSINESS_UNIT] }],
    },
  });
  client = clientOver((request) =>
    reachable ? service.fetch(request) : Promise.reject(new TypeError('fetch failed')),
  );
});
afterAll(() => service?.close());
beforeEach(() => {
  reachable = true;
  log = [];
});

/** Simulates a browser on the site: keeps the cookie and sends the headers of a browser. */
function visit(billingClient: ServiceClient = client) {
  const store = openStore(undefined);
  const now = () => new Date('2026-11-21T12:00:00Z');
  const billing = createBilling({
    client: billingClient,
    businessUnit: BUSINESS_UNIT,
    store,
    now,
  });
  const app = createApp({ config, client, billing, store, now, log: (line) => log.push(line) });
  let cookie = '';
  const request = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    if (cookie) headers.set('cookie', cookie);
    const response = await app.request(path, { ...init, headers });
    cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? cookie;
    return response;
  };
  return {
    request,
    post: (path: string, body: unknown = {}) =>
      request(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
        body: JSON.stringify(body),
      }),
    view: async (): Promise<SiteView> => (await (await request('/api/account')).json()) as SiteView,
  };
}
type Visitor = ReturnType<typeof visit>;

const sessionOf = async (visitor: Visitor, body: unknown = {}): Promise<string> => {
  const response = await visitor.post('/api/sessions/payment', body);
  expect(response.status, await response.clone().text()).toBe(200);
  return ((await response.json()) as { sessionUrl: string }).sessionUrl;
};
const idOf = (sessionUrl: string): string => new URL(sessionUrl).pathname.split('/').at(-1) ?? '';
const page = (sessionUrl: string, path: string, body?: unknown): Promise<Response> =>
  service.fetch(`${SERVICE}/s/${idOf(sessionUrl)}/api/${path}`, {
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    headers: {
      authorization: `Bearer ${new URL(sessionUrl).hash.slice(1)}`,
      'content-type': 'application/json',
    },
  });

const signed = (event: Omit<WebhookEvent, 'data'> & { data: WebhookData }, secret = SECRET) => {
  const body = JSON.stringify(event);
  const id = `msg_${randomUUID()}`;
  const timestamp = String(Math.floor(Date.now() / 1000));
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
    },
  };
};

describe('sessions', () => {
  it.each(FLOWS)('R-4 creates a session for %s and returns only a SessionRef', async (flow) => {
    const response = await visit().post(`/api/sessions/${flow}`);
    const session = (await response.json()) as Record<string, unknown>;
    expect(session).toEqual({
      sessionUrl: expect.stringMatching(/^http:\/\/service\.test\/s\/stg_[^#]+#.+/) as string,
      environment: 'staging',
      expiresInMs: expect.any(Number) as number,
    });
    const minutes = Number(session['expiresInMs']) / 60_000;
    expect(Math.ceil(minutes)).toBe(flow === 'payment' ? 30 : 60);
  });

  it("charges the ledger's amount, whatever the browser sends", async () => {
    const sessionUrl = await sessionOf(visit(), { Amount: '1', amount: '1', Charges: [{ Amount: 1 }] });
    const { Charges } = await client.sessions.retrieve(BUSINESS_UNIT, idOf(sessionUrl));
    expect(Charges.map(({ Amount }) => Amount)).toEqual([7_630, 2_835]);
  });

  it("refuses to pay another customer's account", async () => {
    const response = await visit().post('/api/sessions/payment', { account: '0000000-01' });
    expect([response.status, await response.json()]).toEqual([
      409,
      { error: { code: 'unknown_account', message: 'That account is not one of yours.' } },
    ]);
  });

  it('R-58 reuses the session for repeated and concurrent presses of Pay', async () => {
    const visitor = visit();
    await visitor.view();
    const [first, second] = await Promise.all([sessionOf(visitor), sessionOf(visitor)]);
    expect(second).toBe(first);
    expect(await sessionOf(visitor)).toBe(first);
  });

  it('R-51 creates a new session after the first has expired', async () => {
    const visitor = visit();
    const first = await sessionOf(visitor);
    await service.control.advance(31 * 60_000);
    expect(idOf(await sessionOf(visitor))).not.toBe(idOf(first));
  });

  it.each([
    { 'sec-fetch-site': 'cross-site', origin: 'http://harborlight.test' },
    { 'sec-fetch-site': 'same-site', origin: 'http://harborlight.test' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    {},
  ])('refuses a POST from another site: %o', async (headers) => {
    const response = await visit().request('http://harborlight.test/api/sessions/autopay', {
      method: 'POST',
      body: new URLSearchParams(),
      headers: { ...(headers as Record<string, string>), host: 'harborlight.test' },
    });
    expect([response.status, await response.json()]).toMatchObject([403, { error: { code: 'cross_site' } }]);
  });

  it('accepts a form of its own page, by its Origin if there is no Sec-Fetch-Site', async () => {
    const response = await visit().request('http://harborlight.test/api/sessions/autopay', {
      method: 'POST',
      body: new URLSearchParams(),
      headers: { origin: 'http://harborlight.test', host: 'harborlight.test' },
    });
    expect(response.status).toBe(200);
  });

  it('R-2 leaks the API key into no response, page or log', async () => {
    const visitor = visit();
    reachable = false;
    const failed = await visitor.post('/api/sessions/payment');
    expect([failed.status, await failed.json()]).toEqual([
      502,
      {
        error: {
          code: 'service_unavailable',
          message: expect.stringContaining('not available right now') as string,
        },
      },
    ]);
    reachable = true;
    const texts = await Promise.all(
      ['/', '/api/account', '/site.js'].map(async (path) => (await visitor.request(path)).text()),
    );
    expect(log).toHaveLength(1);
    expect([...texts, ...log].join('\n')).not.toContain(API_KEY);
  });
});

describe('confirming', () => {
  it('R-55 shows a bill as paid only once the service confirms it', async () => {
    const visitor = visit();
    const number = (await visitor.view()).accounts[0]?.number;
    const sessionUrl = await sessionOf(visitor, { account: number });
    const before = (await (await visitor.post('/api/payments/confirm')).json()) as SiteView;
    expect(before.accounts[0]?.balance).toBe(7_630);

    await service.control.pay(idOf(sessionUrl));
    const after = (await (await visitor.post('/api/payments/confirm')).json()) as SiteView;
    expect(after.accounts[0]).toMatchObject({ balance: 0, pending: 0 });
    expect(after.accounts[0]?.entries[0]).toMatchObject({ amount: 7_630, status: 'paid' });
    expect(after.accounts[1]?.balance).toBe(2_835);
  });

  it('never charges twice: after a payment in one tab, another tab shows that nothing is due', async () => {
    const visitor = visit();
    const account = (await visitor.view()).accounts[0]?.number;
    await service.control.pay(idOf(await sessionOf(visitor, { account })));
    const again = await visitor.post('/api/sessions/payment', { account });
    expect([again.status, await again.json()]).toMatchObject([409, { error: { code: 'nothing_due' } }]);
  });

  it('R-54 records a payment by webhook if the page was closed, and ignores repeated webhooks', async () => {
    const visitor = visit();
    const account = (await visitor.view()).accounts[0]?.number;
    const sessionUrl = await sessionOf(visitor, { account });
    await service.control.pay(idOf(sessionUrl));
    const data: SessionDetails = await client.sessions.retrieve(BUSINESS_UNIT, idOf(sessionUrl));
    const event = { type: 'payment.succeeded' as const, timestamp: new Date().toISOString(), data };

    const forged = signed(event, `whsec_${Buffer.from('another secret').toString('base64')}`);
    expect((await visitor.request('/webhooks', forged)).status).toBe(400);
    expect((await visitor.view()).accounts[0]?.balance).toBe(7_630);

    for (let delivery = 0; delivery < 2; delivery++)
      expect((await visitor.request('/webhooks', signed(event))).status).toBe(204);
    const [home] = (await visitor.view()).accounts;
    expect(home?.balance).toBe(0);
    expect(home?.entries.filter(({ kind, status }) => kind === 'payment' && status === 'paid')).toHaveLength(
      2,
    );
  });

  it('R-55 never overwrites a newer response with an older one', async () => {
    let queries = 0;
    let paid: () => void = () => undefined;
    let resolveSecond: () => void = () => undefined;
    const isPaid = new Promise<void>((resolve) => (paid = resolve));
    const secondResponded = new Promise<void>((resolve) => (resolveSecond = resolve));
    const reorderingClient = clientOver(async (request) => {
      if (!request.url.endsWith('/query')) return service.fetch(request);
      queries += 1;
      if (queries > 1) {
        await isPaid;
        const response = await service.fetch(request);
        resolveSecond();
        return response;
      }
      const before = await service.fetch(request);
      await service.control.pay(idOf(sessionUrl));
      paid();
      // Return the response of the second query before the first.
      if (queries > 1) await secondResponded;
      return before;
    });
    const visitor = visit(reorderingClient);
    const account = (await visitor.view()).accounts[0]?.number;
    const sessionUrl = await sessionOf(visitor, { account });
    const data = await client.sessions.retrieve(BUSINESS_UNIT, idOf(sessionUrl));
    const event = { type: 'payment.succeeded' as const, timestamp: new Date().toISOString(), data };

    await Promise.all([visitor.post('/api/payments/confirm'), visitor.request('/webhooks', signed(event))]);
    expect((await visitor.view()).accounts[0]).toMatchObject({ balance: 0, pending: 0 });
  });

  it('R-57 records executed scheduled payments and paperless billing by webhook', async () => {
    const visitor = visit();
    const AccountNumber = (await visitor.view()).accounts[0]?.number ?? '';
    const deliver = async (type: WebhookEvent['type'], more: Partial<WebhookData>): Promise<void> => {
      const data = {
        PaymentSessionIdentifier: 'stg_elsewhere',
        Flow: 'schedule-payment' as const,
        Status: 'Completed',
        Charges: [],
        Payments: [],
        CreatedAt: '2026-11-21T12:00:00Z',
        ExpiresAt: '2026-11-21T13:00:00Z',
        Account: { AccountNumber },
        ...more,
      };
      const response = await visitor.request('/webhooks', signed({ type, timestamp: data.CreatedAt, data }));
      expect(response.status).toBe(204);
    };
    const ScheduledPayment = {
      Identifier: 'sch_1',
      Amount: 7_630,
      Date: '2026-11-30',
      Status: 'executed' as const,
    };
    await deliver('scheduled_payment.executed', { ScheduledPayment });
    await deliver('scheduled_payment.executed', { ScheduledPayment });
    await deliver('paperless.changed', { Flow: 'paperless', Paperless: { Enrolled: true } });
    const [home] = (await visitor.view()).accounts;
    expect(home).toMatchObject({ balance: 0, paperless: true });
  });

  it('ignores the status in a webhook and queries the service', async () => {
    const visitor = visit();
    const account = (await visitor.view()).accounts[0]?.number;
    const sessionUrl = await sessionOf(visitor, { account });
    const data = await client.sessions.retrieve(BUSINESS_UNIT, idOf(sessionUrl));
    const forgedStatus = {
      type: 'payment.succeeded' as const,
      timestamp: new Date().toISOString(),
      data: { ...data, Status: 'Succeeded' },
    };
    expect((await visitor.request('/webhooks', signed(forgedStatus))).status).toBe(204);
    expect((await visitor.view()).accounts[0]?.balance).toBe(7_630);
  });
});

describe('events', () => {
  const profile = { firstName: 'Anna', lastName: 'Reyes-Lind', emailAddress: 'Anna@mail.example' };

  it.each(['a customer that the service knows', 'a customer that is new to the service'])(
    'E-2 E-3 sends a changed profile to the service: %s',
    async (who) => {
      const visitor = visit();
      const emailAddress = `${randomUUID()}@mail.example`;
      if (who.endsWith('knows')) await sessionOf(visitor);
      const response = await visitor.post('/api/profile', { ...profile, emailAddress });
      expect(response.status, await response.clone().text()).toBe(200);
      expect(((await response.json()) as SiteView).customer).toEqual({ ...profile, emailAddress });

      const wallet = await visitor.post('/api/sessions/wallet');
      const { sessionUrl } = (await wallet.json()) as { sessionUrl: string };
      const shown = (await (await page(sessionUrl, 'session')).json()) as Record<string, unknown>;
      expect(JSON.stringify(shown)).toContain(emailAddress);
      expect(JSON.stringify(shown)).toContain('Reyes-Lind');
    },
  );

  it('keeps the old profile if the service refuses the new one', async () => {
    const [first, second] = [visit(), visit()];
    await sessionOf(first);
    await sessionOf(second);
    const { customer } = await second.view();
    const taken = (await first.view()).customer.emailAddress;
    const response = await second.post('/api/profile', { ...profile, emailAddress: taken });
    expect([response.status, await response.json()]).toMatchObject([
      409,
      { error: { code: 'email_in_use' } },
    ]);
    expect((await second.view()).customer).toEqual(customer);
  });

  it('E-4 stops AutoPay, even if it was not on', async () => {
    const visitor = visit();
    const account = (await visitor.view()).accounts[0]?.number;
    await sessionOf(visitor, { account });
    const response = await visitor.post('/api/autopay/stop', { account });
    expect([response.status, ((await response.json()) as SiteView).accounts[0]?.autopay]).toEqual([
      200,
      false,
    ]);
  });
});
