import { afterEach, expect, it, vi } from 'vitest';
import { advanceTo } from '../../test/advance-to.js';
import { describeOn, startEngines } from '../../test/engines.js';
import { account, config, CUSTOMER, SLUG } from '../../test/merchant.js';
import { asMerchant, open } from '../../test/payer.js';
import type { StoreTx } from '../core/store.js';
import { startTestService, type OpenTestService } from '../start/test-service.js';
import { remindAgain } from './remind-again.js';

const DUE = '2027-03-10';

let service: OpenTestService;
afterEach(() => service.close());

describeOn(startEngines())('R-104 R-106 a bill that grows after its reminder, on %s', (_, database) => {
  const sync = (Balance: number, DueDate = DUE) =>
    open(service.fetch, 'autopay', {
      ...CUSTOMER,
      SyncAccount: true,
      ...account('1001', { Balance, DueDate }),
    });

  /** Enrolls an account with a bill of $50.00, and sends its reminder unless it isn't due for long. */
  async function start(unit: Record<string, unknown> = {}, DueDate = DUE): Promise<void> {
    service = await startTestService({
      database: await database(),
      config: {
        ...Object(config({ timeZone: 'America/New_York', ...unit })),
        email: { from: 'bills@water.example' },
      },
    });
    await advanceTo(service, '2027-03-05T17:00:00Z');
    const page = await sync(5_000, DueDate);
    const { id: methodId } = await page.addMethod();
    await page.post('autopay/enroll', { methodId });
    await advanceTo(service, '2027-03-06T17:00:00Z');
  }

  /** The amounts of reminders that were sent; here without a mail server. */
  const reminded = async (): Promise<(string | undefined)[]> => {
    const { messages = [] } = await service.control.state(SLUG);
    return messages
      .filter(({ kind, status }) => kind === 'autopay-reminder' && status === 'unsent')
      .map(({ text }) => /\$[\d.]+/.exec(text)?.[0]);
  };

  it('is announced again immediately, each time with the new amount', async () => {
    await start();
    expect(await reminded()).toEqual(['$50.00']);
    await sync(6_000);
    await service.control.advance(1_000);
    expect(await reminded()).toEqual(['$50.00', '$60.00']);
    await sync(7_000);
    await service.control.advance(1_000);
    expect(await reminded()).toEqual(['$50.00', '$60.00', '$70.00']);
    await advanceTo(service, '2027-03-10T17:00:00Z');
    expect(await reminded()).toHaveLength(3);
    expect((await service.control.state(SLUG)).payments).toMatchObject([{ amount: 7_000 }]);
  });

  it('is announced with what the merchant charges on the same day', async () => {
    await start();
    const request = { AccountNumber: '1001', Amount: 5_000, ClientReference: 'part', ChargeOn: DUE };
    await asMerchant(service.fetch, '/integrations/autopay/charge', request);
    await sync(6_000);
    await service.control.advance(1_000);
    expect(await reminded()).toEqual(['$50.00', '$60.00']);
  });

  it('is announced once if the payer left and enrolled again before its reminder was sent', async () => {
    await start();
    await advanceTo(service, '2027-03-09T08:00:00Z');
    const page = await sync(6_000);
    await page.post('autopay/unenroll');
    const { id: methodId } = await page.addMethod();
    await page.post('autopay/enroll', { methodId });
    await advanceTo(service, '2027-03-09T17:00:00Z');
    expect(await reminded()).toEqual(['$50.00', '$60.00']);
  });

  it('is not announced again if it shrank or grew back', async () => {
    await start();
    for (const balance of [4_000, 5_000, 4_500]) {
      await service.control.advance(2_000);
      await sync(balance);
    }
    await advanceTo(service, '2027-03-08T17:00:00Z');
    expect(await reminded()).toEqual(['$50.00']);
  });

  it('is announced again if the merchant has not deducted what was paid', async () => {
    const DueDate = '2027-03-20';
    await start({}, DueDate);
    const bill = account('1001', { Balance: 5_000, DueDate });
    const payment = await open(service.fetch, 'payment', { Charges: [{ Amount: 3_000, ...bill }] });
    await service.control.advance(1_000);
    await payment.pay({ charges: [{ index: 0, amount: 3_000 }] });
    await advanceTo(service, '2027-03-17T17:00:00Z');
    await sync(4_000, DueDate);
    await advanceTo(service, '2027-03-20T17:00:00Z');
    expect(await reminded()).toEqual(['$20.00', '$40.00']);
  });

  it('is announced again if its due date moves away and back', async () => {
    await start();
    await sync(8_000, '2027-03-30');
    await service.control.advance(1_000);
    await sync(8_000);
    await service.control.advance(1_000);
    expect(await reminded()).toEqual(['$50.00', '$80.00']);
  });

  it('is announced immediately if it is synced ten days before', async () => {
    await start({}, '2027-04-10');
    await sync(6_000, '2027-03-16');
    await service.control.advance(1_000);
    expect(await reminded()).toEqual(['$60.00']);
  });

  it('is announced if its due date was synced before the same balance', async () => {
    await start();
    await advanceTo(service, '2027-03-11T17:00:00Z');
    const DueDate = '2027-03-20';
    await open(service.fetch, 'autopay', { ...CUSTOMER, SyncAccount: true, ...account('1001', { DueDate }) });
    await sync(5_000, DueDate);
    await service.control.advance(1_000);
    expect(await reminded()).toEqual(['$50.00', '$50.00']);
  });

  it('is announced once if two syncs arrive concurrently', async () => {
    await start();
    await Promise.all([sync(6_000), sync(6_000)]);
    await service.control.advance(1_000);
    expect(await reminded()).toEqual(['$50.00', '$60.00']);
  });

  it('is announced from nine o’clock on if it grew at night', async () => {
    await start();
    await advanceTo(service, '2027-03-09T08:00:00Z');
    await sync(6_000);
    await advanceTo(service, '2027-03-09T13:59:00Z');
    expect(await reminded()).toEqual(['$50.00']);
    await advanceTo(service, '2027-03-09T15:00:00Z');
    expect(await reminded()).toEqual(['$50.00', '$60.00']);
  });

  it('is announced from nine o’clock on, even on the day that has an hour twice', async () => {
    await start();
    await advanceTo(service, '2027-11-05T17:00:00Z');
    await sync(6_000, '2027-11-10');
    await advanceTo(service, '2027-11-07T04:30:00Z');
    await sync(7_000, '2027-11-10');
    await advanceTo(service, '2027-11-07T13:45:00Z');
    expect(await reminded()).toEqual(['$60.00']);
    await advanceTo(service, '2027-11-07T15:00:00Z');
    expect(await reminded()).toEqual(['$60.00', '$70.00']);
  });

  it('is announced again if it was withdrawn when its reminder was due', async () => {
    await start();
    await advanceTo(service, '2027-03-09T08:00:00Z');
    await sync(8_000);
    const { ClientAccount } = account('1001');
    await open(service.fetch, 'payment', { Charges: [{ Amount: 100, ClientAccount }] });
    await advanceTo(service, '2027-03-09T15:00:00Z');
    const outdated = await reminded();
    await sync(8_000);
    await service.control.advance(1_000);
    expect(await reminded()).toEqual([...outdated, '$80.00']);
  });

  it('is charged without a reminder if it is due immediately', async () => {
    await start({}, '2027-04-10');
    await advanceTo(service, '2027-03-10T17:00:00Z');
    await sync(6_000);
    await service.control.advance(1_000);
    expect(await reminded()).toEqual([]);
    expect((await service.control.state(SLUG)).payments).toMatchObject([{ amount: 6_000 }]);
  });

  it.each([
    [6_000, '$60.00'],
    [5_000, '$50.00'],
    [4_000, '$40.00'],
  ])(
    'of %i is announced if it came after nine on the day before, with that day’s reminders written',
    async (balance, amount) => {
      await start({}, '2027-04-10');
      await advanceTo(service, '2027-03-09T17:00:00Z');
      await sync(balance);
      await service.control.advance(1_000);
      expect(await reminded()).toEqual([amount]);
    },
  );

  it.each([
    [{ DueDate: DUE }, DUE],
    [{ Balance: 9_000, DueDate: '2027-03-30' }, '2027-04-10'],
  ])('R-91 sums no payments if nothing is due to be announced: %j', async (fields, announced) => {
    await start({}, announced);
    const { store, config, newId, clock } = service.deps;
    await store.transaction(async (tx) => {
      const [found] = await tx.accounts.list(SLUG);
      const sum = vi.fn<StoreTx['accountPayments']['sum']>();
      const watched = { ...tx, accountPayments: { ...tx.accountPayments, sum } };
      const synced = { ...found!, fields };
      const context = { now: clock.now(), newId };
      await remindAgain(watched, { found: found!, synced }, config.businessUnits[0]!, context);
      expect(sum).not.toHaveBeenCalled();
    });
  });

  it('is not announced again if a refund makes it grow', async () => {
    const DueDate = '2027-03-20';
    await start({}, DueDate);
    const bill = account('1001', { Balance: 5_000, DueDate });
    const payment = await open(service.fetch, 'payment', { Charges: [{ Amount: 2_000, ...bill }] });
    await service.control.advance(1_000);
    await payment.pay({ charges: [{ index: 0, amount: 2_000 }] });
    await advanceTo(service, '2027-03-17T17:00:00Z');
    expect(await reminded()).toEqual(['$30.00']);
    const [paid] = await service.deps.store.read((tx) => tx.attempts.list(SLUG));
    const refund = await asMerchant(service.fetch, '/integrations/payments/refund', {
      PaymentIdentifier: paid?.id,
    });
    expect(refund.status).toBe(200);
    await advanceTo(service, '2027-03-20T17:00:00Z');
    expect(await reminded()).toEqual(['$30.00']);
    const { payments } = await service.control.state(SLUG);
    expect(new Set(payments.map(({ amount }) => amount))).toEqual(new Set([2_000, 5_000]));
  });

  it.each([
    ['the business unit sends no reminders', { email: { reminders: false } }],
    ['the merchant charges', { autopay: 'merchant' }],
  ])('is not announced if %s', async (_, unit) => {
    await start(unit);
    await sync(6_000);
    await service.control.advance(1_000);
    expect(await reminded()).toEqual([]);
  });
});
