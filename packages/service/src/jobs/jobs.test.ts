import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startGateway, PROCESSOR, type Gateway } from '../../test/gateway.js';
import { SLUG, config } from '../../test/merchant.js';
import { asMerchant, CARD, open, PageRefused, payer, type Payer } from '../../test/payer.js';
import { describeOn, startEngines } from '../../test/engines.js';
import { startReceiver, type Receiver } from '../../test/receiver.js';
import { beginPayment } from '../payments/attempts.js';
import { beginRefund } from '../refunds/begin-refund.js';
import { Metrics } from '../platform/metrics.js';
import type { PaymentProcessor } from '../processor/rules/port.js';
import type { Store, StoreTx } from '../core/store.js';
import type { OutboxMessage } from '../webhooks/rules.js';
import type { LogFields } from '../platform/log/fields.js';
import { Charging } from '../payments/charging.js';
import { Refunding } from '../refunds/refunding.js';
import { ItemRunner } from '../platform/item-runner.js';
import { Jobs } from './jobs.js';
import { sweep } from './sweep.js';
import type { PaymentSession } from '../sessions/rules/session.js';
import { startTestService, type OpenTestService } from '../start/test-service.js';
import type { Attempt, SchedulePageSession } from '../shared/page.js';

const DAY_MS = 86_400_000;
const LEASE_MS = 10_000;
/** When a charge that never arrived is repeated. */
const CHARGED_AGAIN_MS = 120_000;
let gateway: Gateway;
let receiver: Receiver;
let services: OpenTestService[] = [];

beforeEach(async () => {
  gateway = await startGateway();
  Object.assign(process.env, gateway.variables);
  receiver = await startReceiver();
});
afterEach(async () => {
  // Close the gateway first, so requests that hang on it end.
  await gateway.close();
  await Promise.all(services.map((service) => service.close()));
  await receiver.close();
  services = [];
});

