import { MovableClock } from '../platform/clock.js';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { config } from '../../test/merchant.js';
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
