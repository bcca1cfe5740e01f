// A POST to a merchant's server, as seen by the server and on the network.
import { spawnSync } from 'node:child_process';
import { promises as dns } from 'node:dns';
import { getEventListeners } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, IncomingMessage, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createSocketServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../../../tools/ports.mjs';
import { hasOpenssl, startFlood } from '../../test/tls-flood.js';
import { lookupOf } from '../platform/lookup.js';
import { send } from './send.js';

const { Resolver } = dns;

const servers: Server[] = [];
/** Errors that would end the process. */
const thrown: unknown[] = [];
const hear = (error: unknown): void => void thrown.push(error);
beforeEach(() => {
  process.on('uncaughtException', hear);
});
afterEach(async () => {
  await new Promise(setImmediate);
  process.off('uncaughtException', hear);
  expect(thrown.splice(0)).toEqual([]);
  vi.restoreAllMocks();
  for (const server of servers.splice(0)) await new Promise((done) => server.close(done));
});

const listen = async (server: Server): Promise<number> => {
  servers.push(server);
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return (server.address() as AddressInfo).port;
};

interface MetricsSnapshot {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

async function receiver(): Promise<{ port: number; seen: MetricsSnapshot[] }> {
  const seen: MetricsSnapshot[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const { method, url, headers } = request;
      seen.push({ method, url, headers, body });
      response.writeHead(204).end();
    });
  });
  return { port: await listen(server), seen };
}

/** Makes every name resolve to these addresses. Returns the names that were looked up. */
function resolveNamesTo(addresses: readonly string[]): string[] {
  const names: string[] = [];
  vi.spyOn(Resolver.prototype, 'resolve4').mockImplementation(async (name: string) => {
    names.push(name);
    return addresses.filter((address) => !address.includes(':'));
  });
  vi.spyOn(Resolver.prototype, 'resolve6').mockImplementation(async () =>
    addresses.filter((address) => address.includes(':')),
  );
  return names;
}

