// Unusual payments, as seen in the books, on the payer's page and by the merchant's server.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { account, config, CUSTOMER, SECRETS, SLUG } from '../../../test/merchant.js';
import { BANK, CARD, DECLINED, open, query, refusal } from '../../../test/payer.js';
import type { Payer } from '../../../test/payer.js';
import { startReceiver } from '../../../test/receiver.js';
import type { Receiver } from '../../../test/receiver.js';
import type { LookupOutcome, PaymentProcessor } from '../../processor/rules/port.js';
import { beginScheduled } from '../../schedules/scheduling.js';
import { startTestService } from '../../start/test-service.js';
import type { OpenTestService } from '../../start/test-service.js';
import type {
  PaymentPageSession,
  SavedMethod,
  ScheduledPayment,
  SchedulePageSession,
} from '../../shared/page.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
let receiver: Receiver;
let service: OpenTestService;
const begin = async (
  businessUnit: Record<string, unknown> = {},
  processor?: PaymentProcessor,
): Promise<void> => {
  const webhook = { url: receiver.url, secrets: SECRETS };
  service = await startTestService({
    config: config({ webhook, ...businessUnit }),
    ...(processor && { processor }),
  });
};
const restart = async (...how: Parameters<typeof begin>): Promise<void> => {
  await service.close();
  await begin(...how);
};
beforeEach(async () => {
  receiver = await startReceiver();
  await begin();
});
afterEach(async () => {
  vi.useRealTimers();
  await service.close();
  await receiver.close();
});

const opened = (body: Record<string, unknown> = {}): Promise<Payer> => open(service.fetch, 'payment', body);
const state = () => service.control.state(SLUG);
/** Accepts every method and returns the test's answers. */
const answering = (charge: () => Promise<never>, lookup: () => LookupOutcome): PaymentProcessor => ({
  tokenize: async () => ({ token: 'tok', last4: '6789' }),
  charge,
  lookup: async () => lookup(),
});
const lost = (): Promise<never> => Promise.reject(new Error('lost'));
const pending = (async () => 'pending') as () => Promise<never>;

