// One POST to a merchant's server, as the server and the network see it.
import dns from 'node:dns';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { createServer as createSocketServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { send } from './send.js';

const servers: Server[] = [];
const resolve = dns.lookup;
afterEach(async () => {
  dns.lookup = resolve;
  syncBuiltinESMExports();
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

/** A name whose addresses the test says. */
function named(...addresses: string[]): string[] {
  const asked: string[] = [];
  dns.lookup = ((
    name: string,
    _: unknown,
    told: (error: null, found: { address: string; family: number }[]) => void,
  ) => {
    asked.push(name);
    told(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  }) as never;
  syncBuiltinESMExports();
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
    const asked = named(...addresses);
    const url = `http://hooks.shop.example:${port}/`;
    expect(await send({ url, body: '{}', headers: {}, publicOnly: true })).toEqual({
      type: 'forbidden',
      reason: 'hooks.shop.example is not an address on the public internet',
    });
    expect(asked).toEqual(['hooks.shop.example']);
    expect(seen).toEqual([]);
  });
});
