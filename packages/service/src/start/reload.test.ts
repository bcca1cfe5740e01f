/** Reloads config and session keys of a running service. */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FLOWS, QUERY_ENDPOINT } from '@embedded-sessions/server-types';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writePages } from '../../test/built-pages.js';
import { describeOn, startEngines } from '../../test/engines.js';
import { API_KEY, REQUESTS, SECRETS, SLUG, config } from '../../test/merchant.js';
import { startReceiver } from '../../test/receiver.js';
import { parseConfig } from '../platform/config/config.js';
import { createLog } from '../platform/log/log.js';
import { openDatabase } from '../store/open.js';
import { sqlStore } from '../store/sql-store.js';
import { serve, type Running, type ServeOptions } from './serve.js';

const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-reload-'));
const pages = writePages();
afterAll(() => {
  for (const made of [folder, pages]) rmSync(made, { recursive: true });
});

const running: Running[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.close()));
});

const parsed = (value: unknown) => parseConfig(value, 'staging');

async function start(options: Partial<ServeOptions> = {}): Promise<Running> {
  const service = await serve({
    env: 'staging',
    config: parsed(config()),
    database: ':memory:',
    host: '127.0.0.1',
    port: 0,
    log: createLog({ write: () => undefined }),
    ...options,
  });
  running.push(service);
  return service;
}

interface Answer {
  status: number;
  data: { PaymentSessionIdentifier: string; PaymentLogInLink: string };
}

async function post(
  service: Running,
  path: string,
  body: object,
  key = API_KEY,
  more: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(service.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-api-key': key, ...more },
    body: JSON.stringify(body),
  });
  const { data } = (await response.json()) as Pick<Answer, 'data'>;
  return { status: response.status, data };
}

const create = (service: Running, key?: string, BusinessUnitSlug = SLUG): Promise<Answer> =>
  post(service, FLOWS.payment.endpoint, { BusinessUnitSlug, ...REQUESTS.payment }, key);

const query = (service: Running, { data }: Answer): Promise<Answer> =>
  post(service, QUERY_ENDPOINT, {
    BusinessUnitSlug: SLUG,
    PaymentSessionIdentifier: data.PaymentSessionIdentifier,
  });

/** Status that a session's page gets from a process. */
async function page(service: Running, { data }: Answer): Promise<number> {
  const { pathname, hash } = new URL(data.PaymentLogInLink);
  const response = await fetch(`${service.url}${pathname}/api/session`, {
    headers: { authorization: `Bearer ${hash.slice(1)}` },
  });
  await response.arrayBuffer();
  return response.status;
}

