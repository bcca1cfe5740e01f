// Runs the examples of the documentation against the real service, and checks that the pages show them unchanged.
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestService, type TestService } from '@embedded-sessions/service';
import { createServiceClient, type ServiceClient } from './index.js';
import { signWebhook } from './testing.js';

const SLUG = 'harborlight-water';
const SECRET = `whsec_${btoa('a secret of these examples')}`;
let service: TestService;
let client: ServiceClient;
const merchantService = createServer();

beforeAll(async () => {
  service = await createTestService({
    config: {
      businessUnits: [{ slug: SLUG, name: 'Harborlight Water' }],
      apiKeys: [{ key: 'stg_key_of_the_docs', businessUnits: [SLUG] }],
    },
  });
  merchantService.on('request', (request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [
        name,
        String(value),
      ]);
      const body = Buffer.concat(parts);
      const respond = async () => {
        const fromService = await service.fetch(request.url ?? '/', { method: 'POST', headers, body });
        response
          .writeHead(fromService.status, Object.fromEntries(fromService.headers))
          .end(await fromService.text());
      };
      void respond();
    });
  });
  await new Promise<void>((resolve) => merchantService.listen(0, '127.0.0.1', resolve));
  const address = merchantService.address();
  const baseUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  Object.assign(process.env, {
    SERVICE_ENVIRONMENT: 'staging',
    SERVICE_BASE_URL: baseUrl,
    SERVICE_API_KEY: 'stg_key_of_the_docs',
    WEBHOOK_SECRET: SECRET,
  });
  client = createServiceClient({ environment: 'staging', baseUrl, apiKey: 'stg_key_of_the_docs' });
});
afterAll(async () => {
  merchantService.close();
  await service.close();
});

const PAYMENT = { BusinessUnitSlug: SLUG, Channel: 'QuickPay', Charges: [{ Amount: 1 }] } as const;

/** A framework's app as a function, called like its server would call it. */
type Site = (path: string, init: RequestInit) => Promise<Response>;
const listening = async (handler: Parameters<typeof createServer>[1]): Promise<Site> => {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  return (path, init) => fetch(origin + path, init);
};
const SITES: Record<string, () => Promise<Site>> = {
  Express: async () => listening((await import('../docs/express.js')).app),
  Fastify: async () => {
    const { app } = await import('../docs/fastify.js');
    await app.ready();
    return listening((request, response) => app.routing(request, response));
  },
  Hono: async () => {
    const { app } = await import('../docs/hono.js');
    return async (path, init) => app.request(path, init);
  },
  'Next route handlers': async () => {
    const bill = await import('../docs/next/bills/[account]/route.js');
    const pay = await import('../docs/next/bills/[account]/pay/route.js');
    const webhooks = await import('../docs/next/webhooks/route.js');
    return async (path, init) => {
      const request = new Request(`http://site.test${path}`, init);
      const context = { params: Promise.resolve({ account: path.split('/')[2] ?? '' }) };
      if (path === '/webhooks') return webhooks.POST(request);
      return path.endsWith('/pay') ? pay.POST(request, context) : bill.GET(request, context);
    };
  },
};

