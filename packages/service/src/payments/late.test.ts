/** charges that never arrived, because a process died or the processor was down. */
import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { advanceTo } from '../../test/advance-to.js';
import { describeOn, startEngines } from '../../test/engines.js';
import { config, CUSTOMER, SECRETS, SLUG } from '../../test/merchant.js';
import { asMerchant, BANK, open, query, type Payer } from '../../test/payer.js';
import type { PaymentProcessor } from '../processor/rules/port.js';
import type { PaymentPageSession, WalletPageSession } from '../shared/page.js';
import { startTestService, type OpenTestService } from '../start/test-service.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const ACCOUNT = { AccountNumber: '1001', SubAccountNumber: '' };

let service: OpenTestService;
afterEach(() => service.close());

const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-late-'));
afterAll(() => rmSync(folder, { recursive: true }));
const engines = startEngines(() => join(folder, `${randomUUID()}.db`));

describeOn(engines)('R-62 a charge that never arrived, on %s', (_, database) => {
  /** A processor that is down until the test says otherwise. */
  async function start(unit: Record<string, unknown> = {}, used?: string) {
    const path = used ?? (await database());
    const state = { isDown: true, charges: 0, found: 'never_seen' as 'never_seen' | 'succeeded' };
    const unlessDown = <T>(response: T): Promise<T> =>
      state.isDown ? Promise.reject(new Error('down')) : Promise.resolve(response);
    const processor: PaymentProcessor = {
      tokenize: async () => ({ token: 'tok', last4: '4242' }),
      charge: () => {
        if (!state.isDown) state.charges++;
        return unlessDown('succeeded');
      },
      lookup: () => unlessDown(state.found),
    };
    service = await startTestService({
      database: path,
      processor,
      config: {
        ...Object(config({ webhook: { url: 'http://127.0.0.1:9/', secrets: SECRETS }, ...unit })),
        email: { from: 'bills@water.example' },
      },
    });
    if (used === undefined) await advanceTo(service, '2027-03-01T12:00:00Z');
    return Object.assign(state, { path });
  }

  const outcomes = async () => {
    const { payments, webhooks, messages = [] } = await service.control.state(SLUG);
    return {
      payments: payments.map(({ status, reason }) => [status, reason]),
      webhooks: webhooks.map(({ type }) => type).filter((type) => /fail|succe|exec|expired/.test(type)),
      messages: messages.map(({ kind }) => kind),
    };
  };

  it('is sent within half an hour of the press of Pay', async () => {
    const state = await start();
    await (await open(service.fetch, 'payment')).pay();
    state.isDown = false;
    await service.control.advance(29 * MINUTE_MS);
    expect(state.charges).toBe(1);
    expect((await outcomes()).payments).toEqual([['succeeded', undefined]]);
  });

  it.each(['never_seen', 'succeeded'] as const)(
    'R-44 keeps other sessions from paying the account before a lookup says %s',
    async (found) => {
      const state = await start();
      state.found = found;
      const Charges = [{ Amount: 100, ClientAccount: { ...ACCOUNT, Name: 'Ada' } }];
      const charges = [{ index: 0, amount: 100 }];
      await (await open(service.fetch, 'payment', { Charges })).pay({ charges });
      const earlier = await open(service.fetch, 'payment', { Charges });
      await service.control.advance(20 * MINUTE_MS);
      expect(await earlier.get<PaymentPageSession>()).toMatchObject({ automaticPayment: true });
      await expect(earlier.pay({ charges })).rejects.toMatchObject({ errors: [{ code: 'conflict' }] });
      state.isDown = false;
      await service.control.advance(DAY_MS);
      await (await open(service.fetch, 'payment', { Charges })).pay({ charges });
      expect((await outcomes()).payments.map(([status]) => status)).toEqual([
        found === 'succeeded' ? 'succeeded' : 'declined',
        'succeeded',
      ]);
    },
  );

  it('is not sent later, and the payer and the merchant learn that', async () => {
    const state = await start();
    const page = await open(service.fetch, 'payment', CUSTOMER);
    await page.pay();
    for (let day = 0; day < 3; day++) await service.control.advance(DAY_MS);
    expect(await query(service.fetch, page.id)).toMatchObject({ Status: 'Processing' });
    state.isDown = false;
    await service.control.advance(DAY_MS);
    await service.control.advance(1_000);
    expect(state.charges).toBe(0);
    expect(await outcomes()).toEqual({
      payments: [['declined', 'too_late']],
      webhooks: ['payment.failed', 'session.expired'],
      messages: ['payment-failed'],
    });
    expect(await query(service.fetch, page.id)).toMatchObject({ Status: 'Expired' });
  });

  it('is not shown as a decline of the card', async () => {
    const state = await start();
    const page = await open(service.fetch, 'payment');
    const { attemptId } = await page.pay();
    await service.control.advance(DAY_MS);
    state.isDown = false;
    await service.control.advance(DAY_MS);
    expect((await outcomes()).payments).toEqual([['declined', 'too_late']]);
    const never = { status: 'never_seen', attemptId };
    expect(await page.get(`attempts/${attemptId}`)).toEqual(never);
    expect(await page.post(`attempts/${attemptId}/abandon`)).toEqual(never);
  });

  async function enroll(Balance?: number, DueDate?: string): Promise<Payer> {
    const ClientAccount = { ...ACCOUNT, Name: 'Ada', Balance, DueDate };
    const page = await open(service.fetch, 'autopay', { ClientAccount, SyncAccount: true });
    const { id: methodId } = await page.addMethod();
    await page.post('autopay/enroll', { methodId });
    return page;
  }

  it('R-44 keeps a session from paying that is older than the late success', async () => {
    const state = await start();
    state.found = 'succeeded';
    const Charges = [{ Amount: 100, ClientAccount: { ...ACCOUNT, Name: 'Ada' } }];
    const charges = [{ index: 0, amount: 100 }];
    await (await open(service.fetch, 'payment', { Charges })).pay({ charges });
    await service.control.advance(20 * MINUTE_MS);
    const older = await open(service.fetch, 'payment', { Charges });
    state.isDown = false;
    await service.control.advance(20 * MINUTE_MS);
    expect((await outcomes()).payments).toEqual([['succeeded', undefined]]);
    await expect(older.pay({ charges })).rejects.toMatchObject({ errors: [{ code: 'conflict' }] });
  });

  it('R-44 R-101 keeps such a session from paying if the late success needed a challenge', async () => {
    const state = await start();
    const processor = service.deps.processor!;
    const action = { url: 'https://challenges.gateway.example/3ds' };
    Object.assign(processor, { frameOrigins: ['https://challenges.gateway.example'] });
    const Charges = [{ Amount: 100, ClientAccount: { ...ACCOUNT, Name: 'Ada' } }];
    const charges = [{ index: 0, amount: 100 }];
    const page = await open(service.fetch, 'payment', { Charges });
    const { attemptId } = await page.pay({ charges });
    await service.control.advance(MINUTE_MS);
    const older = await open(service.fetch, 'payment', { Charges });
    processor.lookup = async () => ({ outcome: 'requires_action', action });
    await service.control.advance(5 * MINUTE_MS);
    expect(await page.get(`attempts/${attemptId}`)).toMatchObject({ status: 'requires_action' });
    state.isDown = false;
    processor.lookup = async () => 'succeeded';
    await page.post(`attempts/${attemptId}/returned`);
    expect((await outcomes()).payments).toEqual([['succeeded', undefined]]);
    await expect(older.pay({ charges })).rejects.toMatchObject({ errors: [{ code: 'conflict' }] });
  });

  it('R-57 keeps a session from scheduling the bill that is older than the late success', async () => {
    const state = await start();
    state.found = 'succeeded';
    const ClientAccount = { ...ACCOUNT, Name: 'Ada' };
    const Charges = [{ Amount: 100, ClientAccount }];
    await (await open(service.fetch, 'payment', { Charges })).pay({ charges: [{ index: 0, amount: 100 }] });
    await service.control.advance(20 * MINUTE_MS);
    const schedulePage = async () => {
      const page = await open(service.fetch, 'schedule-payment', { ClientAccount, SyncAccount: true });
      const { id: methodId } = await page.addMethod();
      return () => page.schedule({ amount: 100, date: '2027-03-20', methodId });
    };
    const scheduleInOlder = await schedulePage();
    state.isDown = false;
    await service.control.advance(20 * MINUTE_MS);
    expect((await outcomes()).payments).toEqual([['succeeded', undefined]]);
    const refused = { errors: [{ field: 'date', reason: 'paid_automatically' }] };
    await expect(scheduleInOlder()).rejects.toMatchObject(refused);
    await (
      await schedulePage()
    )();
  });

  it.each(['of AutoPay', 'of a press of Pay'])('R-57 %s: nothing is scheduled meanwhile', async (kind) => {
    const state = await start();
    if (kind === 'of AutoPay') await begin[kind]?.();
    else {
      const Charges = [{ Amount: 100, ClientAccount: { ...ACCOUNT, Name: 'Ada' } }];
      await (await open(service.fetch, 'payment', { Charges })).pay({ charges: [{ index: 0, amount: 100 }] });
    }
    const schedule = async () => {
      const ClientAccount = { ...ACCOUNT, Name: 'Ada' };
      const page = await open(service.fetch, 'schedule-payment', { ClientAccount, SyncAccount: true });
      const { id: methodId } = await page.addMethod();
      await page.schedule({ amount: 100, date: '2027-03-20', methodId });
    };
    const refused = { errors: [{ field: 'date', reason: 'paid_automatically' }] };
    await expect(schedule()).rejects.toMatchObject(refused);
    state.isDown = false;
    await service.control.advance(DAY_MS);
    await schedule();
  });

  it.each<[string, () => Promise<unknown>, string]>([
    [
      'another payment',
      () =>
        asMerchant(service.fetch, '/integrations/autopay/charge', {
          ...ACCOUNT,
          Amount: 100,
          ClientReference: 'ref-1',
        }),
      'bill_paid',
    ],
    ['a new bill', () => enroll(0, '2027-03-20'), 'bill_changed'],
  ])('R-44 is not sent once its account got %s', async (_, overtake, reason) => {
    const state = await start();
    await enroll(5_000, '2027-03-10');
    const Charges = [{ Amount: 100, ClientAccount: { ...ACCOUNT, Name: 'Ada' } }];
    await (await open(service.fetch, 'payment', { Charges })).pay({ charges: [{ index: 0, amount: 100 }] });
    await service.control.advance(20 * MINUTE_MS);
    state.isDown = false;
    await overtake();
    const charges = state.charges;
    await service.control.advance(9 * MINUTE_MS);
    expect(state.charges).toBe(charges);
    expect((await outcomes()).payments).toContainEqual(['declined', reason]);
  });

  it.each<[string, Record<string, number>, string]>([
    ['one of its accounts was paid otherwise', { '1002': 3_000 }, 'bill_changed'],
    ['its accounts were paid otherwise', { '1001': 5_000, '1002': 3_000 }, 'bill_paid'],
    ['a part of it was paid otherwise', { '1001': 4_999, '1002': 3_000 }, 'bill_changed'],
  ])('R-104 asks the payer to pay what is owed once %s', async (_, paid, reason) => {
    const state = await start();
    const bill = { ...ACCOUNT, Name: 'Ada', DueDate: '2027-03-20' };
    const accounts = [
      { ...bill, AccountNumber: '1001', Balance: 5_000 },
      { ...bill, AccountNumber: '1002', Balance: 3_000 },
    ];
    const amounts = accounts.map(({ Balance }, index) => ({ index, amount: Balance }));
    for (const ClientAccount of accounts) {
      const page = await open(service.fetch, 'autopay', { ClientAccount, SyncAccount: true });
      await page.post('autopay/enroll', { methodId: (await page.addMethod()).id });
    }
    const Charges = accounts.map((ClientAccount) => ({ Amount: ClientAccount.Balance, ClientAccount }));
    await (await open(service.fetch, 'payment', { ...CUSTOMER, Charges })).pay({ charges: amounts });
    await service.control.advance(20 * MINUTE_MS);
    state.isDown = false;
    for (const [AccountNumber, Amount] of Object.entries(paid)) {
      const charge = { ...ACCOUNT, AccountNumber, Amount, ClientReference: AccountNumber };
      await asMerchant(service.fetch, '/integrations/autopay/charge', charge);
    }
    await service.control.advance(9 * MINUTE_MS);
    const { payments, messages } = await outcomes();
    expect(payments).toContainEqual(['declined', reason]);
    expect(messages.includes('payment-failed')).toBe(reason === 'bill_changed');
  });

  it('R-104 does not ask a payer to pay again who has paid in another session meanwhile', async () => {
    const state = await start();
    state.isDown = false;
    let lose: ((error: Error) => void) | undefined;
    vi.spyOn(service.deps.processor!, 'charge').mockImplementationOnce(
      () => new Promise((_, reject) => (lose = reject)),
    );
    const Charges = [{ Amount: 100, ClientAccount: { ...ACCOUNT, Name: 'Ada' } }];
    const pay = async () => {
      const page = await open(service.fetch, 'payment', { ...CUSTOMER, Charges });
      return page.pay({ charges: [{ index: 0, amount: 100 }] });
    };
    const lost = pay();
    await expect.poll(() => lose).toBeDefined();
    await pay();
    lose?.(new Error('timeout'));
    await lost;
    await service.control.advance(9 * MINUTE_MS);
    const { payments, messages } = await outcomes();
    expect(payments).toContainEqual(['declined', 'bill_paid']);
    expect(messages).toEqual(['receipt']);
  });

  it('R-104 is not called paid while the other payment has no outcome', async () => {
    const state = await start();
    await enroll(5_000, '2027-03-20');
    const Charges = [{ Amount: 100, ClientAccount: { ...ACCOUNT, Name: 'Ada' } }];
    const page = await open(service.fetch, 'payment', { ...CUSTOMER, Charges });
    await page.pay({ charges: [{ index: 0, amount: 100 }] });
    state.isDown = false;
    const charge = { ...ACCOUNT, Amount: 100, ClientReference: 'ref-1', ChargeOn: '2027-03-10' };
    await asMerchant(service.fetch, '/integrations/autopay/charge', charge);
    await service.control.advance(20 * MINUTE_MS);
    expect(await query(service.fetch, page.id)).toMatchObject({ Status: 'Processing' });
    await service.control.advance(60 * MINUTE_MS);
    expect(state.charges).toBe(0);
    const { payments, messages } = await outcomes();
    expect(payments).toContainEqual(['declined', 'too_late']);
    expect(messages).toContain('payment-failed');
  });

  it.each<[string, (page: Payer) => Promise<unknown>, string]>([
    [
      'the merchant replaces its bill',
      () => {
        const ClientAccount = { ...ACCOUNT, Name: 'Ada', Balance: 3_000, DueDate: '2027-03-30' };
        return open(service.fetch, 'autopay', { ClientAccount, SyncAccount: true });
      },
      'bill_changed',
    ],
    ['the payer leaves AutoPay', (page) => page.post('autopay/unenroll'), 'autopay_ended'],
  ])('R-104 of AutoPay asks nobody to pay once %s', async (_, change, reason) => {
    const state = await start();
    await enroll(5_000, '2027-03-10');
    await advanceTo(service, '2027-03-10T12:00:00Z');
    await change(await open(service.fetch, 'autopay', { ClientAccount: ACCOUNT }));
    state.isDown = false;
    await service.control.advance(DAY_MS);
    const { payments, messages } = await outcomes();
    expect(payments).toEqual([['declined', reason]]);
    expect(messages).not.toContain('autopay-failed');
  });

  it('R-62 R-73 of AutoPay is sent by the current enrollment', async () => {
    const state = await start();
    await enroll(5_000, '2027-03-10');
    await advanceTo(service, '2027-03-10T12:00:00Z');
    const page = await open(service.fetch, 'autopay', { ClientAccount: ACCOUNT });
    await page.post('autopay/unenroll');
    const { id: methodId } = await page.addMethod(BANK);
    await page.post('autopay/enroll', { methodId, authorization: 'I agree.' });
    state.isDown = false;
    await service.control.advance(60 * MINUTE_MS);
    expect(state.charges).toBe(1);
    const [attempts, [enrolled]] = await service.deps.store.read((tx) =>
      Promise.all([tx.attempts.list(SLUG), tx.autopay.list(SLUG)]),
    );
    const { sessionId, authorizationId } = enrolled ?? {};
    expect(attempts).toMatchObject([
      { status: 'succeeded', source: { methodId }, sessionId, authorizationId },
    ]);
  });

  /** The first and the last three days late. */
  const begin: Record<string, () => Promise<unknown>> = {
    'of a scheduled payment': async () => {
      const page = await open(service.fetch, 'schedule-payment', {
        ClientAccount: { ...ACCOUNT, Name: 'Ada' },
        SyncAccount: true,
      });
      const { id: methodId } = await page.addMethod();
      await page.schedule({ amount: 100, date: '2027-03-10', methodId });
      await advanceTo(service, '2027-03-13T12:00:00Z');
    },
    'of the merchant’s AutoPay': async () => {
      await enroll();
      await advanceTo(service, '2027-03-13T12:00:00Z');
      const charge = { ...ACCOUNT, Amount: 100, ClientReference: 'ref-1' };
      await asMerchant(service.fetch, '/integrations/autopay/charge', charge);
    },
    'of AutoPay': async () => {
      await enroll(5_000, '2027-03-10');
      await advanceTo(service, '2027-03-13T12:00:00Z');
    },
  };

  it.each([
    ['of a scheduled payment', '2027-03-16T11:59:00Z', 1],
    ['of a scheduled payment', '2027-03-16T12:01:00Z', 0],
    ['of the merchant’s AutoPay', '2027-03-16T11:59:00Z', 1],
    ['of the merchant’s AutoPay', '2027-03-16T12:01:00Z', 0],
    ['of AutoPay', '2027-03-13T23:59:00Z', 1],
    ['of AutoPay', '2027-03-14T00:01:00Z', 0],
  ])('%s is sent at %s %i times', async (kind, time, calls) => {
    const state = await start();
    await begin[kind]?.();
    expect((await outcomes()).payments).toEqual([['pending', undefined]]);
    state.isDown = false;
    await advanceTo(service, time);
    expect(state.charges).toBe(calls);
    expect((await outcomes()).payments).toEqual([
      calls === 1 ? ['succeeded', undefined] : ['declined', 'too_late'],
    ]);
  });

  it('R-73 of the merchant’s AutoPay is not sent with a method that the payer has replaced', async () => {
    const state = await start();
    const ClientAccount = { ...ACCOUNT, Name: 'Ada' };
    const page = await open(service.fetch, 'autopay', { ClientAccount, SyncAccount: true });
    const { id: methodId } = await page.addMethod(BANK);
    await page.post('autopay/enroll', { methodId });
    const charge = { ...ACCOUNT, Amount: 100, ClientReference: 'ref-1' };
    await asMerchant(service.fetch, '/integrations/autopay/charge', charge);
    const { id: another } = await page.addMethod();
    await page.post('autopay/method', { methodId: another });
    state.isDown = false;
    await service.control.advance(10 * MINUTE_MS);
    expect((await outcomes()).payments).toEqual([['declined', 'method_changed']]);
    expect(state.charges).toBe(0);
  });

  it.each(Object.keys(begin))('R-65 %s is declined once its method is no longer accepted', async (kind) => {
    const state = await start();
    await begin[kind]?.();
    state.isDown = false;
    Object.assign(service.deps.config.businessUnits[0]!, { paymentMethods: ['ACH'] });
    await service.control.advance(10 * MINUTE_MS);
    expect((await outcomes()).payments).toEqual([['declined', 'method_not_accepted']]);
    const ClientAccount = { ...ACCOUNT, Name: 'Ada', Balance: 5_000, DueDate: '2027-03-10' };
    const page = await open(service.fetch, 'payment', { Charges: [{ Amount: 100, ClientAccount }] });
    expect((await page.get<PaymentPageSession>()).automaticPayment).toBeUndefined();
    const charges = [{ index: 0, amount: 100 }];
    expect(await page.pay({ source: BANK, charges })).toMatchObject({ status: 'succeeded' });
    expect(state.charges).toBe(1);
  });

  it.each(Object.keys(begin))(
    'R-106 %s has no outcome as long as lookups fail, so Pay waits',
    async (kind) => {
      const state = await start();
      await begin[kind]?.();
      await advanceTo(service, '2027-03-16T13:00:00Z');
      const Charges = [{ Amount: 100, ClientAccount: { ...ACCOUNT, Name: 'Ada' } }];
      const pay = async () =>
        (await open(service.fetch, 'payment', { Charges })).pay({ charges: [{ index: 0, amount: 100 }] });
      await expect(pay()).rejects.toMatchObject({ errors: [{ code: 'conflict' }] });
      state.isDown = false;
      await service.control.advance(60 * MINUTE_MS);
      expect((await outcomes()).payments).toEqual([['declined', 'too_late']]);
      expect(await pay()).toMatchObject({ status: 'succeeded' });
      expect(state.charges).toBe(1);
    },
  );

  it('R-65 is declined once its method is no longer accepted, and the payer can choose another', async () => {
    const state = await start();
    const page = await open(service.fetch, 'payment', CUSTOMER);
    const { attemptId } = await page.pay();
    state.isDown = false;
    Object.assign(service.deps.config.businessUnits[0]!, { paymentMethods: ['ACH'] });
    await service.control.advance(10 * MINUTE_MS);
    expect(await page.get(`attempts/${attemptId}`)).toEqual({ status: 'never_seen', attemptId });
    expect(await outcomes()).toMatchObject({
      payments: [['declined', 'method_not_accepted']],
      messages: ['payment-failed'],
    });
    expect(await page.pay({ source: BANK })).toMatchObject({ status: 'succeeded' });
    expect(state.charges).toBe(1);
  });

  it('R-65 of a scheduled payment is not sent with a method that the payer has removed since', async () => {
    const state = await start();
    await begin['of a scheduled payment']?.();
    const wallet = await open(service.fetch, 'wallet');
    const { savedMethods } = await wallet.get<WalletPageSession>();
    await wallet.post(`methods/${savedMethods[0]?.id}/remove`);
    state.isDown = false;
    await service.control.advance(DAY_MS);
    expect(state.charges).toBe(0);
    expect((await outcomes()).payments).toEqual([['declined', 'method_removed']]);
  });

  const obstacles: Record<string, () => unknown> = {
    'Credit Card is no longer accepted.': () =>
      Object.assign(service.deps.config.businessUnits[0]!, { paymentMethods: ['ACH'] }),
    'The bank does not allow this method to be charged again.': () =>
      service.deps.store.transaction(async (tx) => {
        for (const method of await tx.methods.list(SLUG))
          await tx.methods.update({ ...method, blocked: 'R10' });
      }),
    'The payment could not be sent.': () => service.control.advance(4 * DAY_MS),
  };

  it.each(Object.entries(obstacles))('of a scheduled payment is reported as "%s"', async (reason, meet) => {
    const state = await start();
    await begin['of a scheduled payment']?.();
    await meet();
    state.isDown = false;
    await service.control.advance(60 * MINUTE_MS);
    const schedules = await service.deps.store.read((tx) => tx.schedules.list(SLUG));
    expect(schedules).toMatchObject([{ status: 'failed', reason }]);
  });

  // The zones are 25 hours apart.
  it.each([
    ['Pacific/Pago_Pago', 'Pacific/Kiritimati', '2027-03-10T12:00:00Z', '2027-03-13T09:59:00Z', 1],
    ['Pacific/Pago_Pago', 'Pacific/Kiritimati', '2027-03-10T12:00:00Z', '2027-03-13T10:01:00Z', 0],
    ['Pacific/Pago_Pago', 'Pacific/Kiritimati', '2027-03-14T10:00:00Z', '2027-03-14T10:10:00Z', 0],
    ['Pacific/Kiritimati', 'Pacific/Pago_Pago', '2027-03-09T10:30:00Z', '2027-03-12T10:29:00Z', 1],
    ['Pacific/Kiritimati', 'Pacific/Pago_Pago', '2027-03-13T09:00:00Z', '2027-03-14T10:59:00Z', 1],
    ['Pacific/Kiritimati', 'Pacific/Pago_Pago', '2027-03-13T09:00:00Z', '2027-03-14T11:01:00Z', 0],
  ])(
    'R-95 R-106 of AutoPay keeps its due date if %s becomes %s: begun %s, at %s sent %i times',
    async (zone, newZone, begun, time, calls) => {
      const { path } = await start({ timeZone: zone });
      await enroll(5_000, '2027-03-10');
      await advanceTo(service, begun);
      expect((await outcomes()).payments).toEqual([['pending', undefined]]);
      await service.close();
      const state = await start({ timeZone: newZone }, path);
      state.isDown = false;
      await advanceTo(service, time);
      expect(state.charges).toBe(calls);
      expect((await outcomes()).payments).toEqual([
        calls === 1 ? ['succeeded', undefined] : ['declined', 'too_late'],
      ]);
    },
  );
});
