// One POST to a merchant's server, as the server and the network see it.
import dns from 'node:dns/promises';
import fs from 'node:fs/promises';
import { getEventListeners } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { createServer as createSocketServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../../../tools/ports.mjs';
import { startNameserver } from '../../test/nameserver.js';
import type { Nameserver } from '../../test/nameserver.js';
import { addressesOf, inHosts } from './names.js';
import { lookupOf, send } from './send.js';

const servers: Server[] = [];
const { lookup } = dns;
let nameserver: Nameserver;
/** What would end the process. */
const thrown: unknown[] = [];
const hear = (error: unknown): void => void thrown.push(error);
beforeEach(async () => {
  nameserver = await startNameserver();
  process.on('uncaughtException', hear);
});
afterEach(async () => {
  await new Promise(setImmediate);
  process.off('uncaughtException', hear);
  expect(thrown.splice(0)).toEqual([]);
  dns.lookup = lookup;
  await nameserver.close();
  for (const server of servers.splice(0)) await new Promise((done) => server.close(done));
});

const listen = async (server: Server): Promise<number> => {
  servers.push(server);
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return (server.address() as AddressInfo).port;
};

interface Seen {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

async function receiver(): Promise<{ port: number; seen: Seen[] }> {
  const seen: Seen[] = [];
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

/** What the system says of every name that neither its hosts file nor DNS knows. */
function bySystem(answer: (name: string) => Promise<string[]>): string[] {
  const asked: string[] = [];
  dns.lookup = (async (name: string, { all }: { all: boolean }) => {
    asked.push(name);
    const found = await answer(name);
    const addresses = found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    return all ? addresses : addresses[0];
  }) as never;
  return asked;
}

describe('R-54 a webhook on its way', () => {
  it('is a POST of the whole body, with its length and the headers that sign it', async () => {
    const { port, seen } = await receiver();
    const body = '{"type":"payment_session.succeeded","name":"Zoë"}';
    const headers = { 'content-type': 'application/json', 'webhook-id': 'msg_1' };
    const url = `http://127.0.0.1:${port}/hooks?shop=1`;
    expect(await send({ url, body, headers, publicOnly: false })).toEqual({ type: 'answered', status: 204 });
    expect(seen).toMatchObject([
      {
        method: 'POST',
        url: '/hooks?shop=1',
        headers: { ...headers, 'content-length': String(Buffer.byteLength(body)), connection: 'close' },
        body,
      },
    ]);
  });

  it('to https speaks TLS', async () => {
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
    const answer = await send({
      url: `https://127.0.0.1:${port}/`,
      body: '{}',
      headers: {},
      publicOnly: false,
    });
    expect(answer).toMatchObject({ type: 'unreachable' });
    // A handshake.
    expect(first).toBe(0x16);
  });

  it('leaves nothing at what may tell the service to stop, which is there as long as the process', async () => {
    const { signal } = new AbortController();
    const url = `http://127.0.0.1:${await freePort()}/`;
    const sent = () => send({ url, body: '{}', headers: {}, publicOnly: false, signal });
    /** Signals that follow it are kept there, in a set of its own. */
    const held = (): number =>
      Object.getOwnPropertySymbols(signal)
        .map(
          (name) => (signal as unknown as Record<symbol, { size?: unknown } | null | undefined>)[name]?.size,
        )
        .reduce<number>((sum, size) => sum + (typeof size === 'number' ? size : 0), 0);
    await sent();
    const before = held();
    for (let count = 0; count < 5; count++) await sent();
    expect(held()).toBe(before);
    await expect.poll(() => getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('has its deadline also where the service may be told to stop, and stops when it is', async () => {
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
  ])('to a name that leads to %j calls none of them in production', async (addresses) => {
    const { port, seen } = await receiver();
    nameserver.names.set('hooks.shop.example', addresses);
    const asked = bySystem(async () => addresses);
    for (const host of ['hooks.shop.example', 'hooks.cluster.example'])
      expect(
        await send({ url: `http://${host}:${port}/`, body: '{}', headers: {}, publicOnly: true }),
      ).toEqual({ type: 'forbidden', reason: `${host} is not an address on the public internet` });
    expect(nameserver.asked).toEqual(new Set(['hooks.shop.example', 'hooks.cluster.example']));
    // DNS knew the one, and not the other.
    expect(asked).toEqual(addresses.length > 0 ? ['hooks.cluster.example'] : expect.any(Array));
    expect(seen).toEqual([]);
  });
});

it.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]'])(
  'R-54 an address inside a network, %s, is not called in production, and is elsewhere',
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

describe('R-54 in production a name that leads to the public internet alone', () => {
  const addresses = ['203.0.114.7', '203.0.114.8'];
  const found = (all: boolean) =>
    new Promise((resolve) => {
      const { signal } = new AbortController();
      lookupOf(true, signal)('shop.example', { all }, (...answer) => resolve(answer));
    });

  it('is called at the addresses that were checked, or at the first of them', async () => {
    nameserver.names.set('shop.example', addresses);
    expect(await found(true)).toEqual([null, addresses.map((address) => ({ address, family: 4 }))]);
    expect(await found(false)).toEqual([null, addresses[0], 4]);
  });
});

describe('R-54 what a receiver says', () => {
  const ending = (response: ServerResponse): void => void response.end();
  const saying = async (pieces: string[], end = ending): Promise<string> => {
    const server = createServer((request, response) => {
      request.resume();
      // Each is a chunk of its own.
      for (const piece of pieces) response.write(piece);
      end(response);
    });
    return `http://127.0.0.1:${await listen(server)}/`;
  };
  const outgoing = { body: '{}', headers: {}, publicOnly: false };

  it('is kept for whoever looks on, piece by piece, as far as it is wanted', async () => {
    const url = await saying(['thank ', 'you ', 'all']);
    const answered = { type: 'answered', status: 200 };
    expect(await send({ ...outgoing, url, answerBytes: 100 })).toEqual({
      ...answered,
      answer: 'thank you all',
    });
    expect(await send({ ...outgoing, url, answerBytes: 9 })).toEqual({ ...answered, answer: 'thank you' });
    expect(await send({ ...outgoing, url })).toEqual(answered);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['is cut off', (response) => setImmediate(() => response.socket?.end())],
    ['does not end', () => undefined],
  ])('is kept as far as it came, where it %s', async (_, end) => {
    const url = await saying(['thank '], end);
    expect(await send({ ...outgoing, url, answerBytes: 100, deadlineMs: 200 })).toEqual({
      type: 'answered',
      status: 200,
      answer: 'thank ',
    });
  });

  it('is kept whole where the rest of it comes later', async () => {
    let begin: (response: ServerResponse) => void;
    const begun = new Promise<ServerResponse>((resolve) => (begin = resolve));
    const url = await saying(['thank '], (response) => begin(response));
    const answer = send({ ...outgoing, url, answerBytes: 100 });
    const response = await begun;
    // Its first part is here when the answer to a later question is.
    const { port } = await receiver();
    await send({ ...outgoing, url: `http://127.0.0.1:${port}/` });
    response.end('you all');
    expect(await answer).toMatchObject({ answer: 'thank you all' });
  });

  it('is waited for no longer than it is wanted', async () => {
    const url = await saying(['thank you'], () => undefined);
    expect(await send({ ...outgoing, url, answerBytes: 9, deadlineMs: 3_600_000 })).toMatchObject({
      answer: 'thank you',
    });
  });

  it('in another protocol is an answer too, and no connection stays', async () => {
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
    expect(await send({ ...outgoing, url })).toEqual({ type: 'answered', status: 101 });
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
])('R-54 a Retry-After of %s asks for %s ms', async (retryAfter, retryAfterMs) => {
  const server = createServer((_, response) => response.writeHead(503, { 'retry-after': retryAfter }).end());
  const url = `http://127.0.0.1:${await listen(server)}/`;
  expect(await send({ url, body: '{}', headers: {}, publicOnly: false })).toStrictEqual({
    type: 'answered',
    status: 503,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
});

it('R-54 a Retry-After of a date asks for the time until then', async () => {
  const at = new Date(Date.now() + 3_600_000).toUTCString();
  const server = createServer((_, response) => response.writeHead(503, { 'retry-after': at }).end());
  const url = `http://127.0.0.1:${await listen(server)}/`;
  const answered = await send({ url, body: '{}', headers: {}, publicOnly: false });
  const { retryAfterMs } = answered as { retryAfterMs?: number };
  expect(retryAfterMs).toBeGreaterThan(3_500_000);
  expect(retryAfterMs).toBeLessThanOrEqual(3_600_000);
});

describe('R-54 the name of a receiver', () => {
  const to = (host: string, port: number, more: object = {}) =>
    send({ url: `http://${host}:${port}/`, body: '{}', headers: {}, publicOnly: false, ...more });

  it('is asked of DNS: as many as hang hold up neither each other nor the healthy, and end in time', async () => {
    const { port, seen } = await receiver();
    const asked = bySystem(() => new Promise(() => undefined));
    nameserver.names.set('healthy.example', ['127.0.0.1']);
    const hanging = Array.from({ length: 20 }, (_, number) => `hanging-${number}.example`);
    for (const name of hanging) nameserver.names.set(name, 'hang');
    const sent = hanging.map((name) => to(name, port, { deadlineMs: 4_000 }));
    await expect.poll(() => nameserver.asked.size).toBe(hanging.length);
    let ended = 0;
    for (const one of sent) void one.then(() => ended++);
    expect(await to('healthy.example', port)).toEqual({ type: 'answered', status: 204 });
    expect([ended, seen.length, asked.length]).toEqual([0, 1, 0]);
    for (const one of sent) expect(await one).toEqual({ type: 'unreachable', reason: 'no answer in time' });
  });

  it('is asked no longer than somebody waits for it', async () => {
    nameserver.names.set('hanging.example', 'hang');
    const stop = new AbortController();
    const asked = addressesOf('hanging.example', stop.signal);
    await expect.poll(() => nameserver.asked.size).toBe(1);
    stop.abort();
    // Not ETIMEOUT, as it is of a nameserver that was waited for.
    await expect(asked).rejects.toMatchObject({ code: 'ECANCELLED' });
  });

  it('whose nameservers do not answer at all is asked of nobody else', async () => {
    const asked = bySystem(async () => ['127.0.0.1']);
    const late = Object.assign(new Error('late'), { code: 'ETIMEOUT' });
    const resolve = (): Promise<never> => Promise.reject(late);
    dns.Resolver = class extends dns.Resolver {
      override resolve4 = resolve;
      override resolve6 = resolve;
    };
    await expect(addressesOf('shop.example', new AbortController().signal)).rejects.toBe(late);
    expect(asked).toEqual([]);
  });

  it('of which only the IPv4 address, or only the IPv6 address, is known is called there', async () => {
    nameserver.names.set('four.example', ['203.0.114.7']);
    nameserver.names.set('six.example', ['2606:4700::1111']);
    const { signal } = new AbortController();
    expect(await addressesOf('four.example', signal)).toEqual([{ address: '203.0.114.7', family: 4 }]);
    expect(await addressesOf('six.example', signal)).toEqual([{ address: '2606:4700::1111', family: 6 }]);
    // A process's signal sees many names.
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('is one of those that a line of the hosts file has, in any case', () => {
    const hosts = [
      '# 10.0.0.1 shop.example',
      '10.0.0.2\tother.example  Shop.Example # 10.0.0.3 shop.example',
      '  ::2 shop.example',
      'nonsense shop.example',
      '10.0.0.4 not-shop.example shop.example.org',
      '',
    ].join('\n');
    expect(inHosts(hosts, 'SHOP.example')).toEqual([
      { address: '10.0.0.2', family: 4 },
      { address: '::2', family: 6 },
    ]);
    expect(inHosts('', 'shop.example')).toEqual([]);
  });

  it('is asked of DNS also on a machine without a hosts file', async () => {
    vi.spyOn(fs, 'readFile').mockRejectedValue(Object.assign(new Error('gone'), { code: 'ENOENT' }));
    nameserver.names.set('healthy.example', ['127.0.0.1']);
    expect(await addressesOf('healthy.example', new AbortController().signal)).toEqual([
      { address: '127.0.0.1', family: 4 },
    ]);
  });

  it('that is in the hosts file is asked of nobody', async () => {
    const { port } = await receiver();
    expect(await to('localhost', port)).toEqual({ type: 'answered', status: 204 });
    expect(nameserver.asked).toEqual(new Set());
  });

  it('that DNS does not know is asked of the system, one at a time, and not for a delivery that has ended', async () => {
    const { port } = await receiver();
    const answers: ((addresses: string[]) => void)[] = [];
    const asked = bySystem(() => new Promise((answer) => answers.push(answer)));
    const hanging = addressesOf('hanging.internal', new AbortController().signal);
    await expect.poll(() => asked).toEqual(['hanging.internal']);
    const given = to('given-up.internal', port, { deadlineMs: 300 });
    const last = to('healthy.internal', port, { deadlineMs: 50_000 });
    expect(await given).toEqual({ type: 'unreachable', reason: 'no answer in time' });
    expect(asked).toEqual(['hanging.internal']);
    answers[0]?.([]);
    expect(await hanging).toEqual([]);
    await expect.poll(() => asked).toEqual(['hanging.internal', 'healthy.internal']);
    answers[1]?.(['127.0.0.1']);
    expect(await last).toEqual({ type: 'answered', status: 204 });
  });
});