describe('R-54 sending a webhook', () => {
  it('posts the whole body with its length and signature headers', async () => {
    const { port, seen } = await receiver();
    const body = '{"type":"payment_session.succeeded","name":"Zoë"}';
    const headers = { 'content-type': 'application/json', 'webhook-id': 'msg_1' };
    const url = `http://127.0.0.1:${port}/hooks?shop=1`;
    expect(await send({ url, body, headers, publicOnly: false })).toEqual({ type: 'answered', status: 204 });
    expect(seen).toMatchObject([
      {
        method: 'POST',
        url: '/hooks?shop=1',
        headers: { ...headers, 'content-length': String(Buffer.byteLength(body)), connection: 'keep-alive' },
        body,
      },
    ]);
  });

  it('reuses a connection, and opens a new one if the receiver has just closed it', async () => {
    const sockets: Socket[] = [];
    const server = createServer((request, response) => {
      request.resume().on('end', () => response.end('thank you'));
    });
    server.on('connection', (socket) => void sockets.push(socket));
    const url = `http://127.0.0.1:${await listen(server)}/`;
    const sent = () => send({ url, body: '{}', headers: {}, publicOnly: false });
    const answered = { type: 'answered', status: 200 };

    expect(await sent()).toEqual(answered);
    await new Promise(setImmediate);
    expect(await sent()).toEqual(answered);
    expect(sockets).toHaveLength(1);

    await new Promise(setImmediate);
    // Nobody reads it before the next message is written.
    sockets[0]?.resetAndDestroy();
    expect(await sent()).toEqual(answered);
    expect(sockets).toHaveLength(2);
  });

  it('R-91 does not keep the connection of a response in tiny chunks', async () => {
    const sockets: Socket[] = [];
    let written: Promise<unknown> | undefined;
    const server = createServer((request, response) => {
      written = new Promise((resolve) => response.on('close', resolve));
      request.resume();
      response.writeHead(200, { 'transfer-encoding': 'chunked' });
      for (let n = 0; n < 1_000; n++) response.write('a');
      response.end();
    });
    server.on('connection', (socket) => void sockets.push(socket));
    const url = `http://127.0.0.1:${await listen(server)}/`;
    for (let n = 0; n < 20; n++) {
      expect(await send({ url, body: '{}', headers: {}, publicOnly: false })).toMatchObject({ status: 200 });
      await written;
      // A kept connection would be free by now, at least once.
      for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
    }
    expect(sockets).toHaveLength(20);
  });

  it('R-91 stops reading a response in tiny chunks', async () => {
    const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
    const server = createSocketServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.write(head + '1\r\na\r\n'.repeat(20_000)));
    });
    const push = vi.spyOn(IncomingMessage.prototype, 'push');
    const url = `http://127.0.0.1:${await listen(server)}/`;
    for (const answerBytes of [0, 50, 1_000]) {
      const sent = await send({ url, body: '{}', headers: {}, publicOnly: false, answerBytes });
      expect(sent).toMatchObject({ status: 200 });
    }
    expect(push.mock.calls.length).toBeLessThan(200);
  });

  it('closes the connection of a response that does not end', async () => {
    const server = createServer((request, response) => {
      request.resume();
      response.write('thank ');
    });
    const closed = new Promise((resolve) => server.on('connection', (socket) => socket.on('close', resolve)));
    const url = `http://127.0.0.1:${await listen(server)}/`;
    expect(await send({ url, body: '{}', headers: {}, publicOnly: false })).toMatchObject({ status: 200 });
    await closed;
  });

  it.each(['HTTP/1.1 103 Early Hints\r\n\r\n', '\r\n'])(
    'R-91 closes the connection of a receiver that repeats %j instead of a status',
    async (repeated) => {
      const flood = (socket: Socket): void => {
        while (!socket.destroyed && socket.write(repeated.repeat(1_000)));
      };
      const server = createSocketServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () => flood(socket)).on('drain', () => flood(socket));
      });
      const url = `http://127.0.0.1:${await listen(server)}/`;
      const sent = await send({ url, body: '{}', headers: {}, publicOnly: false, deadlineMs: 3_000 });
      expect(sent).toEqual({ type: 'unreachable', reason: 'HPE_HEADER_OVERFLOW' });
    },
  );

  it.each([
    [100, { type: 'answered', status: 204 }],
    [101, { type: 'unreachable', reason: 'HPE_HEADER_OVERFLOW' }],
  ])('R-91 reads at most a hundred early hints: %i', async (count, expected) => {
    const server = createSocketServer((socket) => {
      socket.on('error', () => undefined);
      const hints = 'HTTP/1.1 103 -\r\n\r\n'.repeat(count);
      socket.once('data', () => socket.write(`${hints}HTTP/1.1 204 No Content\r\n\r\n`));
    });
    const url = `http://127.0.0.1:${await listen(server)}/`;
    const sent = await send({ url, body: '{}', headers: {}, publicOnly: false, deadlineMs: 3_000 });
    expect(sent).toMatchObject(expected);
  });

  describe.runIf(hasOpenssl)('a receiver with TLS', () => {
    const trusted = getCACertificates();
    let folder: string;
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-tls-'));
      const pem = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')];
      const request =
        'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=x -addext subjectAltName=IP:127.0.0.1,DNS:shop.example';
      spawnSync('openssl', [...request.split(' '), ...pem]);
      const rsa =
        'req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=rsa -addext subjectAltName=IP:127.0.0.1';
      const rsaPem = ['-keyout', join(folder, 'rsa.key.pem'), '-out', join(folder, 'rsa.pem')];
      spawnSync('openssl', [...rsa.split(' '), ...rsaPem]);
      const own = ['cert.pem', 'rsa.pem'].map((name) => readFileSync(join(folder, name), 'utf8'));
      setDefaultCACertificates([...trusted, ...own]);
    });
    afterAll(() => {
      setDefaultCACertificates(trusted);
      rmSync(folder, { recursive: true });
    });
    const pem = () => ({
      key: readFileSync(join(folder, 'key.pem')),
      cert: readFileSync(join(folder, 'cert.pem')),
    });
    const outgoing = { body: '{}', headers: {}, publicOnly: false, deadlineMs: 3_000 };

    it.each([
      ['tickets', '-num_tickets 1000', false],
      ['key updates', '-num_tickets 0', true],
    ])('R-91 is cut off if it sends many %s', async (_, options, updates) => {
      const server = await startFlood(folder, options);
      const sent = send({ ...outgoing, url: `https://127.0.0.1:${server.port}/`, deadlineMs: 20_000 });
      if (updates) await server.keyUpdates('POST');
      expect(await sent).toEqual({ type: 'unreachable', reason: 'HPE_HEADER_OVERFLOW' });
      server.close();
    });

    it('is called over a kept connection, and a new one if it has just closed that', async () => {
      const sockets: Socket[] = [];
      const server = createTlsServer(pem(), (request, response) => {
        request.resume().on('end', () => response.end('x'.repeat(10_000)));
      });
      server.on('connection', (socket) => void sockets.push(socket as Socket));
      resolveNamesTo(['127.0.0.1']);
      const url = `https://shop.example:${await listen(server)}/`;
      const answered = { type: 'answered', status: 200 };
      for (let nth = 0; nth < 20; nth++) {
        expect(await send({ ...outgoing, url })).toEqual(answered);
        await new Promise((done) => setTimeout(done, 10));
      }
      expect(sockets).toHaveLength(1);
      sockets[0]?.resetAndDestroy();
      expect(await send({ ...outgoing, url })).toEqual(answered);
      expect(sockets).toHaveLength(2);
      expect(await send({ ...outgoing, url, publicOnly: true })).toMatchObject({ type: 'forbidden' });
    });

    it('counts as answered even if its response is long', async () => {
      const server = createTlsServer(pem(), (request, response) => {
        request.resume().on('end', () => response.end('x'.repeat(1_000_000)));
      });
      const closed = new Promise((resolve) =>
        server.on('connection', (socket) => socket.on('close', resolve)),
      );
      const url = `https://127.0.0.1:${await listen(server)}/`;
      expect(await send({ ...outgoing, url })).toEqual({ type: 'answered', status: 200 });
      await closed;
    });

    it('R-91 cannot choose a costly key exchange, or send a long certificate chain', async () => {
      const dhe = {
        key: readFileSync(join(folder, 'rsa.key.pem')),
        cert: readFileSync(join(folder, 'rsa.pem')),
        maxVersion: 'TLSv1.2',
        ciphers: 'DHE-RSA-AES128-GCM-SHA256',
        dhparam: 'auto',
      } as const;
      const long = { cert: `${pem().cert.toString()}\n`.repeat(40) };
      for (const [options, reason] of [
        [dhe, /HANDSHAKE_FAILURE|EPROTO/],
        [long, /HPE_HEADER_OVERFLOW/],
      ] as const) {
        const server = createTlsServer({ ...pem(), ...options }, (_, response) => response.end());
        const url = `https://127.0.0.1:${await listen(server)}/`;
        expect(await send({ ...outgoing, url })).toEqual({
          type: 'unreachable',
          reason: expect.stringMatching(reason) as string,
        });
      }
    });

    it('is unreachable if it is not there, or its certificate is for another name', async () => {
      resolveNamesTo(['127.0.0.1']);
      const nowhere = `https://127.0.0.1:${await freePort()}/`;
      expect(await send({ ...outgoing, url: nowhere })).toEqual({
        type: 'unreachable',
        reason: 'ECONNREFUSED',
      });
      const url = `https://other.example:${await listen(createTlsServer(pem()))}/`;
      expect(await send({ ...outgoing, url })).toEqual({
        type: 'unreachable',
        reason: 'ERR_TLS_CERT_ALTNAME_INVALID',
      });
    });
  });

  it('uses TLS for https', async () => {
    let first: number | undefined;
    const port = await listen(
      createSocketServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', (chunk) => {
          first = chunk[0];
          socket.destroy();
        });
      }),
    );
    const response = await send({
      url: `https://127.0.0.1:${port}/`,
      body: '{}',
      headers: {},
      publicOnly: false,
    });
    expect(response).toMatchObject({ type: 'unreachable' });
    // The first byte of a TLS handshake.
    expect(first).toBe(0x16);
  });

  it('leaves no listeners on the long-lived abort signal', async () => {
    const { signal } = new AbortController();
    const url = `http://127.0.0.1:${await freePort()}/`;
    const sent = () => send({ url, body: '{}', headers: {}, publicOnly: false, signal });
    await sent();
    await expect.poll(() => getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('keeps its deadline with an abort signal, and stops on abort', async () => {
    const port = await listen(createSocketServer((socket) => socket.on('error', () => undefined).resume()));
    const url = `http://127.0.0.1:${port}/`;
    const stop = new AbortController();
    const outgoing = { url, body: '{}', headers: {}, publicOnly: false, signal: stop.signal };
    expect(await send({ ...outgoing, deadlineMs: 50 })).toEqual({
      type: 'unreachable',
      reason: 'no answer in time',
    });
    const stopped = send(outgoing);
    stop.abort();
    expect(await stopped).toEqual({ type: 'unreachable', reason: 'ABORT_ERR' });
    for (const server of servers) server.unref();
    servers.length = 0;
  });

  it.each([
    [['203.0.114.7', '127.0.0.1']],
    [['127.0.0.1', '203.0.114.7']],
    [['2606:4700::1111', '::1']],
    [[]],
  ])('fails in production if the name resolves to %j', async (addresses) => {
    const { port, seen } = await receiver();
    const names = resolveNamesTo(addresses);
    const url = `http://hooks.shop.example:${port}/`;
    expect(await send({ url, body: '{}', headers: {}, publicOnly: true })).toEqual({
      type: 'forbidden',
      reason: 'hooks.shop.example is not an address on the public internet',
    });
    expect(names).toEqual(['hooks.shop.example']);
    expect(seen).toEqual([]);
  });

  it('reaches a name that resolves to an internal address, except in production', async () => {
    const { port } = await receiver();
    const outgoing = { url: `http://localhost:${port}/`, body: '{}', headers: {} };
    expect(await send({ ...outgoing, publicOnly: false })).toEqual({ type: 'answered', status: 204 });
    expect(await send({ ...outgoing, publicOnly: true })).toMatchObject({ type: 'forbidden' });
  });

  it('R-97 resolves names without threads, which the lookups of other units would block', async () => {
    const { port } = await receiver();
    resolveNamesTo(['127.0.0.1']);
    vi.spyOn(dns, 'lookup').mockReturnValue(new Promise<never>(() => undefined));
    const url = `http://hooks.shop.example:${port}/`;
    expect(await send({ url, body: '{}', headers: {}, publicOnly: false, deadlineMs: 3_000 })).toEqual({
      type: 'answered',
      status: 204,
    });
  });

  it('R-97 looks up one name at a time that is not in the DNS', async () => {
    resolveNamesTo([]);
    let running = 0;
    let most = 0;
    vi.spyOn(dns, 'lookup').mockImplementation(async () => {
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running--;
      throw Object.assign(new Error('unknown'), { code: 'ENOTFOUND' });
    });
    const unknown = ['http://one.example/', 'http://two.example/', 'http://three/'];
    const sent = await Promise.all(
      unknown.map((url) => send({ url, body: '{}', headers: {}, publicOnly: false })),
    );
    expect(sent).toEqual(unknown.map(() => ({ type: 'unreachable', reason: 'ENOTFOUND' })));
    expect(most).toBe(1);
  });

  it('R-97 does not ask the system for a name whose server does not respond in time', async () => {
    const late = async () => Promise.reject(Object.assign(new Error('late'), { code: 'ETIMEOUT' }));
    vi.spyOn(Resolver.prototype, 'resolve4').mockImplementation(late);
    vi.spyOn(Resolver.prototype, 'resolve6').mockImplementation(late);
    vi.spyOn(dns, 'lookup').mockReturnValue(new Promise<never>(() => undefined));
    const outgoing = { body: '{}', headers: {}, publicOnly: false, deadlineMs: 3_000 };
    const url = 'http://hooks.shop.example/';
    expect(await send({ ...outgoing, url })).toEqual({ type: 'unreachable', reason: 'ETIMEOUT' });
  });

  it('R-61 waits for the first of several addresses while the process is busy', async () => {
    const { port } = await receiver();
    const sent = send({ url: `http://localhost:${port}/`, body: '{}', headers: {}, publicOnly: false });
    await new Promise(setImmediate);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
    expect(await sent).toMatchObject({ type: 'answered' });
  });

  it('R-97 resolves localhost without a lookup', async () => {
    const { port } = await receiver();
    vi.spyOn(dns, 'lookup').mockReturnValue(new Promise<never>(() => undefined));
    const outgoing = { body: '{}', headers: {}, publicOnly: false, deadlineMs: 3_000 };
    for (const host of ['localhost', 'shop.localhost'])
      expect(await send({ ...outgoing, url: `http://${host}:${port}/` })).toMatchObject({ type: 'answered' });
  });

  it('reports unreachable if the name does not resolve', async () => {
    const url = 'http://nowhere.invalid/';
    expect(await send({ url, body: '{}', headers: {}, publicOnly: true })).toEqual({
      type: 'unreachable',
      reason: expect.stringMatching(/^(ENOTFOUND|ESERVFAIL|ECONNREFUSED|ETIMEOUT)$/) as string,
    });
  });
});

it.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]'])(
  'R-54 calls the internal address %s only outside production',
  async (host) => {
    const { port, seen } = await receiver();
    const outgoing = { url: `http://${host}:${port}/`, body: '{}', headers: {} };
    expect(await send({ ...outgoing, publicOnly: true })).toEqual({
      type: 'forbidden',
      reason: expect.stringMatching(/^[\d.:a-f]+ is not an address on the public internet$/) as string,
    });
    expect(seen).toEqual([]);
    expect(await send({ ...outgoing, publicOnly: false })).not.toMatchObject({ type: 'forbidden' });
  },
);

