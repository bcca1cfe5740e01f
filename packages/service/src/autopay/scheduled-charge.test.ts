import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { advanceTo } from '../../test/advance-to.js';
import { describeOn, startEngines } from '../../test/engines.js';
import { config, CUSTOMER, SECRETS, SLUG } from '../../test/merchant.js';
import { asMerchant, BANK, CARD, open } from '../../test/payer.js';
import type { NewSource, AutopayPageSession, PaymentPageSession } from '../shared/page.js';
import type { PaymentProcessor } from '../processor/rules/port.js';
import { startTestService, type OpenTestService } from '../start/test-service.js';

const DAY = '2027-03-10';
/** When the day begins in New York. */
const DAY_BEGINS = '2027-03-10T05:00:00Z';

interface Charge {
  readonly id: string;
  readonly amount: number;
  readonly token: string;
  /** The payer's authorization of a bank payment. */
  readonly authorization: string | undefined;
  readonly email: string | undefined;
}

let services: OpenTestService[] = [];
afterEach(async () => {
  await Promise.all(services.map((service) => service.close()));
  services = [];
});

/** Starts a service with an enrolled account. `startProcess` starts another on the same database. */
async function start(unit: Record<string, unknown> = {}, database = ':memory:') {
  const charges: Charge[] = [];
  let tokens = 0;
  const processor: PaymentProcessor = {
    tokenize: async () => ({ token: `tok_${++tokens}`, last4: '4242' }),
    charge: async ({ attemptId: id, amount, token, context: { authorization, payer } }) => {
      charges.push({ id, amount, token, authorization: authorization?.text, email: payer?.email });
      return amount === 13 ? { outcome: 'declined', reason: 'insufficient_funds' } : 'succeeded';
    },
    lookup: async () => 'never_seen',
  };
  const options = {
    processor,
    database,
    config: config({
      timeZone: 'America/New_York',
      autopay: 'merchant',
      webhook: { url: 'http://127.0.0.1:9/', secrets: SECRETS },
      ...unit,
    }),
  };
  const startProcess = async (): Promise<OpenTestService> => {
    const started = await startTestService(options);
    services.push(started);
    return started;
  };
  const service = await startProcess();
  await advanceTo(service, '2027-03-01T12:00:00Z');
  const page = await openPage(service);
  const { id: methodId } = await page.addMethod();
  await page.post('autopay/enroll', { methodId, authorization: 'I agree.' });
  return { service, charges, startProcess };
}

const openPage = (service: OpenTestService, more: Record<string, unknown> = {}) =>
  open(service.fetch, 'autopay', {
    ClientAccount: { AccountNumber: '1001', SubAccountNumber: '', Name: 'Ada', ...more },
    SyncAccount: true,
  });

interface Answer {
  readonly status: number;
  readonly data: Record<string, unknown>;
  readonly errors: Record<string, unknown>[];
}

async function call(
  { fetch }: OpenTestService,
  path: string,
  body: Record<string, unknown>,
): Promise<Answer> {
  const response = await asMerchant(fetch, `/integrations/${path}`, body);
  return { status: response.status, ...((await response.json()) as Omit<Answer, 'status'>) };
}

const charge = (service: OpenTestService, changes: Record<string, unknown> = {}): Promise<Answer> =>
  call(service, 'autopay/charge', {
    AccountNumber: '1001',
    Amount: 7_630,
    ClientReference: 'bill-1',
    ChargeOn: DAY,
    ...changes,
  });

const idOf = async (scheduled: Promise<Answer>): Promise<unknown> =>
  (await scheduled).data['PaymentIdentifier'];

const cancel = (service: OpenTestService, PaymentIdentifier: unknown): Promise<Answer> =>
  call(service, 'payments/cancel', { PaymentIdentifier });

const webhookTypes = async (service: OpenTestService): Promise<string[]> =>
  (await service.control.state(SLUG)).webhooks.map(({ type }) => type);

const announced = async (service: OpenTestService): Promise<unknown> =>
  (await (await openPage(service)).get<AutopayPageSession>()).enrollment?.scheduled;

