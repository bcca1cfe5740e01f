import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { config, SLUG } from '../../test/merchant.js';
import { BANK, open } from '../../test/payer.js';
import { CHARGE_LEASE_MS } from '../processor/rules/operation.js';
import { beginPayment } from './attempts.js';
import type { PaymentProcessor } from '../processor/rules/port.js';
import type { PaymentSession } from '../sessions/rules/session.js';
import { startTestService } from '../start/test-service.js';
import type { OpenTestService } from '../start/test-service.js';
import { Charging, LOOKUP_LIMIT_MS } from './charging.js';

let service: OpenTestService;
beforeEach(async () => {
  service = await startTestService({ config: config() });
});
afterEach(async () => {
  vi.useRealTimers();
  await service.close();
});

const never = (): Promise<never> => new Promise(() => undefined);

describe('a processor that never responds', () => {
  it('R-44 does not block other jobs: lookups time out and are retried', async () => {
    const page = await open(service.fetch, 'payment');
    const { store, clock, newId } = service.deps;
    const source = {
      method: 'Credit Card',
      token: 'tok',
      last4: '4242',
      holder: 'Ada',
      save: false,
    } as const;
    const id = newId('pay_');
    const input = {
      id,
      session: (await store.read((tx) => tx.sessions.get(page.id))) as PaymentSession,
      requestId: 'attempt-1',
      source,
      charges: [],
      total: 1,
      fields: {},
      authorization: 'I authorize it.',
    };
    await store.transaction((tx) => beginPayment(tx, input, { now: clock.now(), newId, timeZone: 'UTC' }));
    clock.offset = CHARGE_LEASE_MS;
    const lookup = vi.fn(never);
    const processor: PaymentProcessor = { tokenize: never, charge: never, lookup };
    const charging = new Charging({ ...service.deps, processor });

    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const settled = charging.handleDue(SLUG);
    await expect.poll(() => lookup).toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(LOOKUP_LIMIT_MS);
    expect(await settled).toBe(1);
    const found = await store.transaction((tx) => tx.attempts.find(page.id, 'attempt-1'));
    expect(found).toMatchObject({ status: 'processing', lookups: 1 });
    expect(LOOKUP_LIMIT_MS).toBeLessThan(CHARGE_LEASE_MS);
  });
});

it.each([
  { name: 'fail', lookup: async () => Promise.reject(new Error('gone')) },
  { name: 'find nothing', lookup: async () => 'never_seen' as const },
])(
  'R-44 ends the lookups of a settled bank payment a month after day 70 if they $name',
  async ({ lookup }) => {
    const DAY_MS = 86_400_000;
    let calls = 0;
    const processor: PaymentProcessor = {
      tokenize: async () => ({ token: 'tok', last4: '6789' }),
      charge: async () => 'pending',
      lookup: async () => (++calls === 1 ? 'succeeded' : lookup()),
    };
    const bank = await startTestService({ config: config(), processor });
    await (await open(bank.fetch, 'payment')).pay({ source: BANK });
    const callsUntil = async (days: number): Promise<number> => {
      for (let day = 0; day < days; day += 4) await bank.control.advance(4 * DAY_MS);
      return calls;
    };
    const byDay88 = await callsUntil(88);
    expect(byDay88).toBeGreaterThan(10);
    const byDay112 = await callsUntil(24);
    expect(byDay112).toBeGreaterThan(byDay88);
    expect(await callsUntil(40)).toBe(byDay112);
    expect(await bank.control.state(SLUG)).toMatchObject({ payments: [{ status: 'succeeded' }] });
    await bank.close();
  },
);
