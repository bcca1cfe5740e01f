/** The service on real sockets: limits, lost connections and shutdown. */
import { Agent, request } from 'node:http';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import {
  connect as connectSocket,
  createServer as createSocketServer,
  type AddressInfo,
  type Socket,
} from 'node:net';
import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { FLOWS, QUERY_ENDPOINT } from '@embedded-sessions/server-types';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { withSchema } from '../../test/engines.js';
import { startGate, type Gate } from '../../test/gate.js';
import { hurry } from '../../test/hurry.js';
import { hasPostgres, sharedPostgres, type Postgres } from '../../test/postgres.js';
import { API_KEY, SECRETS, SLUG, config } from '../../test/merchant.js';
import { BANK, CARD, open } from '../../test/payer.js';
import { CONFIG } from '../../test/api.js';
import { parseConfig } from '../platform/config/config.js';
import { health } from '../platform/http/ops.js';
import { createLog } from '../platform/log/log.js';
import type { NewSource } from '../shared/page.js';
import { serve, type Running, type ServeOptions } from './serve.js';
import { startTestService } from './test-service.js';

const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-serve-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let log = '';
/** Number of the test: an abandoned request may end, and be logged, after its service has stopped. */
let test = 0;
const running: Running[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.close()));
  log = '';
  test += 1;
});

const HASHED = {
  ...CONFIG,
  apiKeys: [
    {
      keyHash: 'sha256:4f2d0cbf4a8d5e2a0f0d4c5f7fd0d8ad8bd4d7a6a1c9b4f7fbaed0b3a5b0a4d1',
      businessUnits: [SLUG],
    },
  ],
};

async function startServer(options: Partial<ServeOptions> = {}): Promise<Running> {
  const env = options.env ?? 'staging';
  const own = test;
  const service = await serve({
    env,
    config: parseConfig(env === 'production' ? HASHED : CONFIG, env),
    database: ':memory:',
    host: '127.0.0.1',
    port: 0,
    log: createLog({ write: (line) => void (own === test && (log += line)) }),
    ...options,
  });
  running.push(service);
  return service;
}

const PATH = FLOWS.payment.endpoint;
const headers = { 'content-type': 'application/json', 'x-service-api-key': API_KEY };
const body = { BusinessUnitSlug: SLUG, Channel: 'QuickPay', Charges: [{ Amount: 100 }] };
const create = (
  service: Running,
  changes: object = {},
  more: Record<string, string> = {},
): Promise<Response> =>
  fetch(service.url + PATH, {
    method: 'POST',
    headers: { ...headers, ...more },
    body: JSON.stringify({ ...body, ...changes }),
  });
interface Envelope {
  hasErrors: boolean;
  errors: { code: string }[];
  data: { PaymentSessionIdentifier: string; PaymentLogInLink: string; Status: string };
}
/** Backlog gauges of `/metrics` by name, without those that have no value. */
async function gauges(service: Running): Promise<Record<string, number>> {
  const text = await (await fetch(`${service.ops}/metrics`)).text();
  const found = text.matchAll(
    /^(?:database_)?((?:webhook_messages|payment_processing|connections)_\w+)(?:\{business_unit="(.+)"\})? (\S+)$/gm,
  );
  return Object.fromEntries(
    [...found].map(([, name, unit, value]) => [unit === undefined ? name : `${name} ${unit}`, Number(value)]),
  );
}
const POOL = { connections_used: expect.any(Number), connections_limit: 10 };
const NOTHING_WAITS = {
  'webhook_messages_pending (other)': 0,
  'webhook_messages_oldest_seconds (other)': 0,
  payment_processing_oldest_seconds: 0,
};
const read = async (response: Promise<Response>): Promise<Envelope> =>
  (await response).json() as Promise<Envelope>;