const start = async (
  database: string,
  processor: string | undefined = PROCESSOR,
): Promise<OpenTestService> => {
  const webhook = { url: receiver.url, secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'] };
  const service = await startTestService({
    config: config({ webhook }),
    database,
    ...(processor === undefined ? {} : { processor }),
  });
  services.push(service);
  return service;
};

const engines = startEngines();
const no = (): Promise<never> => Promise.reject(new Error('no'));

/** Simulates a crash between the commit of an attempt and its charge. */
async function crashBeforeCharge(service: OpenTestService, page: Payer, attemptId: string): Promise<void> {
  const { store, clock, newId } = service.deps;
  const begun = await store.transaction(async (tx) =>
    beginPayment(
      tx,
      {
        id: newId('pay_'),
        session: (await tx.sessions.get(page.id)) as PaymentSession,
        requestId: attemptId,
        source: { method: 'Credit Card', token: 'tok_gateway', last4: '4242', holder: 'Ada', save: false },
        charges: [{ index: 0, amount: 12_345 }],
        total: 12_345,
        fields: {},
        authorization: 'I authorize it.',
      },
      { now: clock.now(), newId, timeZone: 'UTC' },
    ),
  );
  if (!begun.ok) throw new Error(JSON.stringify(begun));
}

it.each<[string, (tx: StoreTx) => Partial<StoreTx>]>([
  ['expire', (tx) => ({ sessions: { ...tx.sessions, due: no } })],
  ['execute', (tx) => ({ schedules: { ...tx.schedules, waiting: { ...tx.schedules.waiting, units: no } } })],
  // The sweep queries times in the past.
  [
    'deliver',
    ({ outbox }) => ({
      outbox: {
        ...outbox,
        unitsDue: (now, systemNow) => (now < Date.now() - DAY_MS ? outbox.unitsDue(now, systemNow) : no()),
      },
    }),
  ],
  [
    'sweep',
    ({ outbox }) => ({
      outbox: {
        ...outbox,
        unitsDue: (now, systemNow) => (now < Date.now() - DAY_MS ? no() : outbox.unitsDue(now, systemNow)),
      },
    }),
  ],
])('counts and logs a failure of the job %s, and keeps running', async (job, failing) => {
  const { deps } = await start(':memory:');
  const metrics = new Metrics();
  const lines: LogFields[] = [];
  const store: Store = {
    ...deps.store,
    read: (work) => deps.store.read((tx) => work({ ...tx, ...failing(tx) })),
    transaction: (work, options) =>
      deps.store.transaction((tx, repeated) => work({ ...tx, ...failing(tx) }, repeated), options),
  };
  const messages: string[] = [];
  const error = (message: string, fields: LogFields = {}): void => {
    messages.push(message);
    lines.push(fields);
  };
  const jobs = new Jobs({ ...deps, store, metrics, log: { ...deps.log, error } });
  await jobs.runDue();
  await jobs.stop();
  for (const message of messages) expect(message).toMatch(/\w \w/);
  expect(await metrics.text()).toMatch(new RegExp(`^jobs_failed_total\\{job="${job}"\\} [1-9]`, 'm'));
  expect(new Set(lines.map((line) => line.job))).toEqual(new Set([job]));
  expect(lines[0]?.error).toMatchObject({ message: 'no' });
});

it('ends a job whose items stay due', { tags: ['thorough'] }, async () => {
  const { deps } = await start(':memory:');
  let queries = 0;
  const due = async () => {
    queries += 1;
    return [{ id: 'stg_again', expiresAt: 0 }];
  };
  const jobs = new Jobs({
    ...deps,
    store: {
      ...deps.store,
      read: (work) => deps.store.read((tx) => work({ ...tx, sessions: { ...tx.sessions, due } })),
      // Never removes the cause.
      transaction: async () => true as never,
    },
  });
  await jobs.runDue();
  await jobs.stop();
  expect(queries).toBe(1_000);
});

it('counts a failed job and runs the others', async () => {
  const service = await start(':memory:');
  const page = await open(service.fetch, 'payment');
  await page.pay({});
  const { deps } = service;
  const metrics = new Metrics();
  const failing = {
    ...deps,
    charging: Object.assign(deps.charging, { dueUnits: no }),
    refunding: Object.assign(deps.refunding, { dueUnits: no }),
  };
  // The first service has no metrics.
  for (const parts of [failing, { ...failing, metrics }]) {
    const jobs = new Jobs(parts);
    await jobs.runDue();
    await jobs.stop();
  }
  expect(receiver.types()).toEqual(['payment.succeeded']);
  const failed = [...(await metrics.text()).matchAll(/^jobs_failed_total\{job="(\w+)"\} (\d)$/gm)];
  expect(Object.fromEntries(failed.map(([, job, count]) => [job, count]))).toEqual({
    look: '0',
    expire: '0',
    execute: '0',
    settle: '1',
    refund: '1',
    forget: '0',
    receive: '0',
    deliver: '0',
    send: '0',
    sweep: '0',
  });
});

describe('an item that fails', () => {
  let service: OpenTestService;
  let lines: LogFields[];
  beforeEach(async () => {
    service = await start(':memory:');
    lines = [];
  });

  /** Jobs of a process with some failing transactions. */
  const jobsWith = (
    failing: (tx: StoreTx) => Partial<StoreTx>,
    refund?: NonNullable<PaymentProcessor['refund']>,
  ): Jobs => {
    const { deps } = service;
    const store: Store = {
      ...deps.store,
      transaction: (work, options) =>
        deps.store.transaction((tx, repeated) => work({ ...tx, ...failing(tx) }, repeated), options),
    };
    const hear = (_: string, fields: LogFields = {}): void => void lines.push(fields);
    const parts = { ...deps, store, log: { ...deps.log, warn: hear, error: hear } };
    return new Jobs({
      ...parts,
      charging: new Charging(parts),
      refunding: new Refunding({
        ...parts,
        processor: deps.processor && { ...deps.processor, ...(refund && { refund }) },
      }),
    });
  };
  const run = async (jobs: Jobs): Promise<void> => {
    await jobs.runDue();
    await jobs.stop();
  };

  it('R-51 logs a session that cannot be expired, and expires the others', async () => {
    const pages = [await open(service.fetch, 'payment'), await open(service.fetch, 'payment')];
    service.deps.clock.offset = 31 * 60_000;
    await run(
      jobsWith(({ sessions }) => ({
        sessions: {
          ...sessions,
          update: (session) => (session.id === pages[0]?.id ? no() : sessions.update(session)),
        },
      })),
    );
    const expired = receiver.received.map(({ event }) => event.data.PaymentSessionIdentifier);
    expect(expired).toEqual([pages[1]?.id]);
    expect(lines).toContainEqual(expect.objectContaining({ job: 'expire', sessionId: pages[0]?.id }));
  });

  it('R-57 does not block other scheduled payments, even if a whole batch fails to start', async () => {
    const page = await open(service.fetch, 'schedule-payment');
    const { earliest: date } = await page.get<SchedulePageSession>();
    const { id: methodId } = await page.addMethod();
    for (let count = 0; count < 10; count++) await page.schedule({ amount: 100 + count, date, methodId });
    service.deps.clock.offset = DAY_MS;
    const bad = (amount: number): boolean => amount < 109;
    await run(
      jobsWith(({ attempts }) => ({
        attempts: {
          ...attempts,
          insert: (attempt) => (bad(attempt.amount) ? no() : attempts.insert(attempt)),
        },
      })),
    );
    expect(gateway.charges.map(({ amount }) => amount)).toEqual([109]);
    const { scheduledPayments } = await service.control.state(SLUG);
    const waiting = scheduledPayments.filter(({ status }) => status === 'scheduled').map(({ id }) => id);
    expect(waiting).toHaveLength(9);
    const named = lines.filter(({ job }) => job === 'execute').map(({ scheduledId }) => scheduledId);
    expect(named).toHaveLength(9);
    expect(new Set(named)).toEqual(new Set(waiting));
    // Without failures, one run charges all of them.
    await run(jobsWith(() => ({})));
    expect(gateway.charges).toHaveLength(10);
  });

  it('R-44 R-80 does not block other payments, even if a whole batch fails to settle', async () => {
    const pages: Payer[] = [];
    for (let count = 0; count < 10; count++) {
      pages.push(await open(service.fetch, 'payment'));
      await crashBeforeCharge(service, pages[count] as Payer, randomUUID());
    }
    const last = pages.at(-1)?.id;
    service.deps.clock.offset = CHARGED_AGAIN_MS;
    await run(
      jobsWith(({ attempts }) => ({
        attempts: {
          ...attempts,
          update: (attempt) => (attempt.sessionId === last ? attempts.update(attempt) : no()),
        },
      })),
    );
    expect(gateway.charges).toHaveLength(1);
    expect(await pages.at(-1)?.get()).toMatchObject({ status: 'Succeeded' });
    const named = lines.filter(({ job }) => job === 'settle').map(({ sessionId }) => sessionId);
    expect(new Set(named)).toEqual(new Set(pages.slice(0, -1).map(({ id }) => id)));
  });

  it('R-80 does not block other refunds, even if a whole batch fails', async () => {
    const { store, clock, newId } = service.deps;
    const refunds: string[] = [];
    for (let count = 0; count < 10; count++) {
      const page = await open(service.fetch, 'payment');
      await page.pay();
      const [payment] = await store.read((tx) => tx.attempts.ofSession(page.id));
      const input = { id: newId('ref_'), businessUnit: SLUG, paymentId: payment?.id ?? '', canRefund: true };
      await store.transaction((tx) => beginRefund(tx, { ...input, amount: 100 }, clock.now()));
      refunds.push(input.id);
    }
    const last = refunds.at(-1);
    clock.offset = LEASE_MS + 1_000;
    const given: string[] = [];
    await run(
      jobsWith(
        (tx) => ({
          refunds: { ...tx.refunds, update: (row) => (row.id === last ? tx.refunds.update(row) : no()) },
        }),
        async ({ refundId }) => {
          given.push(refundId);
          return 'succeeded';
        },
      ),
    );
    expect(given).toEqual([last]);
    const kept = await store.read((tx) => tx.refunds.list(SLUG));
    expect(Object.fromEntries(kept.map(({ id, status }) => [id, status]))).toEqual(
      Object.fromEntries(refunds.map((id) => [id, id === last ? 'succeeded' : 'processing'])),
    );
    const failed = kept.filter(({ id }) => id !== last).map(({ attemptId }) => attemptId);
    const named = lines.filter(({ job }) => job === 'refund').map(({ paymentId }) => paymentId);
    expect(named).toHaveLength(9);
    expect(new Set(named)).toEqual(new Set(failed));
  });

  it('R-54 does not block other webhooks if one cannot be sent', async () => {
    const { store, clock, newId } = service.deps;
    const write = async (from: Partial<OutboxMessage> = {}): Promise<string> => {
      const id = newId('msg_');
      const now = clock.now();
      const body = JSON.stringify({ type: 'session.expired', data: {} });
      const message = { businessUnit: SLUG, type: 'session.expired', body, status: 'pending' } as const;
      const times = { attempts: 0, createdAt: now, dueAt: now, leasedUntil: 0 };
      await store.transaction((tx) => tx.outbox.insert({ id, ...message, ...times, ...from }));
      return id;
    };
    const from = { sessionId: 'stg_1', requestId: 'req_1', traceparent: 'no\nheader' };
    const ids = [await write(), await write(from), await write()];
    await run(jobsWith(() => ({})));
    const arrived = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(arrived).toHaveLength(2);
    expect(new Set(arrived)).toEqual(new Set([ids[0], ids[2]]));
    const known = await store.read((tx) => tx.outbox.list(SLUG));
    expect(Object.fromEntries(known.map(({ id, status, attempts }) => [id, [status, attempts]]))).toEqual({
      [ids[0] ?? '']: ['delivered', 1],
      [ids[1] ?? '']: ['pending', 1],
      [ids[2] ?? '']: ['delivered', 1],
    });
    const about = { job: 'deliver', messageId: ids[1], businessUnit: SLUG, ...from };
    expect(lines).toContainEqual({ ...about, count: 1, outcome: 'pending', codes: ['ERR_INVALID_CHAR'] });
    expect(lines.filter(({ job }) => job === 'deliver')).toHaveLength(1);
  });

  it('R-54 does not expire webhooks after downtime if the business unit has an endpoint', async () => {
    const page = await open(service.fetch, 'payment');
    await page.pay();
    const { deps } = service;
    deps.clock.offset = 4 * DAY_MS;
    await sweep(deps, new ItemRunner(deps, 'sweep'), new AbortController().signal);
    expect((await service.control.state(SLUG)).webhooks).toMatchObject([
      { type: 'payment.succeeded', status: 'pending' },
    ]);
  });

  it('R-57 skips a scheduled payment that another process has started', async () => {
    const page = await open(service.fetch, 'schedule-payment');
    const { earliest: date } = await page.get<SchedulePageSession>();
    const { id: methodId } = await page.addMethod();
    await page.schedule({ amount: 100, date, methodId });
    const { deps } = service;
    deps.clock.offset = DAY_MS;
    // Without a processor it waits.
    await run(new Jobs({ ...deps, processor: null }));
    expect((await service.control.state(SLUG)).scheduledPayments).toMatchObject([{ status: 'scheduled' }]);
    const seen = await deps.store.read((tx) => tx.schedules.waiting.due(SLUG, date, 10));
    await run(jobsWith(() => ({})));
    expect(gateway.charges).toHaveLength(1);
    let looks = 0;
    const waiting = {
      units: async () => [{ businessUnit: SLUG, day: date }],
      due: async () => ((looks += 1) > 10 ? [] : seen),
    };
    const store: Store = {
      ...deps.store,
      read: (work) => deps.store.read((tx) => work({ ...tx, schedules: { ...tx.schedules, waiting } })),
    };
    const log = { ...deps.log, error: (_: string, fields: LogFields = {}) => void lines.push(fields) };
    await run(new Jobs({ ...deps, store, log }));
    expect([seen.length, looks, lines, gateway.charges.length]).toEqual([1, 1, [], 1]);
  });

  it('R-54 expires webhooks by age if the business unit has no endpoint, and logs how many', async () => {
    const page = await open(service.fetch, 'payment');
    await page.pay();
    const { deps } = service;
    // Exactly one full transaction of a sweep.
    await deps.store.transaction(async (tx) => {
      const [message] = await tx.outbox.list(SLUG);
      if (!message) throw new Error('no message');
      for (let count = 1; count < 100; count++)
        await tx.outbox.insert({ ...message, id: deps.newId('msg_') });
    });
    const warnings: unknown[][] = [];
    const log = { ...deps.log, warn: (...line: unknown[]) => void warnings.push(line) };
    const parts = { ...deps, log, config: { ...deps.config, businessUnits: [] } };
    deps.clock.offset = 2 * DAY_MS;
    await sweep(parts, new ItemRunner(parts, 'sweep'), new AbortController().signal);
    expect(warnings).toEqual([]);
    deps.clock.offset = 4 * DAY_MS;
    const away = { ...parts, store: { ...deps.store, transaction: no } };
    const failed: LogFields[] = [];
    const error = (_: string, fields: LogFields = {}): void => void failed.push(fields);
    const runner = new ItemRunner({ ...parts, log: { error } }, 'sweep');
    await sweep(away, runner, new AbortController().signal);
    expect(failed).toContainEqual(expect.objectContaining({ job: 'sweep', businessUnit: SLUG }));
    await sweep(parts, new ItemRunner(parts, 'sweep'), new AbortController().signal);
    const { webhooks } = await service.control.state(SLUG);
    expect(new Set(webhooks.map(({ status }) => status))).toEqual(new Set(['failed']));
    const [givenUp] = await deps.store.read((tx) => tx.outbox.list(SLUG));
    expect(givenUp?.lastError).toContain('No webhook');
    expect(warnings).toEqual([
      [expect.stringContaining('Gave up on webhooks'), { job: 'sweep', businessUnit: SLUG, count: 100 }],
    ]);
  });

  it('does not block other parts of the sweep', async () => {
    const page = await open(service.fetch, 'payment');
    await page.pay();
    await service.control.advance(0);
    const { clock, store } = service.deps;
    const record = { apiKey: 'key', endpoint: '/', idempotencyKey: 'once', bodyHash: '', answer: '{}' };
    await store.transaction((tx) => tx.idempotency.put({ ...record, expiresAt: clock.now() }));
    const kept = () => store.read((tx) => tx.idempotency.find('key', '/', 'once'));
    clock.offset = 91 * DAY_MS;
    await run(jobsWith(({ idempotency }) => ({ idempotency: { ...idempotency, deleteExpired: no } })));
    expect(await kept()).not.toBeNull();
    const types = (await service.control.state(SLUG)).webhooks.map(({ type }) => type);
    expect(types).not.toContain('payment.succeeded');
    expect(lines).toContainEqual(expect.objectContaining({ job: 'sweep' }));
    await run(jobsWith(() => ({})));
    expect(await kept()).toBeNull();
  });
});

describeOn(engines)('on %s', (engine, database) => {
  it('charges an attempt once after a crash between commit and charge', async () => {
    const service = await start(await database());
    const page = await open(service.fetch, 'payment');
    const attemptId = randomUUID();
    await crashBeforeCharge(service, page, attemptId);
    expect(await page.get()).toMatchObject({ status: 'Processing', inFlight: attemptId });
    await service.control.advance(0);
    expect(gateway.charges).toEqual([]);
    await service.control.advance(CHARGED_AGAIN_MS);
    expect(await page.get(`attempts/${attemptId}`)).toMatchObject({ status: 'succeeded' });
    expect(gateway.charges).toHaveLength(1);
    expect(receiver.types()).toEqual(['payment.succeeded']);
  });

  it('R-54 deletes settled webhooks after 90 days, but no pending ones', async () => {
    const service = await start(await database());
    const page = await open(service.fetch, 'payment');
    await page.pay();
    await service.control.advance(0);
    const { store, clock, newId } = service.deps;
    const now = clock.now();
    const old = {
      businessUnit: SLUG,
      body: '{}',
      attempts: 1,
      createdAt: now - 100 * DAY_MS,
      leasedUntil: 0,
    };
    await store.transaction(async (tx) => {
      for (let index = 0; index < 1_001; index++)
        await tx.outbox.insert({
          ...old,
          id: newId('msg_'),
          type: 'session.expired',
          status: (['delivered', 'failed', 'disabled'] as const)[index % 3] ?? 'failed',
          dueAt: now - 89 * DAY_MS,
        });
    });
    const webhooks = async () => (await service.control.state(SLUG)).webhooks.map(({ type }) => type);
    await service.control.advance(DAY_MS - 60_000);
    expect(await webhooks()).toHaveLength(1_002);
    await service.control.advance(60_000);
    expect(await webhooks()).toEqual(['payment.succeeded']);
    receiver.response = 500;
    const waits = { status: 'pending', dueAt: clock.now(), type: 'payment.pending' } as const;
    await store.transaction((tx) => tx.outbox.insert({ ...old, ...waits, id: newId('msg_') }));
    await service.control.advance(89 * DAY_MS);
    expect(await webhooks()).toEqual(['payment.pending']);
  });

  it('R-54 accepts a Retry-After with fractions of a millisecond', async () => {
    const service = await start(await database());
    receiver.response = 503;
    receiver.headers = { 'retry-after': '65.4321' };
    await (await open(service.fetch, 'payment')).pay();
    await service.control.advance(0);
    expect((await service.control.state(SLUG)).webhooks).toMatchObject([{ status: 'pending', attempts: 1 }]);
    receiver.response = 200;
    await service.control.advance(60_000);
    expect(receiver.received).toHaveLength(1);
    await service.control.advance(5_433);
    expect((await service.control.state(SLUG)).webhooks).toMatchObject([
      { status: 'delivered', attempts: 2 },
    ]);
  });

  // The rest does not depend on the engine.
  if (engine === 'PostgreSQL') return;

  it('looks up a charge after a lost response and never charges twice', async () => {
    const service = await start(await database());
    const page = await open(service.fetch, 'payment');
    const attemptId = randomUUID();
    gateway.mode = 'lost';
    expect(await page.pay({ attemptId })).toEqual({ status: 'processing', attemptId });
    expect(await page.pay({ attemptId })).toEqual({ status: 'processing', attemptId });
    await service.control.advance(31 * 60_000);
    expect(await page.get()).toMatchObject({ status: 'Processing' });
    gateway.mode = 'up';
    await service.control.advance(3_600_000);
    expect(await page.get<Attempt>(`attempts/${attemptId}`)).toMatchObject({ status: 'succeeded' });
    expect(gateway.charges).toHaveLength(1);
    expect(gateway.calls.charge).toBe(1);
    expect(receiver.types()).toEqual(['payment.succeeded']);
  });

  it('looks up with increasing backoff while the processor is down', async () => {
    const service = await start(await database());
    const page = await open(service.fetch, 'payment');
    gateway.mode = 'down';
    expect(await page.pay()).toMatchObject({ status: 'processing' });
    for (let times = 0; times < 7; times++) await service.control.advance(180_000);
    expect(gateway.calls.lookup).toBeGreaterThan(4);
    expect(gateway.calls.lookup).toBeLessThan(7);
    gateway.mode = 'up';
    await service.control.advance(180_000);
    expect(await page.get()).toMatchObject({ status: 'Succeeded' });
    expect(gateway.charges).toHaveLength(1);
  });

  it('looks up at least once an hour, but not early when the clock is read', async () => {
    const service = await start(await database());
    const page = await open(service.fetch, 'payment');
    gateway.mode = 'down';
    await page.pay();
    for (let times = 0; times < 14; times++) await service.control.advance(3_600_000);
    const { lookup } = gateway.calls;
    for (let times = 0; times < 3; times++) await service.control.advance(0);
    expect(gateway.calls.lookup).toBe(lookup);
    await service.control.advance(3_600_000);
    expect(gateway.calls.lookup).toBe(lookup + 1);
  });

  it('ignores an invalid processor response', async () => {
    const service = await start(await database());
    const page = await open(service.fetch, 'payment');
    gateway.mode = 'odd';
    expect(await page.pay()).toMatchObject({ status: 'processing' });
    await service.control.advance(60_000);
    expect(await page.get()).toMatchObject({ status: 'Processing' });
    gateway.mode = 'up';
    await service.control.advance(3_600_000);
    expect(await page.get()).toMatchObject({ status: 'Succeeded' });
  });

  it('R-91 stops reading an oversized response in the example processor', async () => {
    gateway.mode = 'flood';
    const service = await start(await database());
    const page = await open(service.fetch, 'payment');
    expect(await page.pay()).toMatchObject({ status: 'processing' });
    gateway.mode = 'up';
    await service.control.advance(60_000);
    expect(gateway.charges).toHaveLength(1);
    expect((await service.control.state(SLUG)).payments).toMatchObject([{ status: 'succeeded' }]);
  });

  it('R-44 fails a bank payment that is returned days later', async () => {
    const service = await start(await database());
    const page = await open(service.fetch, 'payment');
    gateway.outcome = 'pending';
    expect(await page.pay()).toMatchObject({ status: 'pending' });
    await service.control.advance(2 * DAY_MS - 60_000);
    expect(gateway.calls.lookup).toBe(0);
    await service.control.advance(60_000);
    expect(gateway.calls.lookup).toBe(1);
    gateway.outcome = 'returned';
    await service.control.advance(0.75 * DAY_MS - 60_000);
    expect(await page.get()).toMatchObject({ status: 'Processing' });
    await service.control.advance(DAY_MS / 2 + 60_000);
    expect(await page.get()).toMatchObject({ status: 'Failed' });
    expect(receiver.types()).toEqual(['payment.pending', 'payment.failed']);
    expect(receiver.received[1]?.event.data.Payments).toMatchObject([{ Status: 'returned' }]);
  });

  it('R-51 announces the expiry of a session once', async () => {
    const service = await start(await database());
    const page = await open(service.fetch, 'payment', { ClientReference: 'ref-1' });
    const wallet = await open(service.fetch, 'wallet');
    await service.control.advance(30 * 60_000);
    await service.control.advance(30 * 60_000);
    await service.control.advance(DAY_MS);
    expect(receiver.received.map(({ event }) => [event.type, event.data.PaymentSessionIdentifier])).toEqual([
      ['session.expired', page.id],
      ['session.expired', wallet.id],
    ]);
    expect(receiver.received[0]?.event.data).toMatchObject({ Status: 'Expired', ClientReference: 'ref-1' });
  });

  it('executes a scheduled payment once after a crash', async () => {
    const service = await start(await database());
    const page = await open(service.fetch, 'schedule-payment');
    const { earliest: date } = await page.get<SchedulePageSession>();
    const { id: methodId } = await page.addMethod();
    await page.schedule({ amount: 100, date, methodId });
    gateway.mode = 'lost';
    await service.control.advance(DAY_MS);
    expect((await service.control.state(SLUG)).scheduledPayments).toMatchObject([{ status: 'executing' }]);
    gateway.mode = 'up';
    await service.control.advance(3_600_000);
    expect((await service.control.state(SLUG)).scheduledPayments).toMatchObject([{ status: 'executed' }]);
    expect(gateway.charges).toHaveLength(1);
    expect(receiver.types().slice(-1)).toEqual(['scheduled_payment.executed']);
  });
});

describe.each(engines.slice(1))('two services on one %s', (_, fresh) => {
  it('share the clock', async () => {
    const database = await fresh();
    const [one, two] = [await start(database), await start(database)];
    const page = await open(one.fetch, 'payment');
    await one.control.advance(31 * 60_000);
    await two.control.advance(0);
    const elsewhere = payer(two.fetch, page.id, page.secret);
    await expect(elsewhere.get()).rejects.toMatchObject({ status: 410 });
  });

  it('respond to a clock move only when both have finished their due work', async () => {
    const database = await fresh();
    const [one, two] = [await start(database), await start(database)];
    const page = await open(one.fetch, 'schedule-payment');
    const { earliest: date } = await page.get<SchedulePageSession>();
    const { id: methodId } = await page.addMethod();
    await page.schedule({ amount: 100, date, methodId });
    gateway.slowness = () => 150;
    const byTheOther = two.control.advance(DAY_MS);
    await expect.poll(() => gateway.calls.charge).toBe(1);
    await one.control.advance(0);
    expect((await one.control.state(SLUG)).scheduledPayments).toMatchObject([{ status: 'executed' }]);
    await byTheOther;
  });

  it('never duplicate scheduled payments, interrupted attempts, expiry or webhooks', async () => {
    const database = await fresh();
    const [one, two] = [await start(database), await start(database)];
    const count = 8;
    for (let number = 0; number < count; number++) {
      const body = { ClientAccount: { AccountNumber: String(number), Name: 'Ada' } };
      const page = await open(one.fetch, 'schedule-payment', body);
      const { earliest: date } = await page.get<SchedulePageSession>();
      const { id: methodId } = await page.addMethod();
      await page.schedule({ amount: 100 + number, date, methodId });
      await crashBeforeCharge(two, await open(two.fetch, 'payment'), randomUUID());
    }
    // A process that is interrupted for more than a minute sends nothing, so one round takes no longer.
    for (let round = 0; round < 4; round++)
      await Promise.all([one, two, one, two].map((service) => service.control.advance(15_000)));
    await Promise.all([one, two, one, two].map((service) => service.control.advance(DAY_MS / 4)));
    await Promise.all([one, two].map((service) => service.control.advance(3_600_000)));
    expect(gateway.charges).toHaveLength(2 * count);
    expect(new Set(gateway.charges.map(({ attemptId }) => attemptId)).size).toBe(2 * count);
    const state = await one.control.state(SLUG);
    expect(state.scheduledPayments.every(({ status }) => status === 'executed')).toBe(true);
    expect(state.payments.every(({ status }) => status === 'succeeded')).toBe(true);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(ids.length);
    const times = (type: string): number => receiver.types().filter((other) => other === type).length;
    expect(times('scheduled_payment.executed')).toBe(count);
    expect(times('payment.succeeded')).toBe(count);
    expect(times('session.expired')).toBe(count);
  });

  it('make one payment from 50 submits', { tags: ['thorough'] }, async () => {
    const database = await fresh();
    const [one, two] = [await start(database), await start(database)];
    const page = await open(one.fetch, 'payment');
    const elsewhere = payer(two.fetch, page.id, page.secret);
    const attemptId = randomUUID();
    // On a busy machine the last request may get `unavailable`; retrying doesn't weaken the test.
    const submit = (at: Payer): Promise<unknown> =>
      at.pay({ attemptId }).catch((error: unknown) => {
        if (error instanceof PageRefused && error.errors[0]?.code === 'unavailable') return submit(at);
        throw error;
      });
    await Promise.all(Array.from({ length: 25 }, () => [submit(page), submit(elsewhere)]).flat());
    await Promise.allSettled([page.pay(), elsewhere.pay()]);
    expect(gateway.charges).toHaveLength(1);
    expect(await page.get()).toMatchObject({ status: 'Succeeded' });
  });
});

describe('the example processor module', () => {
  it('R-68 R-80 refunds once after a lost response, with the reason', async () => {
    const service = await start(':memory:');
    await (await open(service.fetch, 'payment')).pay();
    const { attemptId = '' } = gateway.charges[0] ?? {};
    gateway.mode = 'lost';
    const input = { PaymentIdentifier: attemptId, Amount: 500, Reason: 'Billed twice' };
    const refund = await asMerchant(service.fetch, '/integrations/payments/refund', input);
    expect(await refund.json()).toMatchObject({ data: { Status: 'pending' } });
    gateway.mode = 'up';
    await service.control.advance(60_000);
    expect((await service.control.state(SLUG)).refunds).toMatchObject([{ status: 'succeeded' }]);
    expect(gateway.refunds).toEqual([
      { refundId: expect.stringMatching(/^ref_/), attemptId, amount: 500, reason: 'Billed twice' },
    ]);
  });

  it('matches docs/processor.md', () => {
    const readme = readFileSync(new URL('../../../../docs/processor.md', import.meta.url), 'utf8');
    expect(readme).toContain(readFileSync(PROCESSOR, 'utf8'));
  });

  it('R-10 rejects a source with its own message and has no test cards', async () => {
    const service = await start(':memory:');
    const page = await open(service.fetch, 'payment');
    expect(await page.get()).toMatchObject({ testMode: false });
    await expect(page.pay({ source: { ...CARD, name: 'Refuse Me' } })).rejects.toMatchObject({
      status: 400,
      errors: [{ field: 'source.cardNumber', message: 'This card cannot be used here.' }],
    });
    await expect(page.pay({ source: { ...CARD, name: 'Break Me' } })).rejects.toMatchObject({
      status: 503,
      errors: [{ code: 'payments_unavailable', message: expect.stringContaining('nothing was charged') }],
    });
    await expect(page.pay({ source: { ...CARD, name: 'Leak Me' } })).rejects.toMatchObject({ status: 503 });
    expect(gateway.calls.charge).toBe(0);
    expect(await page.pay()).toMatchObject({ status: 'succeeded' });
  });
});
