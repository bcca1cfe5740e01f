import { randomUUID } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import { advanceTo } from '../../test/advance-to.js';
import { describeOn, startEngines } from '../../test/engines.js';
import { account, config, CUSTOMER, SLUG } from '../../test/merchant.js';
import { asMerchant, BANK, CARD, open, PageRefused, refusal, type Payer } from '../../test/payer.js';
import { addDays, DAY_MS } from '../core/day.js';
import type { PaymentPageSession, ScheduledPayment, SchedulePageSession } from '../shared/page.js';
import { startTestService, type OpenTestService } from '../start/test-service.js';

let service: OpenTestService;
afterEach(() => service.close());

describeOn(startEngines())('R-57 a payment that the page does not list, on %s', (_, database) => {
  async function start() {
    service = await startTestService({ config: config(), database: await database() });
    const page = await open(service.fetch, 'schedule-payment');
    const { id: methodId } = await page.addMethod();
    const { earliest: date } = await page.get<SchedulePageSession>();
    const payment = (change: object = {}) => ({
      requestId: randomUUID(),
      amount: 4_200,
      date,
      methodId,
      listed: [] as string[],
      ...change,
    });
    const schedule = (change: object = {}, on: Payer = page): Promise<ScheduledPayment> =>
      on.post<ScheduledPayment>('schedule', payment(change));
    return { page, payment, schedule };
  }
  const REFUSED = { status: 409, errors: [{ code: 'conflict', reason: 'already_scheduled' }] };
  const scheduled = async () => (await service.control.state(SLUG)).scheduledPayments;

  it.each([{}, { amount: 5_000 }, { listed: undefined }])(
    'stops two tabs of a session that schedule at once (%j in the second)',
    async (change) => {
      const { schedule } = await start();
      const results = await Promise.allSettled([schedule(), schedule(change)]);
      const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
      expect(refused).toMatchObject([REFUSED]);
      expect(refused[0]).toBeInstanceOf(PageRefused);
      expect(await scheduled()).toHaveLength(1);
    },
  );

  it('stops all but one of several sessions that schedule concurrently with different methods', async () => {
    const { schedule } = await start();
    const cards = ['5555 5555 5555 4444', '6011 1111 1111 1117'].map((cardNumber) => ({
      ...CARD,
      cardNumber,
    }));
    const others = [];
    for (const source of [CARD, BANK, ...cards]) {
      const other = await open(service.fetch, 'schedule-payment');
      others.push({ other, ...(await other.addMethod(source)) });
    }
    const results = await Promise.allSettled(
      others.map(({ other, id: methodId }) => schedule({ methodId }, other)),
    );
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(refused).toMatchObject([REFUSED, REFUSED, REFUSED]);
    expect(await scheduled()).toHaveLength(1);
  });

  it('refuses a requestId that was used for another account', async () => {
    const { schedule } = await start();
    const requestId = randomUUID();
    const first = await schedule({ requestId });
    expect(await schedule({ requestId })).toMatchObject({ id: first.id });
    const other = await open(service.fetch, 'schedule-payment', account('1002'));
    expect(await refusal(schedule({ requestId }, other))).toMatchObject({
      status: 409,
      errors: [{ code: 'conflict' }],
    });
    expect(await scheduled()).toHaveLength(1);
  });

  it('stops a page until it lists the payment, which a session then reports as its own', async () => {
    const { page, schedule, payment } = await start();
    expect(await page.get()).not.toHaveProperty('hasScheduled');
    const first = await schedule();
    const input = payment();
    expect(await refusal(page.post('schedule', input))).toMatchObject(REFUSED);
    const session = await page.get<SchedulePageSession>();
    expect(session).toMatchObject({ hasScheduled: true, scheduled: [{ id: first.id }] });
    await page.post('schedule', { ...input, listed: [first.id] });
    expect(await scheduled()).toHaveLength(2);
  });

  it('R-60 stops a request that arrives late, after the payer has changed it', async () => {
    const { page, payment, schedule } = await start();
    const late = payment();
    await schedule({ amount: 5_000 });
    expect(await refusal(page.post('schedule', late))).toMatchObject(REFUSED);
    expect(await scheduled()).toMatchObject([{ amount: 5_000 }]);
  });

  it('stops the page of another session, unless that does not say what it lists', async () => {
    const { schedule } = await start();
    const other = await open(service.fetch, 'schedule-payment');
    await schedule();
    expect(await other.get()).not.toHaveProperty('hasScheduled');
    expect(await refusal(schedule({}, other))).toMatchObject(REFUSED);
    await schedule({ listed: undefined }, other);
    expect(await refusal(schedule({ listed: undefined }, other))).toMatchObject(REFUSED);
    expect(await scheduled()).toHaveLength(2);
  });

  it('R-60 refuses the requestId of a payment that was canceled', async () => {
    const { schedule } = await start();
    const requestId = randomUUID();
    const { id } = await schedule({ requestId });
    const input = { BusinessUnitSlug: SLUG, PaymentIdentifier: id };
    await asMerchant(service.fetch, '/integrations/payments/cancel', input);
    expect(await refusal(schedule({ requestId, listed: [id] }))).toMatchObject({ status: 409 });
    await schedule({ listed: [id] });
    expect((await scheduled()).map(({ status }) => status)).toEqual(['canceled', 'scheduled']);
  });

  it('R-57 is canceled by the merchant before its day, for example if the payer moves out', async () => {
    const { schedule, payment } = await start();
    const { id } = await schedule();
    const cancel = (PaymentIdentifier: string, BusinessUnitSlug = SLUG) =>
      asMerchant(service.fetch, '/integrations/payments/cancel', { BusinessUnitSlug, PaymentIdentifier });
    for (let times = 0; times < 2; times++) expect((await cancel(id)).status).toBe(200);
    expect(await scheduled()).toMatchObject([{ id, status: 'canceled' }]);
    const { webhooks } = await service.control.state(SLUG);
    const events = webhooks.filter(({ type }) => type === 'scheduled_payment.canceled');
    expect(events).toHaveLength(1);

    const { id: next } = await schedule({ listed: [id] });
    const mark = (status: 'executing' | 'scheduled') =>
      service.deps.store.transaction(async (tx) =>
        tx.schedules.update({ ...(await tx.schedules.get(next))!, status }),
      );
    // Begun on its day, before the unit moved to a time zone in the west.
    await mark('executing');
    expect((await cancel(next)).status).toBe(409);
    await mark('scheduled');
    await advanceTo(service, `${payment().date}T00:00:01Z`);
    expect((await cancel(next)).status).toBe(409);
    expect((await cancel('sch_unknown')).status).toBe(404);
  });

  it('is named on the payment page of its payer and account until it is canceled', async () => {
    const { payment, schedule } = await start();
    const { date } = payment();
    const later = { amount: 9_900, date: addDays(date, 1) };
    const { id: first } = await schedule(later);
    const { id } = await schedule({ listed: [first] });
    const named = async (change: object, AccountNumber = '1001') => {
      const ClientAccount = { AccountNumber, Name: 'Ada' };
      const page = await open(service.fetch, 'payment', {
        Charges: [{ Amount: 100, ClientAccount }],
        ...change,
      });
      return (await page.get<PaymentPageSession>()).scheduled;
    };
    expect(await named(CUSTOMER)).toEqual({ amount: 4_200, date });
    expect(await named(CUSTOMER, '1002')).toBeUndefined();
    expect(await named({ ClientUser: { EmailAddress: 'eve@example.com' } })).toBeUndefined();
    await (await open(service.fetch, 'scheduled-payments')).post(`scheduled/${id}/cancel`);
    expect(await named(CUSTOMER)).toEqual(later);
    Object.assign(service.deps.config.businessUnits[0]!, { paymentMethods: ['ACH'] });
    expect(await named(CUSTOMER)).toBeUndefined();
    const list = await open(service.fetch, 'scheduled-payments');
    expect(await list.get()).toMatchObject({
      scheduled: [
        { id, status: 'canceled' },
        { id: first, problem: 'not_accepted' },
      ],
    });
  });

  it('allows another payment once it is canceled, or of another account', async () => {
    const { schedule } = await start();
    const { id } = await schedule();
    await (await open(service.fetch, 'scheduled-payments')).post(`scheduled/${id}/cancel`);
    await schedule();
    const account = { SyncAccount: true, ClientAccount: { AccountNumber: 'another', Name: 'Ada' } };
    await schedule({}, await open(service.fetch, 'schedule-payment', account));
    expect((await scheduled()).map(({ status }) => status)).toEqual(['canceled', 'scheduled', 'scheduled']);
  });

  it.each([[1], 'sch_1', {}].map((listed) => [listed]))(
    'is not read from %j',

    async (listed) => {
      const { schedule } = await start();
      expect(await refusal(schedule({ listed }))).toMatchObject({
        status: 400,
        errors: [{ field: 'listed' }],
      });
    },
  );
});

