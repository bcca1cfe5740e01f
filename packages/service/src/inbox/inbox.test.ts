import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { describeOn, startEngines } from '../../test/engines.js';
import { config, CUSTOMER, SLUG } from '../../test/merchant.js';
import { asMerchant, BANK, CARD, open, query, refusal } from '../../test/payer.js';
import { defined } from '../core/defined.js';
import type { AutopayPageSession } from '../shared/page.js';
import type { Charge, PaymentProcessor, ProcessorEvent } from '../processor/rules/port.js';
import type { Log } from '../platform/log/log.js';
import { startTestService, type OpenTestService, type TestServiceOptions } from '../start/test-service.js';

const DAY_MS = 86_400_000;
const folder = mkdtempSync(join(tmpdir(), 'inbox-'));
let files = 0;
const opened: OpenTestService[] = [];
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(opened.splice(0).map((service) => service.close()));
});
afterAll(() => rmSync(folder, { recursive: true }));

const SILENT: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** A processor that signs its events with one word. */
class Provider implements PaymentProcessor {
  readonly charges: Charge[] = [];
  readonly refunds: string[] = [];
  lookups = 0;
  charge: PaymentProcessor['charge'] = async (charge) => {
    this.charges.push(charge);
    return { outcome: 'pending', reference: `ch_${charge.attemptId}` };
  };

  async tokenize() {
    return { token: 'tok', last4: '6789' };
  }
  async lookup() {
    this.lookups++;
    return 'pending' as const;
  }
  async refund({ refundId }: { refundId: string }) {
    this.refunds.push(refundId);
    return { outcome: 'pending' as const, reference: `re_${refundId}` };
  }
  async receive({ headers, body }: { headers: Headers; body: Uint8Array }) {
    if (headers.get('x-signature') !== 'mine') throw new Error('signature of 4242424242424242');
    return JSON.parse(new TextDecoder().decode(body)) as ProcessorEvent[];
  }
}

async function start(options: TestServiceOptions): Promise<OpenTestService> {
  const service = await startTestService({
    config: config({ paymentMethods: ['Credit Card', 'ACH'] }),
    ...options,
  });
  opened.push(service);
  return service;
}

const send = (service: OpenTestService, body: unknown, signature = 'mine'): Promise<Response> =>
  service.fetch('/processor/events', {
    method: 'POST',
    headers: { 'x-signature': signature },
    body: JSON.stringify(body),
  });

async function report(service: OpenTestService, ...events: ProcessorEvent[]): Promise<void> {
  expect((await send(service, events)).status).toBe(200);
}

const webhooks = async (service: OpenTestService): Promise<string[]> =>
  (await service.control.state(SLUG)).webhooks.map(({ type }) => type);

const waiting = (service: OpenTestService) =>
  service.deps.store.read((tx) => tx.inbox.due(Number.MAX_SAFE_INTEGER, 10));

async function pay(service: OpenTestService): Promise<string> {
  const page = await open(service.fetch, 'payment');
  await page.pay({ source: BANK });
  return page.id;
}

const payments = async (service: OpenTestService, id: string) =>
  (await query<{ Payments: { Id: string; Status: string; Reason?: string }[] }>(service.fetch, id)).Payments;
const statusOf = async (service: OpenTestService, id: string) =>
  (await query<{ Status: string }>(service.fetch, id)).Status;

