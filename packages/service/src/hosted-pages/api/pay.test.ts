import { createHash, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { collectLog } from '../../../test/collect-log.js';
import { heapUsed } from '../../../test/heap.js';
import { account, API_KEY, config, CUSTOMER, SLUG } from '../../../test/merchant.js';
import { BANK, CARD, DECLINED, open, payer, query, refusal, RETURNED } from '../../../test/payer.js';
import type { Payer } from '../../../test/payer.js';
import { MAX_CALL_WAIT_MS } from '../../processor/calls.js';
import { cancelSession } from '../../sessions/cancel.js';
import { startTestService } from '../../start/test-service.js';
import type { OpenTestService } from '../../start/test-service.js';
import type { PaymentPageSession } from '../../shared/page.js';

let service: OpenTestService;
const start = async (businessUnit: Record<string, unknown> = {}): Promise<void> => {
  service = await startTestService({ config: config(businessUnit) });
};
beforeEach(() => start());
afterEach(() => service.close());

const opened = (body: Record<string, unknown> = {}): Promise<Payer> => open(service.fetch, 'payment', body);
const state = () => service.control.state(SLUG);

describe('R-44 a payment', () => {
  it('succeeds with a receipt', async () => {
    const page = await opened({ ClientReference: 'ref-1', CustomMeta: { a: 1 } });
    expect(await page.pay()).toMatchObject({
      status: 'succeeded',
      receipt: {
        amount: 12_345,
        method: 'Credit Card',
        brand: 'Visa',
        last4: '4242',
        charges: [{ description: 'Water' }],
      },
    });
    expect(await page.get<PaymentPageSession>()).toMatchObject({
      status: 'Succeeded',
      customMeta: { a: 1 },
      receipt: { amount: 12_345 },
    });
    expect((await state()).payments).toEqual([
      { sessionId: page.id, amount: 12_345, method: 'Credit Card', status: 'succeeded', last4: '4242' },
    ]);
    expect(await refusal(page.pay())).toMatchObject({ status: 409, errors: [{ code: 'conflict' }] });
  });

  it('can be retried after a decline', async () => {
    const page = await opened();
    expect(await page.pay({ source: DECLINED })).toMatchObject({ status: 'declined', attemptsLeft: 9 });
    expect(await page.get()).toMatchObject({ status: 'RequiresPaymentSource', attemptsLeft: 9 });
    expect(await page.pay()).toMatchObject({ status: 'succeeded' });
    expect(await page.get()).toMatchObject({ status: 'Succeeded', receipt: { amount: 12_345 } });
    expect((await state()).payments.map(({ status }) => status)).toEqual(['declined', 'succeeded']);
  });

  it('R-60 keeps reporting a decline however late the page asks', async () => {
    const page = await opened();
    const attemptId = randomUUID();
    const declined = await page.pay({ attemptId, source: DECLINED });
    await service.control.advance(31 * 60_000);
    expect(await page.pay({ attemptId })).toEqual(declined);
    expect(await page.get(`attempts/${attemptId}`)).toEqual(declined);
    expect(await page.post(`attempts/${attemptId}/abandon`)).toEqual(declined);
  });

  it('R-57 counts a repeated request only once', async () => {
    const page = await opened();
    const attemptId = randomUUID();
    for (let sent = 0; sent < 61; sent++)
      expect(await page.pay({ attemptId, source: DECLINED })).toMatchObject({ status: 'declined' });
    expect(await page.pay()).toMatchObject({ status: 'succeeded' });
  });

  it('accepts no more attempts after ten declines', async () => {
    const page = await opened();
    for (let left = 9; left >= 0; left--) {
      expect(await page.pay({ source: DECLINED })).toMatchObject({ status: 'declined', attemptsLeft: left });
    }
    expect(await refusal(page.pay())).toMatchObject({ status: 409, errors: [{ code: 'too_many_attempts' }] });
    expect((await state()).payments).toHaveLength(10);
  });

  it.each([
    [BANK, 'succeeded', 'Succeeded'],
    [RETURNED, 'returned', 'Failed'],
  ])('by bank stays pending until it settles after two days: %#', async (source, status, session) => {
    const page = await opened();
    const attemptId = randomUUID();
    expect(await page.pay({ attemptId, source })).toMatchObject({
      status: 'pending',
      receipt: { status: 'pending' },
    });
    await service.control.advance(2 * 86_400_000 - 60_000);
    expect(await state()).toMatchObject({
      payments: [{ status: 'pending' }],
      sessions: [{ status: 'Processing' }],
    });
    await service.control.advance(60_000);
    expect(await state()).toMatchObject({ payments: [{ status }], sessions: [{ status: session }] });
    const { errors } = await refusal(page.pay());
    expect(errors[0]?.message).toMatch(status === 'returned' ? /the bank returned/i : /already been paid/);
    const response = page.get(`attempts/${attemptId}`);
    if (status === 'returned')
      expect(await response).toEqual({ status: 'declined', attemptId, attemptsLeft: 10 });
    else expect(await refusal(response)).toMatchObject({ status: 410 });
  });

  it('R-51 is rejected after the session expires, unless it is already in flight', async () => {
    const [late, inFlight] = [await opened(), await opened()];
    const attemptId = randomUUID();
    expect(await inFlight.pay({ attemptId, source: BANK })).toMatchObject({ status: 'pending' });
    await service.control.advance(31 * 60_000);
    expect(await refusal(late.get())).toMatchObject({ status: 410, errors: [{ code: 'expired' }] });
    expect(await refusal(late.pay())).toMatchObject({ status: 410, errors: [{ code: 'expired' }] });
    expect(await inFlight.get()).toMatchObject({ status: 'Processing' });
    expect(await inFlight.get(`attempts/${attemptId}`)).toMatchObject({ status: 'pending' });
    expect((await state()).sessions.map(({ status }) => status).toSorted()).toEqual([
      'Expired',
      'Processing',
    ]);
  });
});

describe('a payment that is sent repeatedly', () => {
  it('is one payment per attempt ID, even if the body differs', async () => {
    const page = await opened();
    const attemptId = randomUUID();
    const first = await page.pay({ attemptId });
    expect(await page.pay({ attemptId, source: DECLINED })).toEqual(first);
    expect(await page.get(`attempts/${attemptId}`)).toEqual(first);
    expect((await state()).payments).toHaveLength(1);
  });

  it('is one payment for 50 concurrent submits of one form', async () => {
    const page = await opened();
    const attemptId = randomUUID();
    const responses = await Promise.all(Array.from({ length: 50 }, () => page.pay({ attemptId })));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set(['succeeded', 'processing']));
    expect((await state()).payments).toHaveLength(1);
  });

  it('is one payment for 50 concurrent submits from 50 tabs', async () => {
    const page = await opened();
    const responses = await Promise.allSettled(Array.from({ length: 50 }, () => page.pay()));
    expect(responses.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await state()).payments).toHaveLength(1);
  });

  it('R-60 never starts if abandoned first, and reports its outcome if abandoned late', async () => {
    const page = await opened();
    const attemptId = randomUUID();
    for (let times = 0; times < 2; times++)
      expect(await page.post(`attempts/${attemptId}/abandon`)).toEqual({ status: 'never_seen', attemptId });
    await expect(page.pay({ attemptId })).rejects.toMatchObject({ status: 409 });
    const next = randomUUID();
    expect(await page.pay({ attemptId: next })).toMatchObject({ status: 'succeeded' });
    expect(await page.post(`attempts/${next}/abandon`)).toMatchObject({ status: 'succeeded' });
    expect((await state()).payments).toHaveLength(1);
  });

  it('R-60 does not report that nothing was charged while another attempt has paid or is in progress', async () => {
    for (const source of [CARD, BANK]) {
      const page = await opened();
      const declined = randomUUID();
      await page.pay({ attemptId: declined, source: DECLINED });
      await page.pay({ source });
      expect(await refusal(page.post(`attempts/${randomUUID()}/abandon`))).toMatchObject({ status: 409 });
      expect(await refusal(page.get(`attempts/${declined}`))).toMatchObject({ status: 409 });
    }
  });

  it('R-60 rejects further abandons at the limit instead of promising never_seen', async () => {
    const page = await opened();
    const giveUp = (count: number) => page.post(`attempts/attempt-${count}/abandon`);
    for (let count = 1; count <= 100; count++)
      expect(await giveUp(count)).toMatchObject({ status: 'never_seen' });
    expect(await refusal(giveUp(101))).toMatchObject({
      status: 409,
      errors: [{ code: 'too_many_attempts' }],
    });
    expect(await giveUp(1)).toMatchObject({ status: 'never_seen' });
    expect(await page.pay({ attemptId: 'attempt-101' })).toMatchObject({ status: 'succeeded' });
  });

  it('R-60 either starts or is abandoned, never both', async () => {
    for (let round = 0; round < 8; round++) {
      const page = await opened();
      const attemptId = randomUUID();
      const [paid, givenUp] = await Promise.allSettled([
        page.pay({ attemptId }),
        page.post<{ status: string }>(`attempts/${attemptId}/abandon`),
      ]);
      const never = givenUp.status === 'fulfilled' && givenUp.value.status === 'never_seen';
      expect(paid.status).toBe(never ? 'rejected' : 'fulfilled');
    }
  });

  it('reports never_seen if the request did not arrive', async () => {
    const page = await opened();
    service.control.fault({ kind: 'drop-before-commit', times: 1 });
    const attemptId = randomUUID();
    await expect(page.pay({ attemptId })).rejects.toThrow('dropped before');
    expect(await page.get(`attempts/${attemptId}`)).toEqual({ status: 'never_seen', attemptId });
    service.control.fault({ kind: 'drop-after-commit', times: 1, path: '/s/*/api/pay' });
    await expect(page.pay({ attemptId })).rejects.toThrow('dropped after');
    expect(await page.get(`attempts/${attemptId}`)).toMatchObject({ status: 'succeeded' });
    expect((await state()).payments).toHaveLength(1);
  });
});

