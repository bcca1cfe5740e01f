import { readFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { API_KEY, SECRETS, SLUG, config } from '../../test/merchant.js';
import { BANK, CARD, DECLINED, open } from '../../test/payer.js';
import { startReceiver } from '../../test/receiver.js';
import { parseConfig } from '../platform/config/config.js';
import { createLog } from '../platform/log/log.js';
import { serve, type Running, type ServeOptions } from '../start/serve.js';
import { parseDuration } from './input.js';
import type { ControlState } from './state.js';

let log = '';
let running: Running;
const start = async (change: Partial<ServeOptions> = {}): Promise<Running> =>
  serve({
    env: 'staging',
    config: parseConfig(config(), 'staging'),
    database: ':memory:',
    host: '127.0.0.1',
    port: 0,
    controlPort: 0,
    log: createLog({ write: (line: string) => void (log += line) }),
    ...change,
  });
beforeEach(async () => {
  log = '';
  running = await start();
});
afterEach(() => running.close());

const call = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${running.control}${path}`, init);
const post = (path: string, body: unknown): Promise<Response> =>
  call(path, { method: 'POST', body: JSON.stringify(body) });
const state = async (): Promise<ControlState> =>
  (await (await call(`/state?businessUnit=${SLUG}`)).json()) as ControlState;
const api = (path: string, init?: RequestInit): Promise<Response> => fetch(`${running.url}${path}`, init);

describe('the control API', () => {
  it('returns the same time in every process on one database', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-control-'));
    const database = join(folder, 'both.db');
    const [one, other] = [await start({ database }), await start({ database })];
    try {
      await open((path, init) => fetch(one.url + path, init), 'payment');
      await fetch(`${one.control}/clock`, { method: 'POST', body: '{"advance":"31m"}' });
      const fromOther = async (path: string) => (await fetch(other.control + path)).json();
      expect(await fromOther('/clock')).toMatchObject({ offsetMs: 31 * 60_000 });
      expect(await fromOther(`/state?businessUnit=${SLUG}`)).toMatchObject({
        sessions: [{ status: 'Expired' }],
      });
    } finally {
      await Promise.all([one.close(), other.close()]);
      rmSync(folder, { recursive: true });
    }
  });

  it('moves the clock and responds after due work has run', async () => {
    await open(api, 'payment');
    expect(await (await post('/clock', { advance: '29m' })).json()).toMatchObject({ offsetMs: 29 * 60_000 });
    expect((await state()).sessions).toMatchObject([{ flow: 'payment', status: 'RequiresPaymentSource' }]);
    expect(await (await call('/clock')).json()).toMatchObject({ offsetMs: 29 * 60_000 });
    await post('/clock', { advance: '1m' });
    expect((await state()).sessions).toMatchObject([{ status: 'Expired' }]);
  });

  it('keeps the moved clock in the database', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'control-'));
    const database = join(folder, 'service.db');
    const first = await start({ database });
    await fetch(`${first.control}/clock`, { method: 'POST', body: '{"advance":"2d"}' });
    await first.close();
    const second = await start({ database });
    const response = await fetch(`${second.control}/clock`, { method: 'POST', body: '{"advance":"1s"}' });
    expect(await response.json()).toMatchObject({ offsetMs: 2 * 86_400_000 + 1_000 });
    await second.close();
    rmSync(folder, { recursive: true });
  });

  it.each(['', '-1m', '5', 'soon', '1e3m', '99999d', 7, null])(
    'does not move the clock by %o',
    async (advance) => {
      const response = await post('/clock', { advance });
      expect(response.status).toBe(400);
      expect(await response.text()).toContain('31m');
    },
  );

  it('moves the clock only within the service’s range, in any number of moves', async () => {
    const watched = await start({ inspectorPort: 0 });
    const [inspector, token] = watched.inspector!.split('/#');
    await fetch(`${inspector}/clock`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: '{"to":"9998-06-01T00:00:00Z"}',
    });
    const move = (advance: string): Promise<Response> =>
      fetch(`${watched.control}/clock`, { method: 'POST', body: JSON.stringify({ advance }) });
    const response = await move('365d');
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ error: expect.stringContaining('year 9999') });
    expect(await (await move('1d')).json()).toMatchObject({ now: expect.stringMatching(/^9998-06-02/) });
    expect((await fetch(`${watched.url}/readyz`)).status).toBe(200);
    await watched.close();
  });

  it('deletes everything but the keys, and resets the clock', async () => {
    await (
      await open(api, 'payment', { ClientReference: 'ref-1', ClientUser: { EmailAddress: 'a@b.example' } })
    ).pay({
      source: CARD,
      saveMethod: true,
    });
    await post('/clock', { advance: '1d' });
    await post('/faults', { kind: 'status', status: 503 });
    expect((await post('/reset', {})).status).toBe(200);
    expect(Object.values(await state()).flat()).toEqual([]);
    await open(api, 'payment', { ClientReference: 'ref-1' });
    expect(await (await post('/clock', { advance: '1s' })).json()).toMatchObject({ offsetMs: 1_000 });
  });

  it.each([
    [429, 'rate_limited'],
    [503, 'unavailable'],
    [500, 'internal'],
    [404, 'internal'],
  ])('responds to a requested %i with the matching code: %s', async (status, code) => {
    await post('/faults', { kind: 'status', status });
    const response = await api('/integrations/embedded/initiate', { method: 'POST' });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ errors: [{ code }] });
  });

  it('fails requests as often as requested', async () => {
    await post('/faults', { kind: 'status', status: 503, times: 2 });
    await expect(open(api, 'payment')).rejects.toThrow();
    await expect(open(api, 'payment')).rejects.toThrow();
    const page = await open(api, 'payment');

    await post('/faults', { kind: 'latency', ms: 120, path: '/s/*/api/session' });
    const before = performance.now();
    await page.get();
    expect(performance.now() - before).toBeGreaterThan(115);

    await post('/faults', { kind: 'drop-before-commit', path: '/integrations/embedded/initiate' });
    await open(api, 'wallet');
    await expect(open(api, 'payment')).rejects.toThrow('fetch failed');
    expect((await state()).sessions).toHaveLength(2);

    await post('/faults', { kind: 'status', status: 500, path: '/integrations/' });
    await expect(open(api, 'notifications')).rejects.toThrow();

    await post('/faults', { kind: 'drop-after-commit' });
    await expect(open(api, 'payment')).rejects.toThrow('fetch failed');
    expect((await state()).sessions).toHaveLength(3);

    await post('/faults', { kind: 'drop-after-commit', path: '/s/*/api/pay' });
    await expect(page.pay()).rejects.toThrow('fetch failed');
    expect((await state()).payments).toMatchObject([{ sessionId: page.id, status: 'succeeded' }]);
    expect((await api('/healthz')).status).toBe(200);
  });

  it.each([
    {},
    { kind: 'fire' },
    { kind: 'latency' },
    { kind: 'status', status: 200 },
    { kind: 'status', status: 503, times: 0 },
    { kind: 'status', status: 503, path: 'integrations' },
  ])('refuses the fault %j', async (fault) => expect((await post('/faults', fault)).status).toBe(400));

  it('R-3 refuses browser pages and hosts other than loopback', async () => {
    for (const headers of [{ origin: 'http://127.0.0.1' }, { 'sec-fetch-site': 'same-origin' }]) {
      expect((await call(`/state?businessUnit=${SLUG}`, { headers })).status).toBe(403);
    }
    const { port } = new URL(running.control ?? '');
    const status = await new Promise((resolve, reject) => {
      httpRequest({ port, host: '127.0.0.1', path: '/state', headers: { host: `rebound.example:${port}` } })
        .on('response', (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end();
    });
    expect(status).toBe(403);
  });

  it.each(['/state', '/state?businessUnit=unknown', '/nothing'])(
    'responds to %s with usage',
    async (path) => {
      const response = await call(path);
      expect(response.status).toBe(404);
      expect(await response.text()).toContain('businessUnit=SLUG');
    },
  );

  it('is absent in production', async () => {
    await expect(start({ env: 'production' })).rejects.toThrow('production has no control API');
  });
});

it.each([
  ['31m', 1_860_000],
  ['1h30m', 5_400_000],
  ['250ms', 250],
  ['1.5s', 1_500],
  ['2d', 172_800_000],
])('%s is %d ms', (text, ms) => expect(parseDuration(text)).toBe(ms));

it('R-2 R-50 no card number, security code, key or secret in database, log, webhooks, metrics or state', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'search-'));
  const receiver = await startReceiver();
  const unit = config({ webhook: { url: receiver.url, secrets: SECRETS } });
  const service = await start({
    config: parseConfig(unit, 'staging'),
    database: join(folder, 'service.db'),
    opsPort: 0,
  });
  const fetchIt = (path: string, init?: RequestInit) => fetch(`${service.url}${path}`, init);
  const amex = { ...CARD, cardNumber: '3782 822463 10005', securityCode: '9173' };
  const pages = [
    await open(fetchIt, 'payment', { ClientUser: { EmailAddress: 'ada@example.com' } }),
    await open(fetchIt, 'payment'),
    await open(fetchIt, 'wallet'),
  ] as const;
  await pages[0].pay({ source: amex, saveMethod: true });
  await pages[1].pay({ source: DECLINED });
  await pages[1].pay({ source: { ...amex, expiry: '01/20' } }).catch(() => undefined);
  await pages[1].send('pay', { method: 'POST', body: `{"source":{"cardNumber":"${amex.cardNumber}"` });
  await pages[1].pay({ source: BANK });
  await pages[2].addMethod({ ...CARD, cardNumber: '5555-5555-5555-4444' });
  await pages[2].addMethod({ ...CARD, cardNumber: '4111111111111111' }).catch(() => undefined);
  const control = (path: string, init?: RequestInit) => fetch(`${service.control}${path}`, init);
  await control('/clock', { method: 'POST', body: '{"advance":"3d"}' });
  const state = await (await control(`/state?businessUnit=${SLUG}`)).text();
  const metrics = await (await fetch(`${service.ops}/metrics`)).text();
  await service.close();

  const files = readdirSync(folder).filter((name) => name.startsWith('service.db') && !name.endsWith('keys'));
  const places: Record<string, string> = {
    log,
    state,
    metrics,
    webhooks: receiver.received.map(({ body, headers }) => body + JSON.stringify(headers)).join('\n'),
    ...Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name), 'latin1')])),
  };
  await receiver.close();
  rmSync(folder, { recursive: true });

  expect(metrics).toMatch(/^payments_total\{status="declined"\} 1$/m);
  expect(metrics).toMatch(/^webhook_attempts_total\{status="delivered"\} [1-9]/m);
  expect(places['webhooks']).toContain('payment.succeeded');
  expect(files.map((name) => places[name]).join('')).toContain('test_card-succeeded');
  expect(log).toContain('/s/:id/api/pay');
  const secrets = [
    '378282246310005',
    '3782 822463 10005',
    '4000000000000002',
    '5555555555554444',
    '5555-5555-5555-4444',
    '4111111111111111',
    '000123456789',
    'securityCode',
    API_KEY,
    ...pages.map(({ secret }) => secret),
  ];
  for (const [place, text] of Object.entries(places)) {
    for (const secret of secrets) expect(text.includes(secret), `${secret} in ${place}`).toBe(false);
    expect(text, place).not.toMatch(/(?<![\w-])9173(?![\w-])/);
  }
});
