/** How each port answers malformed requests and wrong methods. */
import dns from 'node:dns';
import { once } from 'node:events';
import { connect, Server } from 'node:net';
import { FLOWS } from '@embedded-sessions/server-types';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CONFIG } from '../../test/api.js';
import { open } from '../../test/payer.js';
import { parseConfig } from '../platform/config/config.js';
import { createLog } from '../platform/log/log.js';
import { serve, type Running } from './serve.js';

const PORTS = ['url', 'control', 'inspector', 'ops'] as const;
type Port = (typeof PORTS)[number];

type LookupDone = (error: null, address: string, family: number) => void;

let log = '';
let service: Running;
beforeAll(async () => {
  service = await serve({
    env: 'staging',
    config: parseConfig(CONFIG, 'staging'),
    database: ':memory:',
    host: '127.0.0.1',
    port: 0,
    controlPort: 0,
    inspectorPort: 0,
    opsPort: 0,
    receiveWithinMs: 500,
    log: createLog({ write: (line) => void (log += line) }),
  });
});
afterAll(async () => {
  await service.close();
});

/** Reads until the service closes the connection. */
async function ask(port: Port, text: string): Promise<{ status: number; head: string; body: string }> {
  const { hostname, port: number } = new URL(service[port] ?? '');
  const socket = connect(Number(number), hostname);
  let response = '';
  socket.on('data', (chunk) => void (response += String(chunk)));
  socket.on('error', () => undefined);
  socket.write(text);
  await once(socket, 'close');
  const [head = '', body = ''] = response.split('\r\n\r\n', 2);
  return { status: Number(head.split(' ')[1]), head, body };
}

const HOST = 'Host: 127.0.0.1\r\n';
const POST = `POST ${FLOWS.payment.endpoint} HTTP/1.1\r\n${HOST}`;
/** Must not be echoed. */
const CANARY = 'canary-4242';

describe.each(PORTS)('R-91 at the port of %s', (port) => {
  it.each<[string, string, number]>([
    ['no HTTP', `${CANARY}\r\n\r\n`, 400],
    ['a header without a name', `GET / HTTP/1.1\r\n${HOST}: ${CANARY}\r\n\r\n`, 400],
    ['no host', `GET /${CANARY} HTTP/1.1\r\n\r\n`, 400],
    ['an invalid host', `GET / HTTP/1.1\r\nHost: ${CANARY}/\\\r\nConnection: close\r\n\r\n`, 400],
    ['an invalid path', `GET \\${CANARY} HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`, 400],
    ['two lengths', `${POST}Content-Length: 1\r\nContent-Length: 2\r\n\r\n${CANARY}`, 400],
    ['a length and chunks', `${POST}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n${CANARY}`, 400],
    ['half a head', `GET /${CANARY} HTTP/1.1\r\n`, 408],
    ['a head of 20 kB', `GET / HTTP/1.1\r\n${HOST}X-Long: ${CANARY}${'x'.repeat(20_000)}\r\n\r\n`, 431],
    [
      'a chunk extension of 20 kB',
      `${POST}Transfer-Encoding: chunked\r\n\r\n1;${CANARY}${'x'.repeat(20_000)}\r\n`,
      413,
    ],
  ])('rejects %s and closes the connection', async (_, text, status) => {
    const response = await ask(port, text);
    expect(response.status).toBe(status);
    expect(response.head).toMatch(/^connection: close$/im);
    expect(response.head + response.body).not.toContain(CANARY);
    expect(log).not.toContain(CANARY);
  });
});

it('listens on a name that resolves to an IPv6 address', async () => {
  const lookup = vi
    .spyOn(dns, 'lookup')
    .mockImplementation((...args: unknown[]) => (args.at(-1) as LookupDone)(null, '::1', 6));
  const six = await serve({
    env: 'staging',
    config: parseConfig(CONFIG, 'staging'),
    database: ':memory:',
    host: 'six.test',
    port: 0,
    log: createLog({ write: () => undefined }),
  }).finally(() => lookup.mockRestore());
  const { hostname, port } = new URL(six.url);
  expect(hostname).toBe('six.test');
  expect((await fetch(`http://[::1]:${port}/healthz`)).status).toBe(200);
  await six.close();
});

