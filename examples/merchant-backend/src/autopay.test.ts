/** The backend on a port with the real service, which sends it webhooks. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { createServiceClient } from '@embedded-sessions/server';
import { createTestService, type TestService } from '@embedded-sessions/service';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createApp } from './app.js';
import { createBilling, type Billing } from './billing.js';
import { openClock } from './clock.js';
import type { Config } from './config.js';
import { balanceOf, postBills, type Account, type Customer, type Entry } from './ledger.js';
import { openStore, type Store } from './store.js';

const DAY_MS = 86_400_000;
const API_KEY = 'stg_example_of_a_key';
const SLUG = 'harborlight-water';
const SECRET = `whsec_${Buffer.from('a secret that both sides know').toString('base64')}`;
const SERVICE = 'http://service.test';
const urls = { baseUrl: SERVICE, loaderUrl: `${SERVICE}/app/embedded.loader.js` };
const config: Config = {
  apiKey: API_KEY,
  ...urls,
  environment: 'staging',
  operator: { businessUnit: SLUG, staging: urls, production: { baseUrl: 'http://live.test', loaderUrl: '' } },
  webhookSecrets: { staging: SECRET, production: undefined },
  port: 0,
  stateFile: undefined,
  clockUrl: undefined,
};
const CARD = {
  method: 'Credit Card',
  cardNumber: '4242424242424242',
  expiry: '12/40',
  securityCode: '123',
  name: 'Ana Reyes',
  zipCode: '04101',
};
const BANK = {
  method: 'ACH',
  holder: 'Ana Reyes',
  routingNumber: '110000000',
  accountNumber: '000123456789',
};

interface Backend {
  readonly billing: Billing;
  readonly store: Store;
  readonly listener: ReturnType<typeof getRequestListener>;
}

let service: TestService;
let backend: Backend;
let log: string[];
let offset: number;
let stateFile: string;
let closers: (() => unknown)[];
/** Whether the service receives a request, and whether the backend receives the answer. */
let network: 'up' | 'never-arrives' | 'answers-lost';

/** The process, as `main.ts` starts it. */
function startBackend(): Backend {
  const store = openStore(stateFile);
  const client = createServiceClient({
    baseUrl: SERVICE,
    baseUrls: { staging: SERVICE, production: 'http://live.test' },
    apiKey: API_KEY,
    maxRetries: 0,
    fetch: async (request) => {
      if (network === 'never-arrives') throw new TypeError('fetch failed');
      const answer = await service.fetch(request);
      if (network === 'answers-lost') throw new TypeError('fetch failed');
      return answer;
    },
  });
  const now = (): Date => new Date(Date.now() + offset);
  const tell = (line: string): void => void log.push(line);
  const billing = createBilling({ client, businessUnit: SLUG, store, now, log: tell });
  const app = createApp({ config, client, billing, store, now, log: tell });
  return { billing, store, listener: getRequestListener((request) => app.fetch(request)) };
}

