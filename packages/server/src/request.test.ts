// Tests the client's result for each fault on a real socket.
import { inspect } from 'node:util';
import { spawnSync } from 'node:child_process';
import { getEventListeners } from 'node:events';
import { createServer as createSecureServer } from 'node:https';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import * as fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { PaymentSessionRequest } from '@embedded-sessions/server-types';
import {
  type CallOptions,
  createServiceClient,
  type ErrorKind,
  isServiceError,
  type ServiceClientOptions,
} from './index.js';

const KEY = 'stg_5up3r-s3cr3t-k3y';
const REQUEST: PaymentSessionRequest = {
  BusinessUnitSlug: 'harborlight-water',
  Channel: 'QuickPay',
  Charges: [{ Amount: 12_345 }],
  ClientReference: 'order-1',
};
const DATA = {
  PaymentSessionIdentifier: 'stg_1',
  PaymentLogInLink: 'http://127.0.0.1:1/s/stg_1#shh',
  Status: 'RequiresPaymentSource',
};
const OK = JSON.stringify({ hasErrors: false, errors: [], data: DATA });
const refusal = (code: string, message = code) =>
  JSON.stringify({ hasErrors: true, errors: [{ code, message }], data: null });

/** The server's reaction to a connection when the whole request has arrived. */
type Reaction = (socket: Socket) => void;
const http =
  (status: number, body: string, headers: Record<string, string> = {}): Reaction =>
  (socket) => {
    const all = {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'x-request-id': 'req_7',
      connection: 'close',
      ...headers,
    };
    const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status} Whatever\r\n${head.join('')}\r\n${body}`);
  };
const ok = http(200, OK);
const reset: Reaction = (socket) => socket.resetAndDestroy();
const silent: Reaction = () => undefined;
const cutBody: Reaction = (socket) => {
  socket.write(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${OK.length}\r\n\r\n{"hasEr`,
  );
  setImmediate(() => socket.destroy());
};
const cutWithoutLength: Reaction = (socket) =>
  socket.end(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n${OK.slice(0, 40)}`,
  );
const cutChunk: Reaction = (socket) => {
  socket.write(
    'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n40\r\n{"ha',
  );
  setImmediate(() => socket.destroy());
};
const drip: Reaction = (socket) => {
  socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 10000\r\n\r\n{');
  const timer = setInterval(() => socket.write(' '), 20);
  socket.on('close', () => clearInterval(timer));
};
const switches: Reaction = (socket) =>
  void socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n');
const hints =
  (count: number): Reaction =>
  (socket) =>
    void socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(count));
const hintsThenOk: Reaction = (socket) => {
  hints(100)(socket);
  ok(socket);
};
const servers: Server[] = [];
/** A server with a reaction per connection. The last one repeats. */
async function serve(...reactions: [Reaction, ...Reaction[]]): Promise<{ baseUrl: string; seen: string[] }> {
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    let request = '';
    socket.on('data', (part) => {
      request += part.toString();
      const [head = '', body = ''] = request.split('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (!request.includes('\r\n\r\n') || Buffer.byteLength(body) < length) return;
      seen.push(request);
      request = '';
      (reactions[seen.length - 1] ?? reactions.at(-1) ?? silent)(socket);
    });
  });
  servers.push(server);
  server.on('close', () => sockets.forEach((socket) => socket.destroy()));
  const close = server.close.bind(server);
  server.close = (done) => {
    sockets.forEach((socket) => socket.destroy());
    return close(done);
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return { baseUrl: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, seen };
}
afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
});

const clientOf = (baseUrl: string, options: Partial<ServiceClientOptions> = {}) =>
  createServiceClient({ environment: 'staging', baseUrl, apiKey: KEY, ...options });
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => Promise.reject(new Error('expected a rejection')),
    (error: unknown) => {
      if (!isServiceError(error)) throw error;
      return error;
    },
  );
const noWait = () => vi.spyOn(Math, 'random').mockReturnValue(0);

const HTML = '<html><body>Bad gateway. See <a href="https://x.example/s/1#secret">here</a></body></html>';
const html = { 'content-type': 'text/html' };
interface Row {
  fault: string;
  reactions: [Reaction, ...Reaction[]];
  /** The failure's kind. Omitted for success. */
  kind?: ErrorKind;
  attempts: number;
  message?: RegExp;
  options?: Partial<ServiceClientOptions>;
}
const FAULTS: Row[] = [
  { fault: 'none', reactions: [ok], attempts: 1 },
  { fault: 'reset, then success', reactions: [reset, ok], attempts: 2 },
  { fault: 'always reset', reactions: [reset], kind: 'connection', attempts: 3 },
  { fault: 'body cut after its headers, then success', reactions: [cutBody, ok], attempts: 2 },
  { fault: 'body cut after its headers, always', reactions: [cutBody], kind: 'connection', attempts: 3 },
  { fault: 'chunk cut, then success', reactions: [cutChunk, ok], attempts: 2 },
  { fault: 'cut without a length, then success', reactions: [cutWithoutLength, ok], attempts: 2 },
  {
    fault: 'cut without a length, always',
    reactions: [cutWithoutLength],
    kind: 'connection',
    attempts: 3,
    message: /cut short/,
  },
  { fault: 'another protocol, then success', reactions: [switches, ok], attempts: 2 },
  {
    fault: 'another protocol, always',
    reactions: [switches],
    kind: 'connection',
    attempts: 3,
    message: /failed: reason unknown /,
  },
  { fault: 'R-91 a hundred early hints', reactions: [hintsThenOk], attempts: 1 },
  { fault: 'R-91 more than a hundred, always', reactions: [hints(101)], kind: 'connection', attempts: 3 },
  { fault: 'no response, then success', reactions: [silent, ok], attempts: 2, options: { timeoutMs: 1_500 } },
  {
    fault: 'no response, always',
    reactions: [silent],
    kind: 'timeout',
    attempts: 3,
    message: /timeoutMs/,
    options: { timeoutMs: 500 },
  },
  {
    fault: 'no response within the total',
    reactions: [silent],
    kind: 'timeout',
    attempts: 1,
    message: /totalTimeoutMs/,
    options: { totalTimeoutMs: 500 },
  },
  {
    fault: 'a response that drips',
    reactions: [drip],
    kind: 'timeout',
    attempts: 1,
    options: { timeoutMs: 500, maxRetries: 0 },
  },
  { fault: '408, then success', reactions: [http(408, refusal('slow')), ok], attempts: 2 },
  { fault: '408, always', reactions: [http(408, refusal('slow'))], kind: 'timeout', attempts: 3 },
  {
    fault: '429, then success',
    reactions: [http(429, refusal('rate_limited'), { 'retry-after': '0' }), ok],
    attempts: 2,
  },
  {
    fault: '429 until a moment that is over, then success',
    reactions: [
      http(429, refusal('rate_limited'), { 'retry-after': new Date(Date.now() - 9_000).toUTCString() }),
      ok,
    ],
    attempts: 2,
  },
  { fault: '429, always', reactions: [http(429, refusal('rate_limited'))], kind: 'rateLimit', attempts: 3 },
  { fault: '429 without an envelope', reactions: [http(429, '')], kind: 'rateLimit', attempts: 3 },
  { fault: '500, then success', reactions: [http(500, refusal('internal')), ok], attempts: 2 },
  { fault: '503, always', reactions: [http(503, refusal('internal'))], kind: 'server', attempts: 3 },
  { fault: '502 with an HTML page, then success', reactions: [http(502, HTML, html), ok], attempts: 2 },
  {
    fault: '502 with an HTML page, always',
    reactions: [http(502, HTML, html)],
    kind: 'protocol',
    attempts: 3,
    message: /Bad gateway/,
  },
  {
    fault: '500 with an empty body',
    reactions: [http(500, '')],
    kind: 'protocol',
    attempts: 3,
    message: /Body: empty/,
  },
  { fault: "403 of a gateway's own", reactions: [http(403, HTML, html)], kind: 'permission', attempts: 1 },
  {
    fault: '200 with an HTML page',
    reactions: [http(200, HTML, html)],
    kind: 'protocol',
    attempts: 1,
    message: /baseUrl/,
  },
  {
    fault: '200 with an empty body',
    reactions: [http(200, '')],
    kind: 'protocol',
    attempts: 1,
    message: /Body: empty/,
  },
  { fault: '204', reactions: [http(204, '')], kind: 'protocol', attempts: 1 },
  {
    fault: '200 with JSON that is no envelope',
    reactions: [http(200, '[]')],
    kind: 'protocol',
    attempts: 1,
    message: /not an envelope.*\[\]/,
  },
  {
    fault: '200 with half JSON and a brace',
    reactions: [http(200, '{"hasErrors":}')],
    kind: 'protocol',
    attempts: 1,
  },
  {
    fault: '200 without a session URL',
    reactions: [http(200, '{"hasErrors":false,"errors":[],"data":{}}')],
    kind: 'protocol',
    attempts: 1,
    message: /readSession/,
  },
  {
    fault: 'a redirect',
    reactions: [http(307, '', { location: 'https://evil.example/' })],
    kind: 'protocol',
    attempts: 1,
    message: /redirect/,
  },
  {
    fault: '200 with hasErrors (R-53)',
    reactions: [http(200, refusal('invalid', 'Charges is wrong'))],
    kind: 'validation',
    attempts: 1,
    message: /Charges is wrong/,
  },
  {
    fault: '400 with hasErrors',
    reactions: [http(400, refusal('required'))],
    kind: 'validation',
    attempts: 1,
  },
  {
    fault: '401 with hasErrors',
    reactions: [http(401, refusal('invalid_api_key'))],
    kind: 'authentication',
    attempts: 1,
  },
  {
    fault: '403 with hasErrors',
    reactions: [http(403, refusal('business_unit_forbidden'))],
    kind: 'permission',
    attempts: 1,
  },
  {
    fault: "401 of a gateway's own",
    reactions: [http(401, '{"message":"Unauthorized"}')],
    kind: 'authentication',
    attempts: 1,
    message: /not an envelope.*Unauthorized/,
  },
  {
    fault: '404 of another server',
    reactions: [http(404, 'Not Found', { 'content-type': 'text/plain' })],
    kind: 'protocol',
    attempts: 1,
  },
  {
    fault: '409, the reference is taken',
    reactions: [http(409, refusal('client_reference_taken'))],
    kind: 'referenceConflict',
    attempts: 1,
  },
  {
    fault: '422 with hasErrors',
    reactions: [http(422, refusal('idempotency_key_reused'))],
    kind: 'validation',
    attempts: 1,
  },
  {
    fault: 'still running, on the first attempt',
    reactions: [http(409, refusal('idempotency_in_flight'))],
    kind: 'server',
    attempts: 1,
  },
  {
    fault: 'still running, after an attempt of ours',
    reactions: [reset, http(409, refusal('idempotency_in_flight')), ok],
    attempts: 3,
  },
  {
    fault: 'errors that are strings',
    reactions: [http(400, '{"hasErrors":true,"errors":["nope"],"data":null}')],
    kind: 'validation',
    attempts: 1,
    message: /nope/,
  },
  {
    fault: 'errors that are no array',
    reactions: [http(400, '{"hasErrors":true,"errors":"nope"}')],
    kind: 'validation',
    attempts: 1,
  },
  {
    fault: 'status 400 that says hasErrors false',
    reactions: [http(400, OK)],
    kind: 'validation',
    attempts: 1,
  },
];

describe('R-52 R-53 each fault on a real socket', () => {
  it.each(FAULTS)(
    '$fault → $kind after $attempts',
    async ({ reactions, kind, attempts, message, options }) => {
      noWait();
      const { baseUrl, seen } = await serve(...reactions);
      const created = clientOf(baseUrl, options).payments.create(REQUEST);
      if (kind === undefined) {
        const { data, attempts: tried, ...rest } = await created.withResponse();
        expect(data).toMatchObject({
          sessionId: 'stg_1',
          sessionUrl: DATA.PaymentLogInLink,
          status: DATA.Status,
        });
        expect(rest).toEqual({ status: 200, requestId: 'req_7' });
        expect(tried).toHaveLength(attempts);
        expect(tried.at(-1)).toMatchObject({ status: 200, kind: undefined });
      } else {
        const error = await failure(created);
        expect(error.kind).toBe(kind);
        expect(error.message).toMatch(message ?? /./);
        expect(error.attempts).toHaveLength(attempts);
        expect(`${error.message}${JSON.stringify(error.details)}`).not.toContain('#secret');
      }
      expect(seen).toHaveLength(attempts);
      const keys = seen.map((request) => /idempotency-key: (\S+)/i.exec(request)?.[1]);
      expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
      expect(new Set(keys).size, 'the same Idempotency-Key across attempts').toBe(1);
    },
  );

  it('retries a refused connection and knows that nothing arrived', async () => {
    noWait();
    const { baseUrl } = await serve(ok);
    await new Promise((resolve) => servers.pop()?.close(resolve));
    const error = await failure(clientOf(baseUrl).payments.create(REQUEST));
    expect(error).toMatchObject({ kind: 'connection', details: { code: 'ECONNREFUSED' }, errors: [] });
    expect(error.ambiguous, 'with a reference alone').toBeUndefined();
    expect(error.attempts.map(({ mayHaveArrived }) => mayHaveArrived)).toEqual([false, false, false]);
  });

  it('reports an unknown host and knows that nothing arrived', async () => {
    noWait();
    const error = await failure(clientOf('https://no-such-host.invalid').payments.create(REQUEST));
    expect(error.kind).toBe('connection');
    expect(error.attempts.map(({ mayHaveArrived }) => mayHaveArrived)).toEqual([false, false, false]);
  });
});

const openssl = spawnSync('openssl', ['version']).status === 0;
it.skipIf(!openssl)('does not retry a bad certificate and knows that nothing arrived', async () => {
  const subject = ['-subj', '/CN=127.0.0.1', '-days', '1', '-nodes', '-newkey', 'rsa:2048'];
  const pem = spawnSync('openssl', ['req', '-x509', ...subject, '-keyout', '-', '-out', '-'], {
    encoding: 'utf8',
  });
  const server = createSecureServer({ key: pem.stdout, cert: pem.stdout });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const baseUrl = `https://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const error = await failure(clientOf(baseUrl).payments.create(REQUEST));
  server.close();
  expect(error).toMatchObject({ kind: 'connection', details: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' } });
  expect(error.attempts).toMatchObject([{ mayHaveArrived: false }]);
});

it('R-53 redacts the secret of a session URL anywhere in a refusal', async () => {
  const link = 'https://x.example/s/1#s3cr3t-0f-th3-s3ss10n';
  const items = [
    { code: 'invalid', message: `Invoice #12 has (${link}) already.`, field: 'A', Session: { Link: link } },
    `see /s/1#s3cr3t-0f-th3-s3ss10n, /pay#s3cr3t-0f-th3-s3ss10n or ${link}`,
  ];
  const { baseUrl } = await serve(
    http(400, JSON.stringify({ hasErrors: true, errors: items, data: { link } })),
  );
  const error = await failure(clientOf(baseUrl).payments.create(REQUEST));
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('s3cr3t');
  expect(error.errors.map(({ message }) => message)).toEqual([
    'Invoice #12 has (https://x.example/s/1#[redacted] already.',
    'see /s/1#[redacted] /pay#[redacted] or https://x.example/s/1#[redacted]',
  ]);
  expect(error.errors[0]?.raw).toMatchObject({ Session: { Link: 'https://x.example/s/1#[redacted]' } });
});

const inUrl = encodeURIComponent;
const inHtml = (text: string) => text.replace(/[^\w]/g, (character) => `&#${character.charCodeAt(0)};`);
const inJson = (text: string) => text.replaceAll('#', '\\\\u0023').replaceAll('?', '\\\\u003F');
it.each<[string, (text: string) => string]>([
  ['as it is', (text) => text],
  ['encoded for a URL', inUrl],
  ['partly encoded for a URL', (text) => text.replace('#', '%23')],
  ['with only its path encoded', (text) => inUrl(text).replace('%23', '#')],
  ['encoded for HTML', inHtml],
  ['encoded for JSON twice', inJson],
])('R-53 redacts query and fragment of a session URL that is quoted %s', async (_, written) => {
  for (const link of ['https://x.example/s/1#s3cr3t', 'https://x.example/s/1?token=s3cr3t', '#s3cr3t']) {
    const message = `No: next=${written(link)} (invoice #12).`;
    const { baseUrl } = await serve(
      http(400, refusal('invalid', message)),
      http(400, `<p>${message}</p>`, html),
    );
    for (const response of ['envelope', 'page']) {
      const error = await failure(clientOf(baseUrl).payments.create(REQUEST));
      expect(inspect(error, { depth: 9, showHidden: true }), response).not.toContain('s3cr3t');
      expect(error.message, response).toContain('[redacted] (invoice #12).');
    }
    const fetch = () => Promise.reject(new Error(message));
    const error = await failure(clientOf(baseUrl, { fetch, maxRetries: 0 }).payments.create(REQUEST));
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('s3cr3t');
  }
});

describe('R-53 a response outside the contract', () => {
  it.each([200, 502])('is quoted without any part of a secret: %d', async (status) => {
    const body = '<p>Go to  https://x.example/s/1#s3cr3t-0f-th3-s3ss10n "or"\n<i>#another</i> #</p>';
    const { baseUrl } = await serve(http(status, body, html));
    const { message } = await failure(clientOf(baseUrl, { maxRetries: 0 }).payments.create(REQUEST));
    expect(message).toContain('<p>Go to https://x.example/s/1#[redacted] "or" <i>#[redacted]</i> #</p>');
    expect(message).not.toMatch(/s3cr3t|0f-th3|another/);
  });
  it('is quoted up to 200 characters, without a secret at the end', async () => {
    const body = `${'x'.repeat(190)} #s3cr3t-0f-th3-s3ss10n ${'y'.repeat(5_000)}`;
    const { baseUrl } = await serve(http(502, body, html));
    const { message } = await failure(clientOf(baseUrl, { maxRetries: 0 }).payments.create(REQUEST));
    expect(message).toMatch(/x{190} #\[redacte/);
    expect(message).not.toMatch(/s3cr3t|yy/);
    expect(message.length).toBeLessThan(400);
  });
});

it.each([
  ['as it is or as part of a URL', 'stg_5up3r/s3cr3t+k3y'],
  ['of eight characters', '5up3rk3y'],
])('R-3 redacts a key that a response quotes %s', async (_, apiKey) => {
  const quoted = `no such key: ${apiKey}, see /keys?of=${encodeURIComponent(apiKey)}.`;
  const { baseUrl } = await serve(http(401, refusal('invalid_api_key', quoted)));
  const { message } = await failure(clientOf(baseUrl, { apiKey }).payments.create(REQUEST));
  expect(message).toContain('no such key: [redacted], see /keys?[redacted]');
});

it.each([
  ['as PHP writes a slash', (text: string) => text.replaceAll('/', '\\/')],
  ['as .NET writes a plus', (text: string) => text.replaceAll('+', '\\u002B')],
  ['inside a string of JSON', (text: string) => JSON.stringify(text.replaceAll('/', '\\/')).slice(1, -1)],
  ['as HTML writes them', (text: string) => text.replaceAll('/', '&#x2F;').replaceAll('+', '&#43;')],
])('R-50 redacts a key that a response quotes %s, in errors and pages', async (_, written) => {
  const apiKey = 'stg_5up3r/s3cr3t+k3y';
  const withKey = (text: string) => text.replaceAll('KEY', written(apiKey));
  const { baseUrl } = await serve(
    http(401, withKey('{"hasErrors":true,"errors":[{"message":"no such key: KEY.","KEY":1}],"data":null}')),
    http(401, withKey('<p>no such key: KEY.</p>')),
  );
  // Headers may be sent without whitespace around the key.
  const client = clientOf(baseUrl, { apiKey: `${apiKey} ` });
  for (const response of ['envelope', 'page']) {
    const error = await failure(client.payments.create(REQUEST));
    expect(error.message, response).toContain('no such key: [redacted].');
    expect(JSON.stringify(error)).not.toContain('s3cr3t');
  }
});

it('R-53 reads a refusal with many short texts quickly', async () => {
  const errors = Array.from({ length: 60_000 }, () => 'a');
  const { baseUrl } = await serve(http(400, JSON.stringify({ hasErrors: true, errors, data: null })));
  const client = clientOf(baseUrl, { apiKey: `stg_${'k3y'.repeat(20)}` });
  const before = process.cpuUsage();
  const error = await failure(client.payments.create(REQUEST));
  const { user } = process.cpuUsage(before);
  expect(error.errors).toHaveLength(60_000);
  expect(user / 1_000_000).toBeLessThan(1);
});

it('R-53 reports why a request cannot be serialized', async () => {
  const { baseUrl, seen } = await serve(ok);
  const ClientUser = { EmailAddress: 'dana@example.com', FirstName: 1n as unknown as string };
  const error = await failure(clientOf(baseUrl).wallet.create({ BusinessUnitSlug: 'x', ClientUser }));
  expect(error).toMatchObject({
    kind: 'configuration',
    cause: { message: expect.stringContaining('BigInt') as string },
  });
  expect(seen).toEqual([]);
});

it('R-53 decodes a character that arrives in pieces', async () => {
  const response = Buffer.from(
    JSON.stringify({ hasErrors: true, errors: [{ message: 'Größe 水' }], data: null }),
  );
  const pieces: Reaction = (socket) => {
    socket.write(
      `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: ${response.length}\r\n\r\n`,
    );
    const [one, ...rest] = response;
    socket.write(Buffer.of(one!));
    const next = (): void => {
      const byte = rest.shift();
      if (byte !== undefined) socket.write(Buffer.of(byte), () => setImmediate(next));
    };
    next();
  };
  const { baseUrl } = await serve(pieces);
  const error = await failure(clientOf(baseUrl).payments.create(REQUEST));
  expect(error.errors).toMatchObject([{ message: 'Größe 水' }]);
});

describe('on Node', () => {
  it('R-52 reuses connections and sends a Content-Length', async () => {
    const server = createHttpServer((request, response) => {
      lengths.push(request.headers['content-length']);
      request.resume().on('end', () => response.end(OK));
    });
    const lengths: (string | undefined)[] = [];
    const sockets = new Set<unknown>();
    server.on('connection', (socket) => sockets.add(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    servers.push(server);
    const address = server.address();
    const { payments } = clientOf(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/api`);

    for (let count = 0; count < 5; count += 1) await payments.create(REQUEST);
    server.closeAllConnections();
    expect(sockets.size).toBe(1);
    expect(new Set(lengths)).toEqual(new Set([String(JSON.stringify(REQUEST).length)]));
  });

  it('R-53 retries when the service has closed an idle connection', async () => {
    noWait();
    const server = createHttpServer((request, response) => {
      request.resume().on('end', () => {
        response.end(OK);
        // Closes the idle connection after the response, like a load balancer.
        setImmediate(() => request.socket.destroy());
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    servers.push(server);
    const address = server.address();
    const { payments } = clientOf(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`);

    for (let count = 0; count < 5; count += 1)
      expect((await payments.create(REQUEST)).sessionId).toBe('stg_1');
  });

  it.each(['Cloudflare-Workers', 'Bun/1.3.0', 'Deno/2.5.0'])('uses fetch in %s', async (userAgent) => {
    vi.stubGlobal('navigator', { userAgent });
    const fetch = vi.fn(async () => new Response(OK));
    vi.stubGlobal('fetch', fetch);
    const { payments } = clientOf('http://127.0.0.1:1');
    vi.unstubAllGlobals();
    vi.stubGlobal('fetch', fetch);
    expect((await payments.create(REQUEST)).sessionId).toBe('stg_1');
    vi.unstubAllGlobals();
    expect(fetch).toHaveBeenCalledOnce();
  });

  it('uses fetch in a worker without getBuiltinModule', async () => {
    vi.stubGlobal('process', undefined);
    const { payments } = clientOf('http://127.0.0.1:1');
    vi.unstubAllGlobals();
    const fetch = vi.fn(async () => new Response(OK));
    vi.stubGlobal('fetch', fetch);
    expect((await payments.create(REQUEST)).sessionId).toBe('stg_1');
    vi.unstubAllGlobals();
    expect(fetch).toHaveBeenCalledOnce();
  });
});

describe('a response that is too long', () => {
  /** Sends data until the client closes the connection. Counts the bytes. */
  const endless = (counted: { bytes: number }, head = ''): Reaction => {
    const chunk = ' '.repeat(64 * 1024);
    return (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n${head}`);
      const more = (): void => {
        while (!socket.destroyed && counted.bytes < 500_000_000) {
          counted.bytes += chunk.length;
          if (!socket.write(chunk)) return void socket.once('drain', more);
        }
      };
      more();
    };
  };
  it('is a protocol error and is not read to its end', async () => {
    const counted = { bytes: 0 };
    const { baseUrl, seen } = await serve(endless(counted));
    const error = await failure(clientOf(baseUrl).payments.create(REQUEST));
    expect(error).toMatchObject({
      kind: 'protocol',
      message: expect.stringContaining('2 MB') as string,
      attempts: [{ mayHaveArrived: true }],
    });
    expect(error.message.match(/https:/g), 'the page of the code, once').toHaveLength(1);
    expect(seen).toHaveLength(1);
    expect(counted.bytes).toBeLessThan(50_000_000);
  });
  it('R-52 is retried if its status is', async () => {
    const { baseUrl, seen } = await serve(http(502, ' '.repeat(2_000_001)), http(200, OK));
    const response = await clientOf(baseUrl).payments.create(REQUEST).withResponse();
    expect(response.attempts).toMatchObject([
      { status: 502, kind: 'protocol', mayHaveArrived: true },
      { status: 200 },
    ]);
    expect(seen).toHaveLength(2);
    const busy = await serve(http(429, ' '.repeat(2_000_001)));
    expect(await failure(clientOf(busy.baseUrl).payments.create(REQUEST, { maxRetries: 0 }))).toMatchObject({
      kind: 'rateLimit',
      status: 429,
      attempts: [{ mayHaveArrived: false }],
    });
  });
  it('is a protocol error for an event too', async () => {
    const { baseUrl } = await serve(endless({ bytes: 0 }));
    const event = { businessUnitSlug: 'x', accountNumber: '1', subAccountNumber: '' };
    expect((await failure(clientOf(baseUrl).events.unenrollAutopay(event))).kind).toBe('protocol');
  });
  it('is accepted up to 2 MB', async () => {
    const body = OK.padEnd(2_000_000);
    const { baseUrl } = await serve(http(200, body), http(200, `${body} `));
    expect((await clientOf(baseUrl).payments.create(REQUEST)).sessionId).toBe('stg_1');
    expect((await failure(clientOf(baseUrl).payments.create(REQUEST))).kind).toBe('protocol');
  });
  it('keeps its characters whole', async () => {
    const data = { ...DATA, PaymentSessionIdentifier: '😀'.repeat(100_000) };
    const { baseUrl } = await serve(http(200, JSON.stringify({ hasErrors: false, errors: [], data })));
    const { sessionId } = await clientOf(baseUrl).payments.create(REQUEST);
    expect(sessionId).toBe(data.PaymentSessionIdentifier);
  });
});

describe('a custom fetch', () => {
  it('R-6 may lack the headers of the service, and name them in lower case', async () => {
    const answer = (headers: Map<string, string>) => {
      const response = { status: 200, headers, text: async () => OK } as unknown as Response;
      return clientOf('http://127.0.0.1:1', { fetch: () => response }).payments.create(REQUEST);
    };
    expect((await answer(new Map())).sessionId).toBe('stg_1');
    const other = new Map([['x-session-environment', 'production']]);
    expect(await failure(answer(other))).toMatchObject({ kind: 'configuration' });
  });
  it('may return a Node stream as its body, or none', async () => {
    const headers = new Headers();
    const streamed = { status: 200, headers, body: Readable.from([Buffer.from(OK)]) } as unknown as Response;
    const plain = { status: 200, headers, text: async () => OK } as unknown as Response;
    for (const response of [streamed, plain]) {
      const { payments } = clientOf('http://127.0.0.1:1', { fetch: () => response });
      expect((await payments.create(REQUEST)).sessionId).toBe('stg_1');
    }
  });
});

describe('R-52 the wait between attempts', () => {
  it('has full jitter and doubles up to 8 s', async () => {
    vi.useFakeTimers();
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const sentAt: number[] = [];
    const fetch = async (): Promise<Response> => {
      sentAt.push(performance.now());
      await new Promise((resolve) => setTimeout(resolve, 40));
      throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    };
    const tried = failure(clientOf('http://127.0.0.1:1', { fetch, maxRetries: 7 }).payments.create(REQUEST));
    await vi.runAllTimersAsync();
    const { attempts } = await tried;
    expect(sentAt.slice(1).map((at, index) => at - (sentAt[index] ?? 0) - 40)).toEqual([
      125, 250, 500, 1_000, 2_000, 4_000, 4_000,
    ]);
    expect(attempts.map(({ ms }) => ms)).toEqual(Array(8).fill(40));
    vi.useRealTimers();
  });

  it('respects Retry-After in seconds', async () => {
    noWait();
    const { baseUrl } = await serve(http(429, refusal('rate_limited'), { 'retry-after': '1' }), ok);
    const sentAt = performance.now();
    await clientOf(baseUrl).payments.create(REQUEST);
    expect(performance.now() - sentAt).toBeGreaterThanOrEqual(995);
  });

  const inTwoMinutes = new Date(Date.now() + 120_000);
  it.each(['120', inTwoMinutes.toUTCString(), inTwoMinutes.toISOString().replace('Z', '+00:00')])(
    'does not wait if Retry-After (%s) exceeds the total time',
    async (retryAfter) => {
      const { baseUrl, seen } = await serve(
        http(429, refusal('rate_limited'), { 'retry-after': retryAfter }),
        ok,
      );
      const error = await failure(clientOf(baseUrl).payments.create(REQUEST));
      expect(error.kind).toBe('rateLimit');
      expect(seen).toHaveLength(1);
    },
  );

  it('is skipped if maxRetries is 0', async () => {
    const { baseUrl, seen } = await serve(reset, ok);
    expect((await failure(clientOf(baseUrl, { maxRetries: 0 }).payments.create(REQUEST))).kind).toBe(
      'connection',
    );
    expect(seen).toHaveLength(1);
  });
});

describe('abort', () => {
  it('before the request sends nothing', async () => {
    const { baseUrl, seen } = await serve(ok);
    const signal = AbortSignal.abort(new Error('no longer'));
    const error = await failure(clientOf(baseUrl).payments.create(REQUEST, { signal }));
    expect(error).toMatchObject({ kind: 'aborted', cause: { message: 'no longer' } });
    expect(error.attempts).toEqual([]);
    expect(seen).toHaveLength(0);
  });

  it('during the request prevents a retry', async () => {
    const controller = new AbortController();
    const { baseUrl, seen } = await serve(() => controller.abort(), ok);
    const error = await failure(clientOf(baseUrl).payments.create(REQUEST, { signal: controller.signal }));
    expect(error.kind).toBe('aborted');
    expect(error.attempts.at(-1)?.mayHaveArrived).toBe(true);
    expect(seen).toHaveLength(1);
  });

  it('during the backoff leaves no timer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const controller = new AbortController();
    const fetch = vi.fn(() => new Response('', { status: 429, headers: { 'retry-after': '20' } }));
    const onResponse = () => setImmediate(() => controller.abort());
    const created = clientOf('http://127.0.0.1:1', { fetch, onResponse }).payments.create(REQUEST, {
      signal: controller.signal,
    });
    expect((await failure(created)).kind).toBe('aborted');
    expect(fetch).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  it('leaves no listener on the signal', async () => {
    const { signal } = new AbortController();
    const { baseUrl } = await serve(ok);
    await clientOf(baseUrl).payments.create(REQUEST, { signal });
    await failure(clientOf('http://127.0.0.1:1', { maxRetries: 0 }).payments.create(REQUEST, { signal }));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

it('R-52 leaves no listener on a signal that is shared by calls', async () => {
  const { signal } = new AbortController();
  const { baseUrl } = await serve(ok, http(400, refusal('invalid')));
  const client = clientOf(baseUrl);
  await client.payments.create(REQUEST, { signal });
  await failure(client.payments.create(REQUEST, { signal }));
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

it('R-51 counts a session’s lifetime from the start of the request', async () => {
  const slow: Reaction = (socket) =>
    void setTimeout(() => http(200, OK, { 'x-session-expires-in': '60' })(socket), 50);
  const { baseUrl } = await serve(slow);
  const created = clientOf(baseUrl).payments.create(REQUEST);
  const latest = Date.now() + 60_000;
  const { expiresAt } = await created;
  expect(Date.parse(expiresAt)).toBeLessThanOrEqual(latest);
});

it.each(['', '1e300', 'Infinity', '9'.repeat(20), '-5', 'soon'])(
  'R-51 ignores the invalid lifetime %j',
  async (expiresIn) => {
    const { baseUrl } = await serve(http(200, OK, { 'x-session-expires-in': expiresIn }));
    const { expiresInMs } = await clientOf(baseUrl).payments.create(REQUEST);
    expect(expiresInMs).toBeGreaterThan(29 * 60_000);
    expect(expiresInMs).toBeLessThanOrEqual(30 * 60_000);
  },
);

/** Blocks the process without using its CPU time. */
const block = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
const never = (): Promise<never> => new Promise(() => {});

describe('R-52 totalTimeoutMs covers every wait of a call', () => {
  const EVENT = {
    businessUnitSlug: 'harborlight-water',
    payload: { accountNumber: '1', subAccountNumber: '' },
  };
  type Read = (baseUrl: string, reader: () => Promise<never>, call: CallOptions) => Promise<unknown>;
  const readers: [string, Read][] = [
    [
      'readSession',
      (baseUrl, readSession, call) => clientOf(baseUrl, { readSession }).payments.create(REQUEST, call),
    ],
    [
      'readEvent',
      (baseUrl, readEvent, call) => clientOf(baseUrl, { readEvent }).events.unenrollAutopay(EVENT, call),
    ],
  ];

  it.each(readers)('a %s that never settles is a timeout, with the attempts', async (_, ask) => {
    const { baseUrl } = await serve(ok);
    expect(await failure(ask(baseUrl, never, { totalTimeoutMs: 1_000 }))).toMatchObject({
      kind: 'timeout',
      attempts: [{ status: 200, mayHaveArrived: true }],
    });
  });

  it.each(readers)('a call can be aborted while %s runs', async (_, ask) => {
    const { baseUrl } = await serve(ok);
    const leave = new AbortController();
    const read = () => {
      leave.abort(new Error('gone'));
      return never();
    };
    expect(await failure(ask(baseUrl, read, { signal: leave.signal }))).toMatchObject({
      kind: 'aborted',
      cause: new Error('gone'),
      attempts: [{ status: 200, mayHaveArrived: true }],
    });
    expect(getEventListeners(leave.signal, 'abort')).toEqual([]);
  });

  it('returns a response even if onResponse blocked the process', async () => {
    const { baseUrl } = await serve(ok);
    const client = clientOf(baseUrl, { onResponse: () => block(1_050) });
    expect(await client.payments.create(REQUEST, { totalTimeoutMs: 1_000 })).toMatchObject({
      sessionId: 'stg_1',
    });
  });

  it('stops reading a late body of a fetch that ignores its signal', async () => {
    let isCanceled = false;
    const body = new ReadableStream<Uint8Array>({
      async pull(to) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        if (!isCanceled) to.enqueue(new Uint8Array(1));
      },
      cancel: () => void (isCanceled = true),
    });
    const fetch = async () => new Response(body);
    const created = clientOf('http://127.0.0.1:1', { fetch }).payments.create(REQUEST, {
      totalTimeoutMs: 120,
    });
    expect((await failure(created)).kind).toBe('timeout');
    await expect.poll(() => isCanceled).toBe(true);
  });

  it('refuses a signal that is not one, and leaves no timer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const signal = new AbortController() as never;
    const created = clientOf('http://127.0.0.1:1').payments.create(REQUEST, { signal });
    expect((await failure(created)).kind).toBe('configuration');
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });
});

describe('R-26 a taken reference', () => {
  const taken = http(409, refusal('client_reference_taken'));

  it('is not ambiguous on the first attempt', async () => {
    const { baseUrl } = await serve(taken);
    expect(await failure(clientOf(baseUrl).payments.create(REQUEST))).toMatchObject({
      ambiguous: false,
      details: {},
    });
  });

  it('is recognized by its code and reported with its message', async () => {
    const { baseUrl } = await serve(http(409, refusal('client_reference_taken', 'Schon vergeben.')));
    const error = await failure(clientOf(baseUrl).payments.create(REQUEST));
    expect(error).toMatchObject({ kind: 'referenceConflict', name: 'ServiceReferenceConflictError' });
    expect(error.details).toEqual({});
  });

  it('is never reported for a 500', async () => {
    noWait();
    const broken = http(500, refusal('internal', 'The index of client references was used already.'));
    const { baseUrl } = await serve(broken, broken, broken, broken);
    expect(await failure(clientOf(baseUrl).payments.create(REQUEST))).toMatchObject({ kind: 'server' });
  });

  it.each<[string, Reaction, boolean]>([
    ['a reset', reset, true],
    ['a cut body', cutBody, true],
    ['a 500', http(500, refusal('internal')), true],
    ['a 408', http(408, refusal('slow')), true],
    ['a 429', http(429, refusal('rate_limited')), false],
  ])('after %s: ambiguous if its bytes may have arrived', async (_, first, ambiguous) => {
    noWait();
    const { baseUrl } = await serve(first, taken);
    const error = await failure(clientOf(baseUrl).payments.create(REQUEST));
    expect(error).toMatchObject({ kind: 'referenceConflict', ambiguous });
    expect(error.attempts).toHaveLength(2);
  });

  it("is guessed from an operator's message, and marked as a guess", async () => {
    const body =
      '{"hasErrors":true,"errors":[{"Reason":7,"Message":"ClientReference must be unique"}],"data":null}';
    const { baseUrl } = await serve(http(400, body));
    const error = await failure(clientOf(baseUrl).payments.create(REQUEST));
    expect(error).toMatchObject({ kind: 'referenceConflict', ambiguous: false, details: { guess: true } });
    expect(error.errors[0]?.raw).toEqual({ Reason: 7, Message: 'ClientReference must be unique' });
  });

  it('is not guessed from a message about its length, or without a reference', async () => {
    const long = await serve(http(400, refusal('too_long', 'ClientReference takes at most 50 characters')));
    expect((await failure(clientOf(long.baseUrl).payments.create(REQUEST))).kind).toBe('validation');
    const { ClientReference: _, ...without } = REQUEST;
    const none = await serve(http(400, refusal('x', 'ClientReference must be unique')));
    expect((await failure(clientOf(none.baseUrl).payments.create(without))).kind).toBe('validation');
  });

  it('is recognized by its code without a reference, but onReferenceConflict is not called', async () => {
    const { ClientReference: _, ...without } = REQUEST;
    const { baseUrl } = await serve(taken);
    const conflicts: unknown[] = [];
    const onReferenceConflict = ({ reference }: { reference: string }) => {
      conflicts.push(reference);
      return 'another';
    };
    const error = await failure(clientOf(baseUrl).payments.create(without, { onReferenceConflict }));
    expect(error).toMatchObject({ kind: 'referenceConflict', ambiguous: false });
    expect(conflicts).toEqual([]);
  });

  it('is replaced by onReferenceConflict, with another Idempotency-Key', async () => {
    const { baseUrl, seen } = await serve(taken, ok);
    const conflicts: unknown[] = [];
    const { attempts } = await clientOf(baseUrl)
      .payments.create(REQUEST, {
        idempotencyKey: 'mine',
        onReferenceConflict: ({ reference, ambiguous }) => {
          conflicts.push({ reference, ambiguous });
          return `${reference}-b`;
        },
      })
      .withResponse();
    expect(attempts).toHaveLength(2);
    expect(conflicts).toEqual([{ reference: 'order-1', ambiguous: false }]);
    expect(seen[1]).toContain('"ClientReference":"order-1-b"');
    expect(seen.map((request) => /idempotency-key: (\S+)/i.exec(request)?.[1])).toEqual(['mine', 'mine.1']);
  });

  it('a failure with another reference includes the attempts with the first', async () => {
    const taken = http(409, refusal('client_reference_taken', 'Taken.'));
    const { baseUrl } = await serve(taken, http(400, refusal('invalid', 'Wrong.')), taken, taken);
    const create = (next: string[]) =>
      failure(
        clientOf(baseUrl).payments.create(
          { ...REQUEST, ClientReference: 'a' },
          { onReferenceConflict: () => next.shift() },
        ),
      );
    expect((await create(['b'])).attempts.map(({ status }) => status)).toEqual([409, 400]);
    expect((await create(['b'])).attempts.map(({ status }) => status)).toEqual([409, 409]);
  });
  it.each([
    ['for too long', () => new Promise<string>((resolve) => setTimeout(resolve, 720, 'order-2'))],
    ['for ever', () => new Promise<string>(() => {})],
  ])('the total time includes onReferenceConflict choosing %s', async (_, onReferenceConflict) => {
    const { baseUrl, seen } = await serve(taken, ok);
    const created = clientOf(baseUrl).payments.create(REQUEST, { totalTimeoutMs: 700, onReferenceConflict });
    expect(await failure(created)).toMatchObject({
      kind: 'timeout',
      attempts: [{ status: 409, mayHaveArrived: false }],
    });
    expect(seen).toHaveLength(1);
  });

  it('sends nothing more if aborted during onReferenceConflict', async () => {
    const { baseUrl, seen } = await serve(taken, ok);
    const leave = new AbortController();
    const onReferenceConflict = () => {
      leave.abort(new Error('gone'));
      return new Promise<string>(() => {});
    };
    const created = clientOf(baseUrl).payments.create(REQUEST, { signal: leave.signal, onReferenceConflict });
    expect(await failure(created)).toMatchObject({ kind: 'aborted', cause: new Error('gone') });
    expect(seen).toHaveLength(1);
  });

  it('onReferenceConflict may abort the call and throw, without an unhandled rejection', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const { baseUrl } = await serve(taken);
    const leave = new AbortController();
    const onReferenceConflict = () => {
      leave.abort();
      throw new Error('no more names');
    };
    const created = clientOf(baseUrl).payments.create(REQUEST, { signal: leave.signal, onReferenceConflict });
    expect((await failure(created)).attempts).toMatchObject([{ status: 409 }]);
    await new Promise(setImmediate);
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it.each([null, ''])(
    'onReferenceConflict that returns %j gives up and sends nothing without a reference',
    async (none) => {
      const { baseUrl, seen } = await serve(taken, ok);
      const created = clientOf(baseUrl).payments.create(REQUEST, {
        onReferenceConflict: () => none as never,
      });
      expect((await failure(created)).kind).toBe('referenceConflict');
      expect(seen).toHaveLength(1);
    },
  );

  it('does not call onReferenceConflict for other errors', async () => {
    const onReferenceConflict = vi.fn(() => 'another');
    const { baseUrl, seen } = await serve(http(400, refusal('invalid', 'No such business unit')), ok);
    const client = clientOf(baseUrl);
    expect((await failure(client.payments.create(REQUEST, { onReferenceConflict }))).kind).toBe('validation');
    const reading = clientOf(baseUrl, { readSession: () => ({ sessionUrl: 'none' }) });
    expect((await failure(reading.payments.create(REQUEST, { onReferenceConflict }))).kind).toBe('protocol');
    expect([seen.length, onReferenceConflict.mock.calls]).toEqual([2, []]);
  });

  it('onReferenceConflict gives up by returning undefined, and after three calls', async () => {
    const { baseUrl, seen } = await serve(taken);
    const client = clientOf(baseUrl);
    const give = () => undefined;
    expect((await failure(client.payments.create(REQUEST, { onReferenceConflict: give }))).kind).toBe(
      'referenceConflict',
    );
    expect(seen).toHaveLength(1);
    let conflicts = 0;
    const onReferenceConflict = () => `again-${(conflicts += 1)}`;
    expect((await failure(client.payments.create(REQUEST, { onReferenceConflict }))).kind).toBe(
      'referenceConflict',
    );
    expect(conflicts).toBe(3);
  });
});

it('R-53 returns a session or a ServiceError for any response', async () => {
  noWait();
  const envelope = fc.record({ hasErrors: fc.anything(), errors: fc.anything(), data: fc.anything() });
  const body = fc.oneof(
    fc.string(),
    fc.json(),
    envelope.map((value) => JSON.stringify(value) ?? ''),
  );
  const status = fc.oneof(
    fc.constantFrom(200, 400, 401, 403, 408, 409, 429, 500),
    fc.integer({ min: 200, max: 599 }),
  );
  const retryAfter = fc.oneof(fc.constantFrom('0', '-1', 'soon', '1e9'), fc.date().map(String));
  await fc.assert(
    fc.asyncProperty(body, status, retryAfter, async (body, status, retryAfter) => {
      const empty = [204, 205, 304].includes(status);
      const headers = { 'retry-after': retryAfter };
      const response = () => new Response(empty ? null : body, { status, headers });
      const client = clientOf('https://service.test', { fetch: response, maxRetries: 1 });
      const [created] = await Promise.allSettled([client.payments.create(REQUEST)]);
      if (created.status === 'fulfilled') expect(created.value.sessionUrl).toMatch(/^https?:/);
      else if (!isServiceError(created.reason)) throw created.reason;
    }),
    { numRuns: 100 },
  );
});