it('R-61 R-68 an internal error is logged with details but returned without them', async () => {
  await service.close();
  const { log, lines } = collectLog();
  service = await startTestService({ config: config(), log });
  const page = await opened();
  await service.deps.store.close();
  const response = await page.send('session');
  expect(response.status).toBe(500);
  const text = await response.text();
  expect(JSON.parse(text)).toEqual({
    ok: false,
    errors: [{ code: 'internal', message: expect.stringMatching(/\w \w/) as string }],
  });
  expect(text).not.toMatch(/sql|driver|destroyed|stack/i);
  expect(lines.filter(({ error }) => error !== undefined)).toMatchObject([
    {
      msg: expect.stringMatching(/\w \w/) as string,
      requestId: response.headers.get('x-request-id'),
      route: '/s/:id/api/session',
      error: expect.anything() as unknown,
    },
  ]);
});

it('R-65 the log has session, business unit and outcome of each create and page call', async () => {
  await service.close();
  const { log, lines } = collectLog();
  service = await startTestService({ config: config(), log });
  const page = await opened();
  await page.pay({ source: DECLINED });
  await refusal(page.pay({ source: { ...CARD, securityCode: '1' } }));
  await page.pay();
  await query(service.fetch, page.id);

  const session = { sessionId: page.id, businessUnit: SLUG };
  expect(lines.filter(({ msg }) => msg === 'request')).toMatchObject([
    { ...session, route: '/integrations/embedded/initiate', status: 200 },
    { ...session, route: '/s/:id/api/pay', outcome: 'declined' },
    { ...session, route: '/s/:id/api/pay', codes: ['invalid'] },
    { ...session, route: '/s/:id/api/pay', outcome: 'succeeded' },
    { ...session, route: '/integrations/embedded/query', status: 200 },
  ]);
});

