import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { advanceTo } from '../../../test/advance-to.js';
import { API_KEY, config, SLUG } from '../../../test/merchant.js';
import { BANK, CARD, open, refusal, sendSlowly } from '../../../test/payer.js';
import type { Payer } from '../../../test/payer.js';
import type { PaymentProcessor } from '../../processor/rules/port.js';
import type { StoreTx } from '../../core/store.js';
import { cancelSession } from '../../sessions/cancel.js';
import type { Method } from '../../wallet/rules.js';
import { startTestService } from '../../start/test-service.js';
import type { OpenTestService } from '../../start/test-service.js';
import type {
  AutopayEnrollment,
  AutopayPageSession,
  Preferences,
  SavedMethod,
  ScheduledPayment,
  SchedulePageSession,
  WalletPageSession,
} from '../../shared/page.js';
import { HANDLERS } from './handlers.js';
import { CHANGES, OUTCOMES, READS } from './routes.js';

const DAY_MS = 86_400_000;

/** A flow for each change of a management session. */
const FLOW_OF: Readonly<Record<string, Parameters<typeof open>[1]>> = {
  methods: 'wallet',
  'methods/:methodId/default': 'wallet',
  'methods/:methodId/name': 'wallet',
  'methods/:methodId/expiry': 'wallet',
  'methods/:methodId/remove': 'wallet',
  'autopay/enroll': 'autopay',
  'autopay/method': 'autopay',
  'autopay/unenroll': 'autopay',
  paperless: 'paperless',
  schedule: 'schedule-payment',
  'scheduled/:scheduledId/cancel': 'scheduled-payments',
  notifications: 'notifications',
  done: 'wallet',
};

let service: OpenTestService;
beforeEach(async () => {
  service = await startTestService({ config: config() });
});
afterEach(() => service.close());

const opened = (flow: Parameters<typeof open>[1], body: Record<string, unknown> = {}): Promise<Payer> =>
  open(service.fetch, flow, body);
const as = (EmailAddress: string) => ({ ClientUser: { EmailAddress } });
/** Saves more bank accounts with the same last four digits. */
const saveLike = ({ id }: SavedMethod, count: number): Promise<void> =>
  service.deps.store.transaction(async (tx) => {
    const method = await tx.methods.get(id);
    for (let saved = 0; saved < count; saved++)
      await tx.methods.insert({
        ...method!,
        id: randomUUID(),
        requestId: randomUUID(),
        fingerprint: randomUUID(),
      });
  });
const state = () => service.control.state(SLUG);
const tomorrow = async (page: Payer): Promise<string> => (await page.get<SchedulePageSession>()).earliest;

