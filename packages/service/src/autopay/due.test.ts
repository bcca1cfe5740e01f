import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { advanceTo } from '../../test/advance-to.js';
import { config, SLUG, SECRETS } from '../../test/merchant.js';
import { asMerchant, BANK, CARD, RETURNED, open, type Payer } from '../../test/payer.js';
import type { AutopayPageSession } from '../shared/page.js';
import type { PaymentProcessor } from '../processor/rules/port.js';
import { startTestService, type OpenTestService } from '../start/test-service.js';

const ZONE = 'America/New_York';
const DUE = '2027-03-10';
/** When the due date begins in New York. */
const DUE_BEGINS = '2027-03-10T05:00:00Z';

/** Nothing listens there, so webhooks stay pending. */
const WEBHOOK = { url: 'http://127.0.0.1:9/', secrets: SECRETS };

let services: OpenTestService[] = [];
afterEach(async () => {
  await Promise.all(services.map((service) => service.close()));
  services = [];
});

interface Charge {
  readonly id: string;
  readonly amount: number;
}

async function start(
  unit: Record<string, unknown> = {},
  charge: PaymentProcessor['charge'] = async () => 'succeeded',
  common: Record<string, unknown> = {},
  lookup: PaymentProcessor['lookup'] = async () => 'never_seen',
): Promise<{ service: OpenTestService; charges: Charge[] }> {
  const charges: Charge[] = [];
  const processor: PaymentProcessor = {
    tokenize: async () => ({ token: 'tok', last4: '4242' }),
    charge: async (request) => {
      charges.push({ id: request.attemptId, amount: request.amount });
      return charge(request);
    },
    lookup,
    refund: async () => 'succeeded',
  };
  const service = await startTestService({
    processor,
    config: { ...Object(config({ timeZone: ZONE, webhook: WEBHOOK, ...unit })), ...common },
  });
  services.push(service);
  await advanceTo(service, '2027-03-01T12:00:00Z');
  return { service, charges };
}

const bill = (Balance: number, DueDate: string | undefined = DUE): Record<string, unknown> => ({
  ClientAccount: { AccountNumber: '1001', SubAccountNumber: '', Name: 'Ada', Balance, DueDate },
  SyncAccount: true,
});

/** Opens the AutoPay page, which syncs the bill, and enrolls. */
async function enroll(service: OpenTestService, Balance = 5_000, DueDate = DUE) {
  const page = await open(service.fetch, 'autopay', bill(Balance, DueDate));
  const { id: methodId } = await page.addMethod();
  await page.post('autopay/enroll', { methodId, authorization: 'I agree.' });
  return page;
}

const sync = (service: OpenTestService, Balance: number, DueDate = DUE) =>
  open(service.fetch, 'autopay', bill(Balance, DueDate));

const withdraw = (service: OpenTestService) =>
  open(service.fetch, 'payment', {
    Charges: [{ Amount: 100, ClientAccount: { AccountNumber: '1001', Name: 'Ada' } }],
  });

async function payBill(service: OpenTestService, amount = 5_000): Promise<void> {
  const { ClientAccount } = bill(5_000);
  const payment = await open(service.fetch, 'payment', { Charges: [{ Amount: amount, ClientAccount }] });
  await service.control.advance(1_000);
  await payment.pay({ attemptId: randomUUID(), charges: [{ index: 0, amount }] });
}

const enrollment = async (service: OpenTestService) => {
  const page = await open(service.fetch, 'autopay', {
    ClientAccount: { AccountNumber: '1001', SubAccountNumber: '' },
  });
  return (await page.get<AutopayPageSession>()).enrollment;
};

const next = async (service: OpenTestService): Promise<unknown> => (await enrollment(service))?.next;