it('R-60 an attempt ID has 8 to 64 letters, digits, "-" and "_"', async () => {
  const page = await opened();
  for (const attemptId of ['x'.repeat(7), 'x'.repeat(65), 'attempt-1\n', ' attempt-1', 'attempt.1', 12345678])
    expect(await refusal(page.pay({ attemptId: attemptId as string }))).toMatchObject({
      status: 400,
      errors: [{ field: 'attemptId' }],
    });
  for (const attemptId of ['x'.repeat(8), `${'Az09'.repeat(15)}-_-_`])
    expect(await page.pay({ attemptId, source: DECLINED })).toMatchObject({ status: 'declined', attemptId });
});

it('R-81 a canceled session reports that and its return URL', async () => {
  const ReturnUrl = 'https://shop.example/bill';
  const page = await opened({ ReturnUrl, SuccessUrl: 'https://shop.example/paid' });
  const { store, clock, newId } = service.deps;
  await store.transaction((tx) => cancelSession(tx, SLUG, page.id, { now: clock.now(), newId }));
  for (const response of [page.get(), page.pay()])
    expect(await refusal(response)).toMatchObject({
      status: 410,
      errors: [{ code: 'canceled', returnUrl: ReturnUrl }],
    });
});

it('R-35 a payment after expiry gets the return URL of the merchant', async () => {
  const ReturnUrl = 'https://shop.example/bill';
  const page = await opened({ ReturnUrl, SuccessUrl: 'https://shop.example/paid' });
  await service.control.advance(31 * 60_000);
  for (const response of [page.get(), page.pay()])
    expect(await refusal(response)).toMatchObject({
      status: 410,
      errors: [{ code: 'expired', returnUrl: ReturnUrl }],
    });
});

