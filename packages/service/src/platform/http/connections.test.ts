/** limits the total cost of connections. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Connections, BoundedRequest } from './connections.js';

const RECEIVE_MS = 100;
const MAX_CONNECTIONS = 50;
const LARGE_BYTES = 32 * 1024 * 1024;

let server: Server<typeof BoundedRequest>;
let connections: Connections;
const sockets: Socket[] = [];
/** Responds to pending requests for `/later`. */
const later: (() => void)[] = [];

beforeEach(async () => {
  server = createServer({ IncomingMessage: BoundedRequest });
  connections = new Connections(server, RECEIVE_MS, () => MAX_CONNECTIONS);
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterEach(async () => {
  later.length = 0;
  for (const socket of sockets.splice(0)) socket.destroy();
  server.closeAllConnections();
  await once(server.close(), 'close');
});

function respond({ url }: IncomingMessage, response: ServerResponse): void {
  if (url === '/large') response.end(Buffer.alloc(LARGE_BYTES));
  else if (url === '/later') later.push(() => response.end('ok'));
  else response.end('ok');
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

/** Connections that the server has accepted. */
async function openMany(count: number): Promise<Socket[]> {
  const all = await Promise.all(Array.from({ length: count }, open));
  await expect.poll(() => promisify(server.getConnections.bind(server))()).toBe(count);
  return all;
}

async function open(): Promise<Socket> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

async function answerOn(socket: Socket, path = '/'): Promise<string> {
  socket.write(get(path));
  return String((await once(socket, 'data'))[0]);
}

it('R-91 spreads many requests over turns of the event loop', async () => {
  let [started, ofTurn, most] = [0, 0, 0];
  server.on('request', (request, response) => {
    connections.inTurn(request, () => {
      if (ofTurn === 0) setImmediate(() => (ofTurn = 0));
      started += 1;
      ofTurn += 1;
      most = Math.max(most, ofTurn);
      response.end('ok');
    });
  });
  for (const client of await openMany(MAX_CONNECTIONS)) client.write(get('/'));
  await expect.poll(() => started).toBe(MAX_CONNECTIONS);
  expect(most).toBeLessThanOrEqual(2 * 16);
});

it('begins no request of a connection that has ended', async () => {
  let started = 0;
  server.on('request', (request) => {
    connections.inTurn(request, () => void (started += 1));
    request.socket.destroy();
  });
  const clients = await openMany(MAX_CONNECTIONS);
  await Promise.all(
    clients.map((client) => {
      client.write(get('/'));
      return once(client, 'close');
    }),
  );
  expect(started).toBeLessThanOrEqual(16);
});

it('R-91 closes the oldest idle connection if there are too many', async () => {
  server.on('request', respond);
  const busy = await open();
  busy.write(get('/later'));
  await expect.poll(() => later.length).toBe(1);
  const [oldest, next] = [await open(), await open()];
  const closed = once(oldest, 'close');
  await Promise.all(Array.from({ length: MAX_CONNECTIONS - 3 }, open));
  const last = await open();
  await closed;
  expect(await answerOn(last)).toMatch(/^HTTP\/1\.1 200 /);
  expect(await answerOn(next)).toMatch(/^HTTP\/1\.1 200 /);
  const response = once(busy, 'data');
  later[0]?.();
  expect(String(await response)).toMatch(/^HTTP\/1\.1 200 /);
});

it('R-91 refuses a connection with 503 while all others wait for responses, and counts it', async () => {
  const onRefused = vi.fn();
  connections.onRefused = onRefused;
  server.on('request', respond);
  const busy = await Promise.all(Array.from({ length: MAX_CONNECTIONS }, open));
  for (const socket of busy) socket.write(get('/later'));
  await expect.poll(() => later.length).toBe(MAX_CONNECTIONS);
  const [refusal] = await once(await open(), 'data');
  expect(String(refusal)).toMatch(/^HTTP\/1\.1 503 .*\r\nRetry-After: 1\r\n/);
  expect(onRefused).toHaveBeenCalledOnce();
  expect(busy.filter(({ closed }) => closed)).toEqual([]);
});

it('R-91 closes a connection whose client does not read a response if there are too many', async () => {
  server.on('request', respond);
  const stalled = (await open()).pause();
  const ended = once(server, 'connection').catch(() => undefined);
  stalled.write(get('/large'));
  await expect.poll(() => stalled.readableLength + stalled.bytesRead).toBeGreaterThan(0);
  const busy = await Promise.all(Array.from({ length: MAX_CONNECTIONS - 1 }, open));
  for (const socket of busy) socket.write(get('/later'));
  await expect.poll(() => later.length).toBe(MAX_CONNECTIONS - 1);
  expect(await answerOn(await open())).toMatch(/^HTTP\/1\.1 200 /);
  await ended;
});

it('R-91 closes the connection of a client that does not read its response in time, even if it keeps sending', async () => {
  server.on('request', respond);
  const socket = (await open()).pause();
  const from = performance.now();
  socket.write(get('/large'));
  const ended = (): string => {
    socket.write('\r\n');
    return String(socket.errored?.message);
  };
  await expect.poll(ended, { timeout: 5_000 }).toMatch(/EPIPE|ECONNRESET/);
  expect(performance.now() - from).toBeGreaterThan(6 * RECEIVE_MS);
});
