// Webhook queues per business unit, and the limit of slow servers.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { heapUsed } from '../../test/heap.js';
import { API_KEY, SECRETS, SLUG } from '../../test/merchant.js';
import { startReceiver } from '../../test/receiver.js';
import type { Receiver } from '../../test/receiver.js';
import type { DeliveryAttempt, OutboxMessage } from './rules.js';
import { startTestService } from '../start/test-service.js';
import type { OpenTestService } from '../start/test-service.js';
import { createDeliveries } from './deliver.js';
import type { UnitQueues } from '../platform/unit-queues.js';

let receiver: Receiver;
let service: OpenTestService;
let stopping: AbortController;
let delivered: DeliveryAttempt[];
let lines: string[];
/** Trace of the request that caused the messages. */
const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const start = async (slugs: readonly string[] = [SLUG]): Promise<UnitQueues> => {
  const webhook = { url: receiver.url, secrets: SECRETS };
  const businessUnits = slugs.map((slug) => ({ slug, name: slug, webhook }));
  service = await startTestService({
    config: { businessUnits, apiKeys: [{ key: API_KEY, businessUnits: slugs }] },
  });
  const hear = (line: string): void => void lines.push(line);
  const log = { ...service.deps.log, warn: hear, error: hear };
  return createDeliveries(
    { ...service.deps, log, signal: stopping.signal, delivered: (one) => void delivered.push(one) },
    (job) => job(),
  );
};
beforeEach(async () => {
  receiver = await startReceiver();
  stopping = new AbortController();
  delivered = [];
  lines = [];
});
afterEach(async () => {
  vi.restoreAllMocks();
  stopping.abort();
  await receiver.close();
  await service.close();
});

const write = async (count: number, slugs: readonly string[] = [SLUG]): Promise<void> => {
  const { store, clock, newId } = service.deps;
  const now = clock.now();
  const body = JSON.stringify({ type: 'session.expired', data: {} });
  const times = { attempts: 0, createdAt: now, dueAt: now, leasedUntil: 0 };
  await store.transaction(async (tx) => {
    for (const businessUnit of slugs)
      for (let each = 0; each < count; each++)
        await tx.outbox.insert({
          id: newId('msg_'),
          businessUnit,
          type: 'session.expired',
          body,
          status: 'pending',
          traceparent: TRACEPARENT,
          ...times,
        });
  });
};
const stored = (slug = SLUG): Promise<OutboxMessage[]> =>
  service.deps.store.read((tx) => tx.outbox.list(slug));
/** Every response takes longer than the limit for slow servers. */
const slowly = (): void => {
  let passed = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => (passed += 2_500));
};

it('R-54 drains a started queue until nothing is due, and can be awaited', async () => {
  const deliveries = await start();
  await write(20);
  await deliveries.begin();
  await deliveries.idle();
  expect(receiver.received).toHaveLength(20);
  expect(new Set(receiver.received.map(({ headers }) => headers['traceparent']))).toEqual(
    new Set([TRACEPARENT]),
  );
  expect(
    (await stored()).every(({ status, leasedUntil }) => status === 'delivered' && leasedUntil === 0),
  ).toBe(true);
});

it('R-54 doubles the batch of a queue each time, up to eight', async () => {
  const deliveries = await start();
  await write(40);
  // Batches of one, two, four and eight.
  const response = () => (receiver.received.length <= 15 ? 200 : 'hang');
  Object.defineProperty(receiver, 'response', { get: response });
  await deliveries.begin();
  await expect.poll(() => receiver.received.length).toBe(23);
});

it('R-54 delivers everything to a slow server in turns', async () => {
  const deliveries = await start();
  await write(3);
  slowly();
  await deliveries.begin();
  await deliveries.idle();
  expect(receiver.received).toHaveLength(1);
  await deliveries.drain();
  expect(receiver.received).toHaveLength(3);
  // The inspector records the duration.
  expect(delivered.map(({ ms }) => ms)).toEqual([2_500, 2_500, 2_500]);
});

it('R-54 polls once after each of many queues', async () => {
  const slugs = Array.from({ length: 6 }, (_, number) => `unit-${number}`);
  const deliveries = await start(slugs);
  await write(1, slugs);
  const read = vi.spyOn(service.deps.store, 'read');
  await deliveries.drain();
  expect(receiver.received).toHaveLength(6);
  expect(read.mock.calls.length).toBeLessThanOrEqual(1 + slugs.length);
});

it.each([
  ['queues deliver', true, 200],
  ['units have no webhook any more', false, 0],
])(
  'R-91 leaves half of the database connections to requests, however many %s',
  async (_, hasWebhook, received) => {
    const slugs = Array.from({ length: 20 }, (__, number) => `unit-${number}`);
    const deliveries = await start(slugs);
    await write(10, slugs);
    const { store, config } = service.deps;
    if (!hasWebhook) Object.assign(config, { businessUnits: slugs.map((slug) => ({ slug, name: slug })) });
    const transaction = store.transaction.bind(store);
    let [open, most] = [0, 0];
    vi.spyOn(store, 'transaction').mockImplementation(async (work) => {
      most = Math.max(most, ++open);
      return transaction(work).finally(() => (open -= 1));
    });
    await deliveries.begin();
    await deliveries.idle();
    expect(receiver.received).toHaveLength(received);
    expect(most).toBe(5);
  },
);