it('R-35 R-81 a session that ends during tokenization charges nothing and returns its return URL', async () => {
  const ReturnUrl = 'https://shop.example/bill';
  const { processor, store, clock, newId } = service.deps;
  if (!processor) throw new Error('no processor');
  const tokenize = processor.tokenize.bind(processor);
  const ends = {
    canceled: (id: string) =>
      store.transaction((tx) => cancelSession(tx, SLUG, id, { now: clock.now(), newId })),
    expired: async () => void (clock.offset = 31 * 60_000),
  };
  for (const [code, end] of Object.entries(ends)) {
    const page = await opened({ ReturnUrl, SuccessUrl: 'https://shop.example/paid' });
    vi.spyOn(processor, 'tokenize').mockImplementationOnce(async (...args) => {
      await end(page.id);
      return tokenize(...args);
    });
    const message: unknown = expect.stringMatching(/Go back and start again; nothing was charged/);
    expect(await refusal(page.pay())).toMatchObject({
      status: 410,
      errors: [{ code, message, returnUrl: ReturnUrl }],
    });
  }
  expect((await state()).payments).toEqual([]);
});

it('R-67 R-91 a secret with trailing characters is rejected before the database is read', async () => {
  const page = await opened();
  const read = vi.spyOn(service.deps.store, 'read');
  for (const authorization of [
    `Bearer ${page.secret} x`,
    `Bearer ${page.secret}.`,
    ` x Bearer ${page.secret}`,
  ])
    expect((await page.send('session', { headers: { authorization } })).status).toBe(401);
  expect(read).not.toHaveBeenCalled();
  expect((await page.send('session')).status).toBe(200);
  expect(read).toHaveBeenCalled();
});

