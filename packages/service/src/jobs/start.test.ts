// Scheduled work of a running process.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { config, SECRETS, SLUG } from '../../test/merchant.js';
import { open } from '../../test/payer.js';
import { startReceiver, type Receiver } from '../../test/receiver.js';
import type { Deps } from '../deps.js';
import { CHARGE_LEASE_MS } from '../processor/rules/operation.js';
import type { Store } from '../core/store.js';
import { beginRefund } from '../refunds/begin-refund.js';
import { publishUnits } from '../webhooks/deliver.js';
import { recordUnits, refuseUnknownUnit } from '../webhooks/served-units.js';
import { parseConfig } from '../platform/config/config.js';
import { Charging } from '../payments/charging.js';
import { Refunding } from '../refunds/refunding.js';
import { startTestService, type OpenTestService } from '../start/test-service.js';
import { Metrics } from '../platform/metrics.js';
import { Jobs } from './jobs.js';

const DAY_MS = 86_400_000;
let receiver: Receiver;
let service: OpenTestService;
let running: Jobs | undefined;
beforeEach(async () => {
  receiver = await startReceiver();
  const webhook = { url: receiver.url, secrets: SECRETS };
  service = await startTestService({ config: config({ webhook }) });
});
afterEach(async () => {
  vi.useRealTimers();
  await running?.stop();
  running = undefined;
  await service.close();
  await receiver.close();
});

/** A process whose clock runs ahead of the service's. */
function process(aheadMs: number, change: Partial<Deps> = {}): void {
  const { clock } = service.deps;
  const at = (): number => clock.now() + aheadMs;
  const parts = { ...service.deps, clock: { now: at, at, offset: 0 } };
  const deps: Deps = {
    ...parts,
    charging: new Charging(parts),
    refunding: new Refunding(parts),
    ...change,
  };
  running = new Jobs(deps);
  running.start();
}

/** Asserts that `stop` waits until `goOn` lets the work finish. */
async function stopsOnlyAfter(goOn: () => void): Promise<void> {
  let hasStopped = false;
  const stopped = running?.stop().then(() => (hasStopped = true));
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  expect(hasStopped).toBe(false);
  goOn();
  await stopped;
}

