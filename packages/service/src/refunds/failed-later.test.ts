/** R-80 R-102: refunds that fail after they have succeeded, because the card was closed or replaced. */
import { afterEach, expect, it } from 'vitest';
import { describeOn, startEngines } from '../../test/engines.js';
import { account, config, CUSTOMER, SECRETS, SLUG } from '../../test/merchant.js';
import { asMerchant, BANK, open, query, type Payer } from '../../test/payer.js';
import { addDays, dayIn } from '../core/day.js';
import { defined } from '../core/defined.js';
import type { PaymentProcessor, ProcessorEvent } from '../processor/rules/port.js';
import type { AutopayPageSession, PaymentPageSession } from '../shared/page.js';
import { startTestService, type OpenTestService } from '../start/test-service.js';

const DAY_MS = 86_400_000;

let service: OpenTestService;
afterEach(() => service.close());

const report = async (...events: ProcessorEvent[]): Promise<void> => {
  const { status } = await service.fetch('/processor/events', {
    method: 'POST',
    body: JSON.stringify(events),
  });
  expect(status).toBe(200);
};

async function start(
  database: string,
  refund: NonNullable<PaymentProcessor['refund']> = async () => 'succeeded',
): Promise<void> {
  service = await startTestService({
    database,
    processor: {
      tokenize: async () => ({ token: 'tok', last4: '4242' }),
      charge: async () => ({ outcome: 'succeeded', reference: 'ch_1' }),
      lookup: async () => 'succeeded',
      refund,
      receive: async ({ body }) => JSON.parse(new TextDecoder().decode(body)) as ProcessorEvent[],
    },
    config: {
      ...Object(config({ webhook: { url: 'http://127.0.0.1:9/', secrets: SECRETS } })),
      email: { from: 'bills@water.example' },
    },
  });
}

/** Pays 30.00 for two accounts. Resolves to the page and the payment's id. */
async function pay(): Promise<[Payer, string]> {
  const Charges = [
    { Amount: 1_000, ...account('1001') },
    { Amount: 2_000, ...account('1002') },
  ];
  const page = await open(service.fetch, 'payment', { ...CUSTOMER, Charges });
  await page.pay({ charges: Charges.map(({ Amount: amount }, index) => ({ index, amount })) });
  const [payment] = await service.deps.store.read((tx) => tx.attempts.list(SLUG));
  return [page, payment?.id ?? ''];
}

interface Refunded {
  readonly RefundIdentifier: string;
  readonly Status: string;
  readonly Refundable: number;
}

async function refund(PaymentIdentifier: string, Amount?: number): Promise<Refunded> {
  const input = { PaymentIdentifier, Amount };
  const response = await asMerchant(service.fetch, '/integrations/payments/refund', input);
  return ((await response.json()) as { data: Refunded }).data;
}

const entries = async (paymentId: string) => {
  const booked = await service.deps.store.read((tx) => tx.ledger.ofPayment(paymentId));
  return booked.map(({ type, line, amount, date }) => [type, line, amount, date]);
};
const refundWebhooks = async () => {
  const { webhooks } = await service.control.state(SLUG);
  return webhooks.map(({ type }) => type).filter((type) => type.startsWith('refund.'));
};

