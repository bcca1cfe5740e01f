import { expect, it } from 'vitest';
import { config } from '../../test/merchant.js';
import type { Store } from '../core/store.js';
import { createItemRunner } from '../platform/item-runner.js';
import { startTestService } from '../start/test-service.js';
import { sweep } from './sweep.js';

it('R-91 trims at most 100 sessions in one transaction, because each may have a request of 256 KiB', async () => {
  const service = await startTestService({ config: config() });
  const { deps } = service;
  const limits: number[] = [];
  const store: Store = {
    ...deps.store,
    transaction: (work, options) =>
      deps.store.transaction((tx, repeated) => {
        const stored: typeof tx.sessions.stored = (after, limit) => {
          limits.push(limit);
          return tx.sessions.stored(after, limit);
        };
        return work({ ...tx, sessions: { ...tx.sessions, stored } }, repeated);
      }, options),
  };
  await sweep({ ...deps, store }, createItemRunner(deps, 'sweep'), new AbortController().signal);
  expect(limits).toEqual([100]);
  await service.close();
});
