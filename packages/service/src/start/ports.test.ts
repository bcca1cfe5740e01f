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
  let answer = '';
  socket.on('data', (chunk) => void (answer += String(chunk)));
  socket.on('error', () => undefined);
  socket.write(text);
  await once(socket, 'close');
  const [head = '', body = ''] = answer.split('\r\n\r\n', 2);
  return { status: Number(head.split(' ')[1]), head, body };
}

const HOST = 'Host: 127.0.0.1\r\n';
const POST = `POST ${FLOWS.payment.endpoint} HTTP/1.1\r\n${HOST}`;
/** Must not be echoed. */
const CANARY = 'canary-4242';

describe.each(PORTS)('R-43 at the port of %s', (port) => {
  it.each<[string, string, number, string]>([
    ['no HTTP', `${CANARY}\r\n\r\n`, 400, 'invalid'],
    ['a header of no name', `GET / HTTP/1.1\r\n${HOST}: ${CANARY}\r\n\r\n`, 400, 'invalid'],
    ['no host', `GET /${CANARY} HTTP/1.1\r\n\r\n`, 400, 'invalid'],
    [
      'a host that is none',
      `GET / HTTP/1.1\r\nHost: ${CANARY}/\\\r\nConnection: close\r\n\r\n`,
      400,
      'invalid',
    ],
    ['a path that is none', `GET \\${CANARY} HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`, 400, 'invalid'],
    ['two lengths', `${POST}Content-Length: 1\r\nContent-Length: 2\r\n\r\n${CANARY}`, 400, 'invalid'],
    [
      'a length and chunks',
      `${POST}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n${CANARY}`,
      400,
      'invalid',
    ],
    ['chunks of no length', `${POST}Transfer-Encoding: chunked\r\n\r\n${CANARY}\r\n`, 400, 'invalid'],
    ['half a head', `GET /${CANARY} HTTP/1.1\r\n`, 408, 'request_timeout'],
    [
      'an expectation',
      `${POST}Expect: ${CANARY}\r\nContent-Length: 3\r\n\r\n{}\n`,
      417,
      'expectation_failed',
    ],
    [
      'a head of 20 kB',
      `GET / HTTP/1.1\r\n${HOST}X-Long: ${CANARY}${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    [
      'a word of 20 kB beside a chunk',
      `${POST}Transfer-Encoding: chunked\r\n\r\n1;${CANARY}${'x'.repeat(20_000)}\r\n`,
      413,
      'body_too_large',
    ],
  ])('%s is answered with the envelope, and its connection closed', async (_, text, status, code) => {
    const answer = await ask(port, text);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toEqual({
      hasErrors: true,
      errors: [{ code, message: expect.stringMatching(/^[A-Z].*\.$/) }],
      data: null,
    });
    const head = answer.head.toLowerCase();
    for (const line of [
      'connection: close',
      'content-type: application/json; charset=utf-8',
      'cache-control: no-store',
      'x-content-type-options: nosniff',
      `content-length: ${answer.body.length}`,
    ])
      expect(head.split('\r\n')).toContain(line);
    expect(answer.head + answer.body).not.toContain(CANARY);
    expect(log).not.toContain(CANARY);
  });
});

it('R-43 what comes behind a request on one connection takes nothing of its answer', async () => {
  const whole = `GET /readyz HTTP/1.1\r\n${HOST}\r\n`;
  const { status, head, body } = await ask('url', `${whole}${CANARY}\r\n\r\n`);
  // Gets its own answer or none, never the one to a later request.
  if (status !== 200) expect(head + body).toBe('');
});

it.each([
  ['without a host', 'GET / HTTP/1.1\r\n\r\n', 400],
  ['with an expectation', `GET / HTTP/1.1\r\n${HOST}Expect: ${CANARY}\r\n\r\n`, 417],
])('R-43 a request %s is answered behind the one before it on its connection', async (_, text, status) => {
  const fault = { kind: 'latency', ms: 200, path: '/healthz' };
  await fetch(`${service.control}/faults`, { method: 'POST', body: JSON.stringify(fault) });
  const { head, body } = await ask('url', `GET /healthz HTTP/1.1\r\n${HOST}\r\n${text}`);
  expect(head).toContain('HTTP/1.1 200 OK');
  expect(body).toContain(`{"status":"ok"}HTTP/1.1 ${status} `);
});

it('listens by a name that leads to an IPv6 address', async () => {
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

it('R-61 a connection that cannot be taken for want of files ends nothing, and is logged', async () => {
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

it('R-91 refuses a body in thousands of tiny chunks, and reads one in thousands of small ones', async () => {
  const send = (size: number, count: number) => {
    const chunk = `${size.toString(16)}\r\n${' '.repeat(size)}\r\n`;
    const head = `${POST}Content-Type: application/json\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n`;
    return ask('url', `${head}${chunk.repeat(count)}0\r\n\r\n`);
  };
  expect(await send(1, 10_000)).toMatchObject({
    status: 400,
    body: expect.stringContaining('small chunks') as string,
  });
  const read = { status: 400, body: expect.stringContaining('invalid_json') as string };
  expect(await send(1, 2_000)).toMatchObject(read);
  expect(await send(64, 4_000)).toMatchObject(read);
});

describe('R-43 an address that takes another method', () => {
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
    const answer = await fetch(address, { method, headers: { authorization: `Bearer ${token}` } });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await answer.text()).toMatch(/^\{.*takes (GET|POST)/);
  });

  it.each(PORTS)('is not one that is not there, at the port of %s', async (port) => {
    const token = service.inspector?.split('#')[1];
    const headers = { authorization: `Bearer ${token}` };
    for (const method of ['GET', 'POST', 'OPTIONS'])
      expect((await fetch(new URL('/nothing/here', service[port]), { method, headers })).status).toBe(404);
  });
});