describeOn(startEngines())('a refund that fails after it had succeeded, on %s', (_, database) => {
  const today = () => dayIn(service.deps.clock.now(), 'UTC');

  it('R-98 is booked back once, on its day and by account, and can be made again', async () => {
    await start(await database());
    const [page, id] = await pay();
    await refund(id, 100);
    const { RefundIdentifier: refundId } = await refund(id);
    const before = await entries(id);
    const refundedOn = today();
    await service.control.advance(3 * DAY_MS);
    const failed: ProcessorEvent = { refundId, outcome: 'failed', reason: 'expired_card' };
    await report({ ...failed, amount: 1 });
    expect(await entries(id)).toEqual(before);
    for (let replay = 0; replay < 3; replay++) await report({ ...failed, amount: 2_900, reference: 're_9' });

    expect(await entries(id)).toEqual(
      expect.arrayContaining([
        ...before,
        ['refund', 0, 967, addDays(refundedOn, 3)],
        ['refund', 1, 1_933, addDays(refundedOn, 3)],
      ]),
    );
    expect(await entries(id)).toHaveLength(before.length + 2);
    expect(await refundWebhooks()).toEqual(['refund.succeeded', 'refund.succeeded', 'refund.failed']);
    expect(await query(service.fetch, page.id)).toMatchObject({
      Status: 'Succeeded',
      Payments: [{ Status: 'succeeded', Refunded: 100 }],
    });
    const refunds = await service.deps.store.read((tx) => tx.refunds.list(SLUG));
    expect(refunds).toMatchObject([{ status: 'succeeded' }, { status: 'failed', reason: 'expired_card' }]);

    expect(await refund(id)).toMatchObject({ Status: 'succeeded', Amount: 2_900, Refundable: 0 });
    const sum = (await entries(id)).reduce((total, [, , amount]) => total + Number(amount), 0);
    expect(sum).toBe(0);
  });

  it('R-106 pays its bill again, so that neither AutoPay nor an open page does', async () => {
    await start(await database());
    const DueDate = addDays(today(), 10);
    const ClientAccount = { AccountNumber: '1001', Name: 'Ada', Balance: 3_000, DueDate };
    const autopay = await open(service.fetch, 'autopay', { ClientAccount, SyncAccount: true });
    await autopay.post('autopay/enroll', { methodId: (await autopay.addMethod()).id });
    const next = async () => (await autopay.get<AutopayPageSession>()).enrollment?.next?.amount;
    const Charges = [{ Amount: 3_000, ClientAccount }];
    const charges = [{ index: 0, amount: 3_000 }];
    await (await open(service.fetch, 'payment', { Charges })).pay({ charges });
    const [payment] = await service.deps.store.read((tx) => tx.attempts.list(SLUG));
    const id = payment?.id ?? '';
    const { RefundIdentifier: first } = await refund(id, 1_000);
    const { RefundIdentifier: last } = await refund(id);
    expect(await next()).toBe(3_000);
    const page = await open(service.fetch, 'payment', { Charges });

    await report({ refundId: first, outcome: 'failed' });
    expect(await next()).toBeUndefined();
    expect(await page.get<PaymentPageSession>()).toMatchObject({ automaticPayment: true });
    await expect(page.pay({ charges })).rejects.toMatchObject({ errors: [{ code: 'conflict' }] });
    await report({ refundId: last, outcome: 'failed' });
    expect(await next()).toBeUndefined();
    await refund(id);
    expect(await next()).toBe(3_000);
  });

  it('R-106 does not pay a bill that the merchant has replaced', async () => {
    await start(await database());
    const sync = async (Balance: number) => {
      const ClientAccount = {
        AccountNumber: '1001',
        Name: 'Ada',
        Balance,
        DueDate: addDays(today(), 10),
      };
      return {
        ClientAccount,
        page: await open(service.fetch, 'autopay', { ClientAccount, SyncAccount: true }),
      };
    };
    const { page, ClientAccount } = await sync(3_000);
    await page.post('autopay/enroll', { methodId: (await page.addMethod()).id });
    const payment = await open(service.fetch, 'payment', { Charges: [{ Amount: 3_000, ClientAccount }] });
    await payment.pay({ charges: [{ index: 0, amount: 3_000 }] });
    const [attempt] = await service.deps.store.read((tx) => tx.attempts.list(SLUG));
    const { RefundIdentifier: refundId } = await refund(attempt?.id ?? '');
    await service.control.advance(1_000);
    await sync(2_000);
    await report({ refundId, outcome: 'failed' });
    expect((await page.get<AutopayPageSession>()).enrollment?.next?.amount).toBe(2_000);
  });

  it.each([
    [['succeeded', 'returned', 'failed']],
    [['succeeded', 'failed', 'returned']],
    [['failed', 'returned']],
  ] as const)('R-102 adds up if its payment is returned, too: %j', async (outcomes) => {
    await start(await database(), async () => 'pending');
    const [page, id] = await pay();
    const { RefundIdentifier: refundId } = await refund(id);
    for (const outcome of outcomes)
      await report(outcome === 'returned' ? { attemptId: id, outcome } : { refundId, outcome });
    const sum = (await entries(id)).reduce((total, [, , amount]) => total + Number(amount), 0);
    expect(sum).toBe(0);
    expect(await query(service.fetch, page.id)).toMatchObject({
      Payments: [{ Status: 'returned', Refunded: 0 }],
    });
  });

  it('R-106 does not pay its bill again if the bank has returned the payment, too', async () => {
    await start(await database());
    const ClientAccount = {
      AccountNumber: '1001',
      Name: 'Ada',
      Balance: 3_000,
      DueDate: addDays(today(), 10),
    };
    const autopay = await open(service.fetch, 'autopay', { ClientAccount, SyncAccount: true });
    await autopay.post('autopay/enroll', { methodId: (await autopay.addMethod()).id });
    const page = await open(service.fetch, 'payment', { Charges: [{ Amount: 3_000, ClientAccount }] });
    await page.pay({ source: BANK, charges: [{ index: 0, amount: 3_000 }] });
    const [payment] = await service.deps.store.read((tx) => tx.attempts.list(SLUG));
    const attemptId = payment?.id ?? '';
    const { RefundIdentifier: refundId } = await refund(attemptId);
    await report({ attemptId, outcome: 'returned' }, { refundId, outcome: 'failed' });
    expect((await autopay.get<AutopayPageSession>()).enrollment?.next?.amount).toBe(3_000);
  });

  it('R-91 is refused after 200, each of which the ledger keeps', async () => {
    await start(await database());
    const [, id] = await pay();
    const { RefundIdentifier } = await refund(id, 100);
    await report({ refundId: RefundIdentifier, outcome: 'failed' });
    const { store } = service.deps;
    await store.transaction(async (tx) => {
      const failed = await tx.refunds.get(RefundIdentifier);
      for (let more = 0; more < 198; more++) await tx.refunds.insert({ ...failed!, id: `ref_${more}` });
    });
    expect(await refund(id, 100)).toMatchObject({ Status: 'succeeded' });
    const response = await asMerchant(service.fetch, '/integrations/payments/refund', {
      PaymentIdentifier: id,
    });
    expect(await response.json()).toMatchObject({ errors: [{ code: 'not_refundable' }] });
  });

  it.each([
    ['re_1', 're_1'],
    [undefined, ''],
  ])(
    'R-98 keeps the reference %s of the refund, and the ledger has that of the failure',
    async (own, shown) => {
      await start(await database(), async () => ({ outcome: 'succeeded', ...defined({ reference: own }) }));
      const [, id] = await pay();
      const { RefundIdentifier: refundId } = await refund(id);
      await report({ refundId, outcome: 'failed', reference: 're_2' });
      const { store } = service.deps;
      expect(await store.read((tx) => tx.refunds.get(refundId))).toMatchObject({
        status: 'failed',
        ...defined({ reference: own }),
      });
      const booked = await store.read((tx) => tx.ledger.ofPayment(id));
      const references = booked.map(({ reference = '' }) => reference);
      expect(references.toSorted()).toEqual(['ch_1', 'ch_1', shown, shown, 're_2', 're_2'].toSorted());
    },
  );

  it('R-104 a refund is announced even if its card payment is disputed meanwhile', async () => {
    await start(await database(), async () => 'pending');
    const [, attemptId] = await pay();
    const { RefundIdentifier: refundId } = await refund(attemptId);
    await report({ attemptId, outcome: 'returned' }, { refundId, outcome: 'succeeded' });
    const { messages = [] } = await service.control.state(SLUG);
    expect(messages.map(({ kind }) => kind)).toContain('refund');
  });

  it.each(['pending', 'succeeded', 'failed'] as const)(
    'R-102 stays failed if the response to its call arrives later and says %s',

    async (response) => {
      await start(await database(), async ({ refundId }) => {
        await report({ refundId, outcome: 'succeeded' }, { refundId, outcome: 'failed' });
        return response;
      });
      const [, id] = await pay();
      expect(await refund(id)).toMatchObject({ Status: 'failed', Refundable: 3_000 });
      expect(await refundWebhooks()).toEqual(['refund.succeeded', 'refund.failed']);
    },
  );

  it('R-102 is failed if the response to its call says so after an event', async () => {
    await start(await database(), async ({ refundId }) => {
      await report({ refundId, outcome: 'succeeded' });
      return 'failed';
    });
    const [, id] = await pay();
    expect(await refund(id)).toMatchObject({ Status: 'failed', Refundable: 3_000 });
    expect(await refundWebhooks()).toEqual(['refund.succeeded', 'refund.failed']);
  });

  it('R-72 is no longer on the receipt', async () => {
    await start(await database());
    const [page, id] = await pay();
    const { RefundIdentifier: refundId } = await refund(id, 500);
    expect((await page.get<PaymentPageSession>()).receipt?.refunds).toHaveLength(1);
    await report({ refundId, outcome: 'failed' });
    expect((await page.get<PaymentPageSession>()).receipt?.refunds).toBeUndefined();
  });
});