/** Reads until the service closes the connection; sends `drip` every few ms until then. */
const closed = (address: string | undefined, head: string, drip = ''): Promise<string> => {
  const { hostname, port } = new URL(address ?? '');
  const socket = connectSocket(Number(port), hostname);
  const dripping = setInterval(() => socket.write(drip), 20);
  let response = '';
  socket.on('data', (chunk) => void (response += String(chunk)));
  socket.on('error', () => undefined);
  socket.write(head);
  return new Promise((resolve) => {
    socket.once('close', () => {
      clearInterval(dripping);
      resolve(response);
    });
  });
};
const post = (path: string, more: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${more}\r\n\r\n`;

describe('over a socket', () => {
  it('R-1 session URLs start with the public URL, by default its own address', async () => {
    const service = await startServer();
    expect((await read(create(service))).data.PaymentLogInLink).toMatch(new RegExp(`^${service.url}/s/stg_`));
    const other = await startServer({ publicUrl: 'https://pay.example.com/base/' });
    expect((await read(create(other))).data.PaymentLogInLink).toMatch(
      /^https:\/\/pay\.example\.com\/base\/s\/stg_/,
    );
  });

  it.each([
    'foo',
    'ftp://x',
    '//x',
    'https://x.example/?a=1',
    'https://x.example/#a',
    'https://u:p@x.example',
  ])('R-1 does not start with the public URL %s', async (publicUrl) => {
    await expect(startServer({ publicUrl })).rejects.toMatchObject({
      code: 'invalid_arguments',
      message: expect.stringMatching(/^--public-url must be/),
    });
  });

  it('R-43 returns 415 with a reason to a compressed body', async () => {
    const service = await startServer();
    for (const encoding of ['gzip', 'br', 'gzip, identity', 'GZIP']) {
      const sent = { ...headers, 'content-encoding': encoding };
      const compressed = gzipSync(JSON.stringify(body));
      const response = await fetch(service.url + PATH, { method: 'POST', headers: sent, body: compressed });
      const { errors } = await read(Promise.resolve(response));
      expect([response.status, errors]).toMatchObject([
        415,
        [{ code: 'unsupported_media_type', message: expect.stringContaining('compressed') as string }],
      ]);
    }
    expect((await create(service, {}, { 'content-encoding': 'identity' })).status).toBe(200);
  });

  it('R-43 returns 413 to 300 kB, with and without a declared length', async () => {
    const service = await startServer();
    const large = JSON.stringify({ ...body, Padding: 'x'.repeat(300_000) });
    const declared = await fetch(service.url + PATH, { method: 'POST', headers, body: large });
    expect(declared.status).toBe(413);
    const stream = new Blob([large]).stream();
    const chunked = await fetch(service.url + PATH, {
      method: 'POST',
      headers,
      body: stream,
      duplex: 'half',
    } as RequestInit);
    expect(chunked.status).toBe(413);
    expect(((await chunked.json()) as Envelope).errors[0]?.code).toBe('body_too_large');
    expect((await create(service)).status).toBe(200);
  });

  describe('R-43 a body that does not arrive', () => {
    /** Path and Authorization header of a page's request. */
    const asPage = async (service: Running): Promise<[string, string]> => {
      const { id, secret } = await open((path, init) => fetch(service.url + path, init), 'payment');
      return [`/s/${id}/api/pay`, `Authorization: Bearer ${secret}\r\n`];
    };

    it('gets 408 at the request timeout on every port', async () => {
      const ports = { opsPort: 0, controlPort: 0, inspectorPort: 0 };
      const service = await startServer({ ...ports, receiveWithinMs: 1_000 });
      const from = performance.now();
      const endless = 'Transfer-Encoding: chunked';
      const token = service.inspector?.split('#')[1];
      const [path, opened] = await asPage(service);
      const key = `X-Service-Api-Key: ${API_KEY}\r\n`;
      const [api, page, control, inspector, ops, silent] = await Promise.all([
        closed(service.url, post(PATH, key + endless), '1\r\nx\r\n'),
        closed(service.url, post(path, opened + endless), '1\r\nx\r\n'),
        closed(service.control, post('/clock', endless), '1\r\nx\r\n'),
        closed(
          service.inspector,
          post('/clock', `Authorization: Bearer ${token}\r\n${endless}`),
          '1\r\nx\r\n',
        ),
        closed(service.ops, 'GET /metrics HTTP/1.1\r\nX-Endless: ', 'x'),
        closed(service.url, post(PATH, `${key}Content-Length: 10`)),
      ]);
      expect(performance.now() - from).toBeLessThan(10_000);
      for (const response of [api, page, control, inspector, ops, silent])
        expect(response).toMatch(/^HTTP\/1\.1 408 /);
      const requests = (): object[] =>
        log
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as { msg: string; status: number })
          .filter(({ msg, status }) => msg === 'request' && status !== 200);
      await expect.poll(() => requests().length).toBe(3);
      expect((await create(service)).status).toBe(200);
      expect(log).not.toContain('"level":50');
    });

    it.each([
      ['no key', 'Content-Type: application/json', 401, 'invalid_api_key'],
      ['a wrong key', 'Content-Type: application/json\r\nX-Service-Api-Key: wrong', 401, 'invalid_api_key'],
      [
        'another type',
        `Content-Type: text/plain\r\nX-Service-Api-Key: ${API_KEY}`,
        415,
        'unsupported_media_type',
      ],
    ])('is not awaited after a head with %s, and its connection is closed', async (_, has, status, code) => {
      const service = await startServer();
      const from = performance.now();
      const head = `POST ${PATH} HTTP/1.1\r\nHost: localhost\r\n${has}`;
      const [declared, chunked] = await Promise.all([
        closed(service.url, `${head}\r\nContent-Length: 100\r\n\r\n{`),
        closed(service.url, `${head}\r\nTransfer-Encoding: chunked\r\n\r\n`, '1\r\nx\r\n'),
      ]);
      expect(performance.now() - from).toBeLessThan(10_000);
      for (const response of [declared, chunked]) {
        expect(response).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
        expect(response).toContain(`"code":"${code}"`);
      }
    });

    it('is awaited from a sender with a key', async () => {
      const service = await startServer();
      const { hostname, port } = new URL(service.url);
      const socket = connectSocket(Number(port), hostname);
      const sent = JSON.stringify(body);
      socket.write(
        post(PATH, `X-Service-Api-Key: ${API_KEY}\r\nConnection: close\r\nContent-Length: ${sent.length}`),
      );
      // Longer than the wait for an upload without a key.
      await delay(1_500);
      socket.write(sent);
      let response = '';
      for await (const chunk of socket) response += String(chunk);
      expect(response).toMatch(/^HTTP\/1\.1 200 /);
    });

    it('is rejected immediately if its declared length is too large', async () => {
      const service = await startServer({ controlPort: 0, inspectorPort: 0 });
      const from = performance.now();
      const [path, opened] = await asPage(service);
      for (const [address, route, more, length] of [
        [service.url, PATH, '', 256 * 1024 + 1],
        [service.url, path, opened, 64 * 1024 + 1],
        [service.control, '/clock', '', 256 * 1024 + 1],
      ] as const)
        expect(await closed(address, post(route, `${more}Content-Length: ${length}`))).toMatch(
          /^HTTP\/1\.1 413 /,
        );
      expect(performance.now() - from).toBeLessThan(10_000);
    });

    it.each([
      ['API', 'declared', 300_000],
      ['API', 'chunked', 300_000],
      ['API', 'declared', 5_000_000],
      ['API', 'chunked', 5_000_000],
      ['control', 'declared', 5_000_000],
      ['control', 'chunked', 5_000_000],
    ] as const)(
      'is rejected even if its sender reads only after sending: %s, %s, %i bytes',
      async (to, as, size) => {
        const service = await startServer({ controlPort: 0 });
        const { hostname, port } = new URL((to === 'API' ? service.url : service.control) ?? '');
        const padding = 'x'.repeat(size);
        const sent = {
          chunked: `Transfer-Encoding: chunked\r\n\r\n${size.toString(16)}\r\n${padding}\r\n0`,
          declared: `Content-Length: ${size + 4}\r\n\r\n${padding}`,
        };
        const socket = connectSocket(Number(port), hostname);
        const written = new Promise((resolve) =>
          socket.write(post(to === 'API' ? PATH : '/clock', sent[as]), resolve),
        );
        expect(await written).not.toBeInstanceOf(Error);
        const [response] = await once(socket, 'data');
        expect(String(response)).toMatch(/^HTTP\/1\.1 413 /);
        socket.destroy();
      },
    );
  });

  it('responds to a probe without a Host header', async () => {
    const { hostname, port } = new URL((await startServer()).url);
    const socket = connectSocket(Number(port), hostname);
    socket.write('GET /healthz HTTP/1.0\r\n\r\n');
    let response = '';
    for await (const chunk of socket) response += String(chunk);
    expect(response).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('R-40 survives a client that disconnects in the middle of its body', async () => {
    const service = await startServer();
    const { hostname, port } = new URL(service.url);
    for (let n = 0; n < 3; n++) {
      const socket = connectSocket(Number(port), hostname);
      await new Promise((resolve) => socket.once('connect', resolve));
      socket.write(
        `POST ${PATH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"a"`,
      );
      socket.destroy();
    }
    expect((await create(service)).status).toBe(200);
    expect(log).not.toContain('"level":50');
  });

  it('loses no request on keep-alive connections, like those of a load balancer, when it stops', async () => {
    const sent = JSON.stringify(body);
    for (let times = 0; times < 3; times++) {
      const service = await startServer({ lingerMs: 500 });
      const agent = new Agent({ keepAlive: true, maxSockets: 8 });
      const outcomes: string[] = [];
      const ask = (): Promise<string> =>
        new Promise((resolve) => {
          const sending = request(service.url + PATH, { agent, method: 'POST', headers }, (response) => {
            response
              .resume()
              .once('end', () => resolve(`${response.statusCode} ${response.headers.connection}`));
          });
          sending.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
          sending.end(sent);
        });
      const load = async (): Promise<void> => {
        for (let outcome = ''; outcome !== 'ECONNREFUSED'; outcomes.push(outcome)) outcome = await ask();
      };
      const loads = Array.from({ length: 8 }, load);
      await expect.poll(() => outcomes.length).toBeGreaterThan(20);
      await service.close();
      await Promise.all(loads);
      agent.destroy();
      expect(new Set(outcomes)).toEqual(new Set(['200 keep-alive', '200 close', 'ECONNREFUSED']));
    }
  });

  it('sends nosniff and a strict content security policy on every port', async () => {
    const service = await startServer({ opsPort: 0, controlPort: 0, inspectorPort: 0 });
    const inspector = new URL(service.inspector ?? '').origin;
    const addresses = [
      ...['/healthz', '/openapi.json', '/nothing', '/s/x/api/session'].map((path) => service.url + path),
      ...['/integrations/events', '/assets/nothing', '/app/embedded.loader.js'].map(
        (path) => service.url + path,
      ),
      ...['/healthz', '/metrics', '/nothing'].map((path) => service.ops + path),
      ...['/state', '/nothing'].map((path) => service.control + path),
      ...['/about', '/nothing'].map((path) => inspector + path),
    ];
    for (const address of addresses) {
      const { headers } = await fetch(address);
      expect([address, headers.get('x-content-type-options')]).toEqual([address, 'nosniff']);
      expect([address, headers.get('referrer-policy')]).toEqual([address, 'no-referrer']);
      expect([address, headers.get('content-security-policy')]).toEqual([
        address,
        "default-src 'none'; frame-ancestors 'none'",
      ]);
    }
    // With a policy of their own.
    const pages = ['/s/x/framing', '/s/x/framing.js', '/s/x/returned'].map((path) => service.url + path);
    for (const address of [inspector, ...pages]) {
      const { headers } = await fetch(address, { headers: { accept: 'text/html' } });
      expect([address, headers.get('x-content-type-options')]).toEqual([address, 'nosniff']);
      expect([address, headers.get('referrer-policy')]).toEqual([address, 'no-referrer']);
    }
    const page = await fetch(inspector, { headers: { accept: 'text/html' } });
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
  });

  it('serves health and the OpenAPI document, but metrics only on the ops port', async () => {
    const service = await startServer({ opsPort: 0 });
    await create(service, { PaymentDescriptor: 'not-for-metrics' });
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    expect((await fetch(`${service.url}/metrics`)).status).toBe(404);
    const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as {
      servers: { url: string }[];
    };
    expect(document.servers[0]?.url).toBe(service.url);
    const metrics = await (await fetch(`${service.ops}/metrics`)).text();
    expect(metrics).toMatch(
      /http_requests_total\{route="\/integrations\/embedded\/initiate",method="POST",status="200"\} 1/,
    );
    expect(metrics).not.toMatch(new RegExp(`${API_KEY}|not-for-metrics|stg_`));
  });

  it('reports pending webhooks per business unit, and the age of the oldest payment without an outcome', async () => {
    const gone = createSocketServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
    const webhook = { url: `http://127.0.0.1:${(gone.address() as AddressInfo).port}/`, secrets: SECRETS };
    const service = await startServer({
      opsPort: 0,
      config: parseConfig(config({ webhook }), 'staging'),
      processor: {
        tokenize: async ({ method }) => ({ token: method, last4: '4242' }),
        charge: async ({ token }) => {
          if (token === 'ACH') return 'declined';
          throw new Error('no answer');
        },
        lookup: () => new Promise(() => {}),
      },
    });
    expect(await gauges(service)).toEqual(NOTHING_WAITS);
    const pay = async (source: NewSource): Promise<unknown> =>
      (await open((path, init) => fetch(service.url + path, init), 'payment')).pay({ source });
    await Promise.all([pay(CARD), pay(BANK)]);
    await expect
      .poll(() => gauges(service))
      .toMatchObject({ 'webhook_messages_pending harborlight-water': 1 });
    const {
      payment_processing_oldest_seconds: age,
      'webhook_messages_oldest_seconds harborlight-water': webhookAge,
    } = await gauges(service);
    expect(webhookAge).toBeGreaterThan(0);
    expect(webhookAge).toBeLessThan(30);
    expect(age).toBeGreaterThan(0);
    expect(age).toBeLessThan(30);
    await new Promise((resolve) => gone.close(resolve));
  });

  it('R-50 logs a request id but no key, secret or body', async () => {
    const service = await startServer();
    const created = await create(service, { CustomMeta: { Secret: 'in-the-body' } });
    const { data } = (await created.json()) as Envelope;
    await create(service, { Charges: [] }, { 'x-service-api-key': 'stg_wrong_key' });
    // The log writes lines every few ms.
    await expect.poll(() => log.trim().split('\n').length).toBeGreaterThanOrEqual(2);
    const lines = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines[0]).toMatchObject({
      requestId: created.headers.get('x-request-id'),
      route: PATH,
      status: 200,
      businessUnit: SLUG,
    });
    expect(lines[1]).toMatchObject({ status: 401, codes: ['invalid_api_key'] });
    const secret = new URL(data.PaymentLogInLink).hash.slice(1);
    for (const hidden of [API_KEY, 'stg_wrong_key', secret, 'in-the-body']) expect(log).not.toContain(hidden);
  });

  it('R-90 binds its ops, control and inspector ports to loopback unless configured otherwise', async () => {
    const service = await startServer({ host: '0.0.0.0', opsPort: 0, controlPort: 0, inspectorPort: 0 });
    for (const own of [service.ops, service.control, service.inspector])
      expect(own).toMatch(/^http:\/\/127\.0\.0\.1:/);
    const open = await startServer({ opsPort: 0, opsHost: '0.0.0.0' });
    expect(open.ops).toMatch(/^http:\/\/0\.0\.0\.0:/);
  });

  it('does not poll after it stops', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const service = await startServer();
    running.splice(running.indexOf(service), 1);
    await service.close();
    // Without a database, the poll for work logs a failure.
    await vi.advanceTimersByTimeAsync(180_000);
    vi.useRealTimers();
    expect(log).not.toContain('A job failed');
  });

  it('finishes requests in flight when it stops, and accepts no new ones', async () => {
    const service = await startServer({ controlPort: 0, database: join(folder, 'drain.db') });
    const fault = { kind: 'latency', ms: 400, times: 1 };
    await fetch(`${service.control}/faults`, { method: 'POST', headers, body: JSON.stringify(fault) });
    const key = { 'idempotency-key': 'slow' };
    const slow = read(create(service, {}, key));
    await expect.poll(async () => (await create(service, {}, key)).status).toBe(409);
    running.splice(running.indexOf(service), 1);
    const closed = service.close();
    expect((await slow).hasErrors).toBe(false);
    await closed;
    await expect(fetch(`${service.url}/healthz`)).rejects.toThrow();
  });

  it('R-43 stops immediately with an idle preconnected browser', async () => {
    const service = await startServer({ opsPort: 0 });
    const sockets = await Promise.all(
      [service.url, service.ops].map(async (address) => {
        const { hostname, port } = new URL(address ?? '');
        const socket = connectSocket(Number(port), hostname);
        await once(socket, 'connect');
        return socket;
      }),
    );
    // Connections are accepted in order, so by now the earlier one is too.
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
    const ended = Promise.all(sockets.map((socket) => once(socket.resume(), 'close')));
    running.splice(running.indexOf(service), 1);
    const from = performance.now();
    await service.close();
    expect(performance.now() - from).toBeLessThan(15_000);
    await ended;
  });

  it('R-43 stops soon despite a half-sent head or body, and still responds to a complete request', async () => {
    const service = await startServer({ drainWithinMs: 20_000 });
    const half = async (): Promise<Socket> => {
      const { hostname, port } = new URL(service.url);
      const socket = connectSocket(Number(port), hostname);
      socket.on('error', () => undefined);
      socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /healthz HTTP/1.1\r\nHo');
      await once(socket, 'data');
      return socket;
    };
    const [silent, slow] = await Promise.all([half(), half()]);
    const halfBody = `${post(PATH, `X-Service-Api-Key: ${API_KEY}\r\nContent-Length: 9`)}{`;
    const ended = Promise.all([once(silent, 'close'), closed(service.url, halfBody)]);
    // Requests are handled in order, so by now the half body is too.
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
    let answered = '';
    slow.on('data', (data) => (answered += String(data)));
    const slowEnded = once(slow, 'close');
    running.splice(running.indexOf(service), 1);
    vi.useFakeTimers({ toFake: ['performance'] });
    const stopped = service.close();
    slow.write('st: localhost\r\n\r\n');
    await slowEnded;
    expect(silent.closed).toBe(false);
    vi.advanceTimersByTime(5_000);
    await Promise.all([stopped, ended]);
    vi.useRealTimers();
    expect(answered).toMatch(/HTTP\/1\.1 200 OK/);
  });

  it('R-43 stops all ports within one timeout, and the ops port reports it until the end', async () => {
    const drainWithinMs = 1_000;
    const service = await startServer({ opsPort: 0, controlPort: 0, inspectorPort: 0, drainWithinMs });
    /** Connects and sends a complete request, then `head`. An answer to another request proves that it has arrived. */
    const half = async (address: string | undefined, head: string): Promise<Socket> => {
      const { hostname, port } = new URL(address ?? '');
      const socket = connectSocket(Number(port), hostname);
      socket.on('error', () => undefined);
      socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
      await once(socket, 'data');
      socket.write(head);
      await fetch(address ?? '');
      return socket;
    };
    const body = 'Content-Length: 10';
    const probe = 'GET /readyz HTTP/1.1\r\nHost: localhost\r\n';
    const left = await Promise.all([
      half(service.url, `${post(PATH, body)}{`),
      half(service.control, `${post('/clock', body)}{`),
      half(service.ops, probe),
    ]);
    const ended = Promise.all(left.map((socket) => once(socket, 'close')));
    running.splice(running.indexOf(service), 1);
    const from = performance.now();
    const stopped = service.close();
    for (const address of [service.url, service.control, service.inspector])
      await expect(fetch(address ?? '')).rejects.toThrow();
    const ready = await fetch(`${service.ops}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([503, { status: 'stopping' }]);
    expect(left.some(({ closed }) => closed)).toBe(false);
    await Promise.all([stopped, ended]);
    // One timeout after the other would take three of them.
    expect(performance.now() - from).toBeLessThan(3 * drainWithinMs);
  });

  it.each(['/healthz', '/readyz', '/openapi.json', '/app/embedded.loader.js', '/s/stg_x'])(
    'R-43 answers 405 to anything but GET and HEAD of %s',
    async (path) => {
      const service = await startServer();
      for (const method of ['POST', 'OPTIONS', 'DELETE']) {
        const response = await fetch(service.url + path, { method });
        expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
        expect((await read(Promise.resolve(response))).errors[0]?.code).toBe('method_not_allowed');
      }
      expect((await fetch(service.url + path, { method: 'HEAD' })).status).not.toBe(405);
    },
  );

  it.each([
    '/s/%2e%2e/readyz',
    '/s/../readyz',
    '/s/.%2E/healthz',
    '/s/x/%2e%2e/%2e%2e/openapi.json',
    '/s/..\\readyz',
    '/s/./x',
    `/s/x?${'a&'.repeat(2_100)}`,
    `/s/${'%41'.repeat(1_400)}`,
  ])('R-91 rejects %s, which a proxy reads as another path or which takes long to decode', async (path) => {
    const service = await startServer();
    const { port, hostname } = new URL(service.url);
    const status = await new Promise((resolve, reject) => {
      request({ port, hostname, path }, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end();
    });
    expect(status).toBe(400);
  });

  it('R-91 shares one write to the database among probes that arrive together', async () => {
    const service = await startTestService();
    const transaction = vi.spyOn(service.deps.store, 'transaction');
    const probes = health(service.deps);
    await Promise.all(Array.from({ length: 50 }, async () => probes.request('/readyz')));
    expect((await probes.request('/readyz')).status).toBe(200);
    expect(transaction).toHaveBeenCalledTimes(1);
    await service.close();
  });

  it('reports a port that is in use', async () => {
    const service = await startServer();
    const { port } = new URL(service.url);
    await expect(startServer({ port: Number(port) })).rejects.toThrow(
      `127.0.0.1:${port}: the port is already in use`,
    );
  });
});

describe('environments', () => {
  const production = { env: 'production', sessionKeyText: `k:${'0'.repeat(64)}` } as const;

  it('R-6 development serves only the Events API', async () => {
    const service = await startServer({ env: 'development' });
    const post = (path: string): Promise<Response> =>
      fetch(service.url + path, {
        method: 'POST',
        headers,
        body: JSON.stringify({ businessUnitSlug: SLUG }),
      });
    for (const { endpoint } of Object.values(FLOWS)) expect((await post(endpoint)).status).toBe(404);
    for (const path of [QUERY_ENDPOINT, '/app/embedded.loader.js', '/s/stg_x', '/s/stg_x/api/session'])
      expect((await post(path)).status).toBe(404);
    expect((await post('/integrations/events')).status).toBe(400);
  });

  it('R-6 a database serves one environment', async () => {
    const database = join(folder, 'stamped.db');
    await (await startServer({ database })).close();
    running.pop();
    await expect(startServer({ ...production, database })).rejects.toMatchObject({
      code: 'environment_mismatch',
      message: expect.stringMatching(/staging.*production/),
    });
  });

  it.each([
    ['a control port', { controlPort: 0 }, 'invalid_arguments', /control/],
    ['payers in clear', { publicUrl: 'http://pay.example' }, 'invalid_arguments', /only to https: URLs/],
    [
      'a secret as a host',
      { host: 'postgres://a:secret@db' },
      'invalid_arguments',
      /^(?!.*secret).*public-url/,
    ],
    ['payers at no address', { host: '0.0.0.0' }, 'invalid_arguments', /--public-url must be the https: URL/],
    ['test cards', { testProcessor: true }, 'invalid_arguments', /no test processor/],
    [
      'to make session keys by itself',
      { sessionKeyText: undefined },
      'session_key_missing',
      /--session-keys/,
    ],
  ])('R-10 production rejects %s', async (_, options, code, message) => {
    const { sessionKeyText, ...rest } = { ...production, ...options };
    const given = sessionKeyText === undefined ? rest : { ...rest, sessionKeyText };
    await expect(startServer(given)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it('production starts without a processor, and its ids name the environment', async () => {
    const { createKey, revokeKey } = await import('../cli/keys.js');
    const { connect } = await import('../platform/databases/connect.js');
    const { migrate } = await import('../store/migrate.js');
    const { sqlStore } = await import('../store/sql-store.js');
    const database = join(folder, 'production.db');
    const connection = await connect(database);
    await migrate(connection);
    const { key } = await createKey(sqlStore(connection), 'production', [SLUG]);
    await expect(revokeKey(sqlStore(connection), key, 'staging')).rejects.toMatchObject({
      code: 'environment_mismatch',
    });
    await connection.close();
    expect(key).toMatch(/^prd_/);
    const service = await startServer({ ...production, database });
    const created = await read(create(service, {}, { 'x-service-api-key': key }));
    expect(created.data.PaymentSessionIdentifier).toMatch(/^prd_/);
    expect(readFileSync(database).includes(key)).toBe(false);
  });

  it.each([
    ['is not ready in production without a processor', {}, 503],
    ['is ready in production without a processor if that is deliberate', { noProcessor: true }, 200],
  ])('R-61 R-100 %s', async (_, options, status) => {
    const service = await startServer({ ...production, opsPort: 0, ...options });
    const message = expect.stringMatching(/Nothing can be paid.*--processor.*--no-processor/) as string;
    for (const url of [service.url, service.ops]) {
      const response = await fetch(`${url}/readyz`);
      expect(response.status).toBe(status);
      expect(await response.json()).toEqual(
        status === 200 ? { status: 'ok' } : { status: 'no payment processor', reason: message },
      );
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
    }
    expect(service.unready).toEqual(status === 200 ? undefined : message);
  });

  it('R-100 rejects a processor combined with --no-processor', async () => {
    const given = { noProcessor: true, testProcessor: true };
    await expect(startServer(given)).rejects.toMatchObject({ code: 'invalid_arguments' });
  });

  it('creates a session key next to the database once, readable only by its owner, and later refuses to start without it', async () => {
    const database = join(folder, 'keys.db');
    const first = await startServer({ database });
    await create(first);
    const file = `${database}.session-keys`;
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await first.close();
    running.pop();
    writeFileSync(file, `other:${'1'.repeat(64)}\n`);
    await expect(startServer({ database })).rejects.toMatchObject({ code: 'session_key_missing' });
  });

  it('names the option to use if its new session key cannot be saved', async () => {
    // The longest file name that allows the suffix `-journal`; too long for `.session-keys`.
    const database = join(folder, 'n'.repeat(244));
    await expect(startServer({ database })).rejects.toMatchObject({
      code: 'invalid_arguments',
      message: expect.stringMatching(
        /Cannot save the new session keys in .*n\.session-keys: ENAMETOOLONG.*--session-keys FILE/,
      ),
    });
  });

  it.each([
    ['nothing', 'export const none = 1;', /no tokenize, charge, lookup/],
    ['half a processor', 'export default { charge() {} };', /no tokenize, lookup/],
    ['a broken module', 'export default {', /cannot be loaded/],
  ])('rejects a processor module with %s', async (name, text, message) => {
    const file = join(folder, `${name.replaceAll(' ', '-')}.mjs`);
    writeFileSync(file, text);
    await expect(startServer({ processor: file })).rejects.toMatchObject({
      code: 'processor_invalid',
      message: expect.stringMatching(message),
    });
  });
});

describe.runIf(hasPostgres)('on PostgreSQL', () => {
  let postgres: Postgres;
  let newDatabase: () => Promise<string>;
  beforeAll(async () => {
    postgres = await sharedPostgres();
    newDatabase = withSchema(postgres);
  });
  afterAll(() => postgres.stop());

  const IMPATIENT = { database: { statementTimeoutMs: 1_000 } };

  /** A database behind a gate that, once cut, swallows all bytes: no reset, no answer. */
  const gated = async (): Promise<{ database: string; gate: Gate }> => {
    const gate = await startGate();
    const url = new URL(await newDatabase());
    gate.leadTo(Number(url.port));
    url.port = String(gate.port);
    return { database: url.href, gate };
  };

  it(
    'R-61 is ready even if another process was suspended while holding row locks',
    { tags: ['thorough'] },
    async () => {
      const database = await newDatabase();
      const service = await startServer({ database });
      const ready = async (): Promise<number> => (await fetch(`${service.url}/readyz`)).status;
      expect(await ready()).toBe(200);
      const stopped = new Client(database);
      await stopped.connect();
      await stopped.query('begin');
      await stopped.query('update meta set value = value');
      expect(await ready()).toBe(200);
      await stopped.end();
    },
  );

  it('R-61 is not ready if the database is read-only', { tags: ['thorough'] }, async () => {
    const database = await newDatabase();
    const service = await startServer({ database });
    const admin = new Client(database);
    await admin.connect();
    const { rows } = await admin.query<{ name: string }>('select current_database() as name');
    await admin.query(`alter database "${rows[0]!.name}" set default_transaction_read_only = on`);
    await admin.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    await admin.end();
    hurry();
    expect((await fetch(`${service.url}/readyz`)).status).toBe(503);
  });

  it(
    'R-61 survives connections that the database closes mid-transaction, without failing a request',
    { tags: ['thorough'], timeout: 60_000 },
    async () => {
      const database = await newDatabase();
      const service = await startServer({ database });
      const admin = new Client(database);
      await admin.connect();
      const end = `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null`;
      const responses: number[] = [];
      const stop = new AbortController();
      const load = async (): Promise<void> => {
        while (!stop.signal.aborted) responses.push((await create(service)).status);
      };
      const loads = [load(), load(), load(), load()];
      for (let ended = 0; ended < 5;) ended += (await admin.query(end)).rowCount ?? 0;
      stop.abort();
      await Promise.all(loads);
      await admin.end();
      expect(responses.length).toBeGreaterThan(0);
      expect(responses.filter((status) => status !== 200)).toEqual([]);
    },
  );

  it(
    'R-61 is not ready while the database hangs, but answers on every port in time and can stop',
    { timeout: 60_000 },
    async () => {
      const { database, gate } = await gated();
      try {
        const impatient = parseConfig({ ...CONFIG, ...IMPATIENT }, 'staging');
        const ports = { opsPort: 0, controlPort: 0, inspectorPort: 0 };
        const service = await startServer({ database, config: impatient, ...ports });
        expect(await gauges(service)).toEqual({ ...NOTHING_WAITS, ...POOL });
        const ready = async (): Promise<number> => (await fetch(`${service.url}/readyz`)).status;
        expect(await ready()).toBe(200);
        gate.cut();
        hurry();
        const askedAt = Date.now();
        // Probe results are cached for 250 ms.
        await expect.poll(ready).toBe(503);
        expect(Date.now() - askedAt).toBeLessThan(10_000);
        // Unknown values are left out, and repeated scrapes don't exhaust the connections.
        const scrapes = await Promise.all(Array.from({ length: 20 }, () => gauges(service)));
        for (const scrape of scrapes) expect(scrape).toEqual(POOL);
        expect(scrapes.at(-1)?.['connections_used']).toBeLessThan(5);
        expect(Date.now() - askedAt).toBeLessThan(15_000);
        const token = service.inspector?.split('#')[1];
        const advance = { method: 'POST', body: '{"advance":"1m"}' };
        const headers = { authorization: `Bearer ${token}` };
        const hands = [
          create(service),
          fetch(`${service.control}/state?businessUnit=${SLUG}`),
          fetch(`${service.control}/clock`),
          fetch(`${service.control}/clock`, advance),
          fetch(`${service.control}/reset`, { method: 'POST' }),
          fetch(new URL('/sessions', service.inspector), { headers }),
          fetch(new URL('/clock', service.inspector), { ...advance, headers }),
        ];
        for (const response of await Promise.all(hands)) {
          expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2']);
          expect(await response.text()).toContain('The database is too busy or cannot be reached');
        }
        await service.close();
      } finally {
        gate.stop();
      }
    },
  );

  it('several services share session keys, sessions and the clock', { timeout: 60_000 }, async () => {
    const database = await newDatabase();
    const [one, other] = await Promise.all([
      startServer({ database, controlPort: 0 }),
      startServer({ database, controlPort: 0, publicUrl: 'http://pay.test' }),
    ]);
    const idempotent = { 'idempotency-key': 'same' };
    const first = await read(create(one, {}, idempotent));
    const replay = await read(create(other, {}, idempotent));
    expect(new URL(replay.data.PaymentLogInLink).hash).toBe(new URL(first.data.PaymentLogInLink).hash);
    const status = async (service: Running): Promise<string> => {
      const query = {
        BusinessUnitSlug: SLUG,
        PaymentSessionIdentifier: first.data.PaymentSessionIdentifier,
      };
      const response = fetch(service.url + QUERY_ENDPOINT, {
        method: 'POST',
        headers,
        body: JSON.stringify(query),
      });
      return (await read(response)).data.Status;
    };
    expect(await status(other)).toBe('RequiresPaymentSource');
    const advance = JSON.stringify({ advance: '31m' });
    expect((await fetch(`${one.control}/clock`, { method: 'POST', headers, body: advance })).status).toBe(
      200,
    );
    expect(await status(one)).toBe('Expired');
    expect(await status(other)).toBe('Expired');
  });
});
