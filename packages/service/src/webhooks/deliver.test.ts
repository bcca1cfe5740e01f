import { createHash } from 'node:crypto';
import { webhookEventSchema } from '@embedded-sessions/server-types/schemas';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { API_KEY, CUSTOMER, SECRETS, SLUG, config } from '../../test/merchant.js';
import { BANK, DECLINED, open, RETURNED } from '../../test/payer.js';
import { startReceiver } from '../../test/receiver.js';
import type { Receiver } from '../../test/receiver.js';
import { settlePayment } from '../payments/attempts.js';
import { recordDelivery, takeDue } from './queue.js';
import { RETRY_WAITS_MS, type OutboxMessage } from './rules.js';
import { startTestService } from '../start/test-service.js';
import type { OpenTestService } from '../start/test-service.js';
import type { SchedulePageSession } from '../shared/page.js';
import type { Log } from '../platform/log/log.js';
import { send } from './send.js';

const DAY_MS = 86_400_000;
let receiver: Receiver;
let service: OpenTestService;
const start = async (secrets: readonly string[] = SECRETS.slice(0, 1), url = receiver.url): Promise<void> => {
  service = await startTestService({ config: config({ webhook: { url, secrets } }) });
};
beforeEach(async () => {
  receiver = await startReceiver();
  await start();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await service.close();
  await receiver.close();
});

const opened = (flow: Parameters<typeof open>[1], body: Record<string, unknown> = {}) =>
  open(service.fetch, flow, body);
const deliver = () => service.control.advance(0);
const webhooks = async () => (await service.control.state(SLUG)).webhooks;