describe.each(Object.keys(SITES))('%s', (name) => {
  let site: Site;
  beforeAll(async () => {
    site = await (SITES[name] as () => Promise<Site>)();
  });
  beforeEach(async () => {
    await service.control.reset();
    const { bills } = await import('../docs/billing.js');
    bills.set('1001', { amount: 12_345, name: 'Ada Byron', sessions: [], paid: false });
  });

  it('creates a session, accepts the webhook of its payment repeatedly, and shows it as paid', async () => {
    const { bills } = await import('../docs/billing.js');
    const created = await site('/bills/1001/pay', { method: 'POST' });
    expect(created.status).toBe(200);
    expect(await created.json()).toEqual({
      sessionUrl: expect.stringContaining('/s/stg_'),
      environment: 'staging',
      expiresInMs: expect.any(Number),
    });
    expect(await (await site('/bills/1001', {})).json()).toEqual({ paid: false });

    const sessionId = bills.get('1001')?.sessions[0] ?? '';
    const data = await client.sessions.retrieve(SLUG, sessionId);
    const event = { type: 'payment.succeeded', timestamp: new Date().toISOString(), data } as const;
    const { body, headers } = await signWebhook(event, SECRET);
    const deliver = (sent: string) => site('/webhooks', { method: 'POST', headers, body: sent });
    expect((await deliver(`${body} `)).status).toBe(400);
    expect(bills.get('1001')?.paid).toBe(false);
    expect((await deliver(body)).status).toBe(204);
    expect((await deliver(body)).status).toBe(204);
    expect(await (await site('/bills/1001', {})).json()).toEqual({ paid: true });
    expect((await site('/bills/1001/pay', { method: 'POST' })).status).toBe(404);
  });

  it('responds 400 to a webhook without a signature or a body', async () => {
    expect((await site('/webhooks', { method: 'POST', body: '{}' })).status).toBe(400);
    expect((await site('/webhooks', { method: 'POST' })).status).toBe(400);
  });

  it('R-50 keeps the 401 of the service from the payer', async () => {
    service.control.fault({ kind: 'status', status: 401, times: 1 });
    // Next turns an error of a route handler into a 500.
    const response = await site('/bills/1001/pay', { method: 'POST' }).catch(() => ({ status: 500 }));
    expect(response.status).toBe(500);
  });

  it('R-26 creates sessions again after a restart that forgets the earlier ones', async () => {
    const { bills } = await import('../docs/billing.js');
    expect((await site('/bills/1001/pay', { method: 'POST' })).status).toBe(200);
    bills.set('1001', { amount: 12_345, name: 'Ada Byron', sessions: [], paid: false });
    expect((await site('/bills/1001/pay', { method: 'POST' })).status).toBe(200);
  });

  it('accepts a webhook of 900 kB', async () => {
    const { sessionId } = await client.payments.create(PAYMENT);
    const details = await client.sessions.retrieve(SLUG, sessionId);
    const data = { ...details, CustomMeta: { note: 'é'.repeat(450_000) } };
    const event = { type: 'session.expired', timestamp: new Date().toISOString(), data } as const;
    const { body, headers } = await signWebhook(event, SECRET);
    expect((await site('/webhooks', { method: 'POST', headers, body })).status).toBe(204);
  });
});

it('errors.ts returns a message for each error', async () => {
  await service.control.reset();
  const { startPayment } = await import('../docs/errors.js');
  const wrong = { ...PAYMENT, Charges: [{ Amount: 0.5 }] } as const;
  expect(await startPayment(client, wrong)).toBe(
    'Charges[0].Amount: Charges[0].Amount must be integer cents, at least 1.',
  );
  const taken = { ...PAYMENT, ClientReference: 'order-1' };
  expect(await startPayment(client, taken)).toContain('/s/stg_');
  expect(await startPayment(client, taken)).toBe('That reference is taken.');
  await expect(startPayment(client, { ...PAYMENT, BusinessUnitSlug: 'elsewhere' })).rejects.toMatchObject({
    kind: 'permission',
  });
});

it('references.ts creates one session per attempt of an order', async () => {
  await service.control.reset();
  const { sessionOf } = await import('../docs/references.js');
  const order = { id: 'order-7', attempt: 1, amount: 100 };
  const first = await sessionOf(client, order);
  expect((await sessionOf(client, order)).sessionId).toBe(first.sessionId);
  expect((await sessionOf(client, { ...order, attempt: 2 })).sessionId).not.toBe(first.sessionId);
});

it('events.ts sends events in order', async () => {
  await service.control.reset();
  const { pushChanges } = await import('../docs/events.js');
  await pushChanges(client);
  const { customers } = (await service.control.state(SLUG)) as { customers: { EmailAddress: string }[] };
  expect(customers).toMatchObject([{ EmailAddress: 'ada@lovelace.example', LastName: 'Lovelace' }]);
});

it('the pages show the examples unchanged', async () => {
  const read = (path: string) => readFile(new URL(`../${path}`, import.meta.url), 'utf8');
  const pages = (await read('README.md')) + (await read('GUIDE.md')) + (await read('docs/handlers.md'));
  const shown = [...pages.matchAll(/```ts\n\/\/ (docs\/\S+\.ts)\n([\s\S]*?)```/g)];
  expect(shown.length).toBeGreaterThanOrEqual(10);
  for (const [, path, code] of shown) expect(code, path).toBe(await read(path ?? ''));
});
