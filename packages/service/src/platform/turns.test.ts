/** Turns at the database. */
import { afterEach, expect, it, vi } from 'vitest';
import { API_KEY, config, SLUG } from '../../test/merchant.js';
import { asMerchant, open, refusal, type Payer } from '../../test/payer.js';
import { createApp } from '../app.js';
import { MAX_WAIT_MS, type Store } from '../core/store.js';
import { requestTimeLimit } from './timeouts.js';
import { Turns } from './turns.js';
import { startTestService, type OpenTestService } from '../start/test-service.js';

const OTHER = 'otherwise';
const OTHER_KEY = 'stg_other_key';
const RATE = { perSecond: 100_000, burst: 1_000_000 };
const LARGE = { CustomMeta: { parts: Array.from({ length: 50_000 }, () => ({})) } };

let service: OpenTestService;
afterEach(async () => {
  vi.useRealTimers();
  await service.close();
});

async function start(): Promise<void> {
  const { businessUnits, ...rest } = config() as { businessUnits: object[] };
  service = await startTestService({
    config: {
      ...rest,
      businessUnits: [...businessUnits, { ...businessUnits[0], slug: OTHER }],
      apiKeys: [
        { key: API_KEY, businessUnits: [SLUG] },
        { key: OTHER_KEY, businessUnits: [OTHER] },
      ],
      rateLimit: RATE,
    },
  });
}

const openOther = (): Promise<Payer> =>
  open(
    (path, init) => {
      const headers = new Headers(init?.headers);
      if (headers.has('x-service-api-key')) headers.set('x-service-api-key', OTHER_KEY);
      return service.fetch(path, { ...init, headers });
    },
    'payment',
    { BusinessUnitSlug: OTHER },
  );

/** Begins all work in this order. Resolves to how many of the others finish before the last. */
async function before(others: readonly (() => Promise<unknown>)[], last: () => Promise<unknown>) {
  let finished = 0;
  const all = others.map((work) => work().then(() => (finished += 1)));
  await last();
  const first = finished;
  await Promise.all(all);
  return first;
}

it('R-91 reading many large sessions does not delay the page of another business unit', async () => {
  await start();
  const pages: Payer[] = [];
  for (let count = 0; count < 4; count++) pages.push(await open(service.fetch, 'payment', LARGE));
  const other = await openOther();
  const reads = Array.from({ length: 24 }, (_, turn) => () => (pages[turn % 4] as Payer).get());
  expect(await before(reads, () => other.get())).toBeLessThan(8);
});

it('R-91 paying many large sessions does not delay a payment of another business unit', async () => {
  await start();
  const pages: Payer[] = [];
  for (let count = 0; count < 24; count++) pages.push(await open(service.fetch, 'payment', LARGE));
  const other = await openOther();
  const paid = pages.map((page) => () => page.pay());
  expect(await before(paid, () => other.pay())).toBeLessThan(8);
});

it('R-91 many queries of a large session do not delay those of another API key', async () => {
  await start();
  const { id } = await open(service.fetch, 'payment', LARGE);
  const other = await openOther();
  const query = (key: string, body: object) =>
    asMerchant(service.fetch, '/integrations/embedded/query', body, { 'x-service-api-key': key });
  const queries = Array.from({ length: 24 }, () => async () => {
    expect((await query(API_KEY, { PaymentSessionIdentifier: id })).status).toBe(200);
  });
  const ofOther = async () => {
    const body = { BusinessUnitSlug: OTHER, PaymentSessionIdentifier: other.id };
    expect((await query(OTHER_KEY, body)).status).toBe(200);
  };
  expect(await before(queries, ofOther)).toBeLessThan(8);
});

it('R-91 creating many sessions of 25 charges does not delay another API key', async () => {
  await start();
  await openOther();
  const Charges = Array.from({ length: 25 }, (_, index) => ({
    Amount: 100,
    ClientAccount: { AccountNumber: String(index), Name: 'Ada' },
  }));
  const created = Array.from({ length: 24 }, () => () => open(service.fetch, 'payment', { Charges }));
  expect(await before(created, openOther)).toBeLessThan(8);
});

it('R-91 a large session can be read as often in any script', async () => {
  await start();
  for (const text of ['x'.repeat(240_000), '水'.repeat(80_000)]) {
    const page = await open(service.fetch, 'payment', { CustomMeta: { text } });
    const statuses = [];
    for (let count = 0; count < 12; count++) statuses.push((await page.send('session')).status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(8);
  }
});

it('R-91 a large request leaves others ten turns of the event loop to begin', async () => {
  await start();
  const { store } = service.deps;
  const large = new Turns().storeOf(store, { owner: SLUG, isLarge: true }, requestTimeLimit());
  let turns = 0;
  const begun = large.read(async () => turns);
  for (; turns < 10; turns++) await new Promise(setImmediate);
  expect(await begun).toBe(10);
});

it('R-103 the token of a large payment that did not begin in time is forgotten, without a turn', async () => {
  await start();
  const { deps } = service;
  const forget = vi.fn(async () => undefined);
  const tokenize = vi.fn(async () => ({ token: 'tok_1', last4: '4242' }));
  let openGate = (): void => undefined;
  const gate = new Promise<void>((resolve) => (openGate = resolve));
  const transaction: Store['transaction'] = (work, options) =>
    deps.store.transaction(async (tx, repeated) => {
      if (tokenize.mock.calls.length > 0) await gate;
      return work(tx, repeated);
    }, options);
  const processor = { ...deps.processor, tokenize, forget } as never;
  const app = createApp({ ...deps, processor, store: { ...deps.store, transaction } });
  const fetch = (path: string, init?: RequestInit): Promise<Response> =>
    app.fetch(new Request(new URL(path, deps.publicUrl), init));
  const page = await open(fetch, 'payment', LARGE);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const refused = refusal(page.pay());
  await vi.waitUntil(() => tokenize.mock.calls.length > 0);
  await vi.advanceTimersByTimeAsync(MAX_WAIT_MS);
  expect((await refused).status).toBe(503);
  openGate();
  await vi.waitUntil(() => forget.mock.calls.length > 0);
});
