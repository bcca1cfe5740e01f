import { MovableClock } from '../platform/clock.js';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { config, SECRETS, SLUG } from '../../test/merchant.js';
import { open } from '../../test/payer.js';
import { watched } from '../../test/watched.js';
import type { Store } from '../core/store.js';
import { ItemRunner } from '../platform/item-runner.js';
import { startTestService, type OpenTestService } from '../start/test-service.js';
import { sweep } from './sweep.js';

const DAY_MS = 86_400_000;

let service: OpenTestService;
beforeEach(async () => {
  service = await startTestService({ config: config() });
});
afterEach(() => service.close());

/** The sessions' requests that each transaction of a sweep reads. */
async function readBySweep(afterMs = 0): Promise<number[]> {
  const { deps } = service;
  const reads: number[] = [];
  const calls = watched(deps.store, (call) => {
    if (call === 'sessions.requestOf') reads.push((reads.pop() ?? 0) + 1);
  });
  const store: Store = {
    ...calls,
    transaction: (work, options) => {
      reads.push(0);
      return calls.transaction(work, options);
    },
  };
  const clock = new MovableClock();
  clock.offset = afterMs;
  await sweep({ ...deps, store, clock }, new ItemRunner(deps, 'sweep'), new AbortController().signal);
  return reads.filter((count) => count > 0);
}

it('R-91 does not read requests of sessions too recent to be trimmed', async () => {
  await open(service.fetch, 'payment');
  expect(await readBySweep()).toEqual([]);
});

it('R-91 trims fewer sessions per transaction if their requests are large', async () => {
  const large = { CustomMeta: { text: 'x'.repeat(250_000) } };
  for (let count = 0; count < 5; count++) await open(service.fetch, 'payment', large);
  for (let count = 0; count < 3; count++) await open(service.fetch, 'payment');
  await service.control.advance(3_600_000);
  expect(await readBySweep(91 * DAY_MS)).toEqual([4, 4]);
});

it('R-91 gives up and deletes fewer webhooks per transaction if they are large', async () => {
  const webhook = { url: 'http://127.0.0.1:9/', secrets: SECRETS };
  Object.assign(service.deps.config.businessUnits[0]!, { webhook });
  const { deps } = service;
  for (let count = 0; count < 6; count++)
    await open(service.fetch, 'payment', { CustomMeta: { text: 'x'.repeat(count < 5 ? 250_000 : 1) } });
  await service.control.advance(3_600_000);
  const statuses = () =>
    deps.store.read(async (tx) => (await tx.outbox.list(SLUG)).map(({ status }) => status));
  /** How many webhooks are pending, and how many there are, after each transaction of a sweep that changes that. */
  const countsOfSweep = async (afterMs: number): Promise<number[][]> => {
    const counts: number[][] = [];
    const store: Store = {
      ...deps.store,
      transaction: async (work, options) => {
        const result = await deps.store.transaction(work, options);
        const all = await statuses();
        const count = [all.filter((status) => status === 'pending').length, all.length];
        if (String(count) !== String(counts.at(-1))) counts.push(count);
        return result;
      },
    };
    const clock = new MovableClock();
    clock.offset = afterMs;
    const parts = { ...deps, store, clock, config: { ...deps.config, businessUnits: [] } };
    await sweep(parts, new ItemRunner(deps, 'sweep'), new AbortController().signal);
    return counts;
  };
  expect(await countsOfSweep(4 * DAY_MS)).toEqual([
    [2, 6],
    [0, 6],
  ]);
  expect(await countsOfSweep(95 * DAY_MS)).toEqual([
    [0, 6],
    [0, 2],
    [0, 0],
  ]);
});