describe('R-57 wallet', () => {
  it('adds, lists, sets as default and removes payment methods', async () => {
    const page = await opened('wallet');
    const card = await page.addMethod();
    const bank = await page.addMethod(BANK);
    expect(card).toMatchObject({
      method: 'Credit Card',
      brand: 'Visa',
      last4: '4242',
      expiry: '12/34',
      isDefault: true,
    });
    expect(bank).toMatchObject({ method: 'ACH', last4: '6789', isDefault: false, usedBy: [] });
    expect(await page.post(`methods/${bank.id}/default`)).toMatchObject([
      { isDefault: false },
      { isDefault: true },
    ]);
    expect(await page.post(`methods/${bank.id}/remove`)).toMatchObject([{ id: card.id, isDefault: true }]);
    expect(await page.post(`methods/${bank.id}/remove`)).toHaveLength(1);
    expect(await refusal(page.post(`methods/${bank.id}/default`))).toMatchObject({ status: 404 });
    expect((await state()).paymentMethods).toEqual([
      { id: card.id, EmailAddress: 'ada@example.com', method: 'Credit Card', last4: '4242' },
    ]);
  });

  it('updates a card or bank account that is added twice, and announces it once', async () => {
    const page = await opened('wallet');
    const first = await page.addMethod();
    const account = await page.addMethod(BANK);
    const retyped = { ...BANK, accountNumber: ' 0001-2345 6789' };
    expect(await page.addMethod(retyped)).toMatchObject({ id: account.id });
    const again = await Promise.all([
      page.addMethod({ ...CARD, expiry: '11/35', name: 'Ada King' }),
      page.addMethod({ ...CARD, expiry: '11/35', name: 'Ada King' }),
    ]);
    for (const each of again) expect(each).toMatchObject({ id: first.id, expiry: '11/35', isDefault: true });
    const payment = await opened('payment', as('ada@example.com'));
    expect(await payment.pay({ saveMethod: true })).toMatchObject({ savedMethod: { id: first.id } });
    expect(
      (await page.get<WalletPageSession>()).savedMethods.map(({ last4, holder }) => [last4, holder]),
    ).toEqual([
      ['4242', 'Ada Byron'],
      ['6789', 'Ada Byron'],
    ]);
    const bank = await page.post<SavedMethod>('methods', {
      requestId: randomUUID(),
      source: { ...BANK, accountNumber: '000222222227' },
      makeDefault: true,
    });
    expect(bank).toMatchObject({ isDefault: true });
    // Paying doesn't change the default, with a saved or a new card.
    for (const source of [CARD, { ...CARD, cardNumber: '5555555555554444' }])
      await (await opened('payment', as('ada@example.com'))).pay({ source, saveMethod: true });
    const { savedMethods } = await page.get<WalletPageSession>();
    expect(savedMethods.map(({ id, isDefault }) => isDefault && id)).toEqual([false, false, bank.id, false]);
    const chosen = { requestId: randomUUID(), source: CARD, makeDefault: true };
    expect(await page.post('methods', chosen)).toMatchObject({ id: first.id, isDefault: true });
    const added = (await state()).webhooks.filter(({ type }) => type === 'payment_method.added');
    expect(added).toHaveLength(4);
  });

  it('renews a card for everything that uses it, and rejects a different card', async () => {
    const autopay = await opened('autopay');
    const card = await autopay.addMethod();
    await autopay.post('autopay/enroll', { methodId: card.id });
    const page = await opened('wallet', as('ada@example.com'));
    const renew = (source: object, renews = card.id) =>
      page.post<SavedMethod>('methods', { requestId: randomUUID(), source, makeDefault: false, renews });
    expect(await renew({ ...CARD, expiry: '01/36' })).toMatchObject({ id: card.id, expiry: '01/36' });
    expect(await autopay.get()).toMatchObject({ enrollment: { method: { id: card.id, expiry: '01/36' } } });
    expect(await refusal(renew({ ...CARD, cardNumber: '5555555555554444' }))).toMatchObject({
      status: 400,
      errors: [{ code: 'invalid', field: 'source.cardNumber' }],
    });
    expect(await refusal(renew(CARD, 'pm_nobody'))).toMatchObject({
      status: 400,
      errors: [{ field: 'renews' }],
    });
    expect((await page.get<WalletPageSession>()).savedMethods).toHaveLength(1);
  });

  it('edits the expiry date of a card for everything that uses it', async () => {
    const autopay = await opened('autopay');
    const card = await autopay.addMethod();
    await autopay.post('autopay/enroll', { methodId: card.id });
    const update = vi.spyOn(service.deps.processor as Required<PaymentProcessor>, 'updateExpiry');
    const page = await opened('wallet', as('ada@example.com'));
    expect(await page.get()).toMatchObject({ editsExpiry: true });
    const edit = (expiry: unknown, id = card.id) =>
      page.post<SavedMethod[]>(`methods/${id}/expiry`, { expiry });
    for (let sent = 0; sent < 2; sent++)
      expect(await edit('01/36')).toMatchObject([{ id: card.id, expiry: '01/36', isDefault: true }]);
    expect(update.mock.calls[0]).toMatchObject([
      'test_card-succeeded',
      '01/36',
      { businessUnit: SLUG, method: 'Credit Card', initiator: 'payer' },
    ]);
    expect(await autopay.get()).toMatchObject({ enrollment: { method: { id: card.id, expiry: '01/36' } } });
    expect((await state()).webhooks.filter(({ type }) => type === 'payment_method.added')).toHaveLength(1);

    for (const wrong of ['01/20', '13/36', '2036', undefined])
      expect(await refusal(edit(wrong))).toMatchObject({ status: 400, errors: [{ field: 'expiry' }] });
    const bank = await page.addMethod(BANK);
    for (const id of [bank.id, 'pm_nobody'])
      expect(await refusal(edit('01/36', id))).toMatchObject({ status: 404 });
    const stranger = await opened('wallet', as('other@example.com'));
    expect(await refusal(stranger.post(`methods/${card.id}/expiry`, { expiry: '01/36' }))).toMatchObject({
      status: 404,
    });
    expect(update).toHaveBeenCalledTimes(2);
  });

  it.each([
    [
      'refuses it',
      Object.assign(new Error('Too far away.'), { code: 'source_refused' }),
      400,
      'Too far away.',
    ],
    [
      'fails',
      new Error('4242424242424242'),
      503,
      'We don’t know whether the expiry date was changed. Try again in a moment.',
    ],
  ])('keeps the expiry date if the processor %s', async (_, error, status, message) => {
    const page = await opened('wallet');
    const { id } = await page.addMethod();
    vi.spyOn(service.deps.processor as Required<PaymentProcessor>, 'updateExpiry').mockRejectedValue(error);
    expect(await refusal(page.post(`methods/${id}/expiry`, { expiry: '01/36' }))).toMatchObject({
      status,
      errors: [{ message }],
    });
    expect(await page.get()).toMatchObject({ savedMethods: [{ expiry: '12/34' }] });
  });

  it('keeps the expiry date of a card that was entered again or removed in the meantime', async () => {
    const page = await opened('wallet');
    const { id } = await page.addMethod();
    const changes = [
      (tx: StoreTx, method: Method) => tx.methods.update({ ...method, token: 'tok_new', expiry: '02/40' }),
      (tx: StoreTx, method: Method) => tx.methods.update({ ...method, removedAt: 1 }),
    ];
    vi.spyOn(service.deps.processor as Required<PaymentProcessor>, 'updateExpiry').mockImplementation(
      async () => {
        const change = changes.shift();
        await service.deps.store.transaction(async (tx) =>
          change?.(tx, (await tx.methods.get(id)) as Method),
        );
      },
    );
    const edit = () => page.post<SavedMethod[]>(`methods/${id}/expiry`, { expiry: '01/36' });
    expect(await edit()).toMatchObject([{ id, expiry: '02/40' }]);
    expect(await refusal(edit())).toMatchObject({ status: 404 });
  });

  it('offers no new expiry date alone if the processor can’t change it', async () => {
    delete service.deps.processor?.updateExpiry;
    const page = await opened('wallet');
    const { id } = await page.addMethod();
    expect(await page.get()).not.toHaveProperty('editsExpiry');
    expect(await refusal(page.post(`methods/${id}/expiry`, { expiry: '01/36' }))).toMatchObject({
      status: 503,
      errors: [{ code: 'payments_unavailable' }],
    });
  });

  it('rejects a different card with the same last digits as a renewal', async () => {
    const processor = {
      tokenize: async ({ cardNumber }: { cardNumber: string }) => ({
        token: `tok_${cardNumber.slice(-4)}`,
        last4: cardNumber.slice(-4),
        brand: 'Visa',
        fingerprint: cardNumber.slice(0, 4),
      }),
    } as unknown as PaymentProcessor;
    const other = await startTestService({ config: config(), processor });
    const page = await open(other.fetch, 'wallet');
    const { id: renews } = await page.addMethod();
    const add = (cardNumber: string) =>
      page.post('methods', { requestId: randomUUID(), source: { ...CARD, cardNumber }, renews });
    expect(await refusal(add('4111111100024242'))).toMatchObject({
      errors: [{ field: 'source.cardNumber' }],
    });
    expect(await add('4242424242424242')).toMatchObject({ id: renews });
    await other.close();
  });

  it.each(['autopay', 'schedule-payment'] as const)(
    'R-57 a %s link adds a method, but neither sets the default nor renews a card',
    async (flow) => {
      const wallet = await opened('wallet');
      const first = await wallet.addMethod();
      const page = await opened(flow, as('ada@example.com'));
      const add = (source: object, renews?: string) =>
        page.post<SavedMethod>('methods', { requestId: randomUUID(), source, makeDefault: true, renews });
      expect(await add(BANK)).toMatchObject({ last4: '6789', isDefault: false });
      const other = { ...CARD, cardNumber: '5555555555554444' };
      expect(await add(other, first.id)).toMatchObject({ last4: '4444', isDefault: false });
      const { savedMethods } = await wallet.get<WalletPageSession>();
      expect(savedMethods.map(({ id, isDefault }) => isDefault && id)).toEqual([first.id, false, false]);
    },
  );

  it('keeps the nickname of a method until the payer clears it', async () => {
    const page = await opened('wallet');
    const { id } = await page.addMethod();
    expect(await page.post(`methods/${id}/name`, { name: '  Groceries ' })).toMatchObject([
      { name: 'Groceries' },
    ]);
    const payment = await opened('payment', as('ada@example.com'));
    expect(await payment.get()).toMatchObject({ savedMethods: [{ id, name: 'Groceries' }] });
    const long = 'x'.repeat(40);
    expect(await page.post(`methods/${id}/name`, { name: long })).toMatchObject([{ name: long }]);
    for (const name of ['x'.repeat(41), 'a\u0000b', '4242.4242 4242-4242', 7, undefined])
      expect(await refusal(page.post(`methods/${id}/name`, { name }))).toMatchObject({
        status: 400,
        errors: [{ field: 'name' }],
      });
    const other = await opened('wallet', as('eve@example.com'));
    expect(await refusal(other.post(`methods/${id}/name`, { name: 'Mine' }))).toMatchObject({ status: 404 });
    const [unnamed] = await page.post<SavedMethod[]>(`methods/${id}/name`, { name: '' });
    expect(unnamed).not.toHaveProperty('name');
  });

  it('R-93 refuses a nickname that contains the number of the account', async () => {
    const page = await opened('wallet');
    const { id } = await page.addMethod({ ...BANK, accountNumber: '000123456789' });
    for (const name of ['000123456789', 'My 1234 5678-9', '123456789 joint'])
      expect(await refusal(page.post(`methods/${id}/name`, { name }))).toMatchObject({
        status: 400,
        errors: [{ field: 'name' }],
      });
    expect(await page.post(`methods/${id}/name`, { name: 'Checking 6789' })).toMatchObject([
      { name: 'Checking 6789' },
    ]);
  });

  it('adds one method per request ID, and makes it the default on request', async () => {
    const page = await opened('wallet');
    await page.addMethod();
    const body = { requestId: randomUUID(), source: BANK, makeDefault: true, renews: 7 };
    const tokenize = vi.spyOn(service.deps.processor as PaymentProcessor, 'tokenize');
    const added = await page.post<SavedMethod>('methods', body);
    expect(added).toMatchObject({ last4: '6789', isDefault: true });
    expect(await page.post('methods', { ...body, source: CARD })).toEqual(added);
    expect(tokenize).toHaveBeenCalledOnce();
    expect((await page.get<WalletPageSession>()).savedMethods).toMatchObject([
      { last4: '4242', isDefault: false },
      { last4: '6789', isDefault: true },
    ]);
    // Adding and removing other methods doesn't change the default.
    const other = await page.addMethod({ ...CARD, cardNumber: '5555555555554444' });
    const defaults = async () =>
      (await page.get<WalletPageSession>()).savedMethods.map(({ isDefault }) => isDefault);
    expect(await defaults()).toEqual([false, true, false]);
    await page.post(`methods/${other.id}/remove`);
    expect(await defaults()).toEqual([false, true]);
    // Repeating the request after removal doesn't restore it.
    await page.post(`methods/${added.id}/remove`);
    expect(await refusal(page.post('methods', body))).toMatchObject({
      status: 404,
      errors: [{ code: 'not_found', message: 'This payment method was removed.' }],
    });
    expect(await defaults()).toHaveLength(1);
  });

  it.each([
    ['a card', CARD],
    ['a bank account', BANK],
  ])(
    'adds one method for 20 concurrent requests with one ID, with one announcement and one default: %s',
    async (_, source) => {
      const page = await opened('wallet');
      const body = { requestId: randomUUID(), source, makeDefault: true };
      const added = await Promise.all(
        Array.from({ length: 20 }, () => page.post<SavedMethod>('methods', body)),
      );
      expect(new Set(added.map(({ id }) => id)).size).toBe(1);
      const announced = (await state()).webhooks.filter(({ type }) => type === 'payment_method.added');
      expect(announced).toHaveLength(1);
      await Promise.all(Array.from({ length: 5 }, () => page.addMethod(source)));
      expect(await page.get()).toMatchObject({ savedMethods: [{ isDefault: true }] });
    },
  );

  it('rejects a 21st method with advice, while a payment succeeds without saving it', async () => {
    const page = await opened('wallet');
    const other = { ...CARD, cardNumber: '5555555555554444' };
    const account = (accountNumber: string) => ({ ...BANK, accountNumber });
    const first = await page.addMethod();
    await saveLike(await page.addMethod(BANK), 17);
    const last = await Promise.allSettled(
      ['000111111113', '000111111116'].map((number) => page.addMethod(account(number))),
    );
    expect(last.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(last.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { status: 409, errors: [{ reason: 'wallet_full' }] },
    });
    const tokenize = vi.spyOn(service.deps.processor as PaymentProcessor, 'tokenize');
    // A bank account with the same last four digits doesn't make a card count as saved.
    for (const source of [other, account('000222222227'), { ...CARD, cardNumber: '4000000000066789' }])
      expect(await refusal(page.addMethod(source))).toMatchObject({
        status: 409,
        message: expect.stringContaining('Delete one to add another'),
        errors: [{ code: 'conflict', reason: 'wallet_full' }],
      });
    expect(tokenize).not.toHaveBeenCalled();
    tokenize.mockRestore();
    const payment = await opened('payment', as('ada@example.com'));
    expect(await payment.get()).toMatchObject({ canSave: false });
    const paid = await payment.pay({ source: other, saveMethod: true });
    expect(paid.status).toBe('succeeded');
    expect(paid).not.toHaveProperty('savedMethod');
    expect((await state()).paymentMethods).toHaveLength(20);
    const renewed = { requestId: randomUUID(), source: { ...CARD, expiry: '01/36' }, renews: first.id };
    expect(await page.post('methods', renewed)).toMatchObject({ id: first.id, expiry: '01/36' });
    const anothers = { ...renewed, requestId: randomUUID(), source: other };
    expect(await refusal(page.post('methods', anothers))).toMatchObject({
      status: 400,
      errors: [{ field: 'source.cardNumber' }],
    });
    await page.post(`methods/${first.id}/remove`);
    expect(await page.addMethod()).toMatchObject({ last4: '4242' });
  });

  it.each(['wallet', 'autopay'] as const)('R-57 updates a method in a full wallet: %s', async (flow) => {
    const page = await opened(flow);
    const { id } = await page.addMethod();
    const account = await page.addMethod(BANK);
    await saveLike(account, 18);
    const again = { ...CARD, expiry: '11/35', name: 'Ada King' };
    expect(await page.addMethod(again)).toMatchObject({ id, expiry: '11/35' });
    expect(await page.addMethod({ ...BANK, holder: 'Ada King' })).toMatchObject({
      id: account.id,
      holder: 'Ada King',
    });
    if (flow === 'autopay') await page.post('autopay/enroll', { methodId: id });
    const { savedMethods } = await page.get<WalletPageSession>();
    expect(savedMethods).toHaveLength(20);
    const payment = await opened('payment', as('ada@example.com'));
    const source = { ...CARD, expiry: '10/36' };
    expect(await payment.pay({ source, saveMethod: true })).toMatchObject({
      status: 'succeeded',
      savedMethod: { id },
    });
    const { savedMethods: updated } = await page.get<WalletPageSession>();
    expect(updated).toHaveLength(20);
    expect(updated.find((method) => method.id === id)).toMatchObject({ expiry: '10/36' });
  });

  it('tokenizes at most 60 new methods per session, whatever the outcome', async () => {
    const page = await opened('wallet');
    const processor = service.deps.processor as PaymentProcessor;
    const tokenize = vi.spyOn(processor, 'tokenize');
    for (let tried = 0; tried < 58; tried++) {
      const wrong = tried % 2 === 0 ? { ...CARD, cardNumber: '4000056655665556' } : BANK;
      if (tried % 2 === 0) await refusal(page.addMethod(wrong));
      else await page.post(`methods/${(await page.addMethod(wrong)).id}/remove`);
    }
    const rest = await Promise.allSettled(Array.from({ length: 5 }, () => page.addMethod()));
    expect(rest.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(tokenize).toHaveBeenCalledTimes(60);
    expect(await refusal(page.addMethod())).toMatchObject({
      status: 409,
      message: expect.stringContaining('start again'),
      errors: [{ code: 'too_many_attempts' }],
    });
    // Saved methods still work, and another session has its own limit.
    expect(await (await opened('wallet')).addMethod()).toMatchObject({ last4: '4242' });
  });

  it('counts new methods with the id of a scheduled payment that was made', async () => {
    await advanceTo(service, '2027-03-12T23:50:00Z');
    const page = await opened('schedule-payment');
    const { id: methodId } = await page.addMethod();
    const { id: requestId } = await page.schedule({ amount: 100, date: '2027-03-13', methodId });
    await advanceTo(service, '2027-03-13T00:05:00Z');
    expect((await state()).payments).toMatchObject([{ status: 'succeeded' }]);
    vi.spyOn(service.deps.processor as PaymentProcessor, 'tokenize').mockRejectedValue(new Error('down'));
    const tries = await Promise.allSettled(
      Array.from({ length: 60 }, () => page.post('methods', { requestId, source: CARD })),
    );
    const codes = tries.map((tried) => tried.status === 'rejected' && tried.reason.errors[0].code);
    expect(codes.filter((code) => code === 'too_many_attempts')).toHaveLength(1);
  });

  it('is visible only to its customer', async () => {
    const mine = await opened('wallet');
    const theirs = await opened('wallet', as('eve@example.com'));
    const { id } = await mine.addMethod();
    expect(await theirs.get()).toMatchObject({ savedMethods: [] });
    expect(await refusal(theirs.post(`methods/${id}/remove`))).toMatchObject({ status: 404 });
    expect(await refusal(theirs.post(`methods/${id}/default`))).toMatchObject({ status: 404 });
    expect(await refusal(theirs.post('methods/pm_nobody/remove'))).toMatchObject({ status: 404 });
    expect(await mine.get()).toMatchObject({ savedMethods: [{ id }] });
  });

  it.each(['paperless', 'notifications', 'scheduled-payments'] as const)(
    'R-57 a link to %s neither returns nor changes saved methods',
    async (flow) => {
      const { id } = await (await opened('wallet')).addMethod();
      const page = await opened(flow);
      const session = await page.get();
      for (const name of ['methods', 'savedMethods', 'unavailable']) expect(session).not.toHaveProperty(name);
      const other = { status: 404, message: expect.stringContaining('another flow') };
      expect(await refusal(page.addMethod())).toMatchObject(other);
      for (const what of ['default', 'remove', 'name'])
        expect(await refusal(page.post(`methods/${id}/${what}`))).toMatchObject(other);
    },
  );

  it.each(['autopay', 'schedule-payment'] as const)(
    'R-57 a link to %s can add a method but not remove one',
    async (flow) => {
      const page = await opened(flow);
      const { id } = await page.addMethod();
      expect(await page.get()).toMatchObject({ savedMethods: [{ id }] });
      for (const what of ['default', 'remove', 'name'])
        expect(await refusal(page.post(`methods/${id}/${what}`))).toMatchObject({ status: 404 });
    },
  );

  it('reports every problem of a new method and stores nothing', async () => {
    const page = await opened('wallet');
    const wrong = await refusal(page.addMethod({ ...CARD, cardNumber: '1', securityCode: 'x' }));
    expect(wrong.errors.map(({ field }) => field)).toEqual(['source.cardNumber', 'source.securityCode']);
    expect(await refusal(page.post('methods', { source: CARD }))).toMatchObject({
      errors: [{ field: 'requestId' }],
    });
    expect((await state()).paymentMethods).toEqual([]);
  });

  it('does not remove a method that AutoPay or a scheduled payment uses', async () => {
    const autopay = await opened('autopay');
    const { id: methodId } = await autopay.addMethod();
    await autopay.post('autopay/enroll', { methodId });
    const schedule = await opened('schedule-payment');
    const scheduled = { requestId: randomUUID(), amount: 100, date: await tomorrow(schedule), methodId };
    const { id } = await schedule.post<ScheduledPayment>('schedule', scheduled);

    const wallet = await opened('wallet');
    expect(await wallet.get()).toMatchObject({
      savedMethods: [{ usedBy: ['autopay', 'scheduled-payment'] }],
    });
    const blocked = () => refusal(wallet.post(`methods/${methodId}/remove`));
    expect(await blocked()).toMatchObject({
      status: 409,
      message: expect.stringContaining('AutoPay uses'),
      errors: [{ reason: 'used_by_autopay' }],
    });
    await autopay.post('autopay/unenroll');
    expect(await blocked()).toMatchObject({
      status: 409,
      message: expect.stringContaining('A scheduled payment'),
      errors: [{ reason: 'used_by_scheduled' }],
    });
    await (await opened('scheduled-payments')).post(`scheduled/${id}/cancel`);
    expect(await wallet.post(`methods/${methodId}/remove`)).toEqual([]);
  });

  it('resolves concurrent removal and selection of a method consistently', async () => {
    for (let round = 0; round < 5; round++) {
      const autopay = await opened('autopay', { ClientAccount: { AccountNumber: `race-${round}` } });
      const { id: methodId } = await autopay.addMethod();
      const wallet = await opened('wallet');
      await Promise.allSettled([
        wallet.post(`methods/${methodId}/remove`),
        autopay.post('autopay/enroll', { methodId }),
      ]);
      const { enrollment, savedMethods } = await autopay.get<AutopayPageSession>();
      expect(savedMethods.some(({ id }) => id === methodId)).toBe(enrollment !== undefined);
    }
  });
});

describe('R-57 AutoPay', () => {
  it('enrolls, changes the method and unenrolls', async () => {
    const page = await opened('autopay');
    expect(await page.get()).not.toHaveProperty('enrollment');
    const [card, bank] = [await page.addMethod(), await page.addMethod(BANK)];
    const enrolled = await page.post<AutopayEnrollment>('autopay/enroll', { methodId: card.id });
    expect(enrolled.method).toMatchObject({ id: card.id, usedBy: ['autopay'] });
    expect(await page.post('autopay/enroll', { methodId: card.id })).toEqual(enrolled);
    expect((await state()).autopay).toEqual([
      { AccountNumber: '1001', SubAccountNumber: '', EmailAddress: 'ada@example.com' },
    ]);
    expect(await page.post('autopay/method', { methodId: bank.id })).toMatchObject({
      method: { id: bank.id },
      enrolledOn: enrolled.enrolledOn,
    });
    const shown = await page.get<AutopayPageSession>();
    expect(shown).toMatchObject({ enrollment: { method: { id: bank.id } } });
    expect(shown).not.toHaveProperty('enrolledByAnother');
    expect(await page.post('autopay/unenroll')).toBeNull();
    expect(await page.post('autopay/unenroll')).toBeNull();
    expect(await refusal(page.post('autopay/method', { methodId: card.id }))).toMatchObject({
      status: 409,
      errors: [{ reason: 'not_enrolled' }],
    });
    expect((await state()).autopay).toEqual([]);
  });

  it('is limited to one per account, without showing the method to another customer', async () => {
    const ada = await opened('autopay');
    await ada.post('autopay/enroll', { methodId: (await ada.addMethod()).id });
    const eve = await opened('autopay', as('eve@example.com'));
    const view = await eve.get<AutopayPageSession>();
    expect(view).toMatchObject({ enrolledByAnother: true, savedMethods: [] });
    expect(view).not.toHaveProperty('enrollment');
    const { id: methodId } = await eve.addMethod();
    const anothers = { status: 409, errors: [{ reason: 'enrolled_by_another' }] };
    expect(await refusal(eve.post('autopay/enroll', { methodId }))).toMatchObject(anothers);
    expect(await refusal(eve.post('autopay/unenroll'))).toMatchObject(anothers);
    expect((await state()).autopay).toMatchObject([{ EmailAddress: 'ada@example.com' }]);
  });

  it.each([
    [{}, 'Choose a payment method.'],
    [{ methodId: 7 }, 'Choose a payment method.'],
    [{ methodId: 'pm_unknown' }, 'This payment method was removed. Choose another.'],
  ])('refuses %j', async (body, message) => {
    const page = await opened('autopay');
    expect(await refusal(page.post('autopay/enroll', body))).toMatchObject({
      errors: [{ field: 'methodId', message }],
    });
  });

  it('R-28 rejects a method that the business unit does not offer and an expired card', async () => {
    const page = await opened('autopay');
    const [month, year] = [new Date().getUTCMonth() + 1, new Date().getUTCFullYear()];
    const soon = await page.addMethod({ ...CARD, expiry: `${String(month).padStart(2, '0')}/${year % 100}` });
    const bank = await page.addMethod(BANK);
    await service.control.advance(40 * DAY_MS);
    const later = await opened('autopay');
    const refused = (reason: string) => ({ status: 400, errors: [{ field: 'methodId', reason }] });
    expect(await refusal(later.post('autopay/enroll', { methodId: soon.id }))).toMatchObject(
      refused('card_expired'),
    );
    service.deps.config.businessUnits[0]?.paymentMethods.splice(1);
    expect(await refusal(later.post('autopay/enroll', { methodId: bank.id }))).toMatchObject(
      refused('method_not_offered'),
    );
    expect((await later.get<AutopayPageSession>()).savedMethods.map(({ id }) => id)).toEqual([soon.id]);
    expect((await (await opened('wallet')).get<WalletPageSession>()).savedMethods).toHaveLength(2);
    expect((await state()).autopay).toEqual([]);
  });

  it('E-4 ends when the merchant sends the event', async () => {
    const page = await opened('autopay');
    await page.post('autopay/enroll', { methodId: (await page.addMethod()).id });
    const response = await service.fetch('/integrations/events', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-service-api-key': API_KEY },
      body: JSON.stringify({
        eventType: 'Accounts.UnenrollAutopay',
        businessUnitSlug: SLUG,
        payload: JSON.stringify({ accountNumber: '1001', subAccountNumber: '' }),
      }),
    });
    expect(response.status).toBe(200);
    expect(await page.get()).not.toHaveProperty('enrollment');
    expect((await state()).autopay).toEqual([]);
  });
});

