import { randomUUID } from 'node:crypto';
import { createServiceClient, type ServiceClient } from '@embedded-sessions/server';
import { signWebhook } from '@embedded-sessions/server/testing';
import type { Flow, WebhookData, WebhookEvent } from '@embedded-sessions/server-types';
import { createTestService, type TestService } from '@embedded-sessions/service';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createApp } from './app.js';
import { createBilling } from './billing.js';
import type { Config } from './config.js';
import type { SiteView } from './page.js';
import { createStore } from './store.js';

const API_KEY = 'stg_example_of_a_key';
const BUSINESS_UNIT = 'harborlight-water';
const SECRET = `whsec_${Buffer.from('a secret that both sides know').toString('base64')}`;
const SERVICE = 'http://service.test';
const SITE = 'http://harborlight.test';
const FLOWS: readonly Flow[] = [
  'payment',
  'autopay',
  'wallet',
  'paperless',
  'schedule-payment',
  'scheduled-payments',
  'notifications',
];

const urlsOf = (baseUrl: string) => ({ baseUrl, loaderUrl: `${baseUrl}/app/embedded.loader.js` });
const config: Config = {
  ...urlsOf(SERVICE),
  apiKey: API_KEY,
  environment: 'staging',
  operator: {
    businessUnit: BUSINESS_UNIT,
    staging: urlsOf(SERVICE),
    production: urlsOf('http://live.test'),
  },
  webhookSecrets: { staging: SECRET, production: undefined },
  port: 0,
};

let service: TestService;
let reachable = true;
let log: string[] = [];
let client: ServiceClient;

const clientOver = (fetch: (request: Request) => Promise<Response>): ServiceClient =>
  createServiceClient({
    baseUrl: SERVICE,
    baseUrls: { staging: SERVICE, production: 'http://live.test' },
    apiKey: API_KEY,
    maxRetries: 0,
    fetch,
  });