describe('R-106 the service charges the balance on the due date', () => {
  it('charges once, when the day begins in the time zone of the business unit', async () => {
    const { service, charges } = await start();
    await enroll(service);
    expect(await next(service)).toEqual({ amount: 5_000, date: DUE });
    await advanceTo(service, '2027-03-10T04:59:00Z');
    expect(charges).toEqual([]);
    await advanceTo(service, DUE_BEGINS);
    expect(charges).toMatchObject([{ amount: 5_000 }]);
    expect(await next(service)).toBeUndefined();
    await sync(service, 5_000);
    await advanceTo(service, '2027-03-13T12:00:00Z');
    expect(charges).toHaveLength(1);
    expect((await service.control.state(SLUG)).webhooks.map(({ type }) => type)).toContain(
      'payment.succeeded',
    );
  });

  it('charges the balance of the last sync on its due date', async () => {
    const { service, charges } = await start();
    await enroll(service);
    await sync(service, 7_000, '2027-03-12');
    await advanceTo(service, DUE_BEGINS);
    expect(charges).toEqual([]);
    await advanceTo(service, '2027-03-12T05:00:00Z');
    expect(charges).toMatchObject([{ amount: 7_000 }]);
  });

  it('charges on a due date that is synced without a balance', async () => {
    const { service, charges } = await start();
    await enroll(service);
    const { Balance: _, ...dated } = Object(bill(0, '2027-03-12')['ClientAccount']);
    await open(service.fetch, 'paperless', { ClientAccount: dated, SyncAccount: true });
    expect(await next(service)).toEqual({ amount: 5_000, date: '2027-03-12' });
    await advanceTo(service, DUE_BEGINS);
    expect(charges).toEqual([]);
    await advanceTo(service, '2027-03-12T05:00:00Z');
    expect(charges).toMatchObject([{ amount: 5_000 }]);
  });

  it.each([
    ['charges the bill', [100, 5_000], undefined],
    ['deducts what was paid since the first sync', [3_000, 100, 2_000], 3_000],
  ])('%s after a wait past its due date, if the same bill is synced meanwhile', async (_, amounts, paid) => {
    let isKnown = false;
    const { service, charges } = await start(
      {},
      ({ amount }) => (amount === 100 ? Promise.reject(new Error('lost')) : Promise.resolve('succeeded')),
      {},
      () => (isKnown ? Promise.resolve('declined') : Promise.reject(new Error('down'))),
    );
    const pay = async (Amount: number): Promise<void> => {
      const Charges = [{ Amount, ClientAccount: bill(5_000)['ClientAccount'] }];
      const payment = await open(service.fetch, 'payment', { Charges });
      await payment.pay({ attemptId: randomUUID(), charges: [{ index: 0, amount: Amount }] });
    };
    await enroll(service);
    await advanceTo(service, '2027-03-10T04:50:00Z');
    if (paid !== undefined) await pay(paid);
    await pay(100);
    await advanceTo(service, '2027-03-11T12:00:00Z');
    await sync(service, 5_000);
    isKnown = true;
    await advanceTo(service, '2027-03-11T20:00:00Z');
    await advanceTo(service, '2027-03-12T12:00:00Z');
    expect(charges.map(({ amount }) => amount)).toEqual(amounts);
  });

  it('charges the bill of the next month under another id', async () => {
    const { service, charges } = await start();
    await enroll(service);
    await advanceTo(service, DUE_BEGINS);
    await sync(service, 6_000, '2027-04-10');
    await advanceTo(service, '2027-04-10T04:00:00Z');
    expect(charges.map(({ amount }) => amount)).toEqual([5_000, 6_000]);
    expect(new Set(charges.map(({ id }) => id)).size).toBe(2);
  });

  it('charges an account that enrolls on its due date, but not later', async () => {
    const { service, charges } = await start();
    await advanceTo(service, '2027-03-10T12:00:00Z');
    await enroll(service);
    await service.control.advance(1_000);
    expect(charges).toHaveLength(1);

    const late = await start();
    await advanceTo(late.service, '2027-03-11T12:00:00Z');
    await enroll(late.service);
    await advanceTo(late.service, '2027-03-12T12:00:00Z');
    expect(late.charges).toEqual([]);
  });

  it('leaves a bill to a payer who enrolls after its due date, and says so on the page until it is paid', async () => {
    const { service, charges } = await start();
    await advanceTo(service, '2027-03-11T12:00:00Z');
    await enroll(service);
    expect(await enrollment(service)).toMatchObject({ overdue: true });
    await service.control.advance(60_000);
    expect(await enrollment(service)).toMatchObject({ overdue: true });
    await payBill(service);
    expect(await enrollment(service)).not.toHaveProperty('overdue');
    expect(charges).toHaveLength(1);
  });

  it('is not too late for a bill without a real due date', async () => {
    const { service } = await start();
    await enroll(service);
    await sync(service, 6_000, '9999-12-31');
    expect(await enrollment(service)).not.toHaveProperty('overdue');
  });

  it('does not ask the payer to pay a bill for which a payment is scheduled', async () => {
    const { service } = await start();
    await advanceTo(service, '2027-03-11T12:00:00Z');
    await enroll(service);
    const page = await open(service.fetch, 'schedule-payment', bill(5_000));
    const { id: methodId } = await page.addMethod();
    const schedule = async (amount: number, listed: string[]): Promise<string> => {
      const input = { requestId: randomUUID(), amount, date: '2027-03-14', methodId, listed };
      const body = { ...input, authorization: 'I authorize it.' };
      return (await page.post<{ id: string }>('schedule', body)).id;
    };
    const id = await schedule(1_000, []);
    expect(await enrollment(service)).toMatchObject({ overdue: true });
    await schedule(4_000, [id]);
    expect(await enrollment(service)).not.toHaveProperty('overdue');
  });

  it('does not say so while a payment of the bill has no outcome', async () => {
    const { service } = await start({}, async () => {
      throw new Error('lost');
    });
    await advanceTo(service, '2027-03-11T12:00:00Z');
    await enroll(service);
    await payBill(service);
    expect(await enrollment(service)).not.toHaveProperty('overdue');
  });

  it('does not say so if the merchant charges, or before the due date', async () => {
    const byMerchant = await start({ autopay: 'merchant' });
    await advanceTo(byMerchant.service, '2027-03-11T12:00:00Z');
    await enroll(byMerchant.service);
    await byMerchant.service.control.advance(60_000);
    expect(await enrollment(byMerchant.service)).not.toHaveProperty('overdue');

    const { service } = await start();
    await enroll(service);
    // An enrollment of release 0.3 has no due date until the next sync.
    await service.deps.store.transaction(async (tx) => {
      const account = await tx.accounts.find(SLUG, '1001', '');
      await tx.autopay.setDueDate(account?.id ?? '', null);
    });
    expect(await enrollment(service)).not.toHaveProperty('overdue');
  });

  it('says on the page that the payer must pay what a bill has gained since AutoPay charged it', async () => {
    const { service, charges } = await start();
    await enroll(service);
    await advanceTo(service, '2027-03-10T12:00:00Z');
    expect(charges).toHaveLength(1);
    expect(await enrollment(service)).not.toHaveProperty('overdue');
    await sync(service, 2_000);
    await service.control.advance(1_000);
    expect(await enrollment(service)).toMatchObject({ overdue: true });
    await advanceTo(service, '2027-03-11T12:00:00Z');
    expect(await enrollment(service)).toMatchObject({ overdue: true });
    expect(charges).toHaveLength(1);
  });

  it('says on the due date that the payer must pay a bill that was refunded after AutoPay let it pass', async () => {
    const { service, charges } = await start();
    await enroll(service);
    await service.control.advance(60_000);
    await payBill(service);
    await advanceTo(service, '2027-03-10T12:00:00Z');
    expect(await enrollment(service)).not.toHaveProperty('overdue');
    const PaymentIdentifier = charges[0]?.id;
    await asMerchant(service.fetch, '/integrations/payments/refund', { PaymentIdentifier, Amount: 5_000 });
    expect(await enrollment(service)).toMatchObject({ overdue: true });
    expect(charges).toHaveLength(1);
  });

  it.each([
    ['no balance', 0],
    ['a credit', -100],
  ])('charges nothing for %s', async (_, balance) => {
    const { service, charges } = await start();
    await enroll(service, balance);
    await advanceTo(service, '2027-03-11T12:00:00Z');
    expect(charges).toEqual([]);
    expect(await next(service)).toBeUndefined();
  });

  it('deducts payments made since the balance was synced', async () => {
    const { service, charges } = await start();
    await enroll(service);
    await service.control.advance(60_000);
    const payment = await open(service.fetch, 'payment', {
      Charges: [{ Amount: 2_000, ClientAccount: bill(5_000)['ClientAccount'] }],
    });
    await service.control.advance(60_000);
    await payment.pay({ attemptId: randomUUID(), charges: [{ index: 0, amount: 2_000 }] });
    expect(await next(service)).toEqual({ amount: 3_000, date: DUE });
    await advanceTo(service, DUE_BEGINS);
    expect(charges.map(({ amount }) => amount)).toEqual([2_000, 3_000]);
  });

  it.each(['2027-03-08T12:00:00Z', '2027-03-10T12:00:00Z'])(
    'R-106 charges no bill again that is paid and synced again unchanged at %s',
    async (syncedAt) => {
      const { service, charges } = await start();
      await enroll(service);
      await service.control.advance(60_000);
      await payBill(service);
      await advanceTo(service, syncedAt);
      await sync(service, 5_000);
      expect(await next(service)).toBeUndefined();
      await advanceTo(service, '2027-03-10T13:00:00Z');
      expect(charges).toHaveLength(1);
    },
  );

  it.each<[string, Record<string, unknown>[]]>([
    ['its balance', [{}]],
    ['its due date', [{ Balance: 5_000 }]],
    ['its balance in one of two charges', [{ Balance: 5_000, DueDate: DUE }, {}]],
  ])(
    'R-106 charges no bill again that is paid in a session without %s, and synced again',
    async (_, synced) => {
      const { service, charges } = await start();
      await enroll(service);
      const Charges = synced.map((fields) => ({
        Amount: 5_000 / synced.length,
        ClientAccount: { AccountNumber: '1001', SubAccountNumber: '', Name: 'Ada', ...fields },
      }));
      const payment = await open(service.fetch, 'payment', { Charges });
      await service.control.advance(60_000);
      await payment.pay({ charges: Charges.map(({ Amount: amount }, index) => ({ index, amount })) });
      await service.control.advance(60_000);
      await sync(service, 5_000);
      await advanceTo(service, DUE_BEGINS);
      expect(charges.map(({ amount }) => amount)).toEqual([5_000]);
    },
  );

  /** A sync by a management session or the request of a payment, a payment of so many cents, or the day that begins. */
  type Step = { sync: object } | { session: object } | { pay: number } | { day: string };
  const [PAST, NEXT, LAST_DAY] = ['2027-02-26', '2027-04-10', '2027-04-11'];
  const both = (Balance: number, DueDate: string) => ({ sync: { Balance, DueDate } });
  const [first, charged] = [both(5_000, DUE), { day: '2027-03-11' }];

  it.each<[string, Step[], number[]]>([
    [
      'a balance in a payment, then its due date',
      [first, charged, { session: { Balance: 6_000 } }, { pay: 6_000 }, both(6_000, NEXT), both(6_000, NEXT)],
      [5_000, 6_000],
    ],
    [
      'a balance in a payment before the last due date',
      [first, { session: { Balance: 6_000 } }, { pay: 6_000 }, both(6_000, NEXT), both(6_000, NEXT)],
      [6_000],
    ],
    [
      'a balance after the last due date, which stays',
      [first, charged, { sync: { Balance: 6_000 } }, { pay: 6_000 }, { sync: {} }, both(6_000, NEXT)],
      [5_000, 6_000],
    ],
    [
      'an overdue bill twice',
      [both(6_000, PAST), { session: { Balance: 6_000 } }, { pay: 6_000 }, both(6_000, NEXT)],
      [6_000],
    ],
    [
      'a paid overdue bill, then the next',
      [both(6_000, PAST), { pay: 6_000 }, both(6_000, NEXT)],
      [6_000, 6_000],
    ],
    [
      'a late fee, then the next bill',
      [first, charged, both(6_000, DUE), { pay: 6_000 }, both(6_000, NEXT)],
      [5_000, 6_000, 6_000],
    ],
    ['the due date of the next bill', [first, charged, { sync: { DueDate: NEXT } }], [5_000]],
    [
      'the due date, then the same balance',
      [first, charged, { sync: { DueDate: NEXT } }, both(5_000, NEXT)],
      [5_000, 5_000],
    ],
    [
      'the due date on the last one, then the same balance',
      [first, { day: DUE }, { sync: { DueDate: NEXT } }, charged, both(5_000, NEXT)],
      [5_000, 5_000],
    ],
    [
      'another balance on the due date, then a payment, then its due date',
      [
        first,
        { day: DUE },
        { sync: { Balance: 6_000 } },
        { pay: 2_000 },
        { sync: { DueDate: NEXT } },
        both(6_000, NEXT),
      ],
      [5_000, 2_000, 4_000],
    ],
    [
      'the due date, then a payment, then the same balance',
      [first, charged, { sync: { DueDate: NEXT } }, { pay: 5_000 }, both(5_000, NEXT)],
      [5_000, 5_000],
    ],
    [
      'the same balance, then the due date',
      [first, charged, { sync: { Balance: 5_000 } }, { sync: { DueDate: NEXT } }, both(5_000, NEXT)],
      [5_000, 5_000],
    ],
    [
      'the same balance, then a payment, then the due date',
      [first, charged, { sync: { Balance: 5_000 } }, { pay: 5_000 }, { sync: { DueDate: NEXT } }],
      [5_000, 5_000],
    ],
    [
      'a later due date for what is left',
      [first, { pay: 2_000 }, { sync: { DueDate: NEXT } }, both(5_000, NEXT)],
      [2_000, 3_000],
    ],
    [
      'a new balance that is paid, a later due date, and both again',
      [first, { sync: { Balance: 6_000 } }, { pay: 6_000 }, { sync: { DueDate: NEXT } }, both(6_000, NEXT)],
      [6_000],
    ],
  ])('R-106 charges what is owed after the syncs of %s', async (_, steps, amounts) => {
    const { service, charges } = await start();
    await enroll(service, 1_000, PAST);
    const account = { AccountNumber: '1001', SubAccountNumber: '', Name: 'Ada' };
    const paying = (Amount: number, fields: object) =>
      open(service.fetch, 'payment', { Charges: [{ Amount, ClientAccount: { ...account, ...fields } }] });
    let shown = {};
    for (const step of steps) {
      await service.control.advance(60_000);
      if ('day' in step) await advanceTo(service, `${step.day}T12:00:00Z`);
      if ('sync' in step)
        await open(service.fetch, 'paperless', {
          ClientAccount: { ...account, ...step.sync },
          SyncAccount: true,
        });
      if ('session' in step) await paying(1, step.session);
      if ('pay' in step) {
        const payment = await paying(step.pay, shown);
        await service.control.advance(60_000);
        await payment.pay({ charges: [{ index: 0, amount: step.pay }] });
      }
      if ('sync' in step) shown = step.sync;
      if ('session' in step) shown = step.session;
    }
    await advanceTo(service, `${LAST_DAY}T12:00:00Z`);
    expect(charges.map(({ amount }) => amount)).toEqual(amounts);
  });

  const syncPart = (service: OpenTestService, part: object) =>
    open(service.fetch, 'paperless', {
      ClientAccount: { AccountNumber: '1001', SubAccountNumber: '', Name: 'Ada', ...part },
      SyncAccount: true,
    });

  it('R-106 postpones a bill whose charge still waits on its due date', async () => {
    let isKnown = false;
    const { service, charges } = await start(
      {},
      ({ amount }) => (amount === 100 ? Promise.reject(new Error('lost')) : Promise.resolve('succeeded')),
      {},
      () => (isKnown ? Promise.resolve('declined') : Promise.reject(new Error('down'))),
    );
    await enroll(service);
    await payBill(service, 2_000);
    await advanceTo(service, '2027-03-10T04:59:00Z');
    await payBill(service, 100);
    await advanceTo(service, '2027-03-10T06:00:00Z');
    await syncPart(service, { DueDate: NEXT });
    isKnown = true;
    await service.control.advance(3_600_000);
    await sync(service, 5_000, NEXT);
    await advanceTo(service, `${LAST_DAY}T12:00:00Z`);
    expect(charges.map(({ amount }) => amount)).toEqual([2_000, 100, 3_000]);
  });

  it('R-106 counts a charge toward the bill that was due when it began', async () => {
    const answers: ((outcome: 'succeeded') => void)[] = [];
    const { service, charges } = await start({}, () => new Promise((resolve) => answers.push(resolve)));
    await enroll(service);
    await advanceTo(service, '2027-03-10T04:59:00Z');
    const advanced = service.control.advance(61_000);
    await expect.poll(() => charges).toHaveLength(1);
    const now = Date.now();
    const clock = vi.spyOn(Date, 'now').mockReturnValue(now + 1_000);
    await syncPart(service, { DueDate: NEXT });
    clock.mockReturnValue(now + 2_000);
    answers[0]?.('succeeded');
    await advanced;
    await expect
      .poll(async () => (await service.control.state(SLUG)).payments)
      .toMatchObject([{ status: 'succeeded' }]);
    vi.restoreAllMocks();
    await syncPart(service, { Balance: 5_000 });
    await sync(service, 5_000, NEXT);
    expect(await next(service)).toEqual({ amount: 5_000, date: NEXT });
  });

  describe.each([DUE, '2027-03-09'])(
    'R-106 refuses to schedule for %s what AutoPay has begun to charge',
    (day) => {
      /** The process of these requests doesn't know yet that the day has begun. */
      async function startBehind() {
        const started = await start();
        const { service } = started;
        await enroll(service);
        await advanceTo(service, '2027-03-10T04:50:00Z');
        const page = await open(service.fetch, 'schedule-payment', bill(5_000));
        const { id: methodId } = await page.addMethod();
        await advanceTo(service, DUE_BEGINS);
        vi.spyOn(Date, 'now').mockReturnValue(Date.now() - (day === DUE ? 60_000 : 25 * 3_600_000));
        return { ...started, page, methodId };
      }

      it('by the payer', async () => {
        const { service, charges, page, methodId } = await startBehind();
        await expect(page.schedule({ amount: 5_000, date: day, methodId })).rejects.toMatchObject({
          errors: [{ field: 'date' }],
        });
        vi.restoreAllMocks();
        await service.control.advance(60_000);
        expect(charges).toHaveLength(1);
      });

      it('by the merchant', async () => {
        const { service, charges } = await startBehind();
        const request = { AccountNumber: '1001', Amount: 5_000, ClientReference: 'bill-1' };
        const send = (more: object) =>
          asMerchant(service.fetch, '/integrations/autopay/charge', { ...request, ...more });
        expect((await send({ ChargeOn: day })).status).toBe(400);
        await withdraw(service);
        expect((await send({ ChargeOn: day })).status).toBe(400);
        expect((await send({ ChargeOn: NEXT })).status).toBe(200);
        vi.restoreAllMocks();
        await service.control.advance(60_000);
        expect(charges).toHaveLength(1);
      });
    },
  );

  it('R-106 charges a balance that is synced after a payment and differs from the previous one', async () => {
    const { service, charges } = await start();
    await enroll(service);
    await service.control.advance(60_000);
    await payBill(service);
    await service.control.advance(60_000);
    await sync(service, 4_000);
    expect(await next(service)).toEqual({ amount: 4_000, date: DUE });
    await advanceTo(service, DUE_BEGINS);
    expect(charges.map(({ amount }) => amount)).toEqual([5_000, 4_000]);
  });

  it('R-106 does not charge a partial refund again, but does charge a full one', async () => {
    const { service, charges } = await start();
    await enroll(service);
    await service.control.advance(60_000);
    const accounts = ['1001', '1002', '1003'];
    const payment = await open(service.fetch, 'payment', {
      Charges: accounts.map((AccountNumber) => ({
        Amount: 1_000,
        ClientAccount: { ...(bill(5_000)['ClientAccount'] as object), AccountNumber },
      })),
    });
    await service.control.advance(60_000);
    await payment.pay({
      attemptId: randomUUID(),
      charges: accounts.map((_, index) => ({ index, amount: 1_000 })),
    });
    const refund = async (Amount: number): Promise<void> => {
      const PaymentIdentifier = charges[0]?.id;
      await asMerchant(service.fetch, '/integrations/payments/refund', { PaymentIdentifier, Amount });
    };
    await refund(100);
    await refund(2_899);
    expect(await next(service)).toEqual({ amount: 4_000, date: DUE });
    await refund(1);
    expect(await next(service)).toEqual({ amount: 5_000, date: DUE });
  });

  it('charges nothing after the payer unenrolled', async () => {
    const { service, charges } = await start();
    const page = await enroll(service);
    await page.post('autopay/unenroll');
    await advanceTo(service, '2027-03-11T12:00:00Z');
    expect(charges).toEqual([]);
  });

  it.each<[string, string, string[], number, string[]]>([
    ['turned AutoPay off and on', '2027-03-10T06:00:00Z', ['unenroll', 'enroll'], 2, ['autopay-receipt']],
    ['chose another method', '2027-03-11T12:00:00Z', ['method'], 2, ['autopay-receipt']],
    ['turned it off and on too late', '2027-03-11T12:00:00Z', ['unenroll', 'enroll'], 1, ['autopay-failed']],
    ['turned AutoPay off', '2027-03-10T06:00:00Z', ['unenroll'], 1, []],
  ])(
    'R-62 R-73 a charge that never arrived and whose payer %s, %s',
    async (_, time, actions, calls, notices) => {
      let isDown = true;
      const answer = async <T>(outcome: T): Promise<T> => {
        if (isDown) throw new Error('down');
        return outcome;
      };
      const { service, charges } = await start(
        {},
        () => answer('succeeded'),
        { email: { from: 'bills@water.example' } },
        () => answer('never_seen'),
      );
      await enroll(service);
      await advanceTo(service, DUE_BEGINS);
      await advanceTo(service, time);
      const page = await open(service.fetch, 'autopay', {
        ClientAccount: { AccountNumber: '1001', SubAccountNumber: '' },
      });
      const { savedMethods } = await page.get<AutopayPageSession>();
      const { id: methodId } = await page.addMethod(BANK);
      for (const action of actions)
        await page.post(`autopay/${action}`, { methodId, authorization: 'I agree.' });
      await (await open(service.fetch, 'wallet')).post(`methods/${savedMethods[0]?.id}/remove`);
      isDown = false;
      await service.control.advance(86_400_000);

      expect(charges).toHaveLength(calls);
      expect(new Set(charges.map(({ id }) => id)).size).toBe(1);
      const { attempts, enrolled } = await service.deps.store.read(async (tx) => ({
        attempts: await tx.attempts.list(SLUG),
        enrolled: await tx.autopay.list(SLUG),
      }));
      const { sessionId, authorizationId } = enrolled[0] ?? {};
      expect(attempts).toMatchObject(
        calls === 2
          ? [{ status: 'succeeded', source: { methodId }, sessionId, authorizationId }]
          : [{ status: 'declined' }],
      );
      const { messages = [] } = await service.control.state(SLUG);
      expect(messages.map(({ kind }) => kind).filter((kind) => /receipt|failed/.test(kind))).toEqual(notices);
    },
  );

  it.each<[string, number, boolean, (service: OpenTestService) => Promise<unknown>]>([
    ['nothing has changed', 2, false, async () => undefined],
    ['the bill was paid elsewhere', 1, false, (service) => sync(service, 0)],
    ['a payment session withdrew the bill', 1, false, withdraw],
    [
      'a payment session withdrew the bill, and it was synced again',
      2,
      false,
      async (service) => {
        await withdraw(service);
        await service.control.advance(600_000);
        await sync(service, 5_000);
      },
    ],
    ['the merchant synced a smaller balance', 1, true, (service) => sync(service, 4_999)],
    [
      'the merchant charges by now',
      1,
      true,
      async ({ deps }) => Object.assign(deps.config.businessUnits[0]!, { autopay: 'merchant' }),
    ],
    ['it is four days late', 1, true, (service) => advanceTo(service, '2027-03-14T12:00:00Z')],
  ])(
    'a charge that never arrived, if %s, leaves %i calls (payer notified: %s)',
    async (_, calls, isNotified, change) => {
      let isDown = true;
      const down = () => Promise.reject(new Error('down'));
      const { service, charges } = await start(
        {},
        async () => (isDown ? down() : 'succeeded'),
        { email: { from: 'bills@water.example' } },
        async () => (isDown ? down() : 'never_seen'),
      );
      await enroll(service);
      await advanceTo(service, DUE_BEGINS);
      isDown = false;
      await change(service);
      await service.control.advance(86_400_000);
      expect(charges).toHaveLength(calls);
      const { messages = [] } = await service.control.state(SLUG);
      expect(messages.some(({ kind }) => kind === 'autopay-failed')).toBe(isNotified);
    },
  );

  it.each([
    ['what is left of the balance', DUE, 3_000],
    ['the balance if it has no due date', undefined, 5_000],
  ])('R-60 shows on management pages %s after a payment', async (_, DueDate, balance) => {
    const { service } = await start();
    const ClientAccount = { ...(bill(5_000)['ClientAccount'] as object), DueDate };
    const payment = await open(service.fetch, 'payment', { Charges: [{ Amount: 2_000, ClientAccount }] });
    await service.control.advance(1_000);
    await payment.pay({ charges: [{ index: 0, amount: 2_000 }] });
    for (const flow of ['schedule-payment', 'autopay', 'paperless'] as const) {
      const page = await open(service.fetch, flow, {
        ClientAccount: { AccountNumber: '1001', SubAccountNumber: '' },
      });
      expect(await page.get()).toMatchObject({ account: { balance } });
    }
  });

  describe('R-106 takes no payment from a page that does not know about the charge', () => {
    const { ClientAccount } = bill(5_000);
    const paying = (service: OpenTestService, account = ClientAccount) =>
      open(service.fetch, 'payment', { Charges: [{ Amount: 5_000, ClientAccount: account }] });
    const charge = { charges: [{ index: 0, amount: 5_000 }] };
    const refused = { errors: [{ code: 'conflict' }] };

    it('that succeeded since, also once the new balance is synced', async () => {
      const { service, charges } = await start();
      await enroll(service);
      await advanceTo(service, '2027-03-10T04:55:00Z');
      const page = await paying(service);
      await advanceTo(service, DUE_BEGINS);
      await expect(page.pay(charge)).rejects.toMatchObject(refused);
      await sync(service, 0);
      await expect(page.pay(charge)).rejects.toMatchObject(refused);
      expect(await page.get()).toMatchObject({ automaticPayment: true });
      expect(charges).toHaveLength(1);
      await (await paying(service)).pay(charge);
      expect(charges).toHaveLength(2);
    });

    it('that succeeded since, even if the clock of the process that charged is behind', async () => {
      const { service, charges } = await start({}, async () => {
        vi.spyOn(Date, 'now').mockReturnValue(Date.now() - 600_000);
        return 'succeeded';
      });
      await enroll(service);
      await advanceTo(service, '2027-03-10T04:55:00Z');
      const page = await paying(service);
      await advanceTo(service, DUE_BEGINS);
      vi.restoreAllMocks();
      await expect(page.pay(charge)).rejects.toMatchObject(refused);
      expect(charges).toHaveLength(1);
    });

    it('that has no outcome when it opens', async () => {
      const answers: ((outcome: 'succeeded') => void)[] = [];
      const { service, charges } = await start({}, () => new Promise((resolve) => answers.push(resolve)));
      await enroll(service);
      await advanceTo(service, '2027-03-10T04:59:00Z');
      void service.control.advance(61_000);
      await expect.poll(() => charges).toHaveLength(1);
      const page = await paying(service);
      await expect(page.pay(charge)).rejects.toMatchObject(refused);
      answers[0]?.('succeeded');
      await expect
        .poll(async () => (await service.control.state(SLUG)).payments)
        .toMatchObject([{ status: 'succeeded' }]);
      await expect(page.pay(charge)).rejects.toMatchObject(refused);
      expect(charges).toHaveLength(1);
    });

    it.each<[string, (service: OpenTestService, AccountNumber: string) => Promise<unknown>]>([
      [
        'the payer has scheduled',
        async (service, AccountNumber) => {
          const page = await open(service.fetch, 'schedule-payment', {
            ClientAccount: { AccountNumber, Name: 'Ada' },
            SyncAccount: true,
          });
          const { id: methodId } = await page.addMethod();
          await page.schedule({ amount: 5_000, date: DUE, methodId });
        },
      ],
      [
        'the merchant has scheduled',
        async (service, AccountNumber) => {
          const page = await open(service.fetch, 'autopay', {
            ClientAccount: { AccountNumber, Name: 'Ada' },
            SyncAccount: true,
          });
          const { id: methodId } = await page.addMethod();
          await page.post('autopay/enroll', { methodId, authorization: 'I agree.' });
          const request = { AccountNumber, Amount: 5_000, ClientReference: AccountNumber, ChargeOn: DUE };
          await asMerchant(service.fetch, '/integrations/autopay/charge', request);
        },
      ],
    ])('that %s for today and that is still in the queue', async (_, schedule) => {
      let answer: (outcome: 'succeeded') => void = () => undefined;
      const held = new Promise<'succeeded'>((resolve) => (answer = resolve));
      const { service, charges } = await start({}, () => held, { processor: { perBusinessUnit: 1 } });
      const accounts = ['1001', '1002'];
      for (const account of accounts) await schedule(service, account);
      await advanceTo(service, '2027-03-10T04:55:00Z');
      const pages = [];
      for (const AccountNumber of accounts) pages.push(await paying(service, { AccountNumber, Name: 'Ada' }));
      await advanceTo(service, '2027-03-10T04:59:00Z');
      const advanced = service.control.advance(61_000);
      await expect.poll(() => charges).toHaveLength(1);
      for (const page of pages) {
        expect(await page.get()).toMatchObject({ automaticPayment: true });
        await expect(page.pay(charge)).rejects.toMatchObject(refused);
      }
      answer('succeeded');
      await advanced;
    });

    it('but does for the other account of its session', async () => {
      const { service, charges } = await start();
      await enroll(service);
      await advanceTo(service, '2027-03-10T04:55:00Z');
      const other = { AccountNumber: '2002', Name: 'Ada' };
      const page = await open(service.fetch, 'payment', {
        Charges: [other, ClientAccount].map((account) => ({ Amount: 5_000, ClientAccount: account })),
      });
      await advanceTo(service, DUE_BEGINS);
      expect(await page.get()).not.toHaveProperty('automaticPayment');
      const [first, second] = [
        { index: 0, amount: 5_000 },
        { index: 1, amount: 5_000 },
      ];
      await expect(page.pay({ charges: [first, second] })).rejects.toMatchObject({
        errors: [{ code: 'invalid', field: 'charges.1.chosen', reason: 'paid_automatically' }],
      });
      expect(await page.pay({ charges: [first] })).toMatchObject({ status: 'succeeded' });
      expect(charges).toHaveLength(2);
    });

    it('but does if a bank charge that was accepted earlier has settled since', async () => {
      const { service, charges } = await start(
        {},
        async () => (charges.length === 1 ? 'pending' : 'succeeded'),
        {},
        async () => 'succeeded',
      );
      const page = await open(service.fetch, 'autopay', bill(5_000));
      const { id: methodId } = await page.addMethod(BANK);
      await page.post('autopay/enroll', { methodId, authorization: 'I agree.' });
      await advanceTo(service, DUE_BEGINS);
      await advanceTo(service, '2027-03-12T04:55:00Z');
      const payment = await paying(service);
      await service.control.advance(600_000);
      const { payments } = await service.control.state(SLUG);
      expect(payments).toMatchObject([{ status: 'succeeded' }]);
      await payment.pay(charge);
      expect(charges).toHaveLength(2);
    });

    it('but does if the charge never arrived and its bill was withdrawn', async () => {
      let isDown = true;
      const { service, charges } = await start({}, async () =>
        isDown ? Promise.reject(new Error('down')) : 'succeeded',
      );
      await enroll(service);
      await advanceTo(service, DUE_BEGINS);
      isDown = false;
      const { Name, AccountNumber } = ClientAccount as Record<string, string>;
      const page = await paying(service, { Name, AccountNumber });
      await expect(page.pay(charge)).rejects.toMatchObject(refused);
      await service.control.advance(600_000);
      await page.pay(charge);
      await service.control.advance(86_400_000);
      expect(charges).toHaveLength(2);
    });
  });

  it('shows the next charge to a payer who is about to schedule a payment', async () => {
    const { service } = await start();
    await enroll(service);
    const ClientAccount = { AccountNumber: '1001', SubAccountNumber: '' };
    const page = await open(service.fetch, 'schedule-payment', { ClientAccount });
    expect(await page.get()).toMatchObject({ enrollment: { next: { amount: 5_000, date: DUE } } });
    const ClientUser = { EmailAddress: 'bob@example.com' };
    const other = await open(service.fetch, 'schedule-payment', { ClientUser, ClientAccount });
    const shown = await other.get();
    expect(shown).toMatchObject({ enrolledByAnother: true });
    expect(shown).not.toHaveProperty('enrollment');
  });

  it('lists the payments that the payer has scheduled, because it does not cancel them', async () => {
    const { service } = await start();
    const own = await open(service.fetch, 'schedule-payment', bill(5_000));
    const page = await open(service.fetch, 'autopay', bill(5_000));
    expect(await page.get()).not.toHaveProperty('scheduled');
    const { id: methodId } = await own.addMethod();
    await own.schedule({ amount: 5_000, date: '2027-03-12', methodId });
    const other = await open(service.fetch, 'schedule-payment', {
      ClientUser: { EmailAddress: 'bob@example.com' },
      ClientAccount: { AccountNumber: '1001' },
    });
    const { id } = await other.addMethod();
    await other.schedule({ amount: 100, date: '2027-03-12', methodId: id });
    await page.post('autopay/enroll', { methodId });
    expect(await page.get()).toMatchObject({
      enrollment: { next: { amount: 5_000, date: DUE } },
      scheduled: [{ amount: 5_000, date: '2027-03-12', status: 'scheduled' }],
    });
  });

  it('announces no second charge of a due date', async () => {
    const { service } = await start({}, async () => 'declined');
    await enroll(service);
    await advanceTo(service, DUE_BEGINS);
    const page = await sync(service, 5_000);
    await page.post('autopay/unenroll');
    await enroll(service);
    expect(await next(service)).toBeUndefined();
  });

  it.each([
    ['no longer accepted', CARD, ['ACH'], { obstacle: 'not_accepted', date: '2027-03-01' }],
    [
      'expired by then',
      { ...CARD, expiry: '03/27' },
      ['Credit Card', 'ACH'],
      { obstacle: 'expired', date: '2027-04-02' },
    ],
  ])('promises no charge whose method is %s, and says so', async (_, source, paymentMethods, problem) => {
    const { service } = await start();
    const page = await open(service.fetch, 'autopay', bill(5_000));
    const { id: methodId } = await page.addMethod(source);
    await page.post('autopay/enroll', { methodId });
    await sync(service, 5_000, '2027-04-02');
    const { config } = service.deps;
    Object.assign(config.businessUnits[0]!, { paymentMethods });
    expect((await enrollment(service))?.problem).toEqual(problem);
    expect(await next(service)).toBeUndefined();
  });

  it('announces a declined charge once and does not retry it', async () => {
    const { service, charges } = await start({}, async () => 'declined');
    await enroll(service);
    await advanceTo(service, '2027-03-13T12:00:00Z');
    await sync(service, 5_000);
    await service.control.advance(60_000);
    expect(charges).toHaveLength(1);
    const { webhooks } = await service.control.state(SLUG);
    expect(webhooks.filter(({ type }) => type === 'payment.failed')).toHaveLength(1);
    const page = await sync(service, 5_000);
    const { enrollment } = await page.get<AutopayPageSession>();
    expect(enrollment).toMatchObject({ failed: true });
    expect(enrollment).not.toHaveProperty('next');
    await sync(service, 6_000, '2027-04-10');
    expect((await page.get<AutopayPageSession>()).enrollment).not.toHaveProperty('failed');
  });

  it('waits for a payment without an outcome, lets nobody schedule another meanwhile, then charges the rest', async () => {
    let resolveCharge = (): void => undefined;
    const unknown = new Promise<'succeeded'>((resolve) => {
      resolveCharge = () => resolve('succeeded');
    });
    const { service, charges } = await start({}, ({ amount }) =>
      amount === 2_000 ? unknown : Promise.resolve('succeeded'),
    );
    await enroll(service);
    await advanceTo(service, '2027-03-10T04:59:59Z');
    const payment = await open(service.fetch, 'payment', {
      Charges: [{ Amount: 2_000, ClientAccount: bill(5_000)['ClientAccount'] }],
    });
    const paying = payment.pay({ attemptId: randomUUID(), charges: [{ index: 0, amount: 2_000 }] });
    await expect.poll(() => charges.length).toBe(1);
    await advanceTo(service, DUE_BEGINS);
    expect(charges).toHaveLength(1);
    const page = await open(service.fetch, 'schedule-payment', bill(5_000));
    const { id: methodId } = await page.addMethod();
    const scheduling = page.schedule({ amount: 5_000, date: '2027-03-11', methodId });
    await expect(scheduling).rejects.toMatchObject({ errors: [{ reason: 'paid_automatically' }] });
    resolveCharge();
    await paying;
    await service.control.advance(60_000);
    expect(charges.map(({ amount }) => amount)).toEqual([2_000, 3_000]);
  });

  it('waits for a payment that another customer of the account scheduled for the due date', async () => {
    const { service, charges } = await start({}, undefined, { processor: { perBusinessUnit: 1 } });
    await enroll(service);
    for (const [AccountNumber, amount] of [
      ['1002', 100],
      ['1001', 5_000],
    ] as const) {
      const other = await open(service.fetch, 'schedule-payment', {
        ClientUser: { EmailAddress: 'bob@example.com' },
        ClientAccount: { AccountNumber },
        SyncAccount: true,
      });
      const { id: methodId } = await other.addMethod();
      await other.schedule({ amount, date: DUE, methodId });
    }
    await advanceTo(service, '2027-03-11T12:00:00Z');
    expect(charges.map(({ amount }) => amount)).toEqual([100, 5_000]);
  });

  it('announces the charge minus what customers have scheduled by the due date', async () => {
    const { service, charges } = await start({}, undefined, { email: { from: 'bills@water.example' } });
    await enroll(service);
    const other = await open(service.fetch, 'schedule-payment', {
      ClientUser: { EmailAddress: 'bob@example.com' },
      ClientAccount: { AccountNumber: '1001' },
    });
    const { id: methodId } = await other.addMethod();
    await other.schedule({ amount: 100, date: '2027-03-11', methodId });
    await other.schedule({ amount: 2_000, date: '2027-03-09', methodId });
    expect(await next(service)).toEqual({ amount: 3_000, date: DUE });
    await other.schedule({ amount: 3_000, date: DUE, methodId });
    expect(await next(service)).toBeUndefined();
    await advanceTo(service, '2027-03-11T12:00:00Z');
    expect(charges.map(({ amount }) => amount)).toEqual([2_000, 3_000, 100]);
    const { messages = [] } = await service.control.state(SLUG);
    expect(messages.map(({ kind }) => kind)).not.toContain('autopay-reminder');
  });

  it.each<[string, (service: OpenTestService, page: Payer, methodId: string) => unknown]>([
    [
      'expires before',
      (_, page, renews) =>
        page.post('methods', {
          requestId: randomUUID(),
          source: { ...CARD, expiry: '03/27' },
          makeDefault: false,
          renews,
        }),
    ],
    [
      'is blocked',
      ({ deps }, _, methodId) =>
        deps.store.transaction(async (tx) => {
          const method = await tx.methods.get(methodId);
          if (method) await tx.methods.update({ ...method, blocked: 'R10' });
        }),
    ],
    [
      'is no longer accepted',
      ({ deps }) => Object.assign(deps.config.businessUnits[0]!, { paymentMethods: ['Credit Card'] }),
    ],
  ])('announces the whole charge if the method of a scheduled payment %s', async (kind, change) => {
    const { service } = await start();
    const date = '2027-04-10';
    await enroll(service, 5_000, date);
    const ClientUser = { EmailAddress: 'bob@example.com' };
    const other = await open(service.fetch, 'schedule-payment', {
      ClientUser,
      ClientAccount: { AccountNumber: '1001' },
    });
    const { id: methodId } = await other.addMethod(kind === 'expires before' ? CARD : BANK);
    await other.schedule({ amount: 2_000, date: '2027-04-09', methodId });
    expect(await next(service)).toEqual({ amount: 3_000, date });
    await change(service, await open(service.fetch, 'wallet', { ClientUser }), methodId);
    expect(await next(service)).toEqual({ amount: 5_000, date });
  });

  it('announces an expired card as a failed payment, without calling the processor', async () => {
    const { service, charges } = await start();
    const page = await open(service.fetch, 'autopay', bill(5_000));
    const { id: methodId } = await page.addMethod({ ...CARD, expiry: '03/27' });
    await page.post('autopay/enroll', { methodId });
    await sync(service, 5_000, '2027-04-02');
    await advanceTo(service, '2027-04-02T12:00:00Z');
    expect(charges).toEqual([]);
    const { webhooks } = await service.control.state(SLUG);
    expect(webhooks.filter(({ type }) => type === 'payment.failed')).toHaveLength(1);
  });

  it('shows a returned bank charge on the page, announces it once and does not retry', async () => {
    const service = await startTestService({ config: config({ timeZone: ZONE, webhook: WEBHOOK }) });
    services.push(service);
    await advanceTo(service, '2027-03-01T12:00:00Z');
    const page = await open(service.fetch, 'autopay', bill(5_000));
    const { id: methodId } = await page.addMethod(RETURNED);
    await page.post('autopay/enroll', { methodId });
    await advanceTo(service, DUE_BEGINS);
    await advanceTo(service, '2027-03-20T12:00:00Z');
    const later = await sync(service, 5_000);
    expect((await later.get<AutopayPageSession>()).enrollment).toMatchObject({ failed: true });
    await service.control.advance(86_400_000);
    const { webhooks } = await service.control.state(SLUG);
    expect(webhooks.filter(({ type }) => type === 'payment.pending')).toHaveLength(1);
    expect(webhooks.filter(({ type }) => type === 'payment.failed')).toHaveLength(1);
  });

  it('skips and logs a due date missed by more than three days', async () => {
    const { service, charges } = await start();
    const warn = vi.spyOn(service.deps.log, 'warn');
    await enroll(service);
    await advanceTo(service, '2027-03-14T12:00:00Z');
    expect(charges).toEqual([]);
    expect(warn).toHaveBeenCalledWith(
      expect.stringMatching(/^AutoPay does not charge a bill/),
      expect.objectContaining({ dueDate: DUE }),
    );
    expect(await next(service)).toBeUndefined();
  });

  it('charges nothing and logs it if the account has too many payments to sum', async () => {
    const { service, charges } = await start();
    await enroll(service);
    const { store, log } = service.deps;
    const real = { ...store };
    vi.spyOn(store, 'transaction').mockImplementation((work, options) =>
      real.transaction(
        (tx, repeated) =>
          work({ ...tx, accountPayments: { ...tx.accountPayments, sum: async () => null } }, repeated),
        options,
      ),
    );
    const warn = vi.spyOn(log, 'warn');
    await advanceTo(service, DUE_BEGINS);
    expect(charges).toEqual([]);
    expect(warn).toHaveBeenCalledWith(
      expect.stringMatching(/^AutoPay does not charge a bill: its account has too many payments/),
      expect.objectContaining({ dueDate: DUE }),
    );
  });

  it('does not warn about a missed bill that was paid', async () => {
    const { service } = await start();
    const warn = vi.spyOn(service.deps.log, 'warn');
    await enroll(service);
    await service.control.advance(60_000);
    await payBill(service);
    await advanceTo(service, '2027-03-14T12:00:00Z');
    expect(warn).not.toHaveBeenCalledWith(expect.stringMatching(/AutoPay/), expect.anything());
  });

  it('charges nothing if the merchant charges', async () => {
    const { service, charges } = await start({ autopay: 'merchant' });
    const page = await enroll(service);
    expect(await page.get<AutopayPageSession>()).toMatchObject({ chargedBy: 'merchant' });
    expect(await next(service)).toBeUndefined();
    await advanceTo(service, '2027-03-11T12:00:00Z');
    expect(charges).toEqual([]);
  });
});