describe('a running process', () => {
  it('R-51 expires sessions on time and announces each expiry', async () => {
    const { id } = await open(service.fetch, 'payment');
    const { clock, store } = service.deps;
    const end = (await store.read((tx) => tx.sessions.get(id)))?.expiresAt ?? 0;
    const at = (): number => end;
    process(end - clock.now(), { clock: { now: at, at, offset: 0 } });
    await expect.poll(() => receiver.types()).toEqual(['session.expired']);
  });

  it('R-57 executes scheduled payments on their day', async () => {
    const page = await open(service.fetch, 'schedule-payment');
    const { earliest: date } = await page.get<{ earliest: string }>();
    const { id: methodId } = await page.addMethod();
    await page.schedule({ amount: 100, date, methodId });
    // Nothing else is due within that hour.
    process(DAY_MS);
    await expect
      .poll(async () => (await service.control.state(SLUG)).scheduledPayments)
      .toMatchObject([{ status: 'executed' }]);
  });

  it('R-80 resumes a refund after a crash', async () => {
    const page = await open(service.fetch, 'payment');
    await page.pay();
    await service.control.advance(0);
    const { store, clock } = service.deps;
    const [payment] = await store.read((tx) => tx.attempts.ofSession(page.id));
    const input = { id: 'ref_crashed', businessUnit: SLUG, amount: 500, canRefund: true };
    await store.transaction((tx) => beginRefund(tx, { ...input, paymentId: payment?.id ?? '' }, clock.now()));
    process(CHARGE_LEASE_MS);
    await expect.poll(() => receiver.types()).toEqual(['payment.succeeded', 'refund.succeeded']);
  });

  it('does nothing if nothing is due, and retries a failed poll', async () => {
    const page = await open(service.fetch, 'schedule-payment');
    const { earliest: date } = await page.get<{ earliest: string }>();
    const { id: methodId } = await page.addMethod();
    await page.schedule({ amount: 100, date, methodId });
    await service.control.advance(0);
    const { charging, store } = service.deps;
    const metrics = new Metrics();
    const errors: [string, unknown][] = [];
    let [looks, settled, calls] = [0, 0, 0];
    process(0, {
      metrics,
      log: { ...service.deps.log, error: (message, fields) => void errors.push([message, fields?.error]) },
      charging: Object.assign(charging, {
        dueUnits: async () => {
          settled += 1;
          return [];
        },
      }),
      store: {
        ...store,
        read: (work) =>
          store.read((tx) => {
            const next = async (now: number) => {
              if ((looks += 1) === 1) throw new Error('away');
              return tx.agenda.next(now);
            };
            const unitsDue: typeof tx.outbox.unitsDue = (now, systemNow) => {
              // Skip the sweep, which queries times in the past.
              if (now > service.deps.clock.now() - DAY_MS) calls += 1;
              return tx.outbox.unitsDue(now, systemNow);
            };
            return work({ ...tx, agenda: { ...tx.agenda, next }, outbox: { ...tx.outbox, unitsDue } });
          }),
      },
    });
    await expect.poll(() => looks).toBe(4);
    expect([settled, calls]).toEqual([0, 0]);
    expect(errors).toEqual([[expect.stringMatching(/\w/), expect.objectContaining({ name: 'Error' })]]);
    expect(await metrics.text()).toMatch(/^jobs_failed_total\{job="look"\} 1$/m);
  });

  it('R-57 leaves scheduled payments unchanged without a processor', async () => {
    const page = await open(service.fetch, 'schedule-payment');
    const { earliest: date } = await page.get<{ earliest: string }>();
    const { id: methodId } = await page.addMethod();
    await page.schedule({ amount: 100, date, methodId });
    process(DAY_MS, { processor: null });
    await running?.runDue();
    expect((await service.control.state(SLUG)).scheduledPayments).toMatchObject([{ status: 'scheduled' }]);
  });

  it('R-57 charges at most eight scheduled payments concurrently', async () => {
    const page = await open(service.fetch, 'schedule-payment');
    const { earliest: date } = await page.get<{ earliest: string }>();
    const { id: methodId } = await page.addMethod();
    for (let count = 0; count < 9; count++) await page.schedule({ amount: 100, date, methodId });
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const charged: string[] = [];
    const { charging } = service.deps;
    const callInJob: typeof charging.callInJob = async (attempt) => {
      charged.push(attempt.id);
      await held;
      return attempt;
    };
    process(DAY_MS, { charging: Object.assign(charging, { callInJob }) });
    await expect.poll(() => charged.length).toBeGreaterThan(7);
    // More turns than the ninth needs.
    for (let turn = 0; turn < 50; turn++) await service.control.state(SLUG);
    const started = (await service.control.state(SLUG)).scheduledPayments.map(({ status }) => status);
    goOn();
    expect(started.toSorted()).toEqual([...Array.from({ length: 8 }, () => 'executing'), 'scheduled']);
  });

  it('R-54 delivers due webhooks before it responds to a clock move', async () => {
    const { clock, store } = service.deps;
    await (await open(service.fetch, 'payment')).pay();
    await store.transaction(async (tx) => {
      for (const message of await tx.outbox.list(SLUG))
        await tx.outbox.update({ ...message, dueAt: clock.now() + DAY_MS });
    });
    await service.control.advance(DAY_MS);
    expect(receiver.types()).toEqual(['payment.succeeded']);
  });

  it('keeps a clock that moved during a poll', async () => {
    const { clock, store } = service.deps;
    const found: number[] = [];
    const read: Store['read'] = (work) =>
      store.read((tx) => {
        const next = async (now: number) => {
          found.push(clock.offset);
          const due = await tx.agenda.next(now);
          if (found.length === 1) clock.offset = DAY_MS;
          return due;
        };
        return work({ ...tx, agenda: { ...tx.agenda, next } });
      });
    process(0, { clock, store: { ...store, read } });
    await expect.poll(() => found.length).toBeGreaterThanOrEqual(3);
    // The uncommitted work is gone by the next poll.
    expect(found.slice(0, 3)).toEqual([0, DAY_MS, 0]);
  });

  it('ignores a clock offset in the database in production', async () => {
    const { clock, store } = service.deps;
    await store.transaction((tx) => tx.meta.set('clock-offset', `${31 * 60_000}`));
    const page = await open(service.fetch, 'payment');
    const errors: string[] = [];
    let looks = 0;
    const read: Store['read'] = (work) =>
      store.read((tx) => {
        const next: typeof tx.agenda.next = async (now) => {
          if ((looks += 1) === 1) throw new Error('away');
          return tx.agenda.next(now);
        };
        return work({ ...tx, agenda: { ...tx.agenda, next } });
      });
    const log = { ...service.deps.log, error: (message: string) => void errors.push(message) };
    process(0, { env: 'production', clock, log, store: { ...store, read } });
    await expect.poll(() => looks).toBe(4);
    expect(clock.offset).toBe(0);
    // Without metrics, a failure is still logged.
    expect(errors).toEqual([expect.stringMatching(/\w \w/)]);
    expect(await store.read((tx) => tx.sessions.get(page.id))).toMatchObject({
      status: 'RequiresPaymentSource',
    });
  });

  it('finishes running work when it stops, and starts no more', async () => {
    const { charging, refunding, store } = service.deps;
    await open(service.fetch, 'payment');
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    let [settled, refunded, looks] = [0, 0, 0];
    const handleDue = async (): Promise<number> => {
      settled += 1;
      await held;
      return 0;
    };
    const read: Store['read'] = (work) =>
      store.read((tx) => {
        const next: typeof tx.agenda.next = async (now) => {
          if ((looks += 1) === 2) await held;
          return { ...(await tx.agenda.next(now)), settle: 0 };
        };
        return work({ ...tx, agenda: { ...tx.agenda, next } });
      });
    // `vi.waitFor` advances these timers.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    process(31 * 60_000, {
      charging: Object.assign(charging, { dueUnits: async () => [SLUG], handleDue }),
      refunding: Object.assign(refunding, {
        dueUnits: async () => [SLUG],
        handleDue: async () => (refunded += 1),
      }),
      store: { ...store, read },
    });
    await expect.poll(() => settled).toBe(1);
    await expect.poll(() => looks).toBe(2);
    await stopsOnlyAfter(goOn);
    await vi.advanceTimersByTimeAsync(3_600_000);
    await store.read(async () => undefined);
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    expect([settled, refunded, looks]).toEqual([1, 0, 2]);
  });

  it('waits for the poll in progress when it stops, because the database closes next', async () => {
    const { store } = service.deps;
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    let looks = 0;
    const read: Store['read'] = async (work) => {
      looks += 1;
      await held;
      return store.read(work);
    };
    process(0, { store: { ...store, read } });
    await expect.poll(() => looks).toBe(1);
    await stopsOnlyAfter(goOn);
  });

  it('does not poll or sweep after it stops', async () => {
    const { store } = service.deps;
    let looks = 0;
    const read: Store['read'] = (work) => store.read((tx) => ((looks += 1), work(tx)));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    process(0, { store: { ...store, read } });
    await expect.poll(() => looks).toBeGreaterThan(1);
    await store.read(async () => undefined);
    await running?.stop();
    const before = looks;
    await vi.advanceTimersByTimeAsync(3_600_000);
    await store.read(async () => undefined);
    expect(looks).toBe(before);
  });

  it.each(['charging', 'refunding'] as const)(
    'R-62 waits for pending processor calls when it stops: %s',
    async (name) => {
      let goOn = (): void => undefined;
      const held = new Promise<void>((resolve) => (goOn = resolve));
      const kind: object = Object.assign(service.deps[name], { idle: () => held });
      process(0, { [name]: kind });
      await stopsOnlyAfter(goOn);
    },
  );

  it('R-65 lets commands refuse a business unit that was in no config', async () => {
    const { store, config: current } = service.deps;
    const businessUnits = parseConfig(
      { businessUnits: [{ slug: 'new', name: 'New' }] },
      'staging',
    ).businessUnits;
    await publishUnits({ store, config: { ...current, businessUnits } });
    await service.deps.store.read(async (tx) => {
      await expect(refuseUnknownUnit(tx, 'new')).resolves.toBeUndefined();
      await expect(refuseUnknownUnit(tx, 'slip')).rejects.toThrow(/It has: .*\bnew\b/);
    });
    // An unconfigured unit with data doesn't count as a typo either.
    await (await open(service.fetch, 'payment')).pay();
    await service.deps.store.transaction(async (tx) => {
      const [payment] = await tx.attempts.list(SLUG);
      const [message] = await tx.outbox.list(SLUG);
      if (!payment || !message) throw new Error('nothing there');
      const before = { businessUnit: 'before', sessionId: payment.sessionId };
      await tx.attempts.insert({ ...payment, ...before, id: 'pay_before', requestId: 'before' });
      await tx.outbox.insert({ ...message, ...before, id: 'msg_before' });
      await expect(refuseUnknownUnit(tx, 'before')).resolves.toBeUndefined();
      const units = (count: number) =>
        Array.from({ length: count }, (_, place) => ({ slug: `unit-${10 + place}`, timeZone: 'UTC' }));
      await recordUnits(tx, units(18));
      await expect(refuseUnknownUnit(tx, 'slip')).rejects.toThrow(/It has: .*\bunit-27\.$/);
      await recordUnits(tx, units(19));
      await expect(refuseUnknownUnit(tx, 'slip')).rejects.toThrow(/It has: .*\bunit-27 and 1 more\.$/);
    });
  });
});