describe('R-54 a webhook', () => {
  it('is logged with its id and business unit if it is not delivered', async () => {
    const lines: unknown[] = [];
    const log: Log = {
      info: () => undefined,
      warn: (...line) => void lines.push(line),
      error: () => undefined,
    };
    await service.close();
    const webhook = { url: receiver.url, secrets: SECRETS };
    service = await startTestService({ config: config({ webhook }), log });
    receiver.response = 410;
    await (await opened('payment')).pay();
    await deliver();
    const messageId = receiver.received[0]?.headers['webhook-id'];
    expect(lines).toContainEqual([
      expect.stringContaining('not delivered'),
      expect.objectContaining({ messageId, businessUnit: SLUG }),
    ]);
  });

  it('for a card saved with a payment contains the paid session', async () => {
    await (await opened('payment', CUSTOMER)).pay({ saveMethod: true });
    await deliver();
    const events = receiver.received.map(({ event }) => event);
    expect(events.find(({ type }) => type === 'payment_method.added')?.data).toMatchObject({
      Status: 'Succeeded',
      Payments: [{ Status: 'succeeded' }],
    });
  });

  it('is left to another process that has taken it over', async () => {
    const { store, clock } = service.deps;
    await (await opened('payment')).pay();
    const { url } = receiver;
    const take = (systemNow: number) =>
      store.transaction((tx) => takeDue(tx, SLUG, url, { now: clock.now(), systemNow }, 1));
    const [first] = (await take(Date.now())).taken;
    expect(first).toBeDefined();
    expect((await take(Date.now() + 60_000)).taken).toHaveLength(1);
    const failed = { type: 'unreachable', reason: 'reset' } as const;
    const recorded = await store.transaction((tx) =>
      recordDelivery(tx, first as OutboxMessage, url, failed, clock.now()),
    );
    expect(recorded).toBeNull();
    const forgotten = { ...(first as OutboxMessage), id: 'msg_forgotten' };
    expect(
      await store.transaction((tx) => recordDelivery(tx, forgotten, url, failed, clock.now())),
    ).toBeNull();
    expect(await webhooks()).toMatchObject([{ status: 'pending', attempts: 0 }]);
  });

  it('R-30 is signed and contains the session with its reference and metadata', async () => {
    const page = await opened('payment', {
      ClientReference: 'ref-1',
      CustomMeta: { order: { id: 7 } },
      Charges: [
        {
          Amount: 1_000,
          CustomMeta: { line: 1 },
          ClientAccount: { AccountNumber: '1', Name: 'Ada', Note: 'secret' },
        },
        { Amount: 2_000, ClientAccount: { AccountNumber: '2', SubAccountNumber: 'b', Name: 'Ada' } },
      ],
    });
    await page.pay({ charges: [{ index: 0, amount: 1_000 }] });
    await deliver();
    const [message] = receiver.received;
    expect(new Webhook(SECRETS[0]).verify(message?.body ?? '', message?.headers ?? {})).toEqual(
      message?.event,
    );
    expect(message?.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'embedded-sessions',
      'webhook-id': expect.stringMatching(/^msg_/) as string,
    });
    const payment = {
      Id: expect.any(String),
      Amount: 1_000,
      Refunded: 0,
      Method: 'Credit Card',
      Status: 'succeeded',
      Last4: '4242',
      CreatedAt: expect.any(String),
    };
    expect(message?.event).toEqual({
      type: 'payment.succeeded',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: {
        PaymentSessionIdentifier: page.id,
        Flow: 'payment',
        Status: 'Succeeded',
        ClientReference: 'ref-1',
        CustomMeta: { order: { id: 7 } },
        Charges: [
          {
            Amount: 1_000,
            PaidAmount: 1_000,
            CustomMeta: { line: 1 },
            ClientAccount: { AccountNumber: '1' },
          },
          { Amount: 2_000, PaidAmount: 0, ClientAccount: { AccountNumber: '2', SubAccountNumber: 'b' } },
        ],
        Payments: [payment],
        Payment: { ...payment, PaymentSessionIdentifier: page.id, ClientReference: 'ref-1' },
        CreatedAt: expect.any(String),
        ExpiresAt: expect.any(String),
      },
    });
    expect(message?.body).not.toContain(page.secret);
    expect(await webhooks()).toEqual([{ type: 'payment.succeeded', status: 'delivered', attempts: 1 }]);
  });

  it('is signed with every secret, so secrets can be rotated', async () => {
    await service.close();
    await start(SECRETS);
    await (await opened('payment')).pay();
    await deliver();
    const [message] = receiver.received;
    for (const secret of SECRETS) new Webhook(secret).verify(message?.body ?? '', message?.headers ?? {});
    const stranger = new Webhook('whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA');
    expect(() => stranger.verify(message?.body ?? '', message?.headers ?? {})).toThrow();
  });

  it('is signed with the system time even if the clock was moved', async () => {
    await service.control.advance(400 * DAY_MS);
    await (await opened('payment')).pay();
    await deliver();
    const [message] = receiver.received;
    new Webhook(SECRETS[0]).verify(message?.body ?? '', message?.headers ?? {});
    expect(Date.parse(message?.event.timestamp ?? '')).toBeGreaterThan(Date.now() + 399 * DAY_MS);
  });

  it('announces declined, pending and returned payments', async () => {
    await (await opened('payment')).pay({ source: DECLINED });
    await (await opened('payment')).pay({ source: BANK });
    await (await opened('payment')).pay({ source: RETURNED });
    await service.control.advance(2 * DAY_MS);
    for (const { event } of receiver.received) expect(webhookEventSchema.parse(event)).toEqual(event);
    const events = receiver.received
      .filter(({ event }) => event.type !== 'session.expired')
      .map(({ event }) => [event.type, event.data.Status, event.data.Payments.at(-1)?.Status]);
    const sorted = (rows: unknown[][]) =>
      rows.map((row) => row.join(' ')).toSorted((a, b) => (a < b ? -1 : 1));
    expect(sorted(events)).toEqual(
      sorted([
        ['payment.failed', 'RequiresPaymentSource', 'declined'],
        ['payment.pending', 'Processing', 'pending'],
        ['payment.pending', 'Processing', 'pending'],
        ['payment.succeeded', 'Succeeded', 'succeeded'],
        ['payment.failed', 'Failed', 'returned'],
      ]),
    );
  });

  it('announces every management flow once, with its session and account', async () => {
    const autopay = await opened('autopay');
    const { id: methodId } = await autopay.addMethod();
    await autopay.post('autopay/enroll', { methodId });
    await autopay.post('autopay/enroll', { methodId });
    await autopay.post('autopay/unenroll');
    await autopay.post('autopay/unenroll');
    const paperless = await opened('paperless');
    await paperless.post('paperless', { enrolled: true });
    await paperless.post('paperless', { enrolled: true });
    const schedule = await opened('schedule-payment');
    const { earliest: date } = await schedule.get<SchedulePageSession>();
    const input = { amount: 100, date, methodId };
    const { id } = await schedule.schedule(input);
    await schedule.schedule(input);
    const manage = await opened('scheduled-payments');
    await manage.post(`scheduled/${id}/cancel`);
    await manage.post(`scheduled/${id}/cancel`);
    await service.control.advance(DAY_MS);
    const wallet = await opened('wallet');
    await wallet.post(`methods/${methodId}/remove`);
    await wallet.post(`methods/${methodId}/remove`);
    const kinds = { email: true, sms: false };
    const preferences = {
      kinds: {
        'payment-confirmation': kinds,
        'payment-reminder': kinds,
        'bill-ready': kinds,
        autopay: kinds,
      },
    };
    const notifications = await opened('notifications');
    await notifications.post('notifications', preferences);
    await notifications.post('notifications', preferences);
    await deliver();

    const events = receiver.received
      .filter(({ event }) => event.type !== 'session.expired')
      .map(({ event }) => [
        event.type,
        event.data.PaymentSessionIdentifier,
        event.data.Account?.AccountNumber,
      ]);
    expect(events).toEqual([
      ['payment_method.added', autopay.id, undefined],
      ['autopay.enrolled', autopay.id, '1001'],
      ['autopay.unenrolled', autopay.id, '1001'],
      ['paperless.changed', paperless.id, '1001'],
      ['scheduled_payment.created', schedule.id, '1001'],
      ['scheduled_payment.created', schedule.id, '1001'],
      ['scheduled_payment.canceled', manage.id, '1001'],
      ['scheduled_payment.executed', schedule.id, '1001'],
      ['payment_method.removed', wallet.id, undefined],
      ['notifications.changed', notifications.id, undefined],
    ]);

    const data = Object.fromEntries(receiver.received.map(({ event }) => [event.type, event.data]));
    const card = { Identifier: methodId, Method: 'Credit Card', Brand: 'Visa', Last4: '4242' };
    expect(data['payment_method.added']).toMatchObject({
      Customer: { EmailAddress: 'ada@example.com' },
      PaymentMethod: card,
    });
    expect(data['payment_method.removed']).toMatchObject({ PaymentMethod: card });
    expect(data['autopay.enrolled']).toMatchObject({ PaymentMethod: card });
    expect(data['autopay.unenrolled']).toMatchObject({ PaymentMethod: card });
    expect(data['paperless.changed']).toMatchObject({ Paperless: { Enrolled: true } });
    expect(data['scheduled_payment.canceled']).toMatchObject({
      ScheduledPayment: { Identifier: id, Amount: 100, Date: date, Status: 'canceled' },
    });
    expect(data['scheduled_payment.executed']).toMatchObject({
      ScheduledPayment: { Status: 'executed' },
      Payments: [{ Amount: 100, Status: 'succeeded' }],
    });
    expect(data['notifications.changed']).toMatchObject({
      Notifications: { Kinds: { autopay: { Email: true, Sms: false } } },
    });
    for (const { event } of receiver.received) expect(webhookEventSchema.parse(event)).toEqual(event);
  });

  it('is written in the same transaction as its change', async () => {
    const page = await opened('payment');
    const { store, clock, newId } = service.deps;
    await page.pay({ source: BANK });
    const [attempt] = await store.transaction((tx) => tx.attempts.ofSession(page.id));
    const crash = store.transaction(async (tx) => {
      await settlePayment(
        tx,
        attempt!,
        { outcome: 'succeeded' },
        { now: clock.now(), newId, config: { businessUnits: [] } },
      );
      throw new Error('crash before the commit');
    });
    await expect(crash).rejects.toThrow('crash before');
    expect((await webhooks()).map(({ type }) => type)).toEqual(['payment.pending']);
    expect(await page.get()).toMatchObject({ status: 'Processing' });
  });

  it('is not stored if a business unit has no webhook', async () => {
    const none = await startTestService({ config: config() });
    await (await open(none.fetch, 'payment')).pay();
    await none.control.advance(0);
    expect((await none.control.state(SLUG)).webhooks).toEqual([]);
    await none.close();
  });
});