describeOn(startEngines())('R-57 a scheduled payment with a card that expires, on %s', (_, database) => {
  /** The last expiry date with which a card is valid on a day. */
  const expiryOn = (day: string): string => `${day.slice(5, 7)}/${day.slice(2, 4)}`;

  it('is not made if the payer has given the card an earlier expiry date', async () => {
    service = await startTestService({ config: config(), database: await database() });
    const page = await open(service.fetch, 'schedule-payment');
    const { id: methodId } = await page.addMethod({ ...CARD, expiry: '12/40' });
    const { earliest } = await page.get<SchedulePageSession>();
    await page.schedule({ amount: 4_200, date: addDays(earliest, 60), methodId });
    const wallet = await open(service.fetch, 'wallet');
    const source = { ...CARD, expiry: expiryOn(earliest) };
    await wallet.post('methods', { requestId: randomUUID(), source, makeDefault: false, renews: methodId });
    const list = await open(service.fetch, 'scheduled-payments');
    expect(await list.get()).toMatchObject({ scheduled: [{ status: 'scheduled', problem: 'expired' }] });
    await service.control.advance(62 * DAY_MS);
    const { scheduledPayments, payments } = await service.control.state(SLUG);
    expect(scheduledPayments).toMatchObject([{ status: 'failed' }]);
    expect(payments).toEqual([]);
  });

  it('is made late if the card was valid on its day', async () => {
    service = await startTestService({ config: config(), database: await database() });
    const page = await open(service.fetch, 'schedule-payment');
    const { earliest } = await page.get<SchedulePageSession>();
    const { id: methodId } = await page.addMethod({ ...CARD, expiry: expiryOn(earliest) });
    await page.schedule({ amount: 4_200, date: earliest, methodId });
    await service.control.advance(62 * DAY_MS);
    expect((await service.control.state(SLUG)).scheduledPayments).toMatchObject([{ status: 'executed' }]);
  });
});
