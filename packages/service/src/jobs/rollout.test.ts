/** Processes of one database with different configs: a rollout, or a business unit removed from the config. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { API_KEY, SECRETS, SLUG, config } from '../../test/merchant.js';
import { BANK, CARD, open, payer } from '../../test/payer.js';
import { describeOn, startEngines } from '../../test/engines.js';
import { startReceiver, type Receiver } from '../../test/receiver.js';
import type { PaymentProcessor } from '../processor/rules/port.js';
import type { Store } from '../core/store.js';
import { deleteUnwanted } from '../webhooks/queue.js';
import { startTestService, type OpenTestService, type TestServiceOptions } from '../start/test-service.js';
import { Jobs } from './jobs.js';
import type { NewSource, SchedulePageSession } from '../shared/page.js';

const DAY_MS = 86_400_000;
const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-rollout-'));
let receiver: Receiver;
let database: string;
let services: OpenTestService[] = [];

afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  await Promise.all(services.map((service) => service.close()));
  services = [];
  await receiver.close();
});

const engines = startEngines(() => join(folder, `${randomUUID()}.db`));

const NOBODY = { businessUnits: [{ slug: 'other', name: 'Other' }] };
const webhooked = (): unknown => config({ webhook: { url: receiver.url, secrets: SECRETS } });

async function start(given: unknown, more: TestServiceOptions = {}): Promise<OpenTestService> {
  const service = await startTestService({ config: given, database, ...more });
  services.push(service);
  return service;
}

async function schedule(service: OpenTestService, source: NewSource): Promise<void> {
  const page = await open(service.fetch, 'schedule-payment');
  const { earliest: date } = await page.get<SchedulePageSession>();
  const { id: methodId } = await page.addMethod(source);
  await page.schedule({ amount: 100, date, methodId });
}

const webhooks = async (service: OpenTestService) => (await service.control.state(SLUG)).webhooks;

describeOn(engines)('on %s', (engine, newDatabase) => {
  beforeEach(async () => {
    database = await newDatabase();
  });

  it('R-65 keeps messages for which another process has just loaded a webhook', async () => {
    const { deps, fetch } = await start(config());
    await (await open(fetch, 'payment')).pay();
    const left = await deps.store.transaction(async (tx) => {
      await tx.outbox.recordReceivers([SLUG]);
      await deleteUnwanted(tx, SLUG, 10);
      return tx.outbox.list(SLUG);
    });
    expect(left).toMatchObject([{ type: 'payment.succeeded', status: 'pending' }]);
  });

  it('R-54 keeps the messages if another process has not loaded the webhook yet', async () => {
    const older = await start(config());
    const newer = await start(webhooked());
    for (let count = 0; count < 5; count++) {
      await (await open(newer.fetch, 'payment')).pay();
      await (await open(older.fetch, 'payment')).pay();
      await older.control.advance(0);
    }
    expect(await webhooks(older)).toHaveLength(10);
    await newer.control.advance(0);
    expect(receiver.types()).toEqual(Array.from({ length: 10 }, () => 'payment.succeeded'));
  });

  // The rest does not depend on the engine.
  if (engine === 'PostgreSQL') return;

  describe('R-65 after a business unit leaves the config', () => {
    it('no session opens', async () => {
      const before = await start(webhooked());
      const page = await open(before.fetch, 'payment');
      const after = await start(NOBODY);
      const elsewhere = payer(after.fetch, page.id, page.secret);
      await expect(elsewhere.get()).rejects.toMatchObject({ status: 401 });
      await expect(elsewhere.pay()).rejects.toMatchObject({ status: 401 });
      expect((await before.control.state(SLUG)).payments).toEqual([]);
    });

    it('no scheduled payment is charged, and other units are not blocked', async () => {
      const before = await start(webhooked());
      for (let count = 0; count < 9; count++) await schedule(before, CARD);
      const after = await start({
        businessUnits: [{ slug: 'other', name: 'Other' }],
        apiKeys: [{ key: API_KEY, businessUnits: ['other'] }],
      });
      const page = await open(after.fetch, 'schedule-payment', { BusinessUnitSlug: 'other' });
      const { earliest: date } = await page.get<SchedulePageSession>();
      const { id: methodId } = await page.addMethod();
      await page.schedule({ amount: 100, date, methodId });
      await after.control.advance(3 * DAY_MS);
      const state = await after.control.state(SLUG);
      expect(state.payments).toEqual([]);
      expect(new Set(state.scheduledPayments.map(({ status }) => status))).toEqual(new Set(['scheduled']));
      expect((await after.control.state('other')).payments).toMatchObject([{ status: 'succeeded' }]);
    });

    it('scheduled payments due at that moment do not fail', async () => {
      const before = await start(webhooked());
      await schedule(before, CARD);
      const { deps } = before;
      const config = { ...deps.config };
      const store: Store = {
        ...deps.store,
        read: (work) =>
          deps.store.read((tx) => {
            const { waiting } = tx.schedules;
            const due: typeof waiting.due = async (...args) => {
              const found = await waiting.due(...args);
              if (found.length > 0) config.businessUnits = [];
              return found;
            };
            return work({ ...tx, schedules: { ...tx.schedules, waiting: { ...waiting, due } } });
          }),
      };
      deps.clock.offset = 2 * DAY_MS;
      await new Jobs({ ...deps, config, store }).runDue();
      expect(config.businessUnits).toEqual([]);
      const scheduled = async () => (await before.control.state(SLUG)).scheduledPayments;
      expect(await scheduled()).toMatchObject([{ status: 'scheduled' }]);
      await before.control.advance(2 * DAY_MS);
      expect(await scheduled()).toMatchObject([{ status: 'executed' }]);
    });

    it('attempts unknown to the processor are not charged, and known ones settle', async () => {
      let lost: 'before' | 'after' = 'before';
      const charged: string[] = [];
      const processor: PaymentProcessor = {
        tokenize: async () => ({ token: 'tok', last4: '4242' }),
        charge: async ({ attemptId }) => {
          if (lost === 'after') charged.push(attemptId);
          throw new Error('lost');
        },
        lookup: async (attemptId) => (charged.includes(attemptId) ? 'succeeded' : 'never_seen'),
      };
      const before = await start(webhooked(), { processor });
      await (await open(before.fetch, 'payment')).pay();
      lost = 'after';
      await (await open(before.fetch, 'payment')).pay();
      const after = await start(NOBODY, { processor });
      const statuses = async () => (await after.control.state(SLUG)).payments.map(({ status }) => status);
      await after.control.advance(1_200_000);
      expect(await statuses()).toEqual(['pending', 'succeeded']);
      await after.control.advance(DAY_MS);
      expect(await statuses()).toEqual(['declined', 'succeeded']);
      expect(charged).toHaveLength(1);
    });

    it('webhook messages stay until they expire by age', async () => {
      const before = await start(webhooked());
      await (await open(before.fetch, 'payment')).pay();
      const after = await start(NOBODY);
      await after.control.advance(3 * DAY_MS - 60_000);
      expect((await webhooks(after))[0]).toMatchObject({ type: 'payment.succeeded', status: 'pending' });
      await after.control.advance(60_000);
      expect((await webhooks(after))[0]).toMatchObject({ type: 'payment.succeeded', status: 'failed' });
      expect(receiver.received).toEqual([]);
    });

    it('webhook messages are delivered when the unit comes back', async () => {
      const before = await start(webhooked());
      await (await open(before.fetch, 'payment')).pay();
      const after = await start(NOBODY);
      await after.control.advance(DAY_MS);
      await before.control.advance(0);
      expect(receiver.types()).toContain('payment.succeeded');
    });
  });

  it('R-65 fails a scheduled payment with a reason if its method is no longer accepted', async () => {
    const before = await start(webhooked());
    await schedule(before, CARD);
    await schedule(before, BANK);
    const narrowed = config({
      webhook: { url: receiver.url, secrets: SECRETS },
      paymentMethods: ['ACH'],
    });
    const failures: unknown[] = [];
    const hear = (...line: unknown[]): void => void failures.push(line);
    const log = { info: () => undefined, warn: hear, error: hear };
    const after = await start(narrowed, { log });
    await after.control.advance(DAY_MS);
    const { scheduledPayments, payments } = await after.control.state(SLUG);
    expect(scheduledPayments.map(({ status }) => status).toSorted()).toEqual(['executing', 'failed']);
    expect(payments).toMatchObject([{ method: 'ACH' }]);
    expect(failures).toEqual([]);
    const failed = receiver.received.filter(({ event }) => event.type === 'scheduled_payment.failed');
    expect(failed).toMatchObject([
      { event: { data: { ScheduledPayment: { Reason: 'Credit Card is no longer accepted.' } } } },
    ]);
  });
});