describe('R-54 an endpoint that does not accept a webhook', () => {
  it.each([500, 404, 302, 'drop'] as const)('gets it again after %s until it accepts', async (response) => {
    receiver.response = response;
    receiver.headers = { location: `${receiver.url}/elsewhere` };
    await (await opened('payment')).pay();
    await deliver();
    await service.control.advance(0);
    expect(await webhooks()).toEqual([{ type: 'payment.succeeded', status: 'pending', attempts: 1 }]);
    receiver.response = 204;
    await service.control.advance(5_000);
    expect(await webhooks()).toEqual([{ type: 'payment.succeeded', status: 'delivered', attempts: 2 }]);
    expect(receiver.received).toHaveLength(2);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
  });

  it.each([
    ['', 0],
    [', on a machine where every delivery is slow', 3_000],
  ])(
    'does not block payments or messages of other business units%s',
    async (_, callMs) => {
      await service.close();
      // Disable the deadline, so that anything that relies on it waits forever.
      vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal);
      const other = await startReceiver();
      const units = [receiver, other].map(({ url }, place) => ({
        slug: place === 0 ? SLUG : 'other',
        name: 'Unit',
        webhook: { url, secrets: SECRETS },
      }));
      service = await startTestService({
        config: { businessUnits: units, apiKeys: [{ key: API_KEY, businessUnits: [SLUG, 'other'] }] },
      });
      receiver.response = 'hang';
      const { store, clock, newId } = service.deps;
      const message = { type: 'payment.succeeded', body: '{}', status: 'pending', attempts: 0 } as const;
      const at = { createdAt: clock.now(), dueAt: clock.now(), leasedUntil: 0 };
      await store.transaction(async (tx) => {
        for (let count = 0; count < 120; count++) {
          const businessUnit = count < 100 ? SLUG : 'other';
          await tx.outbox.insert({ ...message, ...at, businessUnit, id: newId('msg_') });
        }
      });
      await (await opened('payment', { BusinessUnitSlug: 'other' })).pay({ source: BANK });
      // Only now, because a request gives up if its transaction seems to take seconds.
      const began = performance.now();
      let calls = 0;
      vi.spyOn(performance, 'now').mockImplementation(() => began + callMs * ++calls);
      const delivering = service.control.advance(2 * DAY_MS);
      // More than the concurrency limit, before the first server has responded to any.
      await expect.poll(() => other.types().length).toBe(22);
      // They arrive in any order, because several are sent at once.
      expect(other.types().filter((type) => type === 'payment.pending')).toHaveLength(1);
      receiver.response = 200;
      await receiver.close();
      await delivering;
      await other.close();
      // 620 webhooks on a busy machine.
    },
    180_000,
  );

  it('is tried ten times over three days, then abandoned', async () => {
    receiver.response = 503;
    await (await opened('payment')).pay();
    await deliver();
    for (const wait of RETRY_WAITS_MS) await service.control.advance(wait);
    expect(await webhooks()).toEqual([{ type: 'payment.succeeded', status: 'failed', attempts: 10 }]);
    await service.control.advance(30 * DAY_MS);
    expect(receiver.received).toHaveLength(10);
  });

  it('is retried after its Retry-After, up to a day', async () => {
    receiver.response = 429;
    receiver.headers = { 'retry-after': '120' };
    await (await opened('payment')).pay();
    await deliver();
    await service.control.advance(60_000);
    expect(receiver.received).toHaveLength(1);
    receiver.response = 200;
    await service.control.advance(60_000);
    expect(receiver.received).toHaveLength(2);
  });

  it('is retried after a day if it asks for more', async () => {
    receiver.response = 503;
    receiver.headers = { 'retry-after': String(7 * 86_400) };
    await (await opened('payment')).pay();
    await deliver();
    receiver.response = 200;
    await service.control.advance(23 * 3_600_000);
    expect(receiver.received).toHaveLength(1);
    await service.control.advance(3_600_000);
    expect(receiver.received).toHaveLength(2);
  });

  it('is disabled by 410, for later messages too', async () => {
    receiver.response = 410;
    await (await opened('payment')).pay();
    await deliver();
    await (await opened('payment')).pay();
    await service.control.advance(DAY_MS);
    const kept = await service.deps.store.read((tx) => tx.outbox.list(SLUG));
    for (const { lastError } of kept) expect(lastError).toContain('410');
    await (await opened('wallet')).addMethod();
    const { url } = receiver;
    const times = { now: service.deps.clock.now(), systemNow: Date.now() };
    const { store } = service.deps;
    expect(await store.transaction((tx) => takeDue(tx, SLUG, url, times, 9))).toMatchObject({
      taken: [],
      disabled: [{ type: 'payment_method.added', status: 'disabled' }],
    });
    expect((await webhooks()).filter(({ type }) => type === 'payment.succeeded')).toEqual([
      { type: 'payment.succeeded', status: 'disabled', attempts: 1 },
      { type: 'payment.succeeded', status: 'disabled', attempts: 0 },
    ]);
    expect(receiver.received).toHaveLength(1);
  });
});

