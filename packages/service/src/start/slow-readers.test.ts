/** Clients that don't read responses cost a bounded amount of memory. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { CONFIG } from '../../test/api.js';
import { parseConfig } from '../platform/config/config.js';
import { createLog } from '../platform/log/log.js';
import { serve, type Running, type ServeOptions } from './serve.js';

let answered = 0;
const running: Running[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(running.splice(0).map((service) => service.close()));
  answered = 0;
});

async function start(options: Partial<ServeOptions> = {}): Promise<Running> {
  const service = await serve({
    env: 'staging',
    config: parseConfig(CONFIG, 'staging'),
    database: ':memory:',
    host: '127.0.0.1',
    port: 0,
    log: createLog({ write: (line) => void (line.includes('/openapi.json') && (answered += 1)) }),
    ...options,
  });
  running.push(service);
  return service;
}

const LARGE = 'GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n';
const END = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';

/** Sends the text and reads nothing. */
function requesting(service: Running, text: string): Socket {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname).pause();
  sockets.push(socket);
  socket.on('error', () => undefined);
  socket.write(text);
  return socket;
}

/** Resolves after many other requests were served. */
async function later(service: Running): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await (await fetch(`${service.url}/healthz`)).text();
}

it('buffers no responses beyond what a client reads, and keeps their order', async () => {
  const service = await start();
  const bytes = (await (await fetch(`${service.url}/openapi.json`)).arrayBuffer()).byteLength;
  const socket = requesting(service, LARGE.repeat(90) + END);
  await once(socket, 'ready');
  // Wait until the socket buffers are full.
  for (let before = -1; before !== answered; await later(service)) before = answered;
  expect(answered).toBeLessThan(80);
  let [length, last] = [0, ''];
  for await (const part of socket as AsyncIterable<Buffer>) {
    length += part.byteLength;
    last = part.toString();
  }
  expect(answered).toBe(91);
  expect(length).toBeGreaterThan(90 * bytes);
  expect(last).toMatch(/\{"status":"ok"\}$/);
});

it('R-91 closes the connection of a client that does not read a response for long, even if it keeps sending', async () => {
  const service = await start({ receiveWithinMs: 200 });
  const from = performance.now();
  const socket = requesting(service, LARGE.repeat(90));
  const ended = (): string => {
    socket.write('\r\n');
    return String(socket.errored?.message);
  };
  await expect.poll(ended).toMatch(/EPIPE|ECONNRESET/);
  expect(performance.now() - from).toBeGreaterThan(1_200);
});

it('keeps the connection of a slow reader', async () => {
  const service = await start({ receiveWithinMs: 200 });
  const socket = requesting(service, LARGE.repeat(90) + END);
  const from = performance.now();
  let last = '';
  for await (const part of socket as AsyncIterable<Buffer>) {
    last = part.toString();
    if (performance.now() - from < 3_000) await delay(20);
  }
  expect(last).toMatch(/\{"status":"ok"\}$/);
});