describe('R-33 R-59 charges', () => {
  const charges = [
    { Amount: 1_000, ...account('1', { Balance: 5_000 }) },
    { Amount: 2_000, ...account('2', { Balance: 500 }) },
    { Amount: 300, Description: 'Fee' },
  ];
  const all = [
    { index: 0, amount: 1_000 },
    { index: 1, amount: 2_000 },
    { index: 2, amount: 300 },
  ];

  it('can be selected for several accounts, while one without an account is fixed', async () => {
    const page = await opened({ Charges: charges });
    expect(
      (await page.get<PaymentPageSession>()).charges.map((charge) => [charge.selectable, charge.adjustable]),
    ).toEqual([
      [true, false],
      [true, false],
      [false, false],
    ]);
    const [first, , fee] = (await page.get<PaymentPageSession>()).charges;
    expect(first).toMatchObject({ account: { accountNumber: '1', subAccountNumber: '', balance: 5_000 } });
    expect(fee).toMatchObject({ description: 'Fee' });
    expect(fee).not.toHaveProperty('account');
    const fixed = await refusal(page.pay({ charges: all.slice(0, 2) }));
    expect(fixed).toMatchObject({ status: 400, errors: [{ code: 'invalid', field: 'charges' }] });
    const paid = await page.pay({ charges: all.slice(1) });
    expect(paid).toMatchObject({
      receipt: {
        amount: 2_300,
        charges: [
          { index: 1, account: { accountNumber: '2', subAccountNumber: '', name: 'Account 2' } },
          { index: 2, description: 'Fee' },
        ],
      },
    });
    expect(paid).not.toHaveProperty('receipt.charges.1.account');
  });

  it('for one account are all paid, even next to charges without one', async () => {
    const page = await opened({ Charges: [charges[0], charges[2]] });
    const shown = (await page.get<PaymentPageSession>()).charges;
    expect(shown.map(({ selectable }) => selectable)).toEqual([false, false]);
    expect(await refusal(page.pay({ charges: [{ index: 1, amount: 300 }] }))).toMatchObject({ status: 400 });
    expect((await state()).payments).toEqual([]);
  });

  describe('several of one account', () => {
    const bill = { Amount: 6_000, ...account('1', { Balance: 12_000 }) };
    const fee = { Amount: 4_000, Description: 'Late fee', ...account('1', { Balance: 12_000 }) };
    const other = { Amount: 500, ...account('1', { SubAccountNumber: '01' }) };
    const sums = async (Charges: unknown[], amounts: (number | null)[]) => {
      const page = await opened({ Charges });
      const charges = amounts.flatMap((amount, index) => (amount === null ? [] : [{ index, amount }]));
      return page.pay({ charges }).then(
        () => 'paid',
        (error: { errors: { field?: string }[] }) => error.errors.map(({ field }) => field).join(),
      );
    };

    it('count as one account and cannot be selected or adjusted', async () => {
      await service.close();
      await start({ allowAmountAdjustment: true });
      const page = await opened({ Charges: [bill, fee] });
      for (const charge of (await page.get<PaymentPageSession>()).charges)
        expect(charge).toMatchObject({ selectable: false, adjustable: false, group: { first: 0 } });
      expect(await sums([bill, fee], [6_000, null])).toBe('charges');
      expect(await sums([bill, fee], [12_000, 4_000])).toBe('charges[0].amount');
      expect(await sums([bill, fee], [6_000, 4_000])).toBe('paid');
    });

    it('are paid together or left out together', async () => {
      const all = [bill, other, fee];
      expect(await sums(all, [6_000, 500, null])).toBe('charges');
      expect(await sums(all, [null, 500, 4_000])).toBe('charges');
      expect(await sums(all, [null, 500, null])).toBe('paid');
      expect(await sums(all, [6_000, null, 4_000])).toBe('paid');
    });

    it.each([
      ['their Balance', { Balance: 12_000 }, { Balance: 12_000 }, 12_000],
      ['their sum', { Balance: 9_000 }, { Balance: 9_000 }, 10_000],
      ['their sum, without a Balance', {}, {}, 10_000],
      ['their sum, without a Balance of the last one', { Balance: 90_000 }, {}, 10_000],
    ])('can be adjusted up to %s', async (_, earlier, more, most) => {
      await service.close();
      await start({ allowAmountAdjustment: true });
      const first = { Amount: 6_000, ...account('1', earlier) };
      const last = { Amount: 4_000, ...account('1', more) };
      const paying = (one: number, two: number) => sums([first, other, last], [one, null, two]);
      expect(await paying(most - 4_000 + 1, 4_000)).toMatch(/^charges/);
      expect(await paying(1, 1)).toBe('paid');
      expect(await paying(most - 4_000, 4_000)).toBe('paid');
    });
  });

  it('can be adjusted from 1 to the larger of Amount and Balance if the business unit allows it', async () => {
    await service.close();
    await start({ allowAmountAdjustment: true });
    const page = await opened({ Charges: charges });
    for (const [index, amount] of [
      [0, 0],
      [0, 5_001],
      [0, 1.5],
      [1, 2_001],
      [2, 299],
    ] as const) {
      const selection = all.map((charge) => (charge.index === index ? { index, amount } : charge));
      expect(await refusal(page.pay({ charges: selection }))).toMatchObject({
        errors: [{ field: `charges[${index}].amount` }],
      });
    }
    const words = async (fee: number): Promise<string[]> => {
      const { errors } = await refusal(
        page.pay({
          charges: [
            { index: 0, amount: 0 },
            { index: 2, amount: fee },
          ],
        }),
      );
      return errors.map(({ message }) => message);
    };
    expect(await words(299)).toEqual([expect.stringContaining('$50.00'), expect.stringContaining('$3.00')]);
    const selection = [{ index: 0, amount: 5_000 }, { index: 1, amount: 1 }, ...all.slice(2)];
    expect(await page.pay({ charges: selection })).toMatchObject({ receipt: { amount: 5_301 } });
  });

  it.each([
    [[], 'charges'],
    [[{ index: 0, amount: 12_344 }], 'charges[0].amount'],
    [[{ index: 1, amount: 12_345 }], 'charges[0].index', 'charges'],
    [
      [
        { index: 0, amount: 12_345 },
        { index: 0, amount: 12_345 },
      ],
      'charges[1].index',
    ],
    ['all', 'charges'],
    [null, 'charges'],
  ])('in a session without accounts cannot change to %j', async (selection, ...fields) => {
    const page = await opened();
    const refused = await refusal(page.pay({ charges: selection as never }));
    expect(refused.status).toBe(400);
    expect(refused.errors.map(({ field }) => field)).toEqual(fields);
    expect((await state()).payments).toEqual([]);
  });

  it('are validated up to the limit of a hundred', async () => {
    const page = await opened();
    const selection = Array.from({ length: 500 }, () => ({ index: 0, amount: 12_345 }));
    const { errors } = await refusal(page.pay({ charges: selection }));
    expect([errors.length, errors.at(-1)?.field]).toEqual([99, 'charges[99].index']);
  });

  it('reject a total above the safe integer limit', async () => {
    await service.close();
    await start({ allowAmountAdjustment: true });
    const Balance = Number.MAX_SAFE_INTEGER;
    const page = await opened({
      Charges: ['1', '2'].map((number) => ({ Amount: 1, ...account(number, { Balance }) })),
    });
    const selection = [0, 1].map((index) => ({ index, amount: Balance }));
    expect(await refusal(page.pay({ charges: selection }))).toMatchObject({ errors: [{ field: 'charges' }] });
  });
});