describe('R-54 in production', () => {
  it('rejects internal addresses and records that in the message', async () => {
    const hash = createHash('sha256').update(API_KEY).digest('hex');
    const production = await startTestService({
      env: 'production',
      sessionKeyText: `k1:${'ab'.repeat(32)}`,
      config: {
        ...(config({ webhook: { url: receiver.url, secrets: SECRETS } }) as object),
        apiKeys: [{ keyHash: `sha256:${hash}`, businessUnits: [SLUG] }],
      },
    });
    await (await open(production.fetch, 'paperless')).post('paperless', { enrolled: true });
    await production.control.advance(0);
    expect((await production.control.state(SLUG)).webhooks).toEqual([
      { type: 'paperless.changed', status: 'failed', attempts: 1 },
    ]);
    expect(receiver.received).toEqual([]);
    await production.close();
  });
});

describe('R-54 a single POST', () => {
  const to = (url: string, more: Partial<Parameters<typeof send>[0]> = {}) =>
    send({ url, body: '{}', headers: {}, publicOnly: false, ...more });

  it('times out if an endpoint never responds', async () => {
    receiver.response = 'hang';
    expect(await to(receiver.url, { deadlineMs: 50 })).toEqual({
      type: 'unreachable',
      reason: 'no answer in time',
    });
  });

  it('reports a refused connection and an unknown name', async () => {
    const { port } = new URL(receiver.url);
    await receiver.close();
    expect(await to(`http://127.0.0.1:${port}/`)).toEqual({ type: 'unreachable', reason: 'ECONNREFUSED' });
    expect(await to('http://no-such-name.invalid/')).toMatchObject({ type: 'unreachable' });
  });

  it.each([
    '127.0.0.1',
    'localhost',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '2130706433',
    '0x7f.1',
    '169.254.169.254',
  ])('does not call %s in production, nor a name that resolves to it', async (host) => {
    const { port } = new URL(receiver.url);
    expect(await to(`http://${host}:${port}/webhooks`, { publicOnly: true })).toMatchObject({
      type: 'forbidden',
    });
    expect(receiver.received).toEqual([]);
  });
});
