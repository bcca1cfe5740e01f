import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FLOWS } from '@embedded-sessions/server-types';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { dev } from './dev.js';
import { devKeys } from './dev-address.js';

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