describe('R-33 R-59 the payment', () => {
  it('for a single account cannot be adjusted, even if adjustments are allowed', async () => {
    await restart({ allowAmountAdjustment: true });
    const page = await opened({ Charges: [{ Amount: 1_000, ...account('1', { Balance: 5_000 }) }] });
    expect((await page.get<PaymentPageSession>()).charges).toMatchObject([
      { selectable: false, adjustable: false, maxAmount: 1_000 },
    ]);
    const other = await refusal(page.pay({ charges: [{ index: 0, amount: 5_000 }] }));
    expect(other).toMatchObject({ status: 400, errors: [{ field: 'charges[0].amount' }] });
    expect((await state()).payments).toEqual([]);
  });

  it('for several accounts includes at least one of them', async () => {
    const Charges = ['1', '2'].map((number) => ({ Amount: 1_000, ...account(number) }));
    const page = await opened({ Charges });
    const none = await refusal(page.pay({ charges: [] }));
    expect(none).toMatchObject({ status: 400, errors: [{ field: 'charges' }] });
    expect((await state()).payments).toEqual([]);
    expect(await page.pay({ charges: [{ index: 1, amount: 1_000 }] })).toMatchObject({ status: 'succeeded' });
    expect(await query(service.fetch, page.id)).toMatchObject({
      Charges: [{ PaidAmount: 0 }, { PaidAmount: 1_000 }],
    });
  });

  it('R-72 with a lost response gets the time of its lookup as its receipt time', async () => {
    await restart(
      {},
      answering(lost, () => 'succeeded'),
    );
    const page = await opened();
    const attemptId = 'attempt-late';
    const pressedAt = service.deps.clock.now();
    expect(await page.pay({ attemptId })).toEqual({ status: 'processing', attemptId });
    await service.control.advance(HOUR_MS);
    const { receipt } = await page.get<{ receipt: { paidAt: string } }>(`attempts/${attemptId}`);
    expect(Date.parse(receipt.paidAt)).toBeGreaterThan(pressedAt + 10_000);
    expect(await query(service.fetch, page.id)).toMatchObject({ Payments: [{ Status: 'succeeded' }] });
  });

  it('R-64 keeps showing everything while a retry after a decline has no outcome', async () => {
    const charge = vi.fn<() => Promise<never>>(lost).mockResolvedValueOnce('declined' as never);
    await restart(
      {},
      answering(charge, () => 'pending'),
    );
    const page = await opened(CUSTOMER);
    expect(await page.pay()).toMatchObject({ status: 'declined' });
    expect(await page.pay({ attemptId: 'attempt-2' })).toMatchObject({ status: 'processing' });
    expect(await page.get()).toMatchObject({
      status: 'Processing',
      inFlight: 'attempt-2',
      attemptsLeft: 9,
      canSave: true,
      customer: { emailAddress: 'ada@example.com' },
    });
  });

  it('R-64 hides the customer once its session ends, even if its attempt has no outcome', async () => {
    await restart(
      {},
      answering(lost, () => 'pending'),
    );
    vi.useFakeTimers({ toFake: ['Date'] });
    const page = await opened(CUSTOMER);
    const endsAt = Date.parse((await page.get()).expiresAt);
    expect(await page.pay({ attemptId: 'attempt-1' })).toMatchObject({ status: 'processing' });
    vi.setSystemTime(endsAt - 1);
    expect(await page.get()).toMatchObject({ customer: { emailAddress: 'ada@example.com' } });
    vi.setSystemTime(endsAt);
    const after = await page.get();
    expect(after).toMatchObject({ status: 'Processing', inFlight: 'attempt-1' });
    expect(after).not.toHaveProperty('customer');
  });

  it('R-68 sends a message that names the request of the page', async () => {
    const page = await opened();
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const body = JSON.stringify({
      attemptId: 'attempt-1',
      source: CARD,
      saveMethod: false,
      charges: [{ index: 0, amount: 12_345 }],
      fields: {},
    });
    const headers = { 'content-type': 'application/json', traceparent };
    const response = await page.send('pay', { method: 'POST', body, headers });
    expect(await response.json()).toMatchObject({ ok: true, data: { status: 'succeeded' } });
    const messages = await service.deps.store.read((tx) => tx.outbox.list(SLUG));
    const requestId = response.headers.get('x-request-id');
    expect(messages).toMatchObject([{ type: 'payment.succeeded', requestId, traceparent }]);
  });

  it('R-29 R-55 reports fields of the successful attempt, not of the declined one', async () => {
    await restart({ paymentFields: [{ key: 'Invoice', label: 'Invoice', required: true }] });
    const page = await opened();
    await page.pay({ source: DECLINED, fields: { Invoice: 'first' } });
    const before = await query(service.fetch, page.id);
    expect(before).toMatchObject({ Status: 'RequiresPaymentSource', Payments: [{ Status: 'declined' }] });
    expect(before).not.toHaveProperty('PaymentFields');
    expect(before).toMatchObject({ Charges: [{ Amount: 12_345 }] });
    expect((before['Charges'] as object[])[0]).not.toHaveProperty('PaidAmount');
    await page.pay({ source: BANK, fields: { Invoice: 'second' } });
    const paid = { PaymentFields: { Invoice: 'second' }, Charges: [{ PaidAmount: 12_345 }] };
    expect(await query(service.fetch, page.id)).toMatchObject({ Status: 'Processing', ...paid });
    await service.control.advance(2 * DAY_MS);
    expect(await query(service.fetch, page.id)).toMatchObject({ Status: 'Succeeded', ...paid });
  });
});

