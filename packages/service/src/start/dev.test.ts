import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FLOWS } from '@embedded-sessions/server-types';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseConfig } from '../platform/config/config.js';
import { makeSessionKey } from '../platform/keys/session-keys.js';
import { dev } from './dev.js';
import { devKeys } from './dev-address.js';
import { serve } from './serve.js';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const config = 'there-is-none.json';
const unexpected = (error: unknown): void => {
  throw error;
};
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-'));
  vi.stubEnv('TMPDIR', folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

it('R-90 a dev service removes its temporary database', async () => {
  const service = await dev({ port: 0, config, log });
  expect(readdirSync(folder)).toHaveLength(1);
  await service.close();
  expect(readdirSync(folder)).toEqual([]);
});

it('R-90 a dev service that cannot start leaves no files', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await vi.waitUntil(() => taken.listening);
  const { port } = taken.address() as AddressInfo;
  await expect(dev({ port, config, log })).rejects.toThrow(
    `Cannot listen on 127.0.0.1:${port}: the port is already in use`,
  );
  taken.close();
  expect(readdirSync(folder)).toEqual([]);
});

it('R-90 a dev service keeps a database passed to it', async () => {
  const service = await dev({ port: 0, config, log, database: join(folder, 'mine.db') });
  await service.close();
  expect(readdirSync(folder)).toContain('mine.db');
});

it('R-90 the sample’s key and secret and the inspector’s token survive a restart', async () => {
  vi.stubEnv('XDG_STATE_HOME', folder);
  const secrets: unknown[] = [];
  for (let times = 0; times < 2; times += 1) {
    const keys = devKeys(unexpected) ?? '';
    const service = await dev({ port: 0, config, log, keys });
    secrets.push({ ...service.sample, token: new URL(service.inspector ?? '').hash });
    await service.close();
  }
  expect(secrets[0]).toEqual({
    businessUnit: 'sample-shop',
    apiKey: expect.stringMatching(/^stg_[\w-]{32}$/) as unknown,
    webhookSecret: expect.stringMatching(/^whsec_[\w+/]{32}$/) as unknown,
    token: expect.stringMatching(/^#[\w-]{43}$/) as unknown,
  });
  expect(secrets[1]).toEqual(secrets[0]);
  expect(statSync(join(folder, 'embedded-sessions', 'dev.session-keys')).mode & 0o777).toBe(0o600);
});

it('R-90 they are new if nothing can be stored', async () => {
  const file = join(folder, 'a-file');
  writeFileSync(file, '');
  vi.stubEnv('XDG_STATE_HOME', file);
  const why: unknown[] = [];
  expect(devKeys((error) => why.push(error))).toBeUndefined();
  expect(why).toEqual([expect.objectContaining({ code: 'ENOTDIR' })]);
  const [one, two] = await Promise.all([dev({ port: 0, config, log }), dev({ port: 0, config, log })]);
  expect(one.sample?.apiKey).not.toBe(two.sample?.apiKey);
  await Promise.all([one.close(), two.close()]);
});

it('R-90 pages on localhost and 127.0.0.1 can frame the sample', async () => {
  const service = await dev({ port: 0, config, log });
  const [base, token] = (service.inspector ?? '').split('/#');
  const made = await fetch(`${base}/try`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      path: FLOWS.payment.endpoint,
      body: { BusinessUnitSlug: 'sample-shop', Channel: 'QuickPay', Charges: [{ Amount: 500 }] },
    }),
  });
  const { sessionId } = (await made.json()) as { sessionId: string };
  const page = await fetch(`${service.url}/s/${sessionId}`);
  for (const origin of ['http://localhost:5173', 'http://127.0.0.1:3000'])
    expect(page.headers.get('content-security-policy')).toContain(origin);
  await service.close();
});

describe('R-3 the form of the HTTP reference', () => {
  const DOCS = 'http://localhost:4110';

  /** What a browser sends for the form; `fetch` would drop some of these headers. */
  const send = (url: string, method: string, origin: string, apiKey = '', body = '') =>
    new Promise<{ status: number | undefined; allows: unknown; body: string }>((resolve, reject) => {
      const headers = {
        origin,
        'sec-fetch-site': 'same-site',
        ...(method === 'OPTIONS'
          ? {
              'access-control-request-method': 'POST',
              'access-control-request-headers': 'content-type,x-service-api-key',
            }
          : { 'content-type': 'application/json', 'x-service-api-key': apiKey }),
      };
      request(url + FLOWS.payment.endpoint, { method, headers }, (response) => {
        const allows = response.headers['access-control-allow-origin'];
        void text(response).then((read) => resolve({ status: response.statusCode, allows, body: read }));
      })
        .once('error', reject)
        .end(body);
    });
  const PAYMENT = JSON.stringify({
    BusinessUnitSlug: 'sample-shop',
    Channel: 'QuickPay',
    Charges: [{ Amount: 500, ClientAccount: { AccountNumber: '1001', Name: 'Ada Byron' } }],
  });

  it('works against dev from the docs on the same machine, and from no other page', async () => {
    const service = await dev({ port: 0, config, log });
    const { url, sample } = service;
    const key = sample?.apiKey;
    expect(await send(url, 'OPTIONS', DOCS)).toMatchObject({ status: 204, allows: DOCS });
    const made = await send(url, 'POST', DOCS, key, PAYMENT);
    expect(made).toMatchObject({ status: 200, allows: DOCS });
    expect(made.body).toContain('PaymentLogInLink');
    expect(await send(url, 'POST', DOCS, 'stg_wrong', PAYMENT)).toMatchObject({ status: 401, allows: DOCS });
    for (const page of ['http://localhost:5173', 'http://localhost:41100', 'https://docs.example', 'null']) {
      expect(await send(url, 'OPTIONS', page)).toMatchObject({ status: 405, allows: undefined });
      expect(await send(url, 'POST', page, key, PAYMENT)).toMatchObject({ status: 403, allows: undefined });
    }
    await service.close();
  });

  it('gets no response from serve', async () => {
    const apiKey = 'stg_key_of_the_form';
    const service = await serve({
      env: 'staging',
      config: parseConfig(
        {
          businessUnits: [{ slug: 'sample-shop', name: 'Shop' }],
          apiKeys: [{ key: apiKey, businessUnits: ['sample-shop'] }],
        },
        'staging',
      ),
      host: '127.0.0.1',
      port: 0,
      database: ':memory:',
      sessionKeyText: makeSessionKey(),
      inspectorPort: 0,
      log,
    });
    expect(await send(service.url, 'OPTIONS', DOCS)).toMatchObject({ status: 405, allows: undefined });
    expect(await send(service.url, 'POST', DOCS, apiKey, PAYMENT)).toMatchObject({
      status: 403,
      allows: undefined,
    });
    await service.close();
  });
});
