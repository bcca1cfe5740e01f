import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { advanceTo } from '../../test/advance-to.js';
import { SLUG, config } from '../../test/merchant.js';
import { BANK, CARD, open, sendSlowly } from '../../test/payer.js';
import { unavailable } from '../core/error.js';
import type { Result } from '../core/result.js';
import type { Attempt } from './rules/attempt.js';
import type { PaymentProcessor } from '../processor/rules/port.js';
import type { PaymentSession } from '../sessions/rules/session.js';
import { parseConfig } from '../platform/config/config.js';
import { startTestService } from '../start/test-service.js';
import type { OpenTestService } from '../start/test-service.js';
import type { Store } from '../core/store.js';
import { limited, type TimeLimit } from '../platform/timeouts.js';
import { MAX_CALL_WAIT_MS } from '../processor/calls.js';
import { pay } from './paying.js';
import type { Deps } from '../deps.js';

let service: OpenTestService;
beforeEach(async () => {
  service = await startTestService({ config: config() });
});
afterEach(async () => {
  vi.useRealTimers();
  await service.close();
});

const body = { attemptId: 'attempt-1', source: CARD, charges: [{ index: 0, amount: 12_345 }] };

async function press(parts: Partial<Deps>, change: object = {}, id?: string): Promise<Result<Attempt>> {
  const { deps } = service;
  const sessionId = id ?? (await open(service.fetch, 'payment')).id;
  const session = await deps.store.transaction((tx) => tx.sessions.get(sessionId));
  const business = deps.config.businessUnits.find(({ slug }) => slug === SLUG);
  if (!business) throw new Error('no business unit');
  return pay({ ...deps, ...parts }, session as PaymentSession, business, { ...body, ...change });
}

const never = (): Promise<never> => new Promise(() => undefined);

describe('R-44 pay', () => {
  it('reports that nothing was charged if tokenization fails', async () => {
    const page = await open(service.fetch, 'payment');
    const processor: PaymentProcessor = { tokenize: never, charge: never, lookup: never };
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const response = press({ processor }, {}, page.id);
    await expect.poll(() => vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(MAX_CALL_WAIT_MS);
    expect(await response).toMatchObject({
      ok: false,
      code: 'payments_unavailable',
      message: expect.stringContaining('nothing was charged') as unknown,
    });
    expect((await service.control.state(SLUG)).payments).toEqual([]);
  });

  it('R-61 R-58 does not replay a response while the database cannot confirm it is durable', async () => {
    const page = await open(service.fetch, 'payment');
    expect(await press({}, {}, page.id)).toMatchObject({ ok: true, value: { status: 'succeeded' } });
    const { store } = service.deps;
    const transaction = () => Promise.reject(unavailable(new Error('The standby does not respond.')));
    await expect(press({ store: { ...store, transaction } }, {}, page.id)).rejects.toMatchObject({
      code: 'unavailable',
    });
  });

  it('R-103 stores nothing and has the token forgotten if the time of the request is up meanwhile', async () => {
    let isUp = false;
    const forget = vi.fn(async () => undefined);
    const tokenize = async () => {
      isUp = true;
      return { token: 'tok_1', last4: '4242' };
    };
    const processor: PaymentProcessor = { tokenize, charge: never, lookup: never, forget };
    const timeLimit: TimeLimit = {
      leftMs: () => 0,
      isUp: () => isUp,
      wait: (work) => (isUp ? Promise.race([Promise.reject(unavailable(null)), work]) : work),
    };
    const page = await open(service.fetch, 'payment');
    const { deps } = service;
    let openGate = (): void => undefined;
    const gate = new Promise<void>((resolve) => (openGate = resolve));
    const transaction: Store['transaction'] = (work, options) =>
      deps.store.transaction(async (tx, repeated) => {
        if (isUp) await gate;
        return work(tx, repeated);
      }, options);
    const parts = limited({ ...deps, processor, store: { ...deps.store, transaction } }, timeLimit);
    await expect(press(parts, {}, page.id)).rejects.toMatchObject({ code: 'unavailable' });
    openGate();
    await expect.poll(() => forget.mock.calls).toEqual([['tok_1', expect.anything()]]);
    expect(await deps.store.read((tx) => tx.attempts.ofSession(page.id))).toEqual([]);
  });

  it.each<[string, () => unknown]>([
    ['leaves the config', () => ({ businessUnits: [] })],
    ['no longer accepts cards', () => parseConfig(config({ paymentMethods: ['ACH'] }), 'staging')],
  ])('R-65 charges nothing if the business unit %s while the card is tokenized', async (_, next) => {
    const charge = vi.fn(never);
    const forget = vi.fn(async () => undefined);
    const tokenize = async () => {
      Object.assign(service.deps.config, next());
      return { token: 'tok_1', last4: '4242' };
    };
    const processor: PaymentProcessor = { tokenize, charge, lookup: never, forget };
    expect(await press({ processor })).toMatchObject({
      ok: false,
      problems: [{ reason: 'method_not_offered' }],
    });
    expect([charge.mock.calls.length, forget.mock.calls.length]).toEqual([0, 1]);
  });

  it('R-65 charges nothing if the business unit leaves the config while the request’s body arrives', async () => {
    const page = await open(service.fetch, 'payment');
    const answer = await sendSlowly(page, 'pay', { ...body, saveMethod: false, fields: {} }, () =>
      Object.assign(service.deps.config, { businessUnits: [] }),
    );
    expect(answer.status).toBe(401);
    expect(await service.deps.store.read((tx) => tx.attempts.list(SLUG))).toEqual([]);
  });

  it('R-95 accepts a card until its month ends in the business unit’s time zone', async () => {
    Object.assign(service.deps.config, parseConfig(config({ timeZone: 'Pacific/Honolulu' }), 'staging'));
    await advanceTo(service, '2027-12-01T09:55:00Z');
    const expiring = { source: { ...CARD, expiry: '11/27' } };
    expect(await press({}, expiring)).toMatchObject({ ok: true, value: { status: 'succeeded' } });
    await advanceTo(service, '2027-12-01T10:00:00Z');
    expect(await press({}, expiring)).toMatchObject({ ok: false, problems: [{ field: 'source.expiry' }] });
  });

  it.each(['4242 4242 4242 4242', 'PO 4242.4242.4242.4242'])(
    'D-8 keeps a card number out of the other fields: %s',
    async (po) => {
      const field = { key: 'po', label: 'Purchase order', required: false };
      Object.assign(service.deps.config, parseConfig(config({ paymentFields: [field] }), 'staging'));
      expect(await press({}, { fields: { po } })).toMatchObject({
        ok: false,
        problems: [{ field: 'fields.po' }],
      });
      expect(await press({}, { fields: { po: '4242' } })).toMatchObject({ ok: true });
    },
  );

  it('does not tokenize a card for a session that accepts no payment', async () => {
    const page = await open(service.fetch, 'payment');
    expect(await page.pay({ source: BANK })).toMatchObject({ status: 'pending' });
    const { processor } = service.deps;
    if (!processor) throw new Error('no processor');
    const tokenize = vi.spyOn(processor, 'tokenize');
    expect(await press({}, {}, page.id)).toMatchObject({ ok: false, code: 'conflict' });
    expect(tokenize).not.toHaveBeenCalled();
  });
});