describeOn(startEngines(() => join(folder, `${files++}.db`)))('R-102 events on %s', (engine, database) => {
  it('settles a bank payment, and ignores a replay', async () => {
    const processor = new Provider();
    const service = await start({ processor, database: await database() });
    const id = await pay(service);
    const attemptId = processor.charges[0]?.attemptId ?? '';
    for (let replay = 0; replay < 3; replay++) await report(service, { attemptId, outcome: 'succeeded' });
    expect(await statusOf(service, id)).toBe('Succeeded');
    expect(await webhooks(service)).toEqual(['payment.pending', 'payment.succeeded']);
    expect(await waiting(service)).toEqual([]);
  });

  it('R-91 responds to a long file once it is stored, and settles most of it in the background', async () => {
    const processor = new Provider();
    const service = await start({ processor, database: await database() });
    const id = await pay(service);
    const unknown = Array.from({ length: 450 }, (_, line): ProcessorEvent => {
      return { reference: `line ${line}`, outcome: 'succeeded' };
    });
    const transaction = vi.spyOn(service.deps.store, 'transaction');
    await report(service, ...unknown, {
      reference: `ch_${processor.charges[0]?.attemptId}`,
      outcome: 'succeeded',
    });
    // Three store the file, and each of the others settles an event.
    expect(transaction).toHaveBeenCalledTimes(3 + 100);
    expect(await statusOf(service, id)).toBe('Processing');

    await service.control.advance(0);
    expect(await statusOf(service, id)).toBe('Succeeded');
  });

  it('finds the payment by its reference alone', async () => {
    const processor = new Provider();
    const service = await start({ processor, database: await database() });
    const id = await pay(service);
    await report(service, {
      reference: `ch_${processor.charges[0]?.attemptId}`,
      outcome: 'declined',
      reason: 'R01',
    });
    expect(await statusOf(service, id)).toBe('Failed');
    expect(await payments(service, id)).toMatchObject([{ Status: 'returned', Reason: 'R01' }]);
  });

  it('logs an event with another amount or currency than its payment, and settles nothing', async () => {
    const processor = new Provider();
    const error = vi.fn();
    const service = await start({ processor, database: await database(), log: { ...SILENT, error } });
    const id = await pay(service);
    const [{ attemptId, amount }] = processor.charges as [Charge];
    const event = { attemptId, outcome: 'succeeded' } as const;
    await report(service, { ...event, amount: amount - 1 }, { ...event, amount, currency: 'eur' });
    expect(await statusOf(service, id)).toBe('Processing');
    expect(error).toHaveBeenCalledTimes(2);
    expect(await waiting(service)).toEqual([]);

    await report(service, { ...event, amount, currency: 'usd' });
    expect(await statusOf(service, id)).toBe('Succeeded');
  });

  it('settles a payment once if two processes receive the same event', async () => {
    const processor = new Provider();
    const shared = await database();
    const [one, other] = [
      await start({ processor, database: shared }),
      await start({ processor, database: shared }),
    ];
    const id = await pay(one);
    const event: ProcessorEvent = { attemptId: processor.charges[0]?.attemptId ?? '', outcome: 'succeeded' };
    await Promise.all(Array.from({ length: 10 }, (_, turn) => report(turn % 2 ? one : other, event)));
    expect(await statusOf(other, id)).toBe('Succeeded');
    expect((await webhooks(one)).filter((type) => type === 'payment.succeeded')).toHaveLength(1);
  });

  // The rest does not depend on the engine.
  if (engine === 'PostgreSQL') return;

  it.each([false, true])(
    'R-93 blocks an account whose payment is returned weeks later, saved: %s',
    async (saveMethod) => {
      const processor = new Provider();
      const service = await start({ processor, database: await database() });
      await (await open(service.fetch, 'payment', CUSTOMER)).pay({ source: BANK, saveMethod });
      const attemptId = processor.charges[0]?.attemptId ?? '';
      await report(service, { attemptId, outcome: 'succeeded' });
      for (let week = 0; week < 4; week++) await service.control.advance(7 * DAY_MS);
      await report(service, { attemptId, outcome: 'returned', reason: 'R10' });

      const typed = { ...BANK, holder: 'Somebody Else', accountNumber: `000${BANK.accountNumber}` };
      const other = await open(service.fetch, 'payment');
      expect(await refusal(other.pay({ source: typed }))).toMatchObject({
        errors: [{ field: 'source.accountNumber', reason: 'method_blocked' }],
      });
    },
  );

  it.each([
    ['declined', 0, undefined],
    ['declined', 5, undefined],
    ['declined', 5, 'R03'],
    ['returned', 5, 'R01'],
  ] as const)(
    'R-93 blocks an account if a %s payment is returned %i days later, first %s',
    async (outcome, days, reason) => {
      const processor = new Provider();
      processor.charge = async () => ({ outcome: 'declined', reference: 'ch_1', ...defined({ reason }) });
      if (outcome === 'returned') processor.charge = async () => ({ outcome: 'pending', reference: 'ch_1' });
      const service = await start({ processor, database: await database() });
      const paid = await open(service.fetch, 'payment');
      await paid.pay({ source: BANK });
      if (outcome === 'returned') await report(service, { reference: 'ch_1', outcome, reason });
      for (let day = 0; day < days; day++) await service.control.advance(DAY_MS);
      await report(service, { reference: 'ch_1', outcome: 'returned', reason: 'R10 Ada Byron' });
      expect(await payments(service, paid.id)).toMatchObject([{ Status: outcome }]);
      const page = await open(service.fetch, 'payment');
      expect(await refusal(page.pay({ source: BANK }))).toMatchObject({
        errors: [{ field: 'source.accountNumber', reason: 'method_blocked' }],
      });
      const { store } = service.deps;
      const attempt = await store.read((tx) => tx.attempts.byReference('ch_1'));
      const { fingerprint } = attempt?.source ?? {};
      expect(await store.read((tx) => tx.methods.blockOf(SLUG, fingerprint))).toBe('R10');
    },
  );

  it.each([
    [
      'pending, succeeded, returned',
      ['pending', 'succeeded', 'returned'],
      ['payment.succeeded', 'payment.failed'],
    ],
    ['returned, succeeded, pending', ['returned', 'succeeded', 'pending'], ['payment.failed']],
    ['succeeded, declined', ['succeeded', 'declined'], ['payment.succeeded', 'payment.failed']],
  ] as const)('%s: the payment ends as returned', async (_, outcomes, announced) => {
    const processor = new Provider();
    const service = await start({ processor, database: await database() });
    const id = await pay(service);
    const attemptId = processor.charges[0]?.attemptId ?? '';
    for (const outcome of outcomes) await report(service, { attemptId, outcome });
    expect(await statusOf(service, id)).toBe('Failed');
    expect(await webhooks(service)).toEqual(['payment.pending', ...announced]);
  });

  it('settles a payment if the event arrives before the charge response', async () => {
    const processor = new Provider();
    const service = await start({ processor, database: await database() });
    processor.charge = async (charge) => {
      await report(service, { attemptId: charge.attemptId, outcome: 'succeeded' });
      return { outcome: 'pending', reference: 'ch_1' };
    };
    const id = await pay(service);
    expect(await statusOf(service, id)).toBe('Succeeded');
    expect(await webhooks(service)).toEqual(['payment.succeeded']);
  });

  it.each([
    [undefined, undefined, 'succeeded'],
    ['settlement_1', 'settlement_2', 'succeeded'],
    ['submission_1', 'settlement_2', 'pending'],
  ] as const)(
    'stores the reference of a response that arrives after an event with %s and %s',
    async (...reported) => {
      const [first, second, outcome] = reported;
      const processor = new Provider();
      const service = await start({ processor, database: await database() });
      processor.charge = async ({ attemptId }) => {
        await report(service, { attemptId, outcome, ...defined({ reference: first }) });
        return { outcome, reference: 'ch_1' };
      };
      const id = await pay(service);
      const [payment] = await payments(service, id);
      await report(service, { reference: 'ch_1', outcome: 'succeeded' });
      vi.spyOn(processor, 'refund').mockImplementationOnce(async ({ refundId }) => {
        await report(service, { refundId, outcome: 'succeeded', ...defined({ reference: second }) });
        return { outcome: 'pending', reference: 're_1' };
      });
      const refund = { PaymentIdentifier: payment?.Id, Amount: 100 };
      await asMerchant(service.fetch, '/integrations/payments/refund', refund);
      await report(
        service,
        { reference: 're_1', outcome: 'failed' },
        { reference: 'ch_1', outcome: 'returned' },
      );
      expect((await service.control.state(SLUG)).refunds).toMatchObject([{ status: 'failed' }]);
      expect(await payments(service, id)).toMatchObject([{ Status: 'returned', Reference: 'ch_1' }]);
      expect(await waiting(service)).toEqual([]);
    },
  );

  it('keeps the charge’s reference if a lookup has another while an event settles the payment', async () => {
    const processor = new Provider();
    const service = await start({ processor, database: await database() });
    const id = await pay(service);
    const attemptId = processor.charges[0]?.attemptId ?? '';
    const settled = { outcome: 'succeeded', reference: 'settlement_1' } as const;
    processor.lookup = async () => {
      await report(service, { attemptId, ...settled });
      return settled as never;
    };
    await service.control.advance(8 * DAY_MS);
    await report(service, { reference: `ch_${attemptId}`, outcome: 'returned', reason: 'R10' });
    expect(await payments(service, id)).toMatchObject([{ Status: 'returned', Reference: `ch_${attemptId}` }]);
  });

  it('finds a payment and a refund by the first reference if the settlement has its own', async () => {
    const processor = new Provider();
    const service = await start({ processor, database: await database() });
    const id = await pay(service);
    const [payment] = await payments(service, id);
    const attemptId = payment?.Id ?? '';
    await report(service, { attemptId, outcome: 'succeeded', reference: 'settlement_1' });
    await asMerchant(service.fetch, '/integrations/payments/refund', {
      PaymentIdentifier: attemptId,
      Amount: 100,
    });
    const refundId = processor.refunds[0] ?? '';
    await report(
      service,
      { refundId, outcome: 'succeeded', reference: 'settlement_2' },
      { reference: `re_${refundId}`, outcome: 'failed' },
      { reference: `ch_${attemptId}`, outcome: 'returned', reason: 'R10' },
    );
    expect((await service.control.state(SLUG)).refunds).toMatchObject([{ status: 'failed' }]);
    expect(await payments(service, id)).toMatchObject([
      { Status: 'returned', Reason: 'R10', Reference: `ch_${attemptId}` },
    ]);
    expect(await waiting(service)).toEqual([]);
  });

  it('looks up no settled payment of a processor that returns no references', async () => {
    const processor = new Provider();
    processor.charge = async () => 'pending';
    const service = await start({ processor, database: await database() });
    const id = await pay(service);
    const [payment] = await payments(service, id);
    await report(service, { attemptId: payment?.Id ?? '', outcome: 'succeeded' });
    await service.control.advance(30 * DAY_MS);
    expect(processor.lookups).toBe(0);

    const late = await pay(service);
    await service.control.advance(8 * DAY_MS);
    expect(processor.lookups).toBe(1);
    const [latest] = await payments(service, late);
    await report(service, { attemptId: latest?.Id ?? '', outcome: 'succeeded' });
    for (let day = 0; day < 30; day++) await service.control.advance(DAY_MS);
    expect(processor.lookups).toBe(1);
  });

  it('stores the reference of an event that arrives after a response without one', async () => {
    const processor = new Provider();
    processor.charge = async () => 'succeeded';
    const service = await start({ processor, database: await database() });
    const id = await pay(service);
    const [payment] = await payments(service, id);
    await report(service, { attemptId: payment?.Id ?? '', outcome: 'succeeded', reference: 'ch_1' });
    vi.spyOn(processor, 'refund').mockResolvedValueOnce('succeeded' as never);
    const refunded = await asMerchant(service.fetch, '/integrations/payments/refund', {
      PaymentIdentifier: payment?.Id,
      Amount: 100,
    });
    const { data } = (await refunded.json()) as { data: { RefundIdentifier: string } };
    await report(
      service,
      { refundId: data.RefundIdentifier, outcome: 'succeeded', reference: 're_1' },
      { reference: 're_1', outcome: 'failed' },
    );
    expect((await service.control.state(SLUG)).refunds).toMatchObject([{ status: 'failed' }]);

    await report(service, { reference: 'ch_1', outcome: 'returned', reason: 'R10' });
    expect(await payments(service, id)).toMatchObject([{ Status: 'returned', Reference: 'ch_1' }]);
  });

  it.each<ProcessorEvent['outcome'][]>([['succeeded'], ['pending', 'succeeded']])(
    'looks up the reference if the charge response is lost, because later events may contain only that',
    async (...outcomes) => {
      const processor = new Provider();
      const service = await start({ processor, database: await database() });
      processor.charge = async ({ attemptId }) => {
        for (const outcome of outcomes) await report(service, { attemptId, outcome });
        throw new Error('lost');
      };
      const lookup = vi
        .spyOn(processor, 'lookup')
        .mockResolvedValue({ outcome: 'succeeded', reference: 'ch_1' } as never);
      const id = await pay(service);
      await service.control.advance(10_000);
      await report(service, { reference: 'ch_1', outcome: 'returned' });
      expect(await payments(service, id)).toMatchObject([{ Status: 'returned', Reference: 'ch_1' }]);
      await service.control.advance(70 * DAY_MS);
      expect(lookup).toHaveBeenCalledOnce();
    },
  );

  it('keeps an event with an unknown reference until the charge responds', async () => {
    const processor = new Provider();
    const service = await start({ processor, database: await database() });
    processor.charge = async () => {
      await report(service, { reference: 'ch_1', outcome: 'succeeded' });
      return { outcome: 'pending', reference: 'ch_1' };
    };
    const id = await pay(service);
    expect(await statusOf(service, id)).toBe('Processing');
    await service.control.advance(1_000);
    expect(await statusOf(service, id)).toBe('Succeeded');
  });

  it('settles a refund', async () => {
    const processor = new Provider();
    const service = await start({ processor, database: await database() });
    await pay(service);
    const PaymentIdentifier = processor.charges[0]?.attemptId ?? '';
    await report(service, { attemptId: PaymentIdentifier, outcome: 'succeeded' });
    await asMerchant(service.fetch, '/integrations/payments/refund', { PaymentIdentifier });
    const refundId = processor.refunds[0] ?? '';
    const failed: ProcessorEvent = {
      refundId,
      outcome: 'failed',
      reason: 'closed',
    };
    await report(service, { ...failed, amount: 1 });
    expect((await service.control.state(SLUG)).refunds).toMatchObject([{ status: 'pending' }]);
    await report(service, failed, failed);
    expect((await webhooks(service)).slice(2)).toEqual(['refund.failed']);
    expect((await service.control.state(SLUG)).refunds).toMatchObject([{ status: 'failed' }]);
    const error = vi.spyOn(service.deps.log, 'error');
    await report(service, { refundId, outcome: 'succeeded' });
    expect(error).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('contradicts'), {
      job: 'receive',
      refundId,
      outcome: 'succeeded',
    });
  });
});

