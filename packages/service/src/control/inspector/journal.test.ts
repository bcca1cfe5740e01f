import { afterEach, expect, it, vi } from 'vitest';
import { runInContext } from '../../platform/context.js';
import { heapUsed } from '../../../test/heap.js';
import { startTestService } from '../../start/test-service.js';
import { Journal } from './journal.js';
import { Redaction } from './redaction.js';
import { recordOf, watchRequests } from './requests.js';
import { watchStore } from './watch.js';

afterEach(() => void vi.useRealTimers());

const started = (): Journal => new Journal({ now: () => 0 }, { text: (words: string) => words } as Redaction);
const request = (id: number) => ({
  id: `req_${id}`,
  at: '',
  clock: '',
  method: 'POST',
  path: '/integrations/events',
  codes: [],
  changes: [],
});
const tell = (journal: Journal, count: number): void => {
  for (let n = 0; n < count; n++) journal.add({ kind: 'webhook', level: 'info', title: 'delivered' });
};

it('R-90 returns all events after one of an earlier process, even within the same second', () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_795_000_000_000 });
  const first = started();
  tell(first, 5);
  const last = first.events().at(-1)?.id ?? 0;
  vi.setSystemTime(1_795_000_000_900);
  const second = started();
  tell(second, 10);
  expect(second.events(last)).toEqual(second.events());
});

it('R-90 keeps the last thousand requests and the last thousand deliveries', () => {
  const journal = started();
  for (let id = 0; id <= 1_000; id++) {
    journal.record(request(id));
    journal.recordDelivery({ messageId: id === 0 ? 'msg_first' : 'msg_other', ms: 1, status: 200 });
  }
  expect(journal.requests()).toHaveLength(1_000);
  expect([journal.request('req_0'), journal.request('req_1')?.id]).toEqual([undefined, 'req_1']);
  expect([journal.deliveriesOf('msg_first').length, journal.deliveriesOf('msg_other').length]).toEqual([
    0, 1_000,
  ]);
});

it('R-90 hides secret fields of what a webhook’s receiver answered, and JSON that is cut off', () => {
  const redaction = new Redaction(() => ({ apiKeys: [], businessUnits: [] }), []);
  const journal = new Journal({ now: () => 0 }, redaction);
  for (const answer of [
    '{"ok":true,"password":"hunter2"}',
    '{"password":"hunter2","ok":',
    '<h1>Not here</h1>',
  ])
    journal.recordDelivery({ messageId: 'msg_1', ms: 1, status: 404, answer });
  expect(journal.deliveriesOf('msg_1').map(({ answer }) => answer)).toEqual([
    '{"ok":true,"password":"…"}',
    '…',
    '<h1>Not here</h1>',
  ]);
});

it('R-91 keeps no more than 64 KiB of what a request has changed', () => {
  const journal = new Journal(
    { now: () => 0 },
    new Redaction(() => ({ apiKeys: [], businessUnits: [] }), []),
  );
  journal.record(request(1));
  const change = { what: 'account', id: 'acc_1', is: { Name: 'a'.repeat(10_000) } } as const;
  runInContext({ log: { requestId: 'req_1' } }, () => {
    for (let account = 0; account < 25; account++) journal.changed([change]);
  });
  expect(journal.request('req_1')?.changes).toHaveLength(6);
});

it('R-91 keeps bodies and changes in a few times the memory of their JSON', () => {
  const journal = new Journal(
    { now: () => 0 },
    new Redaction(() => ({ apiKeys: [], businessUnits: [] }), []),
  );
  const watch = watchRequests(journal, { now: () => 0 });
  const value = { CustomMeta: Array.from({ length: 5_000 }, () => ({})) };
  const text = JSON.stringify(value);
  const body = { bytes: Buffer.from(text), text, value };
  const before = heapUsed();
  for (let id = 0; id < 200; id++) {
    journal.record(request(id));
    runInContext({ log: { requestId: `req_${id}` } }, () => {
      watch.received(body);
      journal.changed([{ what: 'account', id: 'acc_1', is: value }]);
    });
  }
  expect(heapUsed() - before).toBeLessThan(4 * 200 * text.length);
  expect(recordOf(journal.request('req_199')!, 'http://127.0.0.1')).toMatchObject({
    body: value,
    changes: [{ is: value }],
  });
});

it('R-90 reports the writes of a retried transaction once, and nothing of a failed one', async () => {
  const service = await startTestService();
  const { deps } = service;
  const journal = new Journal({ now: () => 0 }, new Redaction(() => deps.config, []));
  const { store } = deps;
  const again = watchStore(
    {
      ...store,
      transaction: async (work, options) => {
        const lost = store.transaction(async (tx, repeated) => {
          await work(tx, repeated);
          throw new Error('lost');
        }, options);
        await lost.catch(() => undefined);
        return store.transaction(work, options);
      },
    },
    journal,
  );
  const customer = { id: 'cus_1', businessUnit: 'shop', emailAddress: 'ada@example.com' };
  const stored = request(1);
  journal.record(stored);
  await runInContext({ log: { requestId: stored.id } }, () =>
    again.transaction((tx) => tx.customers.insert(customer)),
  );
  expect(journal.events().map(({ title }) => title)).toEqual(['Customer ada@example.com created']);
  expect(journal.request(stored.id)?.changes).toHaveLength(1);
  const refused = watchStore(store, journal).transaction(async (tx) => {
    await tx.customers.update({ ...customer, firstName: 'Ada' });
    throw new Error('refused');
  });
  await expect(refused).rejects.toThrow('refused');
  expect(journal.events()).toHaveLength(1);
  await service.close();
});