describe('payment sources', () => {
  it('R-28 are limited by the session, in the service too', async () => {
    const page = await opened({ PaymentMethods: ['ACH'] });
    expect(await page.get()).toMatchObject({ methods: ['ACH'] });
    expect(await refusal(page.pay())).toMatchObject({ errors: [{ field: 'source.method' }] });
  });

  it('R-29 require configured fields the merchant omitted, and cannot change provided ones', async () => {
    await service.close();
    await start({
      paymentFields: [
        { key: 'InvoiceNumber', label: 'Invoice number', required: true },
        { key: 'Memo', label: 'Memo' },
        { key: 'Note', label: 'Note' },
      ],
    });
    const page = await opened({ PaymentFields: { Memo: 'given' } });
    expect(await page.get()).toMatchObject({
      fields: [{ key: 'InvoiceNumber' }, { key: 'Memo', value: 'given' }, { key: 'Note' }],
    });
    expect(await refusal(page.pay())).toMatchObject({ errors: [{ field: 'fields.InvoiceNumber' }] });
    expect(await refusal(page.pay({ fields: { InvoiceNumber: 'a\u0000' } }))).toMatchObject({ status: 400 });
    expect(
      await page.pay({ fields: { InvoiceNumber: ' 7 ', Memo: 'mine', Note: ' ', Other: 'x' } }),
    ).toMatchObject({ status: 'succeeded' });
    const { PaymentFields } = await query<{ PaymentFields: unknown }>(service.fetch, page.id);
    expect(PaymentFields).toEqual({ Memo: 'given', InvoiceNumber: '7' });
  });

  it('R-10 report the input that caused a rejection', async () => {
    const page = await opened();
    const real = { ...CARD, cardNumber: '4111111111111111' };
    expect(await refusal(page.pay({ source: real }))).toMatchObject({
      status: 400,
      errors: [{ code: 'invalid', field: 'source.cardNumber' }],
    });
    const wrong = await refusal(page.pay({ source: { ...CARD, expiry: '01/20', zipCode: '' }, charges: [] }));
    expect(wrong.errors.map(({ field }) => field)).toEqual(['charges', 'source.expiry', 'source.zipCode']);
    expect(await page.get()).toMatchObject({ status: 'RequiresPaymentSource', attemptsLeft: 10 });
  });

  it('accept cards only from the configured countries', async () => {
    const canadian = { ...CARD, country: 'CA', zipCode: 'K1A 0B1' };
    const here = await opened();
    expect(await here.get()).not.toHaveProperty('countries');
    expect(await refusal(here.pay({ source: canadian }))).toMatchObject({
      status: 400,
      errors: [
        { code: 'invalid', field: 'source.country', message: expect.stringContaining('US') as string },
      ],
    });
    await service.close();
    await start({ countries: ['US', 'CA'] });
    const page = await opened();
    expect(await page.get()).toMatchObject({ countries: ['US', 'CA'] });
    expect(await refusal(page.pay({ source: { ...canadian, zipCode: '10001' } }))).toMatchObject({
      errors: [{ code: 'invalid', field: 'source.zipCode' }],
    });
    expect(await page.pay({ source: canadian })).toMatchObject({ status: 'succeeded' });
    const wallet = await open(service.fetch, 'wallet');
    expect(await wallet.addMethod(canadian)).toMatchObject({ last4: '4242' });
    await expect(wallet.addMethod({ ...canadian, country: 'DE' })).rejects.toMatchObject({
      errors: [{ field: 'source.country' }],
    });
  });

  it('D-8 have no wallet in an anonymous session or at POS', async () => {
    const withUser = await opened(CUSTOMER);
    const saved = await withUser.pay({ saveMethod: true });
    const savedMethodId = saved.status === 'succeeded' ? (saved.savedMethod?.id ?? '') : '';
    const pos = { Channel: 'POS', PosUser: 'agent@harborlight.example' };
    for (const page of [await opened(), await opened(pos)]) {
      expect(await page.get()).toMatchObject({ canSave: false, savedMethods: [] });
      expect(await refusal(page.pay({ saveMethod: true }))).toMatchObject({
        errors: [{ field: 'saveMethod' }],
      });
      expect(await refusal(page.pay({ source: { savedMethodId } }))).toMatchObject({
        errors: [{ field: 'source.savedMethodId' }],
      });
    }
  });

  it('D-8 can be saved by a customer and used for the next payment', async () => {
    const first = await opened(CUSTOMER);
    expect(await first.pay({ source: DECLINED, saveMethod: true })).toMatchObject({ status: 'declined' });
    expect((await state()).paymentMethods).toEqual([]);
    expect(await first.pay({ saveMethod: true })).toMatchObject({
      savedMethod: { id: expect.any(String) },
    });
    const second = await opened({ ClientUser: { EmailAddress: ' ADA@example.com' } });
    const { savedMethods } = await second.get<PaymentPageSession>();
    expect(savedMethods).toMatchObject([{ last4: '4242', brand: 'Visa', expiry: '12/34', isDefault: true }]);
    expect(await second.pay({ source: { savedMethodId: savedMethods[0]?.id ?? '' } })).toMatchObject({
      status: 'succeeded',
      receipt: { last4: '4242', brand: 'Visa' },
    });
    const third = await opened(CUSTOMER);
    expect(await refusal(third.pay({ saveMethod: 'yes' as never }))).toMatchObject({
      errors: [{ field: 'saveMethod' }],
    });
    const mastercard = { ...CARD, cardNumber: '5555555555554444' };
    expect(await third.pay({ source: mastercard, saveMethod: false })).not.toHaveProperty('savedMethod');
    expect((await state()).paymentMethods).toHaveLength(1);
    const other = await opened({ ClientUser: { EmailAddress: 'eve@example.com' } });
    const stolen = other.pay({ source: { savedMethodId: savedMethods[0]?.id ?? '' } });
    expect(await refusal(stolen)).toMatchObject({ errors: [{ field: 'source.savedMethodId' }] });
  });

  it('are rejected with a reason in production without a processor, while other flows work', async () => {
    const keyHash = `sha256:${createHash('sha256').update(API_KEY).digest('hex')}`;
    const production = await startTestService({
      env: 'production',
      sessionKeyText: `k1:${'ab'.repeat(32)}`,
      config: { ...(config() as object), apiKeys: [{ keyHash, businessUnits: [SLUG] }] },
    });
    const page = await open(production.fetch, 'payment');
    expect(page.id).toMatch(/^prd_/);
    expect(await page.get()).toMatchObject({
      environment: 'production',
      testMode: false,
      unavailable: expect.stringContaining('without a payment processor'),
    });
    const message = expect.stringContaining('without a payment processor') as string;
    const refused = { status: 503, errors: [{ code: 'payments_unavailable', message }] };
    expect(await refusal(page.pay())).toMatchObject(refused);
    const wallet = await open(production.fetch, 'wallet');
    expect(await refusal(wallet.addMethod())).toMatchObject(refused);
    const later = await open(production.fetch, 'schedule-payment');
    expect(await refusal(later.post('schedule', { requestId: randomUUID() }))).toMatchObject(refused);
    const paperless = await open(production.fetch, 'paperless');
    expect(await paperless.post('paperless', { enrolled: true })).toEqual({ enrolled: true });
    await production.close();
  });
});