describe('R-44 a bank payment that is pending', () => {
  it('saves its method and announces it once', async () => {
    const page = await opened(CUSTOMER);
    expect(await page.pay({ source: BANK, saveMethod: true })).toMatchObject({
      status: 'pending',
      savedMethod: { id: expect.any(String) },
    });
    await service.control.advance(2 * DAY_MS);
    // Messages of one instant are sent concurrently.
    expect(receiver.types().toSorted()).toEqual([
      'payment.pending',
      'payment.succeeded',
      'payment_method.added',
    ]);
    expect((await state()).paymentMethods).toHaveLength(1);
    const about = (type: string) => receiver.received.find(({ event }) => event.type === type)?.event.data;
    expect(about('payment_method.added')).toMatchObject({
      PaymentSessionIdentifier: page.id,
      PaymentMethod: { Last4: '6789' },
    });
    expect(about('payment.pending')).toMatchObject({ Payment: { Status: 'pending', Amount: 12_345 } });
  });

  it('counts as returned if the processor later declines it', async () => {
    await restart(
      {},
      answering(pending, () => 'declined'),
    );
    const page = await opened();
    expect(await page.pay({ source: BANK })).toMatchObject({ status: 'pending' });
    await service.control.advance(2 * DAY_MS);
    expect(await query(service.fetch, page.id)).toMatchObject({
      Status: 'Failed',
      Payments: [{ Status: 'returned' }],
    });
    expect(await refusal(page.pay())).toMatchObject({ status: 409 });
  });

  it('settles two days after the charge, even if a lookup found it after a lost response', async () => {
    const lookups: number[] = [];
    let outcome: LookupOutcome = 'pending';
    const from = Date.now();
    const lookup = (): LookupOutcome => {
      lookups.push(service.deps.clock.now() - from);
      return outcome;
    };
    await restart({}, answering(lost, lookup));
    const page = await opened(CUSTOMER);
    const inFlight = 'attempt-in-flight';
    expect(await page.get()).not.toHaveProperty('inFlight');
    expect(await page.pay({ attemptId: inFlight, source: BANK })).toMatchObject({ status: 'processing' });
    // Not finished yet, so it shows everything.
    expect(await page.get()).toMatchObject({ status: 'Processing', inFlight, canSave: true, customer: {} });
    await service.control.advance(12 * HOUR_MS);
    expect(await page.get()).not.toHaveProperty('inFlight');
    expect(await query(service.fetch, page.id)).toMatchObject({ Payments: [{ Status: 'pending' }] });
    const found = lookups.length;
    outcome = 'succeeded';
    await service.control.advance(35 * HOUR_MS);
    expect(lookups).toHaveLength(found);
    await service.control.advance(HOUR_MS);
    expect(await query(service.fetch, page.id)).toMatchObject({ Payments: [{ Status: 'succeeded' }] });
  });

  it('is looked up again after half its age if the first lookup comes after two days', async () => {
    let outcome: LookupOutcome | Error = new Error('down');
    const times: number[] = [];
    const processor = answering(lost, () => {
      times.push(service.deps.clock.now());
      if (outcome instanceof Error) throw outcome;
      return outcome;
    });
    await restart({}, processor);
    const page = await opened();
    await page.pay({ source: BANK });
    for (let hours = 0; hours < 60; hours++) await service.control.advance(HOUR_MS);
    outcome = 'pending';
    const before = times.length;
    for (let minutes = 0; times.length === before && minutes < 120; minutes += 10)
      await service.control.advance(600_000);
    expect(await query(service.fetch, page.id)).toMatchObject({ Payments: [{ Status: 'pending' }] });
    const [found, lookups] = [times.at(-1) ?? 0, times.length];
    await service.control.advance(0);
    await service.control.advance(found + 18 * HOUR_MS - service.deps.clock.now());
    expect(times.length).toBe(lookups);
    outcome = 'succeeded';
    for (let hours = 0; hours < 24; hours++) await service.control.advance(HOUR_MS);
    expect(await query(service.fetch, page.id)).toMatchObject({ Payments: [{ Status: 'succeeded' }] });
  });
});