describe('R-95 ChargeOn', () => {
  it('charges once, when the day begins in the time zone of the business unit', async () => {
    const { service, charges } = await start();
    expect(await charge(service)).toMatchObject({ status: 200, data: { Status: 'Scheduled' } });
    await advanceTo(service, '2027-03-10T04:59:00Z');
    expect(charges).toEqual([]);
    await advanceTo(service, DAY_BEGINS);
    expect(charges).toMatchObject([{ amount: 7_630 }]);
    await advanceTo(service, '2027-03-12T12:00:00Z');
    expect(charges).toHaveLength(1);
    expect((await service.control.state(SLUG)).payments).toMatchObject([
      { amount: 7_630, status: 'succeeded' },
    ]);
    expect(await webhookTypes(service)).toContain('payment.succeeded');
  });

  it('appears in the list and on the payer’s page until its day', async () => {
    const { service } = await start();
    const PaymentIdentifier = await idOf(charge(service));
    const listed = await call(service, 'payments/list', { Status: 'scheduled' });
    expect(listed.data).toMatchObject({
      Payments: [{ Id: PaymentIdentifier, Status: 'scheduled', Amount: 7_630 }],
    });
    expect(await announced(service)).toEqual([{ amount: 7_630, date: DAY }]);
    const source = async () =>
      (await service.deps.store.read((tx) => tx.attempts.get(String(PaymentIdentifier))))?.source;
    // the payer may remove the method before the day.
    expect(await source()).toMatchObject({ token: '', holder: '', last4: '4242' });
    await advanceTo(service, DAY_BEGINS);
    expect(await announced(service)).toBeUndefined();
    expect(await source()).toMatchObject({ holder: expect.stringMatching(/./), last4: '4242' });
  });

  it('is not announced if its method is no longer accepted', async () => {
    const { service } = await start();
    await charge(service);
    Object.assign(service.deps.config.businessUnits[0]!, { paymentMethods: ['ACH'] });
    expect(await announced(service)).toBeUndefined();
  });

  it.each([
    ['yesterday', '2027-02-28'],
    ['61 days ahead', '2027-05-01'],
  ])('refuses %s', async (_, ChargeOn) => {
    const { service } = await start();
    const { status, errors } = await charge(service, { ChargeOn });
    expect(status).toBe(400);
    expect(JSON.stringify(errors)).toContain('a day from 2027-03-01 to 2027-04-30');
  });

  it('is named on the payment page of the enrolled customer until it is canceled', async () => {
    const { service } = await start();
    const id = await idOf(charge(service));
    const named = async (change: object = {}) => {
      const Charges = [{ Amount: 7_630, ClientAccount: { AccountNumber: '1001', Name: 'Ada' } }];
      const page = await open(service.fetch, 'payment', { ...CUSTOMER, Charges, ...change });
      return (await page.get<PaymentPageSession>()).scheduled;
    };
    expect(await named()).toEqual({ amount: 7_630, date: DAY });
    expect(await named({ ClientUser: { EmailAddress: 'eve@example.com' } })).toBeUndefined();
    await cancel(service, id);
    expect(await named()).toBeUndefined();
  });

  it('R-91 is refused if the account has a hundred of them', async () => {
    const { service } = await start();
    const id = String(await idOf(charge(service)));
    await service.deps.store.transaction(async (tx) => {
      const first = (await tx.attempts.get(id))!;
      for (let number = 1; number < 100; number++) {
        const name = `pay_${number}`;
        const attempt = { ...first, id: name, requestId: name, clientReference: name };
        await tx.attempts.insert(attempt);
        await tx.accountPayments.record(attempt.accountId!, attempt);
      }
    });
    const refused = { status: 400, errors: [{ code: 'invalid', field: 'ChargeOn' }] };
    expect(await charge(service, { ClientReference: 'one too many' })).toMatchObject(refused);
    // Those of an earlier enrollment fail on their day.
    await (await openPage(service)).post('autopay/unenroll');
    await service.control.advance(1_000);
    const page = await openPage(service);
    const { id: methodId } = await page.addMethod();
    await page.post('autopay/enroll', { methodId });
    expect(await charge(service, { ClientReference: 'one too many' })).toMatchObject(refused);
    await cancel(service, id);
    expect(await charge(service, { ClientReference: 'instead' })).toMatchObject({ status: 200 });
  });

  it('R-73 charges the method and authorization that the payer chose last', async () => {
    const { service, charges } = await start();
    await charge(service);
    const choose = async (source: NewSource): Promise<void> => {
      const page = await openPage(service);
      const { id: methodId } = await page.addMethod(source);
      await page.post('autopay/method', { methodId });
    };
    await choose(BANK);
    await charge(service, { ClientReference: 'bill-2', ChargeOn: '2027-03-11' });
    await advanceTo(service, DAY_BEGINS);
    expect(charges).toMatchObject([{ token: 'tok_2', authorization: expect.stringContaining('AutoPay') }]);
    await choose(CARD);
    await advanceTo(service, '2027-03-11T05:00:00Z');
    expect(charges[1]).toMatchObject({ token: 'tok_3', authorization: undefined });
  });

  it.each(['bob@example.com', undefined])(
    'R-100 charges nothing if the enrollment has ended, even if %s has enrolled since',
    async (EmailAddress) => {
      const { service, charges } = await start();
      await charge(service);
      await (await openPage(service)).post('autopay/unenroll');
      await service.control.advance(1_000);
      const page = await open(service.fetch, 'autopay', {
        ClientAccount: { AccountNumber: '1001' },
        ...(EmailAddress !== undefined && { ClientUser: { EmailAddress } }),
      });
      const { id: methodId } = await page.addMethod();
      await page.post('autopay/enroll', { methodId });
      expect((await page.get<AutopayPageSession>()).enrollment?.scheduled).toBeUndefined();
      await advanceTo(service, DAY_BEGINS);
      expect(charges).toEqual([]);
      const webhooks = await service.deps.store.read((tx) => tx.outbox.list(SLUG));
      expect(webhooks.at(-1)).toMatchObject({ type: 'payment.failed' });
      expect(webhooks.at(-1)?.sessionId).not.toBe(page.id);
    },
  );

  it('R-95 is charged if the clock of the process that schedules it is behind', async () => {
    const { service, charges } = await start();
    const now = Date.now();
    const clock = vi.spyOn(Date, 'now').mockReturnValue(now - 60_000);
    await charge(service);
    clock.mockRestore();
    await advanceTo(service, DAY_BEGINS);
    expect(charges).toHaveLength(1);
  });

  it('charges nothing if the payer has unenrolled, and reports the failure', async () => {
    const { service, charges } = await start();
    await charge(service);
    await (await openPage(service)).post('autopay/unenroll');
    await advanceTo(service, DAY_BEGINS);
    expect(charges).toEqual([]);
    expect((await service.control.state(SLUG)).payments).toMatchObject([
      { status: 'declined', reason: expect.stringContaining('unenrolled') },
    ]);
    expect(await webhookTypes(service)).toContain('payment.failed');
  });

  it('reports a decline', async () => {
    const { service } = await start();
    await charge(service, { Amount: 13 });
    await advanceTo(service, DAY_BEGINS);
    expect(await webhookTypes(service)).toContain('payment.failed');
  });

  it('R-106 does not count toward the bill once its enrollment has ended', async () => {
    const { service, charges } = await start({ autopay: 'service' });
    const page = await openPage(service, { Balance: 10_000, DueDate: '2027-03-08' });
    await charge(service, { Amount: 4_000 });
    const { savedMethods } = await page.get<AutopayPageSession>();
    await page.post('autopay/unenroll');
    await service.control.advance(1_000);
    await page.post('autopay/enroll', { methodId: savedMethods[0]?.id });
    const { enrollment } = await page.get<AutopayPageSession>();
    expect(enrollment?.next).toEqual({ amount: 10_000, date: '2027-03-08' });
    await advanceTo(service, '2027-03-11T12:00:00Z');
    expect(charges.map(({ amount }) => amount)).toEqual([10_000]);
  });

  it('R-106 is awaited by the service’s own charge of that day, which charges the whole bill after a decline', async () => {
    const { service, charges } = await start({ autopay: 'service' });
    await openPage(service, { Balance: 100, DueDate: DAY });
    await charge(service, { Amount: 13 });
    await advanceTo(service, DAY_BEGINS);
    await service.control.advance(60_000);
    expect(charges.map(({ amount }) => amount)).toEqual([13, 100]);
  });

  it('R-106 counts toward the bill that the service charges itself', async () => {
    const { service, charges } = await start({ autopay: 'service' });
    await openPage(service, { Balance: 10_000, DueDate: '2027-03-08' });
    await charge(service, { Amount: 4_000 });
    await advanceTo(service, '2027-03-08T12:00:00Z');
    expect(charges).toMatchObject([{ amount: 6_000 }]);
    await advanceTo(service, DAY_BEGINS);
    expect(charges.map(({ amount }) => amount)).toEqual([6_000, 4_000]);
  });
});