describe('R-54 a name that resolves to public addresses only', () => {
  const addresses = ['203.0.114.7', '203.0.114.8'];
  const lookUp = (all: boolean) =>
    new Promise((resolve) => {
      lookupOf(true)('shop.example', { all }, (...result) => resolve(result));
    });

  it('connects to the checked addresses, or to the first of them', async () => {
    resolveNamesTo(addresses);
    expect(await lookUp(true)).toEqual([null, addresses.map((address) => ({ address, family: 4 }))]);
    expect(await lookUp(false)).toEqual([null, addresses[0], 4]);
  });

  it('R-91 checks and tries at most sixteen addresses', async () => {
    resolveNamesTo(Array.from({ length: 4_000 }, (_, i) => `203.0.${114 + (i >> 8)}.${i & 255}`));
    expect(await lookUp(true)).toEqual([null, expect.objectContaining({ length: 16 })]);
  });
});

describe('R-54 the response of a receiver', () => {
  const ending = (response: ServerResponse): void => void response.end();
  const saying = async (pieces: string[], end = ending): Promise<string> => {
    const server = createServer((request, response) => {
      request.resume();
      // Each piece becomes one chunk.
      for (const piece of pieces) response.write(piece);
      end(response);
    });
    return `http://127.0.0.1:${await listen(server)}/`;
  };
  const outgoing = { body: '{}', headers: {}, publicOnly: false };

  it('is kept up to the requested number of bytes', async () => {
    const url = await saying(['thank ', 'you ', 'all']);
    const answered = { type: 'answered', status: 200 };
    expect(await send({ ...outgoing, url, answerBytes: 100 })).toEqual({
      ...answered,
      answer: 'thank you all',
    });
    expect(await send({ ...outgoing, url, answerBytes: 9 })).toEqual({ ...answered, answer: 'thank you' });
    expect(await send({ ...outgoing, url })).toEqual(answered);
  });

  it.each<[string, (response: ServerResponse) => void, number]>([
    ['is cut off', (response) => setImmediate(() => response.socket?.end()), 30_000],
    // Long enough for a busy machine to begin the response.
    ['does not end', () => undefined, 2_000],
  ])('is kept as far as received if it %s', async (_, end, deadlineMs) => {
    const url = await saying(['thank '], end);
    expect(await send({ ...outgoing, url, answerBytes: 100, deadlineMs })).toEqual({
      type: 'answered',
      status: 200,
      answer: 'thank ',
    });
  });

  it('is complete even if the rest arrives later', async () => {
    let begin: (response: ServerResponse) => void;
    const started = new Promise<ServerResponse>((resolve) => (begin = resolve));
    const url = await saying(['thank '], (response) => begin(response));
    const answer = send({ ...outgoing, url, answerBytes: 100 });
    const response = await started;
    // Once a later request is answered, the first part has arrived.
    const { port } = await receiver();
    await send({ ...outgoing, url: `http://127.0.0.1:${port}/` });
    response.end('you all');
    expect(await answer).toMatchObject({ answer: 'thank you all' });
  });

  it('is read only up to the requested length', async () => {
    const url = await saying(['thank you'], () => undefined);
    expect(await send({ ...outgoing, url, answerBytes: 9, deadlineMs: 3_600_000 })).toMatchObject({
      answer: 'thank you',
    });
  });

  it('in another protocol does not count, and closes the connection', async () => {
    const ended: string[] = [];
    const port = await listen(
      createSocketServer((socket) => {
        socket.on('close', () => ended.push('closed'));
        socket.once('data', () =>
          socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n'),
        );
      }),
    );
    const url = `http://127.0.0.1:${port}/`;
    expect(await send({ ...outgoing, url })).toEqual({ type: 'unreachable', reason: 'closed' });
    await expect.poll(() => ended).toEqual(['closed']);
  });
});