describe('R-28 D-8 a saved method', () => {
  it('R-57 that is a card can be renewed even if the processor returns no fingerprint', async () => {
    await restart(
      {},
      answering(pending, () => 'pending'),
    );
    const wallet = await open(service.fetch, 'wallet');
    const { id } = await wallet.addMethod();
    const renewal = { requestId: 'request-2', source: { ...CARD, expiry: '01/36' }, renews: id };
    expect(await wallet.post('methods', renewal)).toMatchObject({ id, expiry: '01/36' });
    expect((await wallet.get<{ savedMethods: SavedMethod[] }>()).savedMethods).toHaveLength(1);
  });

  const savedBy = async (page: Payer, source: typeof BANK | typeof CARD): Promise<string> => {
    const paid = await page.pay({ source, saveMethod: true });
    return ('savedMethod' in paid && paid.savedMethod?.id) || '';
  };

  it('cannot pay if the session does not offer its kind', async () => {
    const savedMethodId = await savedBy(await opened(CUSTOMER), BANK);
    const page = await opened({ ...CUSTOMER, PaymentMethods: ['Credit Card'] });
    expect((await page.get<PaymentPageSession>()).savedMethods).toEqual([]);
    expect(await refusal(page.pay({ source: { savedMethodId } }))).toMatchObject({
      status: 400,
      errors: [{ field: 'source.savedMethodId', reason: 'method_not_offered' }],
    });
    expect((await state()).payments).toHaveLength(1);
  });

  it('is not saved again when it pays, even if the page asks for it', async () => {
    const savedMethodId = await savedBy(await opened(CUSTOMER), BANK);
    const page = await opened(CUSTOMER);
    const paid = await page.pay({ source: { savedMethodId }, saveMethod: true });
    expect(paid).toMatchObject({ status: 'pending' });
    expect(paid).not.toHaveProperty('savedMethod');
    expect((await state()).paymentMethods).toMatchObject([{ id: savedMethodId }]);
  });

  it('pays until it expires and is then rejected', async () => {
    const now = new Date(service.deps.clock.now());
    const expiry = `${String(now.getUTCMonth() + 1).padStart(2, '0')}/${String(now.getUTCFullYear()).slice(2)}`;
    const savedMethodId = await savedBy(await opened(CUSTOMER), { ...CARD, expiry });
    expect(await (await opened(CUSTOMER)).pay({ source: { savedMethodId } })).toMatchObject({
      status: 'succeeded',
    });
    await service.control.advance(32 * DAY_MS);
    const late = await opened(CUSTOMER);
    expect(await refusal(late.pay({ source: { savedMethodId } }))).toMatchObject({
      status: 400,
      errors: [{ field: 'source.savedMethodId', reason: 'card_expired' }],
    });
    expect((await state()).payments).toHaveLength(2);
  });

  it.each([7, {}, [], '', 'a\u0000', 'x'.repeat(101), 'pm_nobody'])(
    'is rejected if its ID is %j',
    async (savedMethodId) => {
      const page = await opened(CUSTOMER);
      const source = { savedMethodId } as { savedMethodId: string };
      expect(await refusal(page.pay({ source }))).toMatchObject({
        status: 400,
        errors: [{ field: 'source.savedMethodId', reason: 'method_removed' }],
      });
    },
  );

  it('cannot pay if it is removed concurrently', async () => {
    const page = await opened(CUSTOMER);
    const savedMethodId = await savedBy(page, CARD);
    const { store } = service.deps;
    const next = await opened(CUSTOMER);
    const started = vi.spyOn(store, 'transaction');
    // The wallet changes after the page was checked against it.
    started.mockImplementationOnce(async (work, options) => {
      const wallet = await open(service.fetch, 'wallet');
      started.mockRestore();
      await wallet.post(`methods/${savedMethodId}/remove`);
      return store.transaction(work, options);
    });
    expect(await refusal(next.pay({ source: { savedMethodId } }))).toMatchObject({
      status: 400,
      errors: [{ field: 'source.savedMethodId', reason: 'method_removed' }],
    });
    expect((await state()).payments).toHaveLength(1);
  });
});