it('R-61 survives and logs a connection refused for lack of file descriptors', async () => {
  const listened = vi.spyOn(Server.prototype, 'listen');
  let lines = '';
  const busy = await serve({
    env: 'staging',
    config: parseConfig(CONFIG, 'staging'),
    database: ':memory:',
    host: '127.0.0.1',
    port: 0,
    log: createLog({ write: (line) => void (lines += line) }),
  });
  const [server] = listened.mock.contexts as Server[];
  for (let times = 0; times < 2; times++)
    server?.emit('error', Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' }));
  expect(
    lines.match(/Could not accept a connection.*EMFILE|EMFILE.*Could not accept a connection/g),
  ).toHaveLength(2);
  expect((await fetch(`${busy.url}/healthz`)).status).toBe(200);
  await busy.close();
});

it('R-91 closes the connection of a body in thousands of small chunks, and reads a large body in a thousand', async () => {
  const send = (size: number, count: number) => {
    const chunk = `${size.toString(16)}\r\n${' '.repeat(size)}\r\n`;
    const head = `${POST}Content-Type: application/json\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n`;
    return ask('url', `${head}${chunk.repeat(count)}0\r\n\r\n`);
  };
  expect(await send(1, 10_000)).toMatchObject({ head: '' });
  expect(await send(250, 1_000)).toMatchObject({ status: 401 });
});

it(
  'R-91 buffers at most 64 MiB of bodies and still serves small requests',
  { tags: ['thorough'] },
  async () => {
    const { hostname, port } = new URL(service.url);
    const length = 256 * 1024;
    const stalled = Array.from({ length: 300 }, () => {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined);
      socket.write(`${POST}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`);
      socket.write(' '.repeat(length - 1));
      return socket.resume();
    });
    await expect.poll(() => stalled.filter(({ closed }) => closed).length).toBeGreaterThan(30);
    expect(await ask('url', `${POST}Connection: close\r\nContent-Length: 2\r\n\r\n{}`)).toMatchObject({
      status: 415,
    });
    for (const socket of stalled) socket.destroy();
    const large = `${POST}Content-Type: application/json\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n${' '.repeat(length)}`;
    await expect.poll(async () => (await ask('url', large)).status).toBe(401);
  },
);

describe('R-43 an address requested with the wrong method', () => {
  const GET = 'GET, HEAD';
  it.each<[Port, string, string, string]>([
    ['url', '/healthz', 'POST', GET],
    ['url', '/s/:id', 'POST', GET],
    ['url', '/s/:id/framing', 'POST', GET],
    ['url', '/s/:id/framing.js', 'POST', GET],
    ['url', '/app/words.js', 'POST', GET],
    ['url', '/assets/app.js', 'DELETE', GET],
    ['url', '/s/:id/api/session', 'POST', GET],
    ['url', '/s/:id/api/pay', 'GET', 'POST'],
    ['url', FLOWS.payment.endpoint, 'GET', 'POST'],
    ['ops', '/healthz', 'POST', GET],
    ['ops', '/readyz', 'DELETE', GET],
    ['ops', '/metrics', 'POST', GET],
    ['control', '/state', 'POST', GET],
    ['control', '/reset', 'GET', 'POST'],
    ['control', '/clock', 'DELETE', `${GET}, POST`],
    ['inspector', '/requests', 'POST', GET],
    ['inspector', '/sessions/:id/pay', 'PATCH', 'POST'],
  ])('%s %s: 405 to %s', async (port, path, method, allow) => {
    const { id } = await open((at, init) => fetch(service.url + at, init), 'payment');
    const token = service.inspector?.split('#')[1];
    const address = new URL(path.replace(':id', id), service[port]);
    const response = await fetch(address, { method, headers: { authorization: `Bearer ${token}` } });
    expect([response.status, response.headers.get('allow')]).toEqual([405, allow]);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await response.text()).toMatch(/^\{.*accepts only (GET|POST)/);
  });

  it.each(PORTS)('is not answered with 404 at the port of %s', async (port) => {
    const token = service.inspector?.split('#')[1];
    const headers = { authorization: `Bearer ${token}` };
    for (const method of ['GET', 'POST', 'OPTIONS'])
      expect((await fetch(new URL('/nothing/here', service[port]), { method, headers })).status).toBe(404);
  });
});
