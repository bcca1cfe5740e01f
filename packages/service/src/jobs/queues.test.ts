// A business unit's queue of webhooks, and how many of them wait for slow servers at once.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { API_KEY, SECRETS, SLUG } from '../../test/merchant.js';
import { startReceiver } from '../../test/receiver.js';
import type { Receiver } from '../../test/receiver.js';
import type { Delivered, OutboxMessage } from '../domain/outbox.js';
import { startTestService } from '../run/test-service.js';
import type { OpenTestService } from '../run/test-service.js';
import { createDeliveries } from './deliver.js';
import type { Deliveries } from './deliver.js';

let receiver: Receiver;
let service: OpenTestService;
let stopping: AbortController;
let told: Delivered[];
const start = async (slugs: readonly string[] = [SLUG]): Promise<Deliveries> => {
  const webhook = { url: receiver.url, secrets: SECRETS };
  const businessUnits = slugs.map((slug) => ({ slug, name: slug, webhook }));
  service = await startTestService({
    config: { businessUnits, apiKeys: [{ key: API_KEY, businessUnits: slugs }] },
  });
  return createDeliveries(
    { ...service.deps, signal: stopping.signal, delivered: (one) => void told.push(one) },
    (job) => job(),
  );
};
beforeEach(async () => {
  receiver = await startReceiver();
  stopping = new AbortController();
  told = [];
});
afterEach(async () => {
  vi.restoreAllMocks();
  stopping.abort();
  await receiver.close();
  await service.close();
});

const write = async (count: number, businessUnit = SLUG): Promise<void> => {
  const { store, clock, newId } = service.deps;
  const now = clock.now();
  const body = JSON.stringify({ type: 'session.expired', data: {} });
  const times = { attempts: 0, createdAt: now, dueAt: now, leasedUntil: 0 };
  await store.transaction(async (tx) => {
    for (let each = 0; each < count; each++)
      await tx.outbox.insert({
        id: newId('msg_'),
        businessUnit,
        type: 'session.expired',
        body,
        status: 'pending',
        ...times,
      });
  });
};
const stored = (slug = SLUG): Promise<OutboxMessage[]> =>
  service.deps.store.read((tx) => tx.outbox.list(slug));
/** Every answer takes longer than a server may take. */
const slowly = (): void => {
  let passed = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => (passed += 2_500));
};

it('R-54 a queue that was begun goes on until nothing is due any more, and is waited for', async () => {
  const deliveries = await start();
  await write(20);
  await deliveries.begin();
  await deliveries.idle();
  expect(receiver.received).toHaveLength(20);
  expect(
    (await stored()).every(({ status, leasedUntil }) => status === 'delivered' && leasedUntil === 0),
  ).toBe(true);
});

it('R-54 a queue takes twice as many at once each time, up to eight', async () => {
  const deliveries = await start();
  await write(40);
  // One, two, four and eight of them are answered.
  const answer = () => (receiver.received.length <= 15 ? 200 : 'hang');
  Object.defineProperty(receiver, 'answer', { get: answer });
  await deliveries.begin();
  await expect.poll(() => receiver.received.length).toBe(23);
});

it('R-54 of a slow server all of it is delivered too, in turns', async () => {
  const deliveries = await start();
  await write(3);
  slowly();
  await deliveries.begin();
  await deliveries.idle();
  expect(receiver.received).toHaveLength(1);
  await deliveries.untilNothingIsDue();
  expect(receiver.received).toHaveLength(3);
});

it('R-54 a process that stops sends no more of a queue, and what it has not sent waits as it was', async () => {
  const deliveries = await start();
  await write(20);
  receiver.answer = 'hang';
  await deliveries.begin();
  await expect.poll(() => receiver.received.length).toBe(1);
  stopping.abort();
  await deliveries.idle();
  expect(receiver.received).toHaveLength(1);
  expect((await stored()).every(({ status, attempts }) => status === 'pending' && attempts === 0)).toBe(true);
  // But for the one in flight nobody waits for the end of a lease.
  expect((await stored()).filter(({ leasedUntil }) => leasedUntil > 0)).toHaveLength(1);
});

it('R-65 of a business unit that leaves the config in the middle of its queue nothing more is sent', async () => {
  const deliveries = await start();
  await write(20);
  // As the first is answered.
  const answer = (): number => Object.assign(service.deps.config, { businessUnits: [] }) && 200;
  Object.defineProperty(receiver, 'answer', { get: answer });
  await deliveries.begin();
  await deliveries.idle();
  expect(receiver.received).toHaveLength(1);
});

it('R-54 64 slow servers are waited for at once and no more, and others beside them', async () => {
  const slow = Array.from({ length: 66 }, (_, number) => `slow-${number}`);
  const deliveries = await start([...slow, 'prompt']);
  for (const slug of slow) await write(1, slug);
  slowly();
  // As long as none is known to be slow, none waits.
  await deliveries.begin();
  await deliveries.idle();
  expect(receiver.received).toHaveLength(66);
  receiver.answer = 'hang';
  for (const slug of slow) await write(1, slug);
  await deliveries.begin();
  await expect.poll(() => receiver.received.length).toBe(66 + 64);
  receiver.answer = 200;
  await write(1, 'prompt');
  await deliveries.begin();
  await expect.poll(async () => (await stored('prompt')).map(({ status }) => status)).toEqual(['delivered']);
  expect(receiver.received).toHaveLength(66 + 64 + 1);
});

it.each([
  [200, 'thanks', { status: 200, answer: 'thanks' }, undefined],
  [500, '', { status: 500 }, 'HTTP 500'],
  ['drop', '', { error: 'ECONNRESET' }, 'ECONNRESET'],
] as const)(
  'R-54 who looks on is told what came of a delivery: %j',
  async (answer, answers, expected, lastError) => {
    const deliveries = await start();
    Object.assign(receiver, { answer, answers });
    await write(1);
    const from = performance.now();
    await deliveries.begin();
    await deliveries.idle();
    const passed = performance.now() - from;
    const [message] = await stored();
    expect(message?.lastError).toBe(lastError);
    expect(told).toStrictEqual([{ messageId: message?.id, ms: expect.any(Number), ...expected }]);
    expect(told[0]?.ms).toBeLessThan(passed + 1);
  },
);