describe('R-57 a scheduled payment', () => {
  const scheduled = async (page: Payer, change: Record<string, unknown> = {}): Promise<ScheduledPayment> => {
    const { earliest: date } = await page.get<SchedulePageSession>();
    const { id: methodId } = await page.addMethod();
    return page.schedule({ requestId: 'request-1', amount: 100, date, methodId, ...change });
  };
  const announced = (): string[] => receiver.types().filter((type) => type.startsWith('scheduled_payment.'));

  it('announces creation and cancellation once, however often either is requested', async () => {
    const page = await open(service.fetch, 'schedule-payment');
    const first = await scheduled(page);
    expect(await scheduled(page, { amount: 9_999 })).toEqual(first);
    const manage = await open(service.fetch, 'scheduled-payments');
    for (let times = 0; times < 3; times++)
      expect(await manage.post(`scheduled/${first.id}/cancel`)).toMatchObject({ status: 'canceled' });
    await service.control.advance(2 * DAY_MS);
    expect(announced().toSorted()).toEqual(['scheduled_payment.canceled', 'scheduled_payment.created']);
    const canceled = receiver.received.find(({ event }) => event.type === 'scheduled_payment.canceled');
    expect(canceled?.event.data).toMatchObject({
      ScheduledPayment: { Identifier: first.id, Amount: 100, Status: 'canceled' },
    });
  });

  it('can be canceled only until it starts', async () => {
    await restart(
      {},
      answering(pending, () => 'pending'),
    );
    const page = await open(service.fetch, 'schedule-payment');
    const { id } = await scheduled(page);
    await service.control.advance(DAY_MS);
    expect((await state()).scheduledPayments).toMatchObject([{ status: 'executing' }]);
    const manage = await open(service.fetch, 'scheduled-payments');
    expect(await refusal(manage.post(`scheduled/${id}/cancel`))).toMatchObject({
      status: 409,
      errors: [{ code: 'conflict', reason: 'payment_started' }],
    });
    expect((await state()).scheduledPayments).toMatchObject([{ status: 'executing' }]);
  });

  it('is announced with its payment and account when executed', async () => {
    const page = await open(service.fetch, 'schedule-payment');
    const { id } = await scheduled(page);
    await service.control.advance(DAY_MS);
    const executed = receiver.received.find(({ event }) => event.type === 'scheduled_payment.executed');
    expect(executed?.event.data).toMatchObject({
      ScheduledPayment: { Identifier: id, Amount: 100, Status: 'executed' },
      Payment: {
        Id: expect.stringMatching(/^pay_/) as string,
        Amount: 100,
        Status: 'succeeded',
        Last4: '4242',
      },
    });
    expect(executed?.event.data.Account).toEqual({ AccountNumber: '1001' });
  });

  it('starts once, on its day, unless it was canceled', async () => {
    const { store, newId } = service.deps;
    const page = await open(service.fetch, 'schedule-payment');
    const unit = { paymentMethods: ['Credit Card' as const], timeZone: 'UTC' };
    const begin = (id: string, now: number) =>
      store.transaction((tx) => beginScheduled(tx, id, unit, { now, newId, env: 'staging' }));
    const canceled = await scheduled(page, { requestId: 'request-2' });
    await (await open(service.fetch, 'scheduled-payments')).post(`scheduled/${canceled.id}/cancel`);
    const { id, date } = await scheduled(page);
    const day = Date.parse(date);
    expect(await begin(canceled.id, day)).toBeNull();
    expect(await begin(id, day - 1)).toBeNull();
    expect(await begin(id, day)).toMatchObject({ status: 'processing', amount: 100, scheduledId: id });
    expect(await begin(id, day)).toBeNull();
  });

  it('requires at least one cent and a date from tomorrow to a year from today', async () => {
    const page = await open(service.fetch, 'schedule-payment');
    const { earliest, latest } = await page.get<SchedulePageSession>();
    const day = (date: string, days: number) =>
      new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
    const today = new Date(service.deps.clock.now()).toISOString().slice(0, 10);
    expect([earliest, latest]).toEqual([day(today, 1), day(today, 365)]);
    // Between the two, but not a calendar date.
    const year = Number(earliest.slice(0, 4));
    const noDay = [`${year}-02-30`, `${year + 1}-02-30`].find((date) => date > earliest) ?? '';
    const { id: methodId } = await page.addMethod();
    const ask = (change: object) => page.schedule({ amount: 1, date: earliest, methodId, ...change });
    expect(await ask({})).toMatchObject({ amount: 1, date: earliest });
    expect(await ask({ date: latest })).toMatchObject({ date: latest });
    for (const [change, field] of [
      [{ amount: 0 }, 'amount'],
      [{ amount: Number.MAX_SAFE_INTEGER + 1 }, 'amount'],
      [{ date: day(latest, 1) }, 'date'],
      [{ date: day(earliest, -1) }, 'date'],
      [{ date: 20_300_101 }, 'date'],
      [{ date: noDay }, 'date'],
      [{ methodId: 7 }, 'methodId'],
    ] as const)
      expect(await refusal(ask(change))).toMatchObject({ status: 400, errors: [{ field }] });
    expect((await state()).scheduledPayments).toHaveLength(2);
  });
});

