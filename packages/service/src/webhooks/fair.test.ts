import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SECRETS, SLUG, config } from '../../test/merchant.js';
import { open } from '../../test/payer.js';
import type { Store } from '../core/store.js';
import { startReceiver } from '../../test/receiver.js';
import type { Receiver } from '../../test/receiver.js';
import { enableWebhooks, recoverWebhooks, resendWebhook } from './queue.js';
import { startTestService } from '../start/test-service.js';
import type { OpenTestService } from '../start/test-service.js';
import { Jobs } from '../jobs/jobs.js';
import { send } from './send.js';

let receiver: Receiver;
let service: OpenTestService;

const start = (url: string): Promise<OpenTestService> =>
  startTestService({ config: config({ webhook: { url, secrets: SECRETS } }) });
const pay = async (): Promise<unknown> => (await open(service.fetch, 'payment')).pay();
const webhooks = async () => (await service.control.state(SLUG)).webhooks;

describe('R-54 a misbehaving receiver that', () => {
  const UPGRADE = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n';
  let server: Server;
  let url: string;
  const answering = async (bytes: string): Promise<void> => {
    server = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => (bytes === '' ? socket.end() : socket.write(bytes)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  };
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  it.each([
    ['switches to another protocol', UPGRADE, { type: 'unreachable', reason: 'closed' }],
    ['says to go on, and no more', 'HTTP/1.1 100 Continue\r\n\r\n', { reason: 'no answer in time' }, 300],
    ['does not speak HTTP', 'SSH-2.0-OpenSSH_9.2\r\n', { type: 'unreachable' }],
    ['closes at once', '', { type: 'unreachable' }],
    ['redirects', 'HTTP/1.1 302 Found\r\nLocation: /paid\r\n\r\n', { status: 302 }],
    ['redirects permanently', 'HTTP/1.1 308 -\r\nLocation: /paid\r\n\r\n', { status: 308 }],
    [
      'sends only early hints',
      'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n',
      { reason: 'no answer in time' },
      300,
    ],
    [
      'sends headers of a megabyte',
      `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(1_048_576)}\r\n\r\n`,
      { reason: 'HPE_HEADER_OVERFLOW' },
    ],
  ])('%s: the delivery ends', async (_, bytes, delivery, deadlineMs = 20_000) => {
    await answering(bytes);
    const sent = send({ url, body: '{}', headers: {}, publicOnly: false, deadlineMs });
    expect(await sent).toMatchObject(delivery);
  });

  /** A receiver that sends these bytes until it is stopped. */
  const goingOn = async (first: string, bytes: string, everyMs: number): Promise<{ ended: boolean }> => {
    const connection = { ended: false };
    server = createTcpServer((socket) => {
      let timer: NodeJS.Timeout | undefined;
      socket.on('error', () => undefined);
      socket.once('data', () => {
        socket.write(first);
        timer = setInterval(() => socket.write(bytes), everyMs);
      });
      socket.once('close', () => {
        clearInterval(timer);
        connection.ended = true;
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    return connection;
  };
  const HEAD = 'HTTP/1.1 200 OK\r\n';
  const CHUNKED = `${HEAD}Transfer-Encoding: chunked\r\n\r\n`;

  it.each([
    ['trickles its headers', HEAD, 'x', 20, 0, { type: 'unreachable', reason: 'no answer in time' }],
    ['repeats early hints', '', 'HTTP/1.1 103 -\r\n\r\n', 20, 0, { reason: 'no answer in time' }],
    ['trickles its body', CHUNKED, '1\r\nx\r\n', 20, 0, { type: 'answered', status: 200 }],
    ['trickles a requested body', CHUNKED, '1\r\nx\r\n', 20, 2_048, { status: 200 }],
    ['sends an endless body', CHUNKED, `10000\r\n${'x'.repeat(65_536)}\r\n`, 1, 0, { status: 200 }],
    [
      'sends an endless requested body',
      CHUNKED,
      `800\r\n${'x'.repeat(2_048)}\r\n`,
      1,
      2_048,
      { status: 200 },
    ],
  ])('%s: the delivery ends, and its connection', async (_, first, bytes, everyMs, answerBytes, delivery) => {
    const connection = await goingOn(first, bytes, everyMs);
    // An endless body must not use up the deadline; the status arrives long before it, even on a busy machine.
    const deadlineMs = bytes.length > 2_048 ? 60_000 : 'status' in delivery ? 2_000 : 300;
    const outgoing = { url, body: '{}', headers: {}, publicOnly: false, deadlineMs, answerBytes };
    expect(await send(outgoing)).toMatchObject(delivery);
    await expect.poll(() => connection.ended).toBe(true);
  });

  it.each([
    ['before its headers end', HEAD, { type: 'unreachable', reason: 'ECONNRESET' }],
    ['in its body', `${HEAD}Content-Length: 9\r\n\r\nhalf`, { type: 'answered', status: 200 }],
  ])('closes %s: the delivery ends', async (_, bytes, delivery) => {
    server = createTcpServer((socket) => void socket.once('data', () => socket.end(bytes)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    for (const answerBytes of [0, 2_048])
      expect(await send({ url, body: '{}', headers: {}, publicOnly: false, answerBytes })).toMatchObject(
        delivery,
      );
  });

  it('trickles: does not delay a healthy one', async () => {
    receiver = await startReceiver();
    const connection = await goingOn(HEAD, 'x', 20);
    const unit = (slug: string, to: string) => ({ slug, name: slug, webhook: { url: to, secrets: SECRETS } });
    service = await startTestService({
      config: { businessUnits: [unit('trickles', url), unit('healthy', receiver.url)] },
    });
    const { store, clock, newId } = service.deps;
    for (const businessUnit of ['trickles', 'healthy', 'trickles', 'healthy'])
      await store.transaction((tx) =>
        tx.outbox.insert({
          id: newId('msg_'),
          businessUnit,
          type: 'session.expired',
          body: '{}',
          status: 'pending',
          attempts: 0,
          createdAt: clock.now(),
          dueAt: clock.now(),
          leasedUntil: 0,
        }),
      );
    const jobs = new Jobs(service.deps);
    jobs.start();
    await expect.poll(() => receiver.received.length).toBe(2);
    expect(connection.ended).toBe(false);
    await jobs.stop();
    await expect.poll(() => connection.ended).toBe(true);
    await service.close();
    await receiver.close();
  });

  it('switches to another protocol: does not block queued messages', async () => {
    await answering(UPGRADE);
    service = await start(url);
    await pay();
    await pay();
    await service.control.advance(0);
    expect(await webhooks()).toMatchObject([
      { status: 'pending', attempts: 1 },
      { status: 'pending', attempts: 1 },
    ]);
    await service.close();
  });
});

describe('R-54 receivers that do not respond', () => {
  afterEach(() => void vi.restoreAllMocks());

  it('do not block others: of a hundred, half hang and the rest receive before the first timeout', async () => {
    // Disable the deadline, so that anything that relies on it waits forever.
    vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal);
    const arrived = new Set<string>();
    const hung = { open: 0, ended: 0 };
    const server = createServer((request, response) => {
      if (request.url === '/hang') {
        hung.open++;
        request.socket.once('close', () => hung.ended++);
        return;
      }
      arrived.add(String(request.headers['webhook-id']));
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const units = (path: string) =>
      Array.from({ length: 50 }, (_, number) => ({
        slug: `${path}-${number}`,
        name: 'Unit',
        webhook: { url: `${origin}/${path}`, secrets: SECRETS },
      }));
    const [hanging, healthy] = [units('hang'), units('ok')];
    service = await startTestService({ config: { businessUnits: [...hanging, ...healthy] } });
    const { store, clock, newId } = service.deps;
    const write = async (businessUnit: string): Promise<string> => {
      const id = newId('msg_');
      const now = clock.now();
      const message = { businessUnit, type: 'payment.succeeded', body: '{}', status: 'pending' } as const;
      const times = { attempts: 0, createdAt: now, dueAt: now, leasedUntil: 0 };
      await store.transaction((tx) => tx.outbox.insert({ id, ...message, ...times }));
      return id;
    };
    for (let count = 0; count < 20; count++) for (const { slug } of hanging) await write(slug);
    const jobs = new Jobs(service.deps);
    jobs.start();
    const written: string[] = [];
    for (const { slug } of [...healthy, ...healthy]) written.push(await write(slug));
    await expect.poll(() => arrived.size).toBe(written.length);
    expect(hung.ended).toBe(0);
    // One at a time until the receiver responds.
    expect(hung.open).toBeLessThanOrEqual(hanging.length);
    const stopped = jobs.stop();
    server.closeAllConnections();
    await stopped;
    await new Promise((resolve) => server.close(resolve));
    await service.close();
  });
});

describe('R-66 an operator', () => {
  const from = 0;
  beforeEach(async () => {
    receiver = await startReceiver();
    service = await start(receiver.url);
  });
  afterEach(async () => {
    await service.close();
    await receiver.close();
  });

  it('lists messages and resends one in any state', async () => {
    await pay();
    await pay();
    await service.control.advance(0);
    const { store, clock } = service.deps;
    const list = (after = '') =>
      store.read(async (tx) => (await tx.outbox.since(SLUG, from, { after, size: 100 })).messages);
    const messages = await list();
    expect(messages.map(({ status, attempts }) => [status, attempts])).toEqual([
      ['delivered', 1],
      ['delivered', 1],
    ]);
    expect(await store.read((tx) => tx.outbox.disabledOf(SLUG))).toEqual([]);
    const id = messages[1]?.id ?? '';
    expect(await store.transaction((tx) => resendWebhook(tx, 'other', id, clock.now()))).toBe(false);
    await store.transaction((tx) => resendWebhook(tx, SLUG, id, clock.now()));
    await service.control.advance(0);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(ids).toEqual([messages[0]?.id, id, id]);
    expect(receiver.received[2]?.body).toBe(receiver.received[1]?.body);
    expect((await list(messages[0]?.id)).map((message) => message.id)).toEqual([id]);
  });

  it('enables an address after 410 and resends everything since', async () => {
    const { store, clock } = service.deps;
    await pay();
    await service.control.advance(60_000);
    const since = clock.now();
    receiver.response = 410;
    await pay();
    await service.control.advance(0);
    await pay();
    await service.control.advance(0);
    receiver.response = 200;
    await pay();
    await service.control.advance(0);
    expect(receiver.received).toHaveLength(2);
    expect(await store.read((tx) => tx.outbox.disabledOf(SLUG))).toEqual([
      { url: receiver.url, disabledAt: expect.any(Number) },
    ]);
    expect(await store.transaction((tx) => enableWebhooks(tx, SLUG))).toEqual([receiver.url]);
    expect(await recoverWebhooks(store, SLUG, since, () => clock.now())).toBe(3);
    await service.control.advance(0);
    expect(receiver.received).toHaveLength(5);
    expect((await webhooks()).every(({ status }) => status === 'delivered')).toBe(true);
    const from = clock.now();
    await pay();
    // Messages before their first attempt are not resent.
    expect(await recoverWebhooks(store, SLUG, from, () => clock.now())).toBe(0);
    await service.control.advance(0);
    expect(receiver.received).toHaveLength(6);
  });

  it('R-91 leaves other processes half of the time while it resends many', async () => {
    const { store, clock } = service.deps;
    await pay();
    await store.transaction(async (tx) => {
      const [one] = await tx.outbox.list(SLUG);
      for (let count = 0; count < 250; count++)
        await tx.outbox.insert({ ...one!, id: `msg_${count}`, status: 'delivered' });
    });
    const busy: [begin: number, end: number][] = [];
    const transaction: Store['transaction'] = async (work, options) => {
      const begin = performance.now();
      const result = await store.transaction(work, options);
      await delay(20);
      busy.push([begin, performance.now()]);
      return result;
    };
    expect(await recoverWebhooks({ transaction }, SLUG, 0, () => clock.now())).toBe(250);
    expect(busy).toHaveLength(3);
    for (const [place, [begin]] of busy.entries()) {
      const [before, after] = busy[place - 1] ?? [begin, begin];
      expect(begin - after).toBeGreaterThanOrEqual((after - before) * 0.9);
    }
  });

  it('resends what a receiver missed during an outage, without waiting for the next attempt', async () => {
    const { store, clock } = service.deps;
    receiver.response = 500;
    await pay();
    await service.control.advance(0);
    expect((await webhooks()).map(({ status, attempts }) => [status, attempts])).toEqual([['pending', 1]]);
    receiver.response = 200;
    expect(await recoverWebhooks(store, SLUG, from, () => clock.now())).toBe(1);
    await service.control.advance(0);
    expect((await webhooks()).map(({ status }) => status)).toEqual(['delivered']);
  });
});
