/** counts the parser's callbacks. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, Socket, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Connections, BoundedRequest } from './connections.js';

let requests = 0;
let chunks = 0;
/** Maximum chunks in one turn of the event loop. */
let chunksPerTurn = 0;
let chunksBefore = 0;

class Counted extends BoundedRequest {
  constructor(socket: Socket) {
    super(socket);
    requests += 1;
  }

  override push(chunk: Uint8Array | null, encoding?: BufferEncoding): boolean {
    if (chunk !== null) {
      if (chunks === chunksBefore) setImmediate(() => (chunksBefore = chunks));
      chunks += 1;
      chunksPerTurn = Math.max(chunksPerTurn, chunks - chunksBefore);
    }
    return super.push(chunk, encoding);
  }
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request).catch(() => '');
  if (request.url !== '/unanswered') response.end(`${body.length}`);
}

let server: Server<typeof Counted>;
beforeEach(async () => {
  [requests, chunks, chunksPerTurn, chunksBefore] = [0, 0, 0, 0];
  server = createServer({ IncomingMessage: Counted }, (request, response) => void answer(request, response));
  void new Connections(server, 20_000, () => 1_000);
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterEach(async () => {
  server.closeAllConnections();
  await once(server.close(), 'close');
});

async function send(bytes: string): Promise<string> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  let responses = '';
  socket.on('data', (part) => void (responses += String(part)));
  socket.write(bytes);
  await new Promise((resolve) => socket.once('close', resolve));
  return responses;
}

const HOST = 'Host: localhost\r\n';
const CHUNKED = `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n`;
const TINY = '1\r\nx\r\n';
const LAST = '0\r\n\r\n';

it.each([
  ['requests', `GET / HTTP/1.1\r\n${HOST}\r\n`],
  ['requests without a host', 'GET / HTTP/1.1\r\n\r\n'],
  ['requests with an unknown expectation', `GET / HTTP/1.1\r\n${HOST}Expect: x\r\n\r\n`],
])('R-91 parses no further %s of a connection before it has answered one', async (_, request) => {
  await send(request.repeat(2_000));
  expect(requests).toBeLessThanOrEqual(2);
});

it('R-91 parses at most two thousand tiny chunks of a request', async () => {
  await send(`${CHUNKED}\r\n${TINY.repeat(10_000)}${LAST}`);
  expect(chunks).toBeLessThan(2_100);
});

it('R-91 limits the tiny chunks of each connection once all connections have sent many in one turn', async () => {
  let accepted = 0;
  server.on('connection', () => void (accepted += 1));
  const { port } = server.address() as AddressInfo;
  const sockets = Array.from({ length: 60 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
  await expect.poll(() => accepted).toBe(60);
  const closed = sockets.map((socket) => once(socket.resume(), 'close'));
  for (const socket of sockets) socket.write(`${CHUNKED}\r\n${TINY.repeat(2_000)}`);
  await Promise.all(closed.slice(10));
  expect(chunksPerTurn).toBeLessThan(8_192 + 60 * 18);
  for (const socket of sockets) socket.destroy();
});

it('reads a body in two thousand chunks', async () => {
  const responses = await send(`${CHUNKED}Connection: close\r\n\r\n${TINY.repeat(2_000)}${LAST}`);
  expect(responses).toMatch(/^HTTP\/1\.1 200 [^]*2000/);
});

it('responds to many requests of one connection, one after the other', async () => {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const parts = socket[Symbol.asyncIterator]();
  for (let times = 0; times < 250; times++) {
    socket.write(`${CHUNKED}\r\n${TINY.repeat(20)}${LAST}`);
    for (let received = ''; !received.endsWith('\r\n\r\n20');) received += String((await parts.next()).value);
  }
  expect([requests, chunks]).toEqual([250, 5_000]);
  socket.destroy();
});

it.each([
  ['an unknown expectation', 'Expect: x'],
  ['the expectation of 100 Continue', 'Expect: 100-continue'],
  ['an upgrade to another protocol', 'Connection: Upgrade\r\nUpgrade: x'],
])('R-91 responds to the next request of a connection after one with %s', async (_, header) => {
  const request = `${CHUNKED}${header}\r\n\r\n${TINY}${LAST}`;
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const parts = socket[Symbol.asyncIterator]();
  for (let times = 0; times < 2; times++) {
    socket.write(request);
    for (let received = ''; !received.endsWith('\r\n\r\n1');) {
      const { value, done } = await parts.next();
      expect(done, received).toBe(false);
      received += String(value);
    }
  }
  socket.destroy();
});

it('serves other connections after one was cut off', async () => {
  for (let times = 0; times < 3; times++) {
    await send(`${CHUNKED}\r\n${TINY.repeat(10_000)}`);
    expect(await send(`${CHUNKED}Connection: close\r\n\r\n${TINY}${LAST}`)).toMatch(/^HTTP\/1\.1 200 /);
  }
});

it(
  'R-91 R-97 cuts off only the oldest unfinished bodies once all bodies hold 64 MiB',
  { tags: ['thorough'] },
  async () => {
    const { port } = server.address() as AddressInfo;
    const part = 'x'.repeat(256 * 1024);
    const flood = Array.from({ length: 300 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
    const closed = new Set<Socket>();
    for (const socket of flood) {
      socket.resume().once('close', () => closed.add(socket));
      socket.write(`${CHUNKED}\r\n${part.length.toString(16)}\r\n${part}\r\n`);
    }
    await expect.poll(() => closed.size).toBeGreaterThanOrEqual(40);
    const length = 100_000;
    const large = `POST / HTTP/1.1\r\n${HOST}Connection: close\r\nContent-Length: ${length}\r\n\r\n`;
    for (let times = 0; times < 3; times++)
      expect(await send(large + 'x'.repeat(length))).toMatch(/^HTTP\/1\.1 200 /);
    expect(closed.size).toBeLessThan(60);
    for (const socket of flood) socket.destroy();
  },
);

it('R-91 no longer counts a body whose request was answered before its end', async () => {
  const part = Buffer.alloc(8 * 1024);
  // Together, these small bodies would hold 78 MiB before their answers, and as much after them.
  for (let times = 0; times < 10_000; times++) {
    const request = new BoundedRequest(new Socket());
    request.push(part);
    request.answered();
    request.push(part);
  }
  const body = 'x'.repeat(17 * 1024);
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  socket.write(`POST / HTTP/1.1\r\n${HOST}Content-Length: ${body.length + 1}\r\n\r\n${body}`);
  await expect.poll(() => chunks).toBeGreaterThan(0);
  socket.write('x');
  expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 /);
  socket.destroy();
});