describe('R-57 notification preferences', () => {
  it('are announced only when they change', async () => {
    const page = await open(service.fetch, 'notifications');
    const { preferences } = await page.get<{ preferences: { kinds: Record<string, object> } }>();
    const chosen = { kinds: { ...preferences.kinds, autopay: { email: false, sms: false } } };
    expect(await page.post('notifications', chosen)).toEqual(chosen);
    expect(await page.post('notifications', chosen)).toEqual(chosen);
    await service.control.advance(0);
    expect(receiver.types()).toEqual(['notifications.changed']);
    expect(receiver.received[0]?.event.data).toMatchObject({
      Notifications: {
        Kinds: { autopay: { Email: false, Sms: false }, 'bill-ready': { Email: true, Sms: false } },
      },
    });
    expect(receiver.received[0]?.body).not.toContain('PhoneNumber');
  });

  it('need no phone number for e-mail alone, but reject an invalid one', async () => {
    const page = await open(service.fetch, 'notifications');
    const { preferences } = await page.get<{ preferences: { kinds: Record<string, object> } }>();
    const refused = await refusal(page.post('notifications', { ...preferences, phoneNumber: '12' }));
    expect(refused.errors.map(({ field }) => field)).toEqual(['phoneNumber']);
    expect(await page.post('notifications', { ...preferences, phoneNumber: ' ' })).toEqual(preferences);
    expect((await state()).notifications).toHaveLength(1);
    await page.post('notifications', { ...preferences, phoneNumber: '+15550100199' });
    await service.control.advance(0);
    expect(receiver.received.at(-1)?.event.data).toMatchObject({
      Notifications: { PhoneNumber: '+15550100199' },
    });
  });
});