describe('the page API', () => {
  it('accepts only the secret and does not reveal why it rejects', async () => {
    const page = await opened();
    const other = await opened();
    const responses = await Promise.all(
      [
        payer(service.fetch, page.id, other.secret),
        payer(service.fetch, page.id, page.secret.slice(1)),
        payer(service.fetch, page.id, ''),
        payer(service.fetch, 'stg_unknown', page.secret),
      ].map(async (stranger) => {
        const response = await stranger.send('session');
        return [response.status, await response.text()];
      }),
    );
    expect(new Set(responses.map((response) => JSON.stringify(response))).size).toBe(1);
    const [status, text] = responses[0] ?? [];
    expect(status).toBe(401);
    expect(JSON.parse(text as string)).toEqual({
      ok: false,
      errors: [{ code: 'unauthorized', message: expect.stringMatching(/\w \w/) as string }],
    });
  });

  it('returns 404 as JSON for unknown paths', async () => {
    const page = await opened();
    for (const path of ['x', 'session/x', 'methods/one/two/three']) {
      const response = await page.send(path);
      expect(response.status).toBe(404);
      expect(await response.json()).toEqual({
        ok: false,
        errors: [{ code: 'not_found', message: expect.stringMatching(/\w \w/) as string }],
      });
    }
  });

  it.each([
    ['pay', 'GET', 'POST'],
    ['session', 'POST', 'GET, HEAD'],
  ])('answers %s with the wrong method with 405 and Allow', async (path, method, allow) => {
    const page = await opened();
    const response = await page.send(path, { method });
    expect([response.status, response.headers.get('allow')]).toEqual([405, allow]);
    expect(await response.json()).toEqual({
      ok: false,
      errors: [{ code: 'invalid', message: `This address accepts only ${allow}.` }],
    });
  });

  it.each([
    [{ origin: 'https://evil.example' }],
    [{ origin: 'null' }],
    [{ 'sec-fetch-site': 'cross-site' }],
    [{ 'sec-fetch-site': 'same-site' }],
  ])('rejects requests from other pages: %j', async (headers) => {
    const page = await opened();
    const response = await page.send('session', { headers });
    expect(response.status).toBe(403);
    expect(await response.json()).toEqual({
      ok: false,
      errors: [{ code: 'unauthorized', message: expect.stringMatching(/\w \w/) as string }],
    });
  });

  it('serves its own page with no-store', async () => {
    const page = await opened();
    const response = await page.send('session', {
      headers: { origin: 'http://service.test', 'sec-fetch-site': 'same-origin' },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  it.each([
    ['not json', 'application/json', 400],
    ['[]', 'application/json', 400],
    ['{}', 'text/plain', 415],
    [JSON.stringify({ pad: 'x'.repeat(70_000) }), 'application/json', 413],
    ['{"attemptId":"short"}', 'application/json', 400],
  ])('rejects an invalid body: %#', async (body, type, status) => {
    const page = await opened();
    const response = await page.send('pay', { method: 'POST', body, headers: { 'content-type': type } });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({
      ok: false,
      errors: [{ code: 'invalid', message: expect.stringMatching(/\w \w/) as string }],
    });
  });
});

describe('R-91 while the processor is slow', () => {
  const MANY = Array.from({ length: 80_000 }, () => ({}));

  it('keeps the text of a session while a page waits, and afterwards nothing of it', async () => {
    let answer = (): void => undefined;
    const answered = new Promise<'succeeded'>((resolve) => (answer = () => resolve('succeeded')));
    const charge = vi.fn(() => answered);
    const processor = { ...service.deps.processor, charge } as never;
    const slow = await startTestService({ config: config(), processor });
    onTestFinished(() => slow.close());
    onTestFinished(() => answer());
    const pages: Payer[] = [];
    for (let count = 0; count < 10; count++)
      pages.push(await open(slow.fetch, 'payment', { CustomMeta: { MANY } }));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const before = heapUsed();
    const paid = pages.map((page) => page.pay());
    await vi.waitUntil(() => charge.mock.calls.length === 10, { timeout: 20_000 });
    expect(heapUsed() - before).toBeLessThan(10_000_000);

    await vi.advanceTimersByTimeAsync(MAX_CALL_WAIT_MS);
    expect((await Promise.all(paid)).map(({ status }) => status)).toEqual(Array(10).fill('processing'));
    expect(heapUsed() - before).toBeLessThan(1_000_000);
  });

  it('refuses a body with more values than a form sends', async () => {
    const page = await opened();
    const tooMany = await refusal(page.pay({ ignored: MANY.slice(0, 2_000) } as object));
    expect(tooMany).toMatchObject({
      status: 400,
      errors: [{ code: 'invalid', message: 'Send at most 2000 values.' }],
    });
    expect(await page.pay({ ignored: MANY.slice(0, 900) } as object)).toMatchObject({ status: 'succeeded' });
  });
});