describe('R-57 paperless', () => {
  it('enrolls, shows the address and unenrolls', async () => {
    const page = await opened('paperless');
    expect(await page.get()).toMatchObject({
      enrolled: false,
      account: { accountNumber: '1001', name: 'Ada Byron' },
    });
    expect(await page.post('paperless', { enrolled: true })).toEqual({ enrolled: true });
    expect(await page.post('paperless', { enrolled: true })).toEqual({ enrolled: true });
    expect(await page.get()).toMatchObject({ enrolled: true, customer: { emailAddress: 'ada@example.com' } });
    expect((await state()).paperless).toEqual([
      { AccountNumber: '1001', SubAccountNumber: '', EmailAddress: 'ada@example.com' },
    ]);
    expect(await page.post('paperless', { enrolled: false })).toEqual({ enrolled: false });
    expect(await refusal(page.post('paperless', { enrolled: 'yes' }))).toMatchObject({
      status: 400,
      errors: [{ field: 'enrolled' }],
    });
    expect((await state()).paperless).toEqual([]);
  });
});

describe('R-57 scheduled payments', () => {
  const schedule = async (page: Payer, change: Record<string, unknown> = {}) => {
    const { earliest: date, scheduled } = await page.get<SchedulePageSession>();
    return {
      requestId: randomUUID(),
      amount: 4_200,
      date,
      methodId: (await page.addMethod()).id,
      listed: scheduled.map(({ id }) => id),
      ...change,
    };
  };

  it('are created once per request ID, listed and canceled', async () => {
    const page = await opened('schedule-payment');
    const body = await schedule(page);
    const first = await page.post<ScheduledPayment>('schedule', body);
    expect(first).toMatchObject({ amount: 4_200, status: 'scheduled', method: { last4: '4242' } });
    expect(await page.post('schedule', body)).toEqual(first);
    const manage = await opened('scheduled-payments');
    expect(await manage.get()).toMatchObject({ scheduled: [{ id: first.id }] });
    expect(await manage.post(`scheduled/${first.id}/cancel`)).toMatchObject({ status: 'canceled' });
    expect(await manage.post(`scheduled/${first.id}/cancel`)).toMatchObject({ status: 'canceled' });
    await service.control.advance(3 * DAY_MS);
    expect(await state()).toMatchObject({ scheduledPayments: [{ status: 'canceled' }], payments: [] });
  });

  it('are listed as upcoming, and as past afterwards', async () => {
    const page = await opened('schedule-payment');
    const scheduled = await page.post<ScheduledPayment>('schedule', await schedule(page, { amount: 100 }));
    const left = await page.post<ScheduledPayment>('schedule', await schedule(page, { amount: 200 }));
    const manage = await opened('scheduled-payments');
    const canceled = await manage.post(`scheduled/${left.id}/cancel`);
    expect((await page.get<SchedulePageSession>()).scheduled).toEqual([scheduled]);
    expect((await manage.get<SchedulePageSession>()).scheduled).toEqual([canceled, scheduled]);
  });

  it('are listed with at most the last fifty past ones', async () => {
    const page = await opened('schedule-payment');
    const { id } = await page.post<ScheduledPayment>('schedule', await schedule(page));
    await service.deps.store.transaction(async (tx) => {
      const made = await tx.schedules.get(id);
      if (!made) throw new Error('the scheduled payment is missing');
      for (let number = 10; number < 70; number++) {
        const [date, name] = [`2020-01-01`, `sch_${number}`];
        await tx.schedules.insert({ ...made, id: name, requestId: name, date, status: 'executed' });
      }
    });
    const { scheduled } = await (await opened('scheduled-payments')).get<SchedulePageSession>();
    const last = Array.from({ length: 50 }, (_, place) => `sch_${20 + place}`);
    expect(scheduled.map((payment) => payment.id)).toEqual([...last, id]);
  });

  it('R-91 are limited to a hundred upcoming ones per account of a customer', async () => {
    const page = await opened('schedule-payment');
    const body = await schedule(page);
    const { id } = await page.post<ScheduledPayment>('schedule', body);
    await service.deps.store.transaction(async (tx) => {
      const made = (await tx.schedules.get(id))!;
      for (let number = 1; number < 100; number++)
        await tx.schedules.insert({ ...made, id: `sch_${number}`, requestId: `sch_${number}` });
    });
    expect(await page.post('schedule', body)).toMatchObject({ id });
    const another = await schedule(page);
    expect(await refusal(page.post('schedule', another))).toMatchObject({
      status: 409,
      errors: [{ message: expect.stringContaining('100 payments') }],
    });
    const elsewhere = { SyncAccount: true, ClientAccount: { AccountNumber: 'another', Name: 'Ada' } };
    await (await opened('schedule-payment', elsewhere)).post('schedule', another);
    await (await opened('scheduled-payments')).post(`scheduled/${id}/cancel`);
    await page.post('schedule', await schedule(page));
  });

  it('run once, when their day begins', async () => {
    const page = await opened('schedule-payment');
    const { id, date } = await page.post<ScheduledPayment>('schedule', await schedule(page));
    await service.control.advance(Date.parse(date) - service.deps.clock.now() - 60_000);
    expect(await state()).toMatchObject({ scheduledPayments: [{ status: 'scheduled' }], payments: [] });
    await service.control.advance(60_000);
    await service.control.advance(DAY_MS);
    expect(await state()).toMatchObject({
      scheduledPayments: [{ id, AccountNumber: '1001', amount: 4_200, date, status: 'executed' }],
      payments: [{ sessionId: page.id, amount: 4_200, status: 'succeeded', last4: '4242' }],
    });
    const late = await opened('scheduled-payments');
    expect(await refusal(late.post(`scheduled/${id}/cancel`))).toMatchObject({ status: 409 });
  });

  it('report why they failed: declined, or returned by the bank days later', async () => {
    const page = await opened('schedule-payment');
    const declined = await page.addMethod({ ...CARD, cardNumber: '4000000000000002' });
    // Account not found, a return code that forbids another charge.
    const returned = await page.addMethod({ ...BANK, accountNumber: '000111111113' });
    await page.post('schedule', await schedule(page, { methodId: declined.id }));
    await page.post('schedule', await schedule(page, { methodId: returned.id }));
    await service.control.advance(DAY_MS);
    expect((await state()).scheduledPayments.map(({ status }) => status)).toEqual(['failed', 'executing']);
    await service.control.advance(3 * DAY_MS);
    const manage = await opened('scheduled-payments');
    expect(await manage.get()).toMatchObject({
      scheduled: [
        { status: 'failed', reason: 'The payment was declined.' },
        { status: 'failed', reason: 'The bank returned the payment.' },
      ],
    });
    const { savedMethods } = await (await opened('wallet')).get<WalletPageSession>();
    expect(savedMethods.find(({ id }) => id === returned.id)).toMatchObject({ blocked: 'R03' });
  });

  it('R-93 a returned bank account is rejected however it is formatted', async () => {
    const account = { ...BANK, accountNumber: '000111111113' };
    const page = await opened('schedule-payment');
    const { id } = await page.addMethod(account);
    await page.post('schedule', await schedule(page, { methodId: id }));
    await service.control.advance(DAY_MS);
    await service.control.advance(3 * DAY_MS);
    expect((await state()).payments).toMatchObject([{ status: 'returned' }]);

    const typed = { ...account, holder: 'Somebody Else', accountNumber: ' 0001-1111 1113' };
    const problem = { field: 'source.accountNumber', reason: 'method_blocked' };
    const anonymous = await open(service.fetch, 'payment', { ClientUser: undefined });
    expect(await refusal(anonymous.pay({ source: typed }))).toMatchObject({ errors: [problem] });
    const wallet = await open(service.fetch, 'wallet', { ClientUser: { EmailAddress: 'other@example.com' } });
    for (const accountNumber of [typed.accountNumber, '111111113', '00000111111113'])
      expect(await refusal(wallet.addMethod({ ...typed, accountNumber }))).toMatchObject({
        errors: [problem],
      });

    const other = await open(service.fetch, 'payment', { ClientUser: undefined });
    expect(await other.pay({ source: BANK })).toMatchObject({ status: 'pending' });
  });

  it('R-93 another saved method of a returned bank account is blocked too', async () => {
    const account = { ...BANK, accountNumber: '000111111113' };
    const other = await open(service.fetch, 'wallet', { ClientUser: { EmailAddress: 'other@example.com' } });
    const { id: theirs } = await other.addMethod(account);
    const page = await opened('schedule-payment');
    const { id } = await page.addMethod(account);
    await page.post('schedule', await schedule(page, { methodId: id }));
    await service.control.advance(DAY_MS);
    await service.control.advance(3 * DAY_MS);

    const later = await open(service.fetch, 'wallet', { ClientUser: { EmailAddress: 'other@example.com' } });
    const { savedMethods } = await later.get<WalletPageSession>();
    expect(savedMethods).toMatchObject([{ id: theirs, blocked: 'R03' }]);
  });

  it.each([
    [{ amount: 0 }, 'amount'],
    [{ amount: 1.5 }, 'amount'],
    [{ amount: '100' }, 'amount'],
    [{ amount: 100_000_000 }, 'amount'],
    [{ date: '2026-02-30' }, 'date'],
    [{ date: new Date().toISOString().slice(0, 10) }, 'date'],
    [{ date: '2999-01-01' }, 'date'],
    [{ methodId: 'pm_unknown' }, 'methodId'],
    [{ methodId: {} }, 'methodId'],
    [{ date: undefined }, 'date'],
    [{ requestId: '' }, 'requestId'],
  ])('refuse %j', async (change, field) => {
    const page = await opened('schedule-payment');
    expect(await refusal(page.post('schedule', await schedule(page, change)))).toMatchObject({
      status: 400,
      errors: [{ code: 'invalid', field }],
    });
    expect((await state()).scheduledPayments).toEqual([]);
  });

  it('are limited to $999,999.99 and report all problems together', async () => {
    const page = await opened('schedule-payment');
    const most = await schedule(page, { amount: 99_999_999 });
    expect(await page.post('schedule', most)).toMatchObject({ amount: 99_999_999, status: 'scheduled' });
    const wrong = { ...most, requestId: randomUUID(), amount: 100_000_000, date: 'soon', methodId: 7 };
    expect(await refusal(page.post('schedule', wrong))).toMatchObject({
      status: 400,
      errors: [
        { field: 'amount', message: 'Enter an amount from $0.01 to $999999.99.' },
        { field: 'date' },
        { field: 'methodId', message: 'Choose a payment method.' },
      ],
    });
  });

  it('reject a card that expires before their date', async () => {
    const page = await opened('schedule-payment');
    const { latest } = await page.get<SchedulePageSession>();
    const [year, month] = new Date().toISOString().split('-');
    const other = { ...CARD, cardNumber: '5555555555554444' };
    const soon = await page.addMethod({ ...other, expiry: `${month}/${year?.slice(2)}` });
    const body = await schedule(page, { date: latest, methodId: soon.id });
    expect(await refusal(page.post('schedule', body))).toMatchObject({ errors: [{ field: 'methodId' }] });
  });

  it('belong to one customer and one account', async () => {
    const page = await opened('schedule-payment');
    const { id } = await page.post<ScheduledPayment>('schedule', await schedule(page));
    for (const body of [as('eve@example.com'), { ClientAccount: { AccountNumber: '2002', Name: 'Other' } }]) {
      const stranger = await opened('scheduled-payments', body);
      expect(await stranger.get()).toMatchObject({ scheduled: [] });
      for (const other of [id, 'sch_nobody'])
        expect(await refusal(stranger.post(`scheduled/${other}/cancel`))).toMatchObject({ status: 404 });
    }
  });
});