beforeEach(async () => {
  [log, offset, network, closers] = [[], 0, 'up', []];
  const folder = mkdtempSync(join(tmpdir(), 'harborlight-'));
  closers.push(() => rmSync(folder, { recursive: true }));
  stateFile = join(folder, 'state.json');
  const server = createServer((request, response) => void backend.listener(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  const webhook = { url: `http://127.0.0.1:${port}/webhooks`, secrets: [SECRET] };
  service = await createTestService({
    publicUrl: SERVICE,
    config: {
      businessUnits: [{ slug: SLUG, name: 'Harborlight Water', autopay: 'merchant', webhook }],
      apiKeys: [{ key: API_KEY, businessUnits: [SLUG] }],
    },
  });
  closers.push(() => service.close());
  backend = startBackend();
});
afterEach(async () => {
  for (const close of closers.toReversed()) await close();
});

/** Moves the clocks of both and waits for the service's webhooks. */
async function pass(days: number): Promise<void> {
  offset += days * DAY_MS;
  await service.control.advance(days * DAY_MS);
}
const told = (): Promise<void> => service.control.advance(0);

async function onPage<T>(sessionUrl: string, path: string, body: unknown): Promise<T> {
  const { pathname, hash } = new URL(sessionUrl);
  const answer = await service.fetch(`${SERVICE}${pathname}/api/${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { authorization: `Bearer ${hash.slice(1)}`, 'content-type': 'application/json' },
  });
  const { ok, data } = (await answer.json()) as { ok: boolean; data: T };
  expect(ok, path).toBe(true);
  return data;
}

async function enrolled(source: object = CARD): Promise<{ id: string; number: string; sessionUrl: string }> {
  const customer = backend.store.enroll(new Date(Date.now() + offset));
  const number = customer.accounts[0]?.number ?? '';
  const { sessionUrl } = await backend.billing.manage(customer, 'autopay', number);
  const add = { requestId: randomUUID(), source, makeDefault: false };
  const { id: methodId } = await onPage<{ id: string }>(sessionUrl, 'methods', add);
  await onPage(sessionUrl, 'autopay/enroll', { methodId, authorization: 'I agree.' });
  await told();
  expect(accountOf(customer.id).autopay).toBe(true);
  return { id: customer.id, number, sessionUrl };
}
const accountOf = (id: string): Account => (backend.store.get(id) as Customer).accounts[0] as Account;
const charged = (id: string): Entry[] => accountOf(id).entries.filter(({ reference }) => reference);
const payments = async () => (await service.control.state(SLUG)).payments;

describe('AutoPay', () => {
  it('R-83 charges a bill on the day it is due, not before, and shows it paid', async () => {
    const { id } = await enrolled();
    await pass(17);
    await backend.billing.runAutopay();
    expect(await payments()).toEqual([]);
    await pass(1);
    await backend.billing.runAutopay();
    await told();
    expect(await payments()).toMatchObject([{ amount: 7_630, status: 'succeeded' }]);
    expect(charged(id)).toMatchObject([
      { amount: 7_630, status: 'paid', label: 'AutoPay, card ending in 4242' },
    ]);
    expect(balanceOf(accountOf(id))).toBe(0);
    for (let day = 0; day < 5; day++) {
      await pass(1);
      await backend.billing.runAutopay();
    }
    expect(await payments()).toHaveLength(1);
  });

  it('R-83 a webhook reports a bank payment; a return makes the bill due again', async () => {
    const [good, bad] = [await enrolled(BANK), await enrolled({ ...BANK, accountNumber: '000111111116' })];
    await pass(18);
    await backend.billing.runAutopay();
    expect([good, bad].map(({ id }) => charged(id)[0]?.status)).toEqual(['pending', 'pending']);
    await pass(2);
    expect([good, bad].map(({ id }) => charged(id)[0]?.status)).toEqual(['paid', 'returned']);
    expect([good, bad].map(({ id }) => balanceOf(accountOf(id)))).toEqual([0, 7_630]);
    await backend.billing.runAutopay();
    expect(await payments()).toHaveLength(2);
  });

  it('R-83 concurrent checks and concurrent processes charge once', async () => {
    const { id } = await enrolled();
    const other = startBackend();
    await pass(18);
    await Promise.all([
      backend.billing.runAutopay(),
      backend.billing.runAutopay(),
      other.billing.runAutopay(),
    ]);
    expect(await payments()).toHaveLength(1);
    expect(charged(id)).toHaveLength(1);
  });

  it('a decline is tried once; the customer pays the bill by hand', async () => {
    const { id, number } = await enrolled({ ...CARD, cardNumber: '4000000000009995' });
    await pass(18);
    for (let look = 0; look < 3; look++) await backend.billing.runAutopay();
    await told();
    expect(charged(id)).toMatchObject([{ status: 'declined' }]);
    expect(await payments()).toMatchObject([{ status: 'declined', reason: 'insufficient_funds' }]);
    const { sessionId } = await backend.billing.payment(id, [number]);
    await service.control.pay(sessionId);
    await told();
    expect(balanceOf(accountOf(id))).toBe(0);
    await backend.billing.runAutopay();
    expect(await payments()).toHaveLength(2);
  });

  it.each(['never-arrives', 'answers-lost'] as const)(
    'R-83 a charge that %s is retried after a restart and days later, and charged once',
    async (how) => {
      const { id } = await enrolled();
      await pass(18);
      network = how;
      await backend.billing.runAutopay();
      expect(charged(id)).toMatchObject([{ status: 'pending', unanswered: true }]);
      expect(log.join()).toContain('AutoPay is tried again');
      backend = startBackend();
      await backend.billing.runAutopay();
      expect(await payments()).toHaveLength(how === 'answers-lost' ? 1 : 0);

      // Longer than the service stores an idempotency key. Its webhooks don't arrive either.
      await pass(3);
      network = 'up';
      await backend.billing.runAutopay();
      expect(await payments()).toMatchObject([{ amount: 7_630, status: 'succeeded' }]);
      expect(charged(id)).toMatchObject([{ status: 'paid' }]);
      expect(charged(id)[0]).not.toHaveProperty('unanswered');
    },
  );

  it('R-83 a charge with a lost response counts as paid even if the payer has since unenrolled', async () => {
    const { id, number } = await enrolled();
    await pass(18);
    network = 'answers-lost';
    await backend.billing.runAutopay();
    network = 'up';
    await backend.billing.stopAutopay(backend.store.get(id) as Customer, number);
    network = 'answers-lost';
    await pass(3);
    network = 'up';
    await backend.billing.runAutopay();
    expect(charged(id)).toMatchObject([{ status: 'paid' }]);
    expect(await payments()).toHaveLength(1);
  });

  it('R-81 cancels an open payment session first; if the payer was faster, charges nothing', async () => {
    const [slow, quick] = [await enrolled(), await enrolled()];
    await pass(18);
    const open = await backend.billing.payment(slow.id, [slow.number]);
    const paid = await backend.billing.payment(quick.id, [quick.number]);
    await service.control.pay(paid.sessionId);
    await backend.billing.runAutopay();
    expect(charged(quick.id)).toEqual([]);
    expect(charged(slow.id)).toMatchObject([{ status: 'paid' }]);
    await expect(service.control.pay(open.sessionId)).rejects.toThrow(/canceled/);
    await expect(backend.billing.payment(slow.id, [slow.number])).rejects.toThrow(/Nothing is due/);
    expect(await payments()).toHaveLength(2);
  });

  it('charges the rest of a bill, and the next bill under its own reference', async () => {
    const { id } = await enrolled();
    backend.store.update(id, (customer) => ({
      ...customer,
      accounts: customer.accounts.map((account) => ({
        ...account,
        entries: [
          ...account.entries,
          { id: 'check', kind: 'payment', date: '2026-01-01', label: 'Check', amount: 7_000, status: 'paid' },
        ],
      })),
    }));
    await pass(18);
    await backend.billing.runAutopay();
    expect(await payments()).toMatchObject([{ amount: 630 }]);
    backend.store.update(id, (customer) => postBills(customer, new Date(Date.now() + offset)));
    await backend.billing.runAutopay();
    expect(await payments()).toHaveLength(1);
    await pass(18);
    await backend.billing.runAutopay();
    expect(await payments()).toMatchObject([{ amount: 630 }, { amount: 7_630 }]);
    expect(new Set(charged(id).map(({ reference }) => reference)).size).toBe(2);
  });

  it('R-83 does not charge unenrolled payers, whether or not the backend knows', async () => {
    const { id, number, sessionUrl } = await enrolled();
    const other = await enrolled();
    await onPage(sessionUrl, 'autopay/unenroll', {});
    await backend.billing.stopAutopay(backend.store.get(other.id) as Customer, other.number);
    offset += 18 * DAY_MS;
    await backend.billing.runAutopay();
    expect(charged(id)).toMatchObject([{ status: 'declined' }]);
    expect(charged(other.id)).toEqual([]);
    expect(log).toEqual([expect.stringContaining(`AutoPay of ${number} is refused`)]);
    expect(await payments()).toEqual([]);
    await backend.billing.runAutopay();
    expect(log).toHaveLength(1);
  });

  it('a webhook that lies about a charge changes nothing', async () => {
    const { id } = await enrolled(BANK);
    await pass(18);
    await backend.billing.runAutopay();
    const reference = charged(id)[0]?.reference ?? '';
    const payment = { Id: 'x', Amount: 1, Refunded: 0, Status: 'succeeded', Method: 'ACH', Last4: '6789' };
    const CreatedAt = '2026-11-21T12:00:00Z';
    await backend.billing.receive({
      type: 'payment.succeeded',
      timestamp: CreatedAt,
      data: {
        PaymentSessionIdentifier: 'stg_x',
        Flow: 'autopay',
        Status: 'Completed',
        Charges: [],
        Payments: [],
        CreatedAt,
        ExpiresAt: CreatedAt,
        Account: { AccountNumber: accountOf(id).number },
        Payment: { ...payment, CreatedAt, ClientReference: reference },
      },
    });
    expect(charged(id)).toMatchObject([{ status: 'pending' }]);
  });
});

describe('the clock', () => {
  it('follows the service’s clock, and goes on if that cannot be read', async () => {
    let answer = { status: 200, body: '{"offsetMs":172800000}' };
    const server = createServer((_, response) => response.writeHead(answer.status).end(answer.body));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closers.push(() => server.close());
    const clock = openClock(`http://127.0.0.1:${(server.address() as AddressInfo).port}/clock`, (line) =>
      log.push(line),
    );
    // Math.round would turn a lag of 1 ms into -0.
    const ahead = (): number => Math.floor((clock.now().getTime() - Date.now()) / DAY_MS + 0.5);
    expect(ahead()).toBe(0);
    await clock.refresh();
    expect(ahead()).toBe(2);
    for (const odd of ['{}', 'no JSON', '']) {
      answer = { status: 500, body: odd };
      await clock.refresh();
      expect(ahead()).toBe(2);
    }
    expect(log).toHaveLength(1);
    const own = openClock(undefined, (line) => log.push(line));
    await own.refresh();
    expect(Math.abs(own.now().getTime() - Date.now())).toBeLessThan(1_000);
  });
});