describe('R-65 a changed config', () => {
  it('applies to keys, business units, frames and limits, also for existing sessions', async () => {
    const service = await start({ pages });
    const before = await create(service);
    const { pathname } = new URL(before.data.PaymentLogInLink);
    const frames = async (): Promise<string> =>
      (await fetch(service.url + pathname)).headers.get('content-security-policy') ?? '';
    expect(await frames()).toContain("frame-ancestors 'none'");

    await service.reload(
      parsed({
        businessUnits: [
          { slug: SLUG, name: 'Harborlight Water', allowedOrigins: ['https://pay.example'] },
          { slug: 'second', name: 'Second' },
        ],
        apiKeys: [{ key: 'stg_second', businessUnits: ['second'] }],
        rateLimit: { perSecond: 0.001, burst: 2 },
      }),
    );
    expect(await frames()).toContain('frame-ancestors https://pay.example');
    expect((await create(service)).status).toBe(401);
    expect((await create(service, 'stg_second')).status).toBe(403);
    expect((await create(service, 'stg_second', 'second')).status).toBe(200);
    expect((await create(service, 'stg_second', 'second')).status).toBe(429);
    expect(await page(service, before)).toBe(200);

    await service.reload(parsed({ businessUnits: [{ slug: 'second', name: 'Second' }] }));
    expect(await page(service, before)).toBe(401);
  });

  it('applies to the operator’s name on pages', async () => {
    const named = (name: string) => parsed(Object.assign({}, config(), { operator: { name } }));
    const service = await start({ config: named('Old Payments'), pages });
    const { pathname } = new URL((await create(service)).data.PaymentLogInLink);
    const html = async () => (await fetch(service.url + pathname)).text();
    expect(await html()).toContain('Old Payments');

    await service.reload(named('New Payments'));
    expect(await html()).toContain('New Payments');
  });

  it('applies to accepted card countries, also for open pages', async () => {
    const of = (countries: string[]) => parsed(config({ countries }));
    const service = await start({ config: of(['US', 'CA']) });
    const { pathname, hash } = new URL((await create(service)).data.PaymentLogInLink);
    const headers = { authorization: `Bearer ${hash.slice(1)}`, 'content-type': 'application/json' };
    const call = async (path: string, init?: RequestInit): Promise<unknown> =>
      (await fetch(`${service.url}${pathname}/api/${path}`, { headers, ...init })).json();
    const pay = (country: string, zipCode: string): Promise<unknown> =>
      call('pay', {
        method: 'POST',
        body: JSON.stringify({
          attemptId: randomUUID(),
          source: {
            method: 'Credit Card',
            cardNumber: '4242424242424242',
            expiry: '12/34',
            securityCode: '123',
            name: 'Dana Reyes',
            country,
            zipCode,
          },
          saveMethod: false,
          charges: [{ index: 0, amount: 12_345 }],
          fields: {},
        }),
      });
    expect(await call('session')).toMatchObject({ data: { countries: ['US', 'CA'] } });

    await service.reload(of(['GB', 'US']));
    expect(await call('session')).toMatchObject({ data: { countries: ['GB', 'US'] } });
    expect(await pay('CA', 'K1A 0B1')).toMatchObject({ ok: false, errors: [{ field: 'source.country' }] });
    expect(await pay('GB', 'SW1A 1AA')).toMatchObject({ ok: true });
  });

  it('registers a webhook before it writes any message', async () => {
    const database = join(folder, 'registers.db');
    const service = await start({ database });
    const { connection } = await openDatabase(database);
    const hasReceiver = () => sqlStore(connection).read((tx) => tx.outbox.hasReceiver(SLUG));
    expect(await hasReceiver()).toBe(false);
    await service.reload(
      parsed(config({ webhook: { url: 'https://merchant.example/hook', secrets: SECRETS } })),
    );
    expect(await hasReceiver()).toBe(true);
    await connection.close();
  });

  it('sends queued older webhooks to the new URL', async () => {
    const [first, second] = [await startReceiver(), await startReceiver()];
    try {
      const webhooked = (url: string) => parsed(config({ webhook: { url, secrets: SECRETS } }));
      first.response = 'hang';
      const service = await start({ config: webhooked(first.url), controlPort: 0 });
      for (let count = 0; count < 12; count++) await create(service);
      const advance = fetch(`${service.control}/clock`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"advance":"31m"}',
      });
      await expect.poll(() => first.received.length).toBe(1);
      await service.reload(webhooked(second.url));
      await first.close();
      await expect.poll(() => second.received.length).toBeGreaterThanOrEqual(11);
      expect(first.received).toHaveLength(1);
      expect((await advance).status).toBe(200);
    } finally {
      await Promise.all([first.close(), second.close()]);
    }
  });
});

const OPERATING = readFileSync(new URL('../../../../docs/operating.md', import.meta.url), 'utf8');
const engines = startEngines(() => join(folder, `${randomUUID()}.db`));