describe('R-57 notifications', () => {
  const chosen: Preferences = {
    phoneNumber: '+15550100199',
    kinds: {
      'payment-confirmation': { email: true, sms: true },
      'payment-reminder': { email: false, sms: false },
      'bill-ready': { email: false, sms: true },
      autopay: { email: true, sms: false },
      'autopay-reminder': { email: false, sms: true },
    },
  };

  it('from a page of an earlier release have one choice for AutoPay and its reminders', async () => {
    const { 'autopay-reminder': _, ...kinds } = chosen.kinds;
    const page = await opened('notifications');
    const saved = await page.post('notifications', { ...chosen, kinds });
    expect(saved).toEqual({ ...chosen, kinds: { ...kinds, 'autopay-reminder': kinds.autopay } });
  });

  it('R-104 keep choices that a page does not send, and an earlier page subscribes nobody to reminders', async () => {
    const page = await opened('notifications');
    const off = { email: false, sms: false };
    await page.post('notifications', { ...chosen, kinds: { ...chosen.kinds, 'autopay-reminder': off } });
    const saved = await page.post('notifications', { ...chosen, kinds: { 'bill-ready': off } });
    const kinds = { ...chosen.kinds, 'bill-ready': off, 'autopay-reminder': off };
    expect(saved).toEqual({ ...chosen, kinds });
    const phoneNumber = '+12075550123';
    await page.post('notifications', { phoneNumber, kinds: {} });
    const stale = { ...chosen, keepsPhone: true, kinds: { 'bill-ready': off } };
    expect(await page.post('notifications', stale)).toMatchObject({ phoneNumber });
    const { 'autopay-reminder': _, ...earlier } = chosen.kinds;
    expect(await page.post('notifications', { ...chosen, kinds: earlier })).toMatchObject({
      kinds: { autopay: { email: true }, 'autopay-reminder': off },
    });
  });

  it('R-104 keep a channel that was turned off elsewhere after the page was opened', async () => {
    const page = await opened('notifications');
    await page.post('notifications', { ...chosen, kinds: { 'bill-ready': { email: true, sms: false } } });
    const changed = ['kinds.bill-ready.email'];
    const kinds = { 'bill-ready': { email: false, sms: true } };
    expect(await page.post('notifications', { ...chosen, changed, kinds })).toMatchObject({
      kinds: { 'bill-ready': { email: false, sms: false } },
    });
  });

  it('are stored per customer', async () => {
    const page = await opened('notifications');
    // A customer who has never chosen gets email.
    const [byEmail, kinds] = [{ email: true, sms: false }, Object.keys(chosen.kinds)];
    expect(await page.get()).toMatchObject({
      preferences: { kinds: Object.fromEntries(kinds.map((kind) => [kind, byEmail])) },
    });
    expect(await page.post('notifications', { ...chosen, phoneNumber: '+1 (555) 010-0199' })).toEqual(chosen);
    expect(await (await opened('notifications')).get()).toMatchObject({ preferences: chosen });
    expect((await state()).notifications).toEqual([{ EmailAddress: 'ada@example.com', ...chosen }]);
  });

  it.each([
    [{ ...chosen, phoneNumber: undefined }, ['phoneNumber']],
    [{ ...chosen, phoneNumber: '555-0100' }, ['phoneNumber']],
    [{ ...chosen, kinds: { ...chosen.kinds, autopay: {} } }, ['kinds.autopay']],
    [{ kinds: { 'bill-ready': 1, autopay: [] } }, ['kinds.bill-ready', 'kinds.autopay']],
  ])('refuse %j', async (body, fields) => {
    const page = await opened('notifications');
    const { errors } = await refusal(page.post('notifications', body));
    expect(errors.map(({ field }) => field)).toEqual(fields);
    expect((await state()).notifications).toEqual([]);
  });
});