describe('R-29 a field of the business unit’s own', () => {
  it('accepts up to 500 printable characters, and at least one if it is required', async () => {
    await restart({ paymentFields: [{ key: 'Invoice', label: 'Invoice', required: true }] });
    const page = await opened();
    for (const Invoice of ['', '  ', '\u200b\u3164', 'x'.repeat(501), 'a\u0007', 7 as never])
      expect(await refusal(page.pay({ fields: { Invoice } }))).toMatchObject({
        status: 400,
        errors: [{ field: 'fields.Invoice', message: expect.stringMatching(/\w/) as string }],
      });
    const paid = await (await opened(CUSTOMER)).pay({ saveMethod: true, fields: { Invoice: '1' } });
    const savedMethodId = ('savedMethod' in paid && paid.savedMethod?.id) || '';
    const own = { source: { savedMethodId }, fields: { Invoice: 'No. ٤٢٤٢ 4242 4242 4242' } };
    expect(await refusal((await opened(CUSTOMER)).pay(own))).toMatchObject({
      errors: [{ field: 'fields.Invoice', message: expect.stringContaining('number of your card') }],
    });
    const Invoice = 'x'.repeat(500);
    expect(await page.pay({ fields: { Invoice } })).toMatchObject({ status: 'succeeded' });
    expect(await query(service.fetch, page.id)).toMatchObject({ PaymentFields: { Invoice } });
  });
});

it('R-57 saves the method of a payment, even if a page has sent the id of the payment as its own', async () => {
  await restart(
    {},
    answering(lost, () => 'succeeded'),
  );
  const page = await opened(CUSTOMER);
  await page.pay({ saveMethod: true });
  const { Payments } = await query<{ Payments: { Id: string }[] }>(service.fetch, page.id);
  const wallet = await open(service.fetch, 'wallet');
  const source = { ...CARD, name: 'Grace Hopper' };
  await wallet.post('methods', { requestId: Payments[0]?.Id, source, makeDefault: false });
  await service.control.advance(60_000);
  expect((await state()).payments).toMatchObject([{ status: 'succeeded' }]);
  expect((await wallet.get<{ savedMethods: SavedMethod[] }>()).savedMethods).toHaveLength(2);
});

describe('R-57 a method that a bank has closed', () => {
  it('is not charged again, whether its return code is upper or lower case', async () => {
    const processor = answering(pending, () => 'returned');
    processor.lookup = async () => ({ outcome: 'returned', reason: 'r02 Ada Byron' });
    await restart({}, processor);
    const page = await opened(CUSTOMER);
    const paid = await page.pay({ source: BANK, saveMethod: true });
    const savedMethodId = ('savedMethod' in paid && paid.savedMethod?.id) || '';
    await service.control.advance(2 * DAY_MS);
    const next = await opened(CUSTOMER);
    expect(await refusal(next.pay({ source: { savedMethodId } }))).toMatchObject({
      status: 400,
      errors: [{ field: 'source.savedMethodId' }],
    });
    const wallet = await open(service.fetch, 'wallet');
    const { savedMethods } = await wallet.get<{ savedMethods: SavedMethod[] }>();
    expect(savedMethods).toMatchObject([{ id: savedMethodId, blocked: 'R02' }]);
  });

  it('does not include a method with one return for insufficient funds', async () => {
    const processor = answering(pending, () => 'returned');
    processor.lookup = async () => ({ outcome: 'returned', reason: 'R01' });
    await restart({}, processor);
    const paid = await (await opened(CUSTOMER)).pay({ source: BANK, saveMethod: true });
    const savedMethodId = ('savedMethod' in paid && paid.savedMethod?.id) || '';
    await service.control.advance(2 * DAY_MS);
    expect((await state()).payments).toMatchObject([{ status: 'returned', reason: 'R01' }]);
    expect(await (await opened(CUSTOMER)).pay({ source: { savedMethodId } })).toMatchObject({
      status: 'pending',
    });
    // A declined payment can't be returned, whatever its reason code.
    processor.charge = async () => ({ outcome: 'declined', reason: 'R03' });
    for (let times = 0; times < 2; times++)
      expect(await (await opened(CUSTOMER)).pay({ source: { savedMethodId } })).toMatchObject({
        status: 'declined',
      });
  });
});
