import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FLOWS } from '@embedded-sessions/server-types';
import { expect, it } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { freePort } from '../../../../tools/ports.mjs';
import { config as merchantConfig, SECRETS } from '../../test/merchant.js';
import { open } from '../../test/payer.js';
import { startReceiver } from '../../test/receiver.js';
import { parseConfig } from '../platform/config/config.js';
import { dev, type Dev } from './dev.js';
import { listen } from './listen.js';
import { serve, type Running } from './serve.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

async function ask<T>({ inspector }: Running, path: string, body: object): Promise<T> {
  const [base = '', token = ''] = (inspector ?? '').split('/#');
  const response = await fetch(base + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await response.json()) as T;
}

/** Pays with the sample's session. */
async function startAndPay(service: Dev): Promise<void> {
  const { sessionId } = await ask<{ sessionId: string }>(service, '/try', {
    path: FLOWS.payment.endpoint,
    body: { BusinessUnitSlug: service.sample?.businessUnit, Channel: 'QuickPay', Charges: [{ Amount: 500 }] },
  });
  await ask(service, `/sessions/${sessionId}/pay`, { method: 'Credit Card', last4: '4242' });
}

it('R-90 forwards signed webhooks of a running service to a backend, and again when resent', async () => {
  const receiver = await startReceiver();
  const service = await dev({ port: 0, config: 'there-is-none.json', log: silent });
  const stop = new AbortController();
  const printed: string[] = [];
  const listening = listen({
    inspector: service.inspector ?? '',
    forwardTo: `${receiver.url.replace('//', '//user:canary@')}?token=canary`,
    print: (line) => printed.push(line),
    signal: stop.signal,
  });
  await expect.poll(() => printed.length).toBe(1);
  expect(printed[0]).not.toContain('canary');
  await startAndPay(service);
  await expect.poll(() => printed.at(-1)).toMatch(/^payment\.succeeded msg_\S+ → 2\d\d$/);
  const id = printed.at(-1)?.split(' ')[1];
  await ask(service, `/webhooks/${id}/resend`, {});
  await expect.poll(() => printed.filter((line) => line.includes(String(id))).length).toBe(2);
  expect(receiver.types().filter((type) => type === 'payment.succeeded')).toHaveLength(2);
  for (const { headers, body } of receiver.received)
    new Webhook(service.sample?.webhookSecret ?? '').verify(body, headers);

  stop.abort();
  await expect(listening).rejects.toThrow('aborted');
  await service.close();
  await receiver.close();
});

it('R-90 waits for a stopped service and forwards each webhook of the next process once', async () => {
  const receiver = await startReceiver();
  const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-listen-'));
  const inspectorPort = await freePort();
  const start = (): Promise<Running> =>
    serve({
      env: 'staging',
      config: parseConfig(
        merchantConfig({ webhook: { url: `http://127.0.0.1:${inspectorPort}/caught`, secrets: SECRETS } }),
        'staging',
      ),
      host: '127.0.0.1',
      port: 0,
      inspectorPort,
      database: join(folder, 'service.db'),
      log: silent,
    });
  const pay = async ({ url }: Running): Promise<void> =>
    void (await (await open((input, init) => fetch(url + input, init), 'payment')).pay());
  const first = await start();
  const stop = new AbortController();
  const printed: string[] = [];
  const listening = listen({
    inspector: first.inspector ?? '',
    forwardTo: receiver.url,
    print: (line) => printed.push(line),
    signal: stop.signal,
  });
  const arrived = (count: number): Promise<void> =>
    expect.poll(() => ({ received: receiver.received.length, printed })).toMatchObject({ received: count });
  await expect.poll(() => printed.length).toBe(1);
  await pay(first);
  await arrived(1);
  await first.close();
  await expect.poll(() => printed.at(-1)).toMatch(/Lost the connection/);
  const second = await start();
  expect(second.inspector).toBe(first.inspector);
  await pay(second);
  await arrived(2);
  await pay(second);
  await arrived(3);
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(3);
  expect(printed.filter((line) => line.includes('Reconnected'))).toHaveLength(1);

  stop.abort();
  await expect(listening).rejects.toThrow('aborted');
  await second.close();
  await receiver.close();
  rmSync(folder, { recursive: true });
});

