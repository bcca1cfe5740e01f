import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CARD, config, open, SLUG } from '../../test/payer.js';
import { pay } from '../http/page/pay.js';
import { CHARGE_LEASE_MS } from '../domain/attempt.js';
import { beginPayment } from '../domain/transactions/payment.js';
import type { PaymentProcessor } from '../domain/processor.js';
import type { PaymentSession } from '../domain/session.js';
import { createTestService } from '../run/test-service.js';
import type { TestService } from '../run/test-service.js';
import { CHARGE_WAIT_MS, createCharging, LOOKUP_LIMIT_MS } from './charging.js';

let service: TestService;
beforeEach(async () => {
  service = await createTestService({ config: config() });
});
afterEach(async () => {
  vi.useRealTimers();
  await service.close();
});

const never = (): Promise<never> => new Promise(() => undefined);

describe('a processor that never answers', () => {
  it('R-44 holds up no other job: its lookup ends, and is asked again later', async () => {
    const page = await open(service.fetch, 'payment');
    const { store, clock, newId } = service.deps;
    const source = {
      method: 'Credit Card',
      token: 'tok',
      last4: '4242',
      holder: 'Ada',
      save: false,
    } as const;
    const wish = { sessionId: page.id, requestId: 'attempt-1', source, charges: [], total: 1, fields: {} };
    await store.transaction((tx) => beginPayment(tx, wish, { now: clock.now(), newId }));
    clock.set(CHARGE_LEASE_MS);
    const processor: PaymentProcessor = { tokenize: never, charge: never, lookup: never };
    const charging = createCharging({ ...service.deps, processor });

    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const settled = charging.settleDue();
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1), { interval: 1 });
    await vi.advanceTimersByTimeAsync(LOOKUP_LIMIT_MS);
    expect(await settled).toBe(1);
    const found = await store.transaction((tx) => tx.payments.find(page.id, 'attempt-1'));
    expect(found).toMatchObject({ status: 'processing', lookups: 1 });
    expect(LOOKUP_LIMIT_MS).toBeLessThan(CHARGE_LEASE_MS);
  });

  it('R-44 tells the payer that nothing was charged when it makes no token', async () => {
    const page = await open(service.fetch, 'payment');
    const session = await service.deps.store.transaction((tx) => tx.sessions.get(page.id));
    const processor: PaymentProcessor = { tokenize: never, charge: never, lookup: never };
    const business = service.deps.config.businessUnits.find(({ slug }) => slug === SLUG);
    if (!business) throw new Error('no business unit');
    const body = { attemptId: 'attempt-1', source: CARD, charges: [{ index: 0, amount: 12_345 }] };

    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const answer = pay({ ...service.deps, processor }, session as PaymentSession, business, body);
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1), { interval: 1 });
    await vi.advanceTimersByTimeAsync(CHARGE_WAIT_MS);
    const response = await answer;
    expect(response.status).toBe(503);
    expect(await response.text()).toMatch(/payments_unavailable.*nothing was charged/);
    expect((await service.control.state(SLUG)).payments).toEqual([]);
  });
});