describe('R-67 session keys', () => {
  const line = (id: string): string => `${id}:${randomBytes(32).toString('hex')}`;
  const [old, young] = [line('old'), line('young')];
  let file: string;
  const write = (...lines: string[]): void => writeFileSync(file, lines.join('\n'));
  beforeEach(() => {
    file = join(folder, `${randomUUID()}.keys`);
    write(old);
  });

  it('that were loaded at runtime create and open sessions, and older ones still open theirs', async () => {
    const service = await start({ sessionKeys: file });
    const body = { BusinessUnitSlug: SLUG, ...REQUESTS.payment };
    const once = () => post(service, FLOWS.payment.endpoint, body, API_KEY, { 'idempotency-key': 'once' });
    const before = await once();
    write(old, young);
    await service.reload(parsed(config()));
    write(young, old);
    await service.reload(parsed(config()));
    expect(await once(), 'the same link is given again').toEqual(before);
    const after = await create(service);
    expect([await page(service, before), await page(service, after)]).toEqual([200, 200]);
  });

  it.each([
    ['lack one that sessions need', () => write(young), 'session_key_missing'],
    ['cannot be read', () => write('nonsense'), 'invalid_arguments'],
    ['are gone', () => rmSync(file), 'invalid_arguments'],
  ])('that %s are rejected together with their config', async (_, spoil, code) => {
    const service = await start({ sessionKeys: file });
    const before = await create(service);
    spoil();
    await expect(service.reload(parsed({}))).rejects.toMatchObject({ code });
    expect(await page(service, before)).toBe(200);
    expect(await page(service, await create(service))).toBe(200);
  });

  it.each(engines)(
    'with one id must be the same in every process and at every start: %s',
    async (_, newDatabase) => {
      const database = await newDatabase();
      const other = line('young');
      const refused = {
        code: 'session_key_missing',
        message: expect.stringMatching(/"young" differs from the one/) as string,
      };
      const service = await start({ database, sessionKeys: file });
      write(old, young);
      await service.reload(parsed(config()));
      write(other, old);
      await expect(service.reload(parsed({}))).rejects.toMatchObject(refused);
      expect(await page(service, await create(service))).toBe(200);
      await expect(start({ database, sessionKeys: file }), 'another process').rejects.toMatchObject(refused);
      write(young, old);
      const second = await start({ database, sessionKeys: file });
      expect(await page(service, await create(second))).toBe(200);
    },
  );

  it.each(engines)('that are lost can be replaced as docs/operating.md says: %s', async (_, newDatabase) => {
    const database = await newDatabase();
    const service = await start({ database, sessionKeys: file });
    const before = await create(service);
    await service.close();
    running.pop();
    write(young);
    const { connection } = await openDatabase(database);
    const [, statements = ''] = /```sql\n(.*?)```/s.exec(OPERATING) ?? [];
    for (const statement of statements.replace('LOST', 'old').replace('NEW', 'young').trim().split('\n'))
      await connection.transaction((tx) => sql.raw(statement).execute(tx), { mode: 'write' });
    await connection.close();
    const next = await start({ database, sessionKeys: file });
    expect([await page(next, before), await page(next, await create(next))]).toEqual([401, 200]);
  });

  it('for :memory: and next to a database file stay unchanged', async () => {
    for (const database of [':memory:', join(folder, `${randomUUID()}.db`)]) {
      const service = await start({ database });
      const before = await create(service);
      await service.reload(parsed(config()));
      expect(await page(service, before)).toBe(200);
    }
  });
});

describeOn(engines)('R-67 two processes on %s', (_, newDatabase) => {
  it('rotate their session key in two steps without failing a request', async () => {
    const database = await newDatabase();
    const files = [join(folder, `${randomUUID()}.keys`), join(folder, `${randomUUID()}.keys`)];
    const [old, young] = [`old:${'1'.repeat(64)}`, `young:${'2'.repeat(64)}`];
    const step = (index: number, ...lines: string[]): void =>
      writeFileSync(files[index] ?? '', lines.join('\n'));
    step(0, old);
    step(1, old);
    const services = [
      await start({ database, sessionKeys: files[0] ?? '' }),
      await start({ database, sessionKeys: files[1] ?? '' }),
    ];
    const responses: number[] = [];
    const stop = new AbortController();
    const traffic = async (maker: Running, reader: Running): Promise<void> => {
      while (!stop.signal.aborted) {
        const made = await create(maker);
        responses.push(made.status, await page(reader, made), (await query(reader, made)).status);
      }
    };
    const [one, two] = services as [Running, Running];
    const loads = [traffic(one, two), traffic(two, one), traffic(one, two), traffic(two, one)];
    const more = async (): Promise<void> => {
      const from = responses.length;
      await expect.poll(() => responses.length).toBeGreaterThan(from + 40);
    };
    await more();
    for (const lines of [
      [old, young],
      [young, old],
    ])
      for (const [index, service] of services.entries()) {
        step(index, ...lines);
        await service.reload(parsed(config()));
        await more();
      }
    stop.abort();
    await Promise.all(loads);
    expect(responses.filter((status) => status !== 200)).toEqual([]);
  });
});