it('R-90 follows a replacement service, at any address and with any token', async () => {
  const receiver = await startReceiver();
  const start = (): ReturnType<typeof dev> => dev({ port: 0, config: 'there-is-none.json', log: silent });
  const first = await start();
  let found = first.inspector;
  const stop = new AbortController();
  const printed: string[] = [];
  const listening = listen({
    inspector: first.inspector ?? '',
    next: () => found,
    forwardTo: receiver.url,
    print: (line) => printed.push(line),
    signal: stop.signal,
  });
  await expect.poll(() => printed.length).toBe(1);
  await first.close();
  await expect.poll(() => printed.at(-1)).toMatch(/Lost the connection/);
  const second = await start();
  found = second.inspector;
  await expect
    .poll(() => printed.at(-1), { timeout: 5000 })
    .toBe(`Reconnected to ${new URL(found ?? '').origin}`);
  await startAndPay(second);
  await expect.poll(() => receiver.types()).toEqual(['payment.succeeded']);

  stop.abort();
  await expect(listening).rejects.toThrow('aborted');
  await second.close();
  await receiver.close();
});

it('R-90 reports why a backend did not respond, and follows no redirect, like the service', async () => {
  const service = await dev({ port: 0, config: 'there-is-none.json', log: silent });
  const moved = createServer((_request, response) => {
    response.writeHead(302, { location: '/elsewhere' }).end();
  });
  await new Promise<void>((resolve) => moved.listen(0, '127.0.0.1', resolve));
  const nobody = `http://127.0.0.1:${await freePort()}`;
  const stop = new AbortController();
  const printed: string[] = [];
  const listening = [`http://127.0.0.1:${(moved.address() as AddressInfo).port}`, nobody].map((forwardTo) =>
    listen({
      inspector: service.inspector ?? '',
      forwardTo,
      print: (line) => printed.push(line),
      signal: stop.signal,
    }),
  );
  await expect.poll(() => printed.length).toBe(2);
  await startAndPay(service);
  await expect.poll(() => printed.length).toBe(4);
  expect(printed.slice(2).toSorted()).toEqual([
    expect.stringMatching(/ → 302$/),
    expect.stringMatching(/ → ECONNREFUSED$/),
  ]);

  stop.abort();
  await Promise.all(listening.map((each) => expect(each).rejects.toThrow('aborted')));
  await service.close();
  await new Promise((resolve) => moved.close(resolve));
});

it('R-90 forwards a webhook after the connection broke before the fetch', async () => {
  const receiver = await startReceiver();
  let reads = 0;
  let requests = 0;
  const inspector = createServer((request, response) => {
    const path = request.url ?? '';
    const isPast = path.endsWith('after=0') && reads++ === 0;
    if (isPast) response.end('[]');
    else if (path.startsWith('/events'))
      response.end(path.endsWith('after=5') ? '[]' : '[{"id":5,"isDue":true,"webhookId":"msg_1"}]');
    else if (++requests === 1) request.socket.destroy();
    else response.end(JSON.stringify({ headers: {}, body: '{"type":"payment.succeeded"}' }));
  });
  await new Promise<void>((resolve) => inspector.listen(0, '127.0.0.1', resolve));
  const { port } = inspector.address() as AddressInfo;
  const stop = new AbortController();
  const listening = listen({
    inspector: `http://127.0.0.1:${port}/#token`,
    forwardTo: receiver.url,
    print: () => undefined,
    signal: stop.signal,
  });
  await expect.poll(() => receiver.received.length).toBe(1);
  stop.abort();
  await expect(listening).rejects.toThrow('aborted');
  inspector.closeAllConnections();
  await new Promise((resolve) => inspector.close(resolve));
  await receiver.close();
});

it('R-90 names the address if no service listens', async () => {
  const inspector = `http://127.0.0.1:${await freePort()}/#token`;
  await expect(
    listen({ inspector, forwardTo: 'http://127.0.0.1:9', print: () => undefined }),
  ).rejects.toMatchObject({
    code: 'invalid_arguments',
    message: expect.stringContaining('Nothing is listening at') as string,
  });
});