describe('R-44 R-51 a management session', () => {
  it('is completed by Done and stays usable until it expires', async () => {
    const page = await opened('wallet');
    expect(await page.get()).toMatchObject({ status: 'Open' });
    expect(await page.post('done')).toEqual({ status: 'Completed' });
    expect(await page.post('done')).toEqual({ status: 'Completed' });
    expect(await page.get()).toMatchObject({ status: 'Completed' });
    await page.addMethod();
    expect((await state()).sessions).toMatchObject([{ status: 'Completed' }]);
    await service.control.advance(60 * 60_000);
    expect(await refusal(page.get())).toMatchObject({ status: 410, errors: [{ code: 'expired' }] });
    expect(await refusal(page.addMethod())).toMatchObject({ status: 410 });
    expect((await state()).paymentMethods).toHaveLength(1);
  });

  it('R-81 does nothing if it is canceled while a request’s body arrives', async () => {
    const { store, clock, newId } = service.deps;
    const cancel = (id: string) =>
      store.transaction((tx) => cancelSession(tx, SLUG, id, { now: clock.now(), newId }));
    const changes = Object.keys(HANDLERS).filter((name) => /^POST (?!pay$|attempts)/.test(name));
    expect(changes.map((name) => name.slice(5)).toSorted()).toEqual(Object.keys(FLOW_OF).toSorted());
    for (const [path, flow] of Object.entries(FLOW_OF)) {
      const page = await opened(flow);
      const body = { requestId: randomUUID(), source: CARD, enrolled: true };
      const answer = await sendSlowly(page, path, body, () => cancel(page.id));
      expect(await answer.json(), path).toMatchObject({ ok: false, errors: [{ code: 'canceled' }] });
    }
    const { sessions, paymentMethods, webhooks } = await state();
    expect(new Set(sessions.map(({ status }) => status))).toEqual(new Set(['Canceled']));
    expect([...paymentMethods, ...webhooks.filter(({ type }) => type !== 'session.canceled')]).toEqual([]);
  });

  it('ends exactly at its expiry time', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const page = await opened('wallet');
    const endsAt = Date.parse((await page.get()).expiresAt);
    vi.setSystemTime(endsAt - 1);
    expect((await page.send('session')).status).toBe(200);
    vi.setSystemTime(endsAt);
    expect((await page.send('session')).status).toBe(410);
    vi.useRealTimers();
  });

  it('R-57 limits the rate of changes and returns 429 with Retry-After', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const page = await opened('paperless');
    const toggle = async (place: number): Promise<Response> =>
      page.send('paperless', { method: 'POST', body: JSON.stringify({ enrolled: place % 2 === 0 }) });
    const statuses = [];
    for (let place = 0; place < CHANGES.burst; place++) statuses.push((await toggle(place)).status);
    expect(new Set(statuses)).toEqual(new Set([200]));
    const refused = await toggle(0);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '2']);
    expect(await refused.json()).toEqual({
      ok: false,
      errors: [{ code: 'rate_limited', message: expect.stringMatching(/Wait 2 s/) as string }],
    });
    expect(await page.get()).toMatchObject({ enrolled: false });
    await (await opened('paperless')).post('paperless', { enrolled: false });
    vi.advanceTimersByTime(2_000);
    expect([(await toggle(0)).status, (await toggle(1)).status]).toEqual([200, 429]);
    await page.post('done');
    vi.useRealTimers();
  });

  it('R-91 limits the rate of reading a session, but not of asking for an outcome', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const page = await opened('payment');
    const read = async (): Promise<number> => (await page.send('session')).status;
    for (let times = 0; times < READS.burst; times++) expect(await read()).toBe(200);
    expect(await read()).toBe(429);
    expect((await page.send('attempts/attempt-1')).status).toBe(200);
    vi.advanceTimersByTime(1_000);
    expect([await read(), await read(), await read()]).toEqual([200, 200, 429]);

    // Each 10 KiB count.
    const large = await opened('payment', { CustomMeta: { text: 'x'.repeat(100_000) } });
    for (let times = 0; times < READS.burst / 10; times++)
      expect((await large.send('session')).status).toBe(200);
    expect((await large.send('session')).status).toBe(429);

    // So do each five charges, because every account's other payments are read.
    const Charges = Array.from({ length: 25 }, (_, index) => ({
      Amount: 100,
      ClientAccount: { AccountNumber: `${index}`, Name: 'Ada' },
    }));
    const many = await opened('payment', { Charges });
    const responses = await Promise.all(
      Array.from({ length: READS.burst / 5 + 2 }, () => many.send('session')),
    );
    const waits = responses.flatMap(({ status, headers }) =>
      status === 429 ? [Number(headers.get('retry-after'))] : [],
    );
    expect(waits).toEqual([3, 3]);
    vi.advanceTimersByTime(3_000);
    expect((await many.send('session')).status).toBe(200);

    const attemptId = 'attempt-large';
    await large.pay({ attemptId });
    const refused = async (path: string, init?: RequestInit): Promise<boolean> => {
      for (let times = 0; times <= OUTCOMES.burst / 10; times++)
        if ((await large.send(path, init)).status === 429) return true;
      return false;
    };
    expect(await refused(`attempts/${attemptId}`)).toBe(true);
    vi.advanceTimersByTime(600_000);
    expect(await refused('pay', { method: 'POST', body: JSON.stringify({ attemptId }) })).toBe(true);
    vi.useRealTimers();
  });

  it('R-57 serves a client that waits as told, however large its session and body', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const page = await opened('payment', { CustomMeta: { text: 'x'.repeat(100_000) } });
    const body = JSON.stringify({ attemptId: 'attempt-1', fields: { note: 'x'.repeat(60_000) } });
    const pay = (): Promise<Response> => page.send('pay', { method: 'POST', body });
    while ((await page.send('attempts/attempt-1')).status !== 429);
    const statuses: number[] = [];
    for (let times = 0; times < 3; times++) {
      const { status, headers } = await pay();
      statuses.push(status);
      vi.advanceTimersByTime(Number(headers.get('retry-after')) * 1_000);
    }
    expect(statuses).toEqual([429, 429, 400]);
    vi.useRealTimers();
  });

  it('R-91 counts each 10 KiB of a body, which it may refuse', async () => {
    const page = await opened('payment');
    const body = JSON.stringify({ attemptId: 'attempt-1', fields: { note: 'x'.repeat(60_000) } });
    const sent = Array.from({ length: OUTCOMES.burst }, () => page.send('pay', { method: 'POST', body }));
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    const served = statuses.filter((status) => status !== 429).length;
    expect(served).toBeGreaterThan(0);
    expect(served).toBeLessThanOrEqual(OUTCOMES.burst / 6);
  });

  it('R-91 counts each 10 KiB of a session before it serves concurrent requests', async () => {
    const page = await opened('payment', { CustomMeta: { text: 'x'.repeat(100_000) } });
    const attemptId = 'attempt-large';
    await page.pay({ attemptId });
    const repeated = { method: 'POST', body: JSON.stringify({ attemptId }) };
    const sent = Array.from({ length: OUTCOMES.burst / 5 }, () => page.send('pay', repeated));
    const served = (await Promise.all(sent)).filter(({ status }) => status === 200);
    expect(served.length).toBeLessThanOrEqual(OUTCOMES.burst / 10);
  });

  it('allows only the actions of its flow', async () => {
    const page = await opened('wallet');
    for (const path of [
      'pay',
      'autopay/enroll',
      'paperless',
      'schedule',
      'notifications',
      'scheduled/x/cancel',
      'x',
    ]) {
      expect(await refusal(page.post(path))).toMatchObject({ status: 404, errors: [{ code: 'not_found' }] });
    }
    const payment = await opened('payment');
    expect(await refusal(payment.addMethod())).toMatchObject({ status: 404 });
    expect(await refusal(payment.post('done'))).toMatchObject({ status: 404 });
  });

  it('D-2 shows the stored account and the note of its create request', async () => {
    const full = { AccountNumber: '1001', Name: 'Ada', Balance: 4_200, Note: 'Gate code 7', Custom: 'x' };
    const page = await opened('paperless', { ClientAccount: full });
    const { account } = await page.get<AutopayPageSession>();
    expect(account).toEqual({
      accountNumber: '1001',
      subAccountNumber: '',
      name: 'Ada',
      balance: 4_200,
      note: 'Gate code 7',
    });
    const next = await opened('autopay', { SyncAccount: false, ClientAccount: { AccountNumber: '1001' } });
    expect((await next.get<AutopayPageSession>()).account).toEqual({
      accountNumber: '1001',
      subAccountNumber: '',
      name: 'Ada',
      balance: 4_200,
    });
  });
});