describe('R-102 POST /processor/events', () => {
  it('an event can return a card payment that succeeded', async () => {
    const processor = new Provider();
    processor.charge = async () => ({ outcome: 'succeeded', reference: 'ch_1' });
    const service = await start({ processor });
    const page = await open(service.fetch, 'payment');
    await page.pay();
    await report(service, { reference: 'ch_1', outcome: 'returned', reason: 'fraudulent' });
    expect(await statusOf(service, page.id)).toBe('Failed');
  });

  it.each([
    ['does not ask to pay again for a disputed card payment', 'succeeded', CARD, 'disputed'],
    ['asks to pay again if a card payment was refused after it was accepted', 'pending', CARD, 'returned'],
    ['asks to pay again if the bank returned a settled payment', 'succeeded', BANK, 'returned'],
  ] as const)('R-72 the page %s', async (_, outcome, source, shown) => {
    const processor = new Provider();
    processor.charge = async () => ({ outcome, reference: 'ch_1' });
    const service = await start({ processor });
    const page = await open(service.fetch, 'payment');
    await page.pay({ source });
    await report(service, { reference: 'ch_1', outcome: 'returned', reason: 'fraudulent' });
    const told = await page.get();
    expect(told).toMatchObject({ status: 'Failed' });
    expect(['disputed', 'returned'].filter((key) => key in told)).toEqual([shown]);
  });

  it.each([
    ['AutoPay does not charge a bill again whose card payment is disputed', 'succeeded', undefined],
    ['AutoPay charges a bill whose card payment was refused after it was accepted', 'pending', 5_000],
    ['AutoPay charges a bill whose card payment was only known as returned', 'unknown', 5_000],
  ] as const)('R-106 %s', async (_, outcome, next) => {
    const processor = new Provider();
    processor.charge = async () =>
      outcome === 'unknown' ? Promise.reject(new Error('lost')) : { outcome, reference: 'ch_1' };
    const service = await start({ processor });
    const DueDate = new Date(service.deps.clock.now() + 10 * 86_400_000).toISOString().slice(0, 10);
    const ClientAccount = { AccountNumber: '1001', Name: 'Ada', Balance: 5_000, DueDate };
    const autopay = await open(service.fetch, 'autopay', { ClientAccount, SyncAccount: true });
    const { id: methodId } = await autopay.addMethod();
    await autopay.post('autopay/enroll', { methodId, authorization: 'I agree.' });
    const page = await open(service.fetch, 'payment', { Charges: [{ Amount: 5_000, ClientAccount }] });
    await page.pay({ charges: [{ index: 0, amount: 5_000 }] });
    const [{ Id: attemptId } = { Id: '' }] = await payments(service, page.id);
    await report(service, { attemptId, outcome: 'returned', reason: 'fraudulent' });
    expect((await autopay.get<AutopayPageSession>()).enrollment?.next?.amount).toBe(next);
    expect(await query(service.fetch, page.id)).toMatchObject({ Charges: [{ PaidAmount: 5_000 }] });
  });

  it("keeps the charge's reference if the return has its own, which the ledger has", async () => {
    const processor = new Provider();
    processor.charge = async () => ({ outcome: 'succeeded', reference: 'ch_1' });
    const service = await start({ processor });
    const id = await pay(service);
    const [{ Id: attemptId } = { Id: '' }] = await payments(service, id);
    await report(service, { attemptId, outcome: 'returned', reason: 'R01', reference: 'ret_9' });
    expect(await payments(service, id)).toMatchObject([{ Status: 'returned', Reference: 'ch_1' }]);
    const entries = await service.deps.store.read((tx) => tx.ledger.ofPayment(attemptId));
    expect(entries.map(({ type, reference }) => [type, reference])).toEqual([
      ['payment', 'ch_1'],
      ['return', 'ret_9'],
    ]);
    await report(service, { reference: 'ch_1', outcome: 'returned', reason: 'R01' });
    expect(await waiting(service)).toEqual([]);
  });

  it('returns 404 if the processor has no receive', async () => {
    expect((await send(await start({}), [])).status).toBe(404);
  });

  it('returns 400 if receive rejects, without logging its message', async () => {
    const warn = vi.fn();
    const service = await start({ processor: new Provider(), log: { ...SILENT, warn } });
    expect((await send(service, [], 'forged')).status).toBe(400);
    expect(JSON.stringify(warn.mock.calls)).not.toMatch(/4242/);
  });

  it.each<[unknown]>([
    [undefined],
    [null],
    ['[]'],
    [{}],
    [[null]],
    [[[]]],
    [[{ outcome: 'succeeded' }]],
    [[{ attemptId: 'pay_1', outcome: 'won' }]],
    [[{ reference: 7, outcome: 'pending' }]],
    [[{ reference: 'ch_\0', outcome: 'pending' }]],
    [[{ reference: 'ch_1', outcome: 'pending', amount: '100' }]],
    [[{ reference: 'ch_1', outcome: 'pending', amount: 0.5 }]],
    [[{ reference: 'ch_1', outcome: 'pending', currency: 7 }]],
    [[{ reference: 'x'.repeat(201), outcome: 'pending' }]],
  ])('returns 400 if receive returns %o, stores nothing, and accepts the next delivery', async (garbage) => {
    const processor = new Provider();
    const receive = vi.spyOn(processor, 'receive');
    const error = vi.fn();
    const service = await start({ processor, log: { ...SILENT, error } });
    const id = await pay(service);
    const event = { attemptId: processor.charges[0]?.attemptId ?? '', outcome: 'succeeded' } as const;
    for (const resolved of Array.isArray(garbage) ? [garbage, [event, ...garbage]] : [garbage]) {
      receive.mockResolvedValueOnce(resolved as ProcessorEvent[]);
      expect((await send(service, [])).status).toBe(400);
    }
    expect(error).toHaveBeenCalledWith(expect.stringContaining('invalid event'));
    expect(await waiting(service)).toEqual([]);
    expect(await statusOf(service, id)).toBe('Processing');

    await report(service, event);
    expect(await statusOf(service, id)).toBe('Succeeded');
  });

  it('returns 400 after ten seconds if receive hangs, drops its late result, and settles other deliveries', async () => {
    const processor = new Provider();
    let answerLate: (events: ProcessorEvent[]) => void = () => undefined;
    const late = new Promise<ProcessorEvent[]>((resolve) => (answerLate = resolve));
    const receive = vi.spyOn(processor, 'receive').mockReturnValueOnce(late);
    const warn = vi.fn();
    const service = await start({ processor, log: { ...SILENT, warn } });
    const [hanging, other] = [await pay(service), await pay(service)];
    const [event, next] = processor.charges.map(({ attemptId }): ProcessorEvent => ({
      attemptId,
      outcome: 'succeeded',
    })) as [ProcessorEvent, ProcessorEvent];

    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const response = send(service, []);
    await expect.poll(() => receive.mock.calls).toHaveLength(1);
    await report(service, next);
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await response).status).toBe(400);
    vi.useRealTimers();
    expect(warn.mock.calls).toMatchObject([[expect.any(String), { error: { code: 'processor_timeout' } }]]);
    expect(await statusOf(service, other)).toBe('Succeeded');

    answerLate([event]);
    await late;
    expect(await waiting(service)).toEqual([]);
    expect(await statusOf(service, hanging)).toBe('Processing');
    await report(service, event, event);
    expect((await webhooks(service)).filter((type) => type === 'payment.succeeded')).toHaveLength(2);
  });

  it('R-91 returns 503 if too many events wait for receive', async () => {
    const processor = new Provider();
    let resolve: (events: ProcessorEvent[]) => void = () => undefined;
    const received = new Promise<ProcessorEvent[]>((settle) => (resolve = settle));
    vi.spyOn(processor, 'receive').mockReturnValue(received);
    const service = await start({ processor, config: { ...(config() as object), maxConnections: 10 } });
    const responses = Array.from({ length: 4 }, () => send(service, []));
    const refused = await Promise.race(responses);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('2');
    resolve([]);
    const statuses = (await Promise.all(responses)).map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 200, 200, 503]);
  });

  it('R-91 stores two files at a time, so that other requests get their turn', async () => {
    const service = await start({ processor: new Provider() });
    const { store } = service.deps;
    const real = { ...store };
    let free: () => void = () => undefined;
    const freed = new Promise<void>((resolve) => (free = resolve));
    const transactions = vi.spyOn(store, 'transaction').mockImplementation(async (work, options) => {
      await freed;
      return real.transaction(work, options);
    });
    const file: ProcessorEvent[] = [{ reference: 'unknown', outcome: 'succeeded' }];
    const responses = Array.from({ length: 10 }, () => send(service, file));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(transactions).toHaveBeenCalledTimes(2);
    free();
    for (const { status } of await Promise.all(responses)) expect(status).toBe(200);
  });

  it('returns 413 for a body over 256 KiB and does not pass it on', async () => {
    const processor = new Provider();
    const receive = vi.spyOn(processor, 'receive');
    const service = await start({ processor });
    expect((await send(service, 'x'.repeat(257 * 1024))).status).toBe(413);
    expect(receive).not.toHaveBeenCalled();
  });

  it('returns 405 to GET', async () => {
    const service = await start({ processor: new Provider() });
    expect((await service.fetch('/processor/events')).status).toBe(405);
  });

  it.each([
    ['ch_elsewhere', 'ch_elsewhere'],
    ['x4242.4242.4242.4242', 'x[number]'],
  ])('keeps an event for an unknown payment for a day, then logs it: %s', async (reference, logged) => {
    const error = vi.fn();
    const service = await start({ processor: new Provider(), log: { ...SILENT, error } });
    await report(service, { reference, outcome: 'succeeded' });
    await service.control.advance(DAY_MS - 60_000);
    expect(error).not.toHaveBeenCalled();
    await service.control.advance(3_600_000);
    expect(error).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('unknown after a day'), {
      job: 'receive',
      outcome: 'succeeded',
      reference: logged,
    });
    expect(await waiting(service)).toEqual([]);
  });

  it.each([
    ['declined', 'succeeded'],
    ['declined', 'pending'],
    ['returned', 'succeeded'],
    ['returned', 'pending'],
  ] as const)(
    'logs an event that contradicts the outcome and changes nothing: %s, %s',
    async (before, event) => {
      const processor = new Provider();
      processor.charge = async () => (before === 'declined' ? 'declined' : 'succeeded');
      const error = vi.fn();
      const service = await start({ processor, log: { ...SILENT, error } });
      const page = await open(service.fetch, 'payment');
      await page.pay();
      const [{ Id: attemptId } = { Id: '' }] = await payments(service, page.id);
      if (before === 'returned') await report(service, { attemptId, outcome: 'returned' });
      const announced = await webhooks(service);
      await report(service, { attemptId, outcome: event });
      expect(error).toHaveBeenCalledExactlyOnceWith(
        expect.stringContaining('contradicts'),
        expect.anything(),
      );
      expect(await payments(service, page.id)).toMatchObject([{ Status: before }]);
      expect(await webhooks(service)).toEqual(announced);
    },
  );

  it.each([
    ['declined', 'succeeded'],
    ['succeeded', 'declined'],
  ] as const)('logs a charge response that contradicts an earlier event: %s, %s', async (event, response) => {
    const processor = new Provider();
    const error = vi.fn();
    const service = await start({ processor, log: { ...SILENT, error } });
    processor.charge = async ({ attemptId }) => {
      await report(service, { attemptId, outcome: event });
      return response;
    };
    const page = await open(service.fetch, 'payment');
    await page.pay();
    expect(error).toHaveBeenCalledExactlyOnceWith(
      expect.stringContaining('contradicts'),
      expect.objectContaining({ outcome: response }),
    );
    expect(await payments(service, page.id)).toMatchObject([{ Status: event }]);
  });

  it('does not poll a bank payment until its event is a week late', async () => {
    const processor = new Provider();
    const service = await start({ processor });
    const id = await pay(service);
    await service.control.advance(6 * DAY_MS);
    expect(processor.lookups).toBe(0);
    await service.control.advance(2 * DAY_MS);
    expect(processor.lookups).toBe(1);
    await report(service, { attemptId: processor.charges[0]?.attemptId ?? '', outcome: 'succeeded' });
    await service.control.advance(70 * DAY_MS);
    expect(processor.lookups).toBe(1);
    expect(await statusOf(service, id)).toBe('Succeeded');
  });
});