beforeAll(async () => {
  service = await createTestService({
    publicUrl: SERVICE,
    config: {
      businessUnits: [{ slug: BUSINESS_UNIT, name: 'Harborlight Water' }],
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
  const store = createStore();
  const now = () => new Date('2026-11-21T12:00:00Z');
  const billing = createBilling({ client: billingClient, businessUnit: BUSINESS_UNIT, store, now });
  const app = createApp({ config, billing, store, now, log: (line) => log.push(line) });
  let cookie = '';
  const request = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    if (cookie) headers.set('cookie', cookie);
    const response = await app.request(SITE + path, { ...init, headers });
    cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? cookie;
    return response;
  };
  const post = (path: string, body: unknown = {}) =>
    request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify(body),
    });
  return {
    request,
    post,
    view: async (): Promise<SiteView> => (await (await request('/api/account')).json()) as SiteView,
    createSession: async (flow: Flow = 'payment', body: unknown = {}): Promise<string> => {
      const response = await post(`/api/sessions/${flow}`, body);
      expect(response.status, await response.clone().text()).toBe(200);
      return ((await response.json()) as { sessionUrl: string }).sessionUrl;
    },
  };
}

const idOf = (sessionUrl: string): string => new URL(sessionUrl).pathname.split('/').at(-1) ?? '';
const detailsOf = (sessionUrl: string) => client.sessions.retrieve(BUSINESS_UNIT, idOf(sessionUrl));

/** Returns a webhook about a session and its newest payment. */
async function webhook(
  type: WebhookEvent['type'],
  sessionUrl: string,
  {
    secret = SECRET,
    timestamp = '2026-11-21T12:00:00Z',
    ...more
  }: Partial<WebhookData> & { secret?: string; timestamp?: string } = {},
): Promise<RequestInit> {
  const details = await detailsOf(sessionUrl);
  const data = { ...details, Payment: details.Payments.at(-1), ...more } as WebhookData;
  return { method: 'POST', ...(await signWebhook({ type, timestamp, data }, secret)) };
}

describe('sessions', () => {
  it.each(FLOWS)('R-4 creates a session for %s and returns only a SessionRef', async (flow) => {
    const response = await visit().post(`/api/sessions/${flow}`);
    expect(await response.json()).toEqual({
      sessionUrl: expect.stringMatching(/^http:\/\/service\.test\/s\/stg_[^#]+#.+/) as string,
      environment: 'staging',
      expiresInMs: expect.any(Number) as number,
    });
  });

  it("charges the ledger's amount, whatever the browser sends", async () => {
    const sessionUrl = await visit().createSession('payment', { Amount: 1, Charges: [{ Amount: 1 }] });
    expect((await detailsOf(sessionUrl)).Charges).toMatchObject([{ Amount: 7_630 }]);
  });

  it('R-58 reuses the session for repeated and concurrent presses of Pay', async () => {
    const visitor = visit();
    await visitor.view();
    const [first, second] = await Promise.all([visitor.createSession(), visitor.createSession()]);
    expect([second, await visitor.createSession()]).toEqual([first, first]);
  });

  it('creates another session after a change of the bill or the customer', async () => {
    const visitor = visit();
    const sessions = [await visitor.createSession()];
    await visitor.post('/api/next-bill');
    sessions.push(await visitor.createSession());
    await visitor.post('/api/email', { emailAddress: `${randomUUID()}@mail.example` });
    sessions.push(await visitor.createSession());
    expect(new Set(sessions).size).toBe(3);
    // The earlier ones can't be paid any more.
    expect(await visitor.createSession()).toBe(sessions[2]);
    const details = await Promise.all(sessions.map(detailsOf));
    expect(details.map(({ Status }) => Status)).toEqual(['Canceled', 'Canceled', 'RequiresPaymentSource']);
  });

  it('R-51 creates a new session after the first has expired', async () => {
    const visitor = visit();
    const first = await visitor.createSession();
    await service.control.advance(31 * 60_000);
    expect(idOf(await visitor.createSession())).not.toBe(idOf(first));
  });

  it.each([
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ origin: 'https://evil.example' }, 403],
    [{}, 403],
    [{ origin: SITE }, 200],
  ])('refuses forms of other sites: %o', async (headers, status) => {
    const response = await visit().request('/api/sessions/autopay', { method: 'POST', headers });
    expect(response.status).toBe(status);
  });

  it('R-2 leaks the API key into no response, page or log', async () => {
    const visitor = visit();
    reachable = false;
    const failed = await visitor.post('/api/sessions/payment');
    expect([failed.status, await failed.json()]).toEqual([
      502,
      { error: { message: expect.stringContaining('not available right now') as string } },
    ]);
    const texts = await Promise.all(
      ['/', '/api/account', '/site.js'].map(async (path) => (await visitor.request(path)).text()),
    );
    expect(log).toHaveLength(1);
    expect([...texts, ...log].join('\n')).not.toContain(API_KEY);
  });
});

describe('results', () => {
  it('R-55 shows a bill as paid only once the service confirms it, and never charges twice', async () => {
    const visitor = visit();
    const sessionUrl = await visitor.createSession();
    const confirm = async () =>
      ((await (await visitor.post('/api/payments/confirm')).json()) as SiteView).bill.state;
    expect(await confirm()).toBe('Due');
    await service.control.pay(idOf(sessionUrl));
    expect((await visitor.post('/api/sessions/payment')).status).toBe(409);
    expect(await confirm()).toBe('Paid');
  });

  it('R-54 records a payment once by webhook, and refuses forged webhooks', async () => {
    const visitor = visit();
    const sessionUrl = await visitor.createSession();
    await service.control.pay(idOf(sessionUrl));

    const secret = `whsec_${Buffer.from('another secret').toString('base64')}`;
    const forged = await webhook('payment.succeeded', sessionUrl, { secret });
    expect((await visitor.request('/webhooks', forged)).status).toBe(400);
    expect((await visitor.view()).bill.state).toBe('Due');

    for (let delivery = 0; delivery < 2; delivery++) {
      const genuine = await webhook('payment.succeeded', sessionUrl);
      expect((await visitor.request('/webhooks', genuine)).status).toBe(204);
    }
    const { bill, activity } = await visitor.view();
    expect([bill.state, activity[0]?.amount, activity[1]?.amount]).toEqual(['Paid', '−$76.30', '$76.30']);
  });

  it('R-55 never overwrites a newer response with an older one', async () => {
    let delivered: Promise<Response> | undefined;
    const slowClient = clientOver(async (request) => {
      const response = await service.fetch(request);
      if (delivered || !request.url.endsWith('/query')) return response;
      await service.control.advance(3 * 86_400_000);
      delivered = visitor.request('/webhooks', settled);
      // The webhook's query must not overtake this one, so it waits for this response.
      await Promise.race([delivered, new Promise((resolve) => setTimeout(resolve, 50))]);
      return response;
    });
    const visitor = visit(slowClient);
    const sessionUrl = await visitor.createSession();
    await service.control.pay(idOf(sessionUrl), '000123456789');
    const settled = await webhook('payment.succeeded', sessionUrl);
    await visitor.post('/api/payments/confirm');
    await delivered;
    expect((await visitor.view()).bill.state).toBe('Paid');
  });

  it('R-57 takes no other payment while one is scheduled', async () => {
    const visitor = visit();
    const { accountNumber } = await visitor.view();
    const sessionUrl = await visitor.createSession('schedule-payment');
    const report = async (type: WebhookEvent['type'], Status: 'scheduled' | 'canceled') => {
      const ScheduledPayment = { Identifier: 'sch_1', Amount: 7_630, Date: '2026-11-25', Status };
      const more = { Account: { AccountNumber: accountNumber }, ScheduledPayment };
      await visitor.request('/webhooks', await webhook(type, sessionUrl, more));
      return (await visitor.view()).bill.state;
    };
    expect(await report('scheduled_payment.created', 'scheduled')).toBe('On its way');
    expect((await visitor.post('/api/sessions/payment')).status).toBe(409);
    expect(await report('scheduled_payment.canceled', 'canceled')).toBe('Due');
    // A late delivery.
    expect(await report('scheduled_payment.created', 'scheduled')).toBe('Due');
  });

  it('R-57 records AutoPay and paperless billing by webhook', async () => {
    const visitor = visit();
    const { accountNumber } = await visitor.view();
    const sessionUrl = await visitor.createSession('autopay');
    const more = { Account: { AccountNumber: accountNumber }, Paperless: { Enrolled: true } };
    await visitor.request('/webhooks', await webhook('autopay.enrolled', sessionUrl, more));
    expect(await visitor.view()).toMatchObject({ autopay: true, paperless: true });

    const late = { ...more, Paperless: { Enrolled: false }, timestamp: '2026-11-21T11:00:00Z' };
    await visitor.request('/webhooks', await webhook('autopay.unenrolled', sessionUrl, late));
    expect(await visitor.view()).toMatchObject({ autopay: true, paperless: true });
  });
});

describe('events', () => {
  it('E-3 sends a changed email address to the service, which refuses that of another customer', async () => {
    const [first, second] = [visit(), visit()];
    await first.createSession();
    await second.createSession();
    const emailAddress = `${randomUUID()}@mail.example`;
    await first.post('/api/email', { emailAddress });
    expect((await first.view()).emailAddress).toBe(emailAddress);

    const refused = await second.post('/api/email', { emailAddress });
    expect([refused.status, await refused.json()]).toEqual([
      409,
      { error: { message: 'Another customer has that email address.' } },
    ]);
    expect((await second.view()).emailAddress).not.toBe(emailAddress);
  });

  it('E-4 stops AutoPay', async () => {
    const visitor = visit();
    await visitor.createSession('autopay');
    expect((await visitor.post('/api/autopay/stop')).status).toBe(200);
    expect((await visitor.view()).autopay).toBe(false);
  });
});