it('R-54 does not leak memory when polling', { tags: ['thorough'] }, async () => {
  const deliveries = await start();
  await deliveries.begin();
  // Not a spy, because a spy retains its arguments.
  Object.assign(service.deps.store, { read: async () => [] });
  const look = async (count: number): Promise<void> => {
    for (let left = count; left > 0; left--) await deliveries.begin();
    await deliveries.idle();
  };
  await look(1_000);
  const before = heapUsed();
  await look(20_000);
  expect(heapUsed() - before).toBeLessThan(1_000_000);
});

it('R-54 waits for a started poll when it stops', async () => {
  const deliveries = await start();
  const { store } = service.deps;
  const read = store.read.bind(store);
  let goOn = (): void => undefined;
  const held = new Promise<void>((resolve) => (goOn = resolve));
  const looks = vi
    .spyOn(store, 'read')
    .mockImplementationOnce(async (work) => held.then(() => read(work)) as never);
  const begun = deliveries.begin();
  await expect.poll(() => looks).toHaveBeenCalled();
  let isIdle = false;
  const idle = deliveries.idle().then(() => (isIdle = true));
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  expect(isIdle).toBe(false);
  goOn();
  await Promise.all([begun, idle]);
});

it('R-54 silently leaves a message to another process that has taken it over', async () => {
  const deliveries = await start();
  await write(1);
  receiver.response = 'hang';
  await deliveries.begin();
  await expect.poll(() => receiver.received.length).toBe(1);
  const leasedUntil = Date.now() + 600_000;
  const times = { now: service.deps.clock.now(), systemNow: leasedUntil, until: leasedUntil };
  await service.deps.store.transaction((tx) => tx.outbox.lease(SLUG, times, 10));
  await receiver.close();
  await deliveries.idle();
  expect(await stored()).toMatchObject([{ status: 'pending', attempts: 0, leasedUntil }]);
  expect(lines).toEqual([]);
});

it('R-54 sends no more of a queue when it stops, and leaves the rest unchanged', async () => {
  const deliveries = await start();
  await write(20);
  receiver.response = 'hang';
  await deliveries.begin();
  await expect.poll(() => receiver.received.length).toBe(1);
  stopping.abort();
  await deliveries.idle();
  expect(receiver.received).toHaveLength(1);
  expect((await stored()).every(({ status, attempts }) => status === 'pending' && attempts === 0)).toBe(true);
  // Only the message in flight holds a lease.
  expect((await stored()).filter(({ leasedUntil }) => leasedUntil > 0)).toHaveLength(1);
});

it('R-65 stops a queue when its business unit leaves the config', async () => {
  const deliveries = await start();
  await write(20);
  // Runs on the response to the first message.
  const response = (): number => Object.assign(service.deps.config, { businessUnits: [] }) && 200;
  Object.defineProperty(receiver, 'response', { get: response });
  await deliveries.begin();
  await deliveries.idle();
  await deliveries.drain();
  expect(receiver.received).toHaveLength(1);
});

it('R-54 waits for at most 64 slow servers at once, without blocking others', async () => {
  const slow = Array.from({ length: 66 }, (_, number) => `slow-${number}`);
  const fresh = Array.from({ length: 64 }, (_, number) => `fresh-${number}`);
  const deliveries = await start([...slow, ...fresh, 'prompt']);
  await write(1, slow);
  slowly();
  // Hanging requests hang for the whole test.
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal);
  // No server is known to be slow yet, so none waits.
  await deliveries.begin();
  await deliveries.idle();
  expect(receiver.received).toHaveLength(66);
  receiver.response = 'hang';
  // Not known to be slow yet, so they don't count.
  await write(1, fresh);
  await deliveries.begin();
  await expect.poll(() => receiver.received.length).toBe(66 + 64);
  await write(1, slow);
  await deliveries.begin();
  await expect.poll(() => receiver.received.length).toBe(66 + 64 + 64);
  receiver.response = 200;
  await write(1, ['prompt']);
  await deliveries.begin();
  await expect.poll(async () => (await stored('prompt')).map(({ status }) => status)).toEqual(['delivered']);
  expect(receiver.received).toHaveLength(66 + 64 + 64 + 1);
});

it.each([
  [200, 'thanks', { status: 200, answer: 'thanks' }, undefined],
  [500, '', { status: 500 }, 'HTTP 500'],
  ['drop', '', { error: 'ECONNRESET' }, 'ECONNRESET'],
] as const)(
  'R-54 reports the result of a delivery to observers: %j',
  async (response, body, expected, lastError) => {
    const deliveries = await start();
    Object.assign(receiver, { response, body });
    await write(1);
    const from = performance.now();
    await deliveries.begin();
    await deliveries.idle();
    const passed = performance.now() - from;
    const [message] = await stored();
    expect(message?.lastError).toBe(lastError);
    expect(delivered).toStrictEqual([{ messageId: message?.id, ms: expect.any(Number), ...expected }]);
    expect(delivered[0]?.ms).toBeLessThan(passed + 1);
  },
);