it('R-106 the page omits a charge whose card expires while it waits', async () => {
  const { service } = await start();
  const page = await openPage(service);
  const { id: methodId } = await page.addMethod({ ...CARD, expiry: '04/27' });
  await page.post('autopay/method', { methodId, authorization: 'I agree.' });
  await charge(service, { ChargeOn: '2027-04-20' });
  expect(await announced(service)).toHaveLength(1);
  const { deps } = service as { readonly deps: { processor: PaymentProcessor | null } };
  deps.processor = null;
  await advanceTo(service, '2027-05-02T12:00:00Z');
  const { enrollment } = await (await openPage(service)).get<AutopayPageSession>();
  expect(enrollment).not.toHaveProperty('scheduled');
  expect(enrollment?.problem).toEqual({ obstacle: 'expired', date: '2027-04-20' });
});

describe('POST /integrations/payments/cancel', () => {
  it('R-95 cancels a scheduled charge before its day; repeating it has no effect', async () => {
    const { service, charges } = await start();
    const id = await idOf(charge(service));
    await advanceTo(service, '2027-03-10T04:59:00Z');
    expect(await cancel(service, id)).toMatchObject({ status: 200, data: { Status: 'Canceled' } });
    expect(await cancel(service, id)).toMatchObject({ status: 200, data: { Status: 'Canceled' } });
    await advanceTo(service, '2027-03-12T12:00:00Z');
    expect(charges).toEqual([]);
    expect(await announced(service)).toBeUndefined();
    expect((await call(service, 'payments/list', {})).data).toMatchObject({
      Payments: [{ Status: 'canceled' }],
    });
  });

  it('R-95 refuses on the day of the charge, and for unscheduled payments', async () => {
    const { service } = await start();
    const scheduled = await idOf(charge(service));
    const paid = await idOf(charge(service, { ChargeOn: undefined, ClientReference: 'bill-2' }));
    await advanceTo(service, DAY_BEGINS);
    for (const id of [scheduled, paid])
      expect(await cancel(service, id)).toMatchObject({ status: 409, errors: [{ code: 'not_cancelable' }] });
    expect(await cancel(service, 'pay_unknown')).toMatchObject({ status: 404 });
  });
});

const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-charge-on-'));
afterAll(() => rmSync(folder, { recursive: true }));

describeOn(startEngines(() => join(folder, 'service.db')))('on %s', (_, newDatabase) => {
  it('R-95 either charges or cancels if the day has begun in another process', async () => {
    const { service, charges, startProcess } = await start({}, await newDatabase());
    const ids = await Promise.all(
      Array.from({ length: 8 }, (__, place) =>
        idOf(charge(service, { Amount: 1_000 + place, ClientReference: `bill-${place}` })),
      ),
    );
    const other = await startProcess();
    const [responses] = await Promise.all([
      // In this process, the day hasn't begun.
      Promise.all(ids.map((id) => cancel(service, id))),
      advanceTo(other, DAY_BEGINS),
    ]);
    await other.control.advance(86_400_000);
    const charged = charges.map(({ id }) => id);
    expect(new Set(charged).size).toBe(charged.length);
    const refused = ids.filter((__, place) => responses[place]?.status === 409);
    expect(new Set<unknown>(charged)).toEqual(new Set(refused));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(ids.length - charged.length);
  });
});