it.each<[string, number | undefined]>([
  ['120', 120_000],
  ['0.5', 500],
  ['0', undefined],
  ['-5', undefined],
  ['1e3', undefined],
  ['0x10', undefined],
  ['Infinity', undefined],
  ['Wed, 21 Oct 2026 07:28:00 GMT', undefined],
])('R-54 a Retry-After of %s means %s ms', async (retryAfter, retryAfterMs) => {
  const server = createServer((_, response) => response.writeHead(503, { 'retry-after': retryAfter }).end());
  const url = `http://127.0.0.1:${await listen(server)}/`;
  expect(await send({ url, body: '{}', headers: {}, publicOnly: false })).toStrictEqual({
    type: 'answered',
    status: 503,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
});

it('R-54 a Retry-After date means the time until then', async () => {
  const at = new Date(Date.now() + 3_600_000).toUTCString();
  const server = createServer((_, response) => response.writeHead(503, { 'retry-after': at }).end());
  const url = `http://127.0.0.1:${await listen(server)}/`;
  const answered = await send({ url, body: '{}', headers: {}, publicOnly: false });
  const { retryAfterMs } = answered as { retryAfterMs?: number };
  expect(retryAfterMs).toBeGreaterThan(3_500_000);
  expect(retryAfterMs).toBeLessThanOrEqual(3_600_000);
});
