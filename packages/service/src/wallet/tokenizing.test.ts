// Tokens that a processor returns, as seen by the payer and in the database.
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { API_KEY, config, SLUG } from '../../test/merchant.js';
import { losing } from '../../test/losing.js';
import { BANK, CARD, open, refusal, type PageRefused } from '../../test/payer.js';
import type { PaymentProcessor, Tokenized } from '../processor/rules/port.js';
import type { Log } from '../platform/log/log.js';
import { startTestService, type OpenTestService } from '../start/test-service.js';
import { MAX_CALL_WAIT_MS } from '../processor/calls.js';
import { checkNewSource } from './tokenizing.js';

let service: OpenTestService;
afterEach(async () => {
  vi.useRealTimers();
  await service.close();
});

const begin = async (
  tokenize: PaymentProcessor['tokenize'],
  businessUnit: Record<string, unknown> = {},
  log?: Log,
) => {
  const charge = vi.fn<PaymentProcessor['charge']>(async () => 'succeeded');
  const processor: PaymentProcessor = { tokenize, charge, lookup: async () => 'succeeded' };
  service = await startTestService({ config: config(businessUnit), processor, ...(log ? { log } : {}) });
  return charge;
};
/** A log that collects errors. */
const errorLog = () => {
  const error = vi.fn<Log['error']>();
  const log: Log = { info: () => undefined, warn: () => undefined, error };
  return { error, log };
};
const NUMBER = CARD.cardNumber.replaceAll(' ', '');

/** A response that fails when it is read. */
function unreadable(): object {
  return {
    get token(): string {
      throw new Error('not readable');
    },
  };
}

describe('D-8 a token', () => {
  it.each<[string, Partial<Record<keyof Tokenized, unknown>>]>([
    ['is the number', { token: NUMBER }],
    ['contains the number', { token: `card:${NUMBER}:1` }],
    ['contains the number in groups', { token: `card:${CARD.cardNumber}` }],
    ['is empty', { token: '' }],
    ['contains a NUL character', { token: 'tok\0' }],
    ['contains a lone surrogate', { token: 'tok\ud800' }],
    ['is not a string', { token: 42 }],
    ['is an array with the number', { token: [`card:${NUMBER}`] }],
    ['comes with more than four digits', { last4: '24242' }],
    ['comes with digits that are not a string', { last4: 4242 }],
    ['comes with an array of digits', { last4: ['42', '42'] }],
    ['comes with a fingerprint that is not a string', { fingerprint: 42 }],
    ['comes with a fingerprint that contains the number', { fingerprint: `of ${NUMBER}` }],
    ['comes with a fingerprint of more than 200 characters', { fingerprint: 'x'.repeat(201) }],
    ['comes with a brand that is not a string', { brand: { name: 'Visa' } }],
    ['comes with a brand that contains the number', { brand: `Visa ${NUMBER}` }],
    ['comes with a brand of more than 200 characters', { brand: 'x'.repeat(201) }],
    ['has more than 4,000 characters', { token: 'x'.repeat(4_001) }],
  ])('that %s is rejected, and nothing is charged', async (_, odd) => {
    const charge = await begin(async () => ({ token: 'tok_1', last4: '4242', ...odd }) as Tokenized);
    const page = await open(service.fetch, 'payment');
    const refused = await refusal(page.pay());
    expect(refused).toMatchObject({ status: 503, errors: [{ code: 'payments_unavailable' }] });
    expect(refused.errors[0]?.message).toContain('nothing was charged');
    expect(charge).not.toHaveBeenCalled();
    expect((await service.control.state(SLUG)).payments).toEqual([]);
    const wallet = await open(service.fetch, 'wallet');
    expect(await refusal(wallet.addMethod())).toMatchObject({ status: 503 });
    expect((await service.control.state(SLUG)).paymentMethods).toEqual([]);
  });

  it('that contains a bank account number is not stored either', async () => {
    const charge = await begin(async () => ({ token: `acct-${BANK.accountNumber}`, last4: '6789' }));
    const page = await open(service.fetch, 'payment');
    expect(await refusal(page.pay({ source: BANK }))).toMatchObject({ status: 503 });
    expect(charge).not.toHaveBeenCalled();
  });

  it('is charged with or without a brand', async () => {
    const token = 'x'.repeat(4_000);
    const charge = await begin(async () => ({ token, last4: '42', fingerprint: 'x'.repeat(200) }));
    const page = await open(service.fetch, 'payment');
    const paid = await page.pay();
    expect(paid).toMatchObject({ status: 'succeeded', receipt: { last4: '42' } });
    expect(paid).not.toHaveProperty('receipt.brand');
    expect(charge).toHaveBeenCalledWith(expect.objectContaining({ token, amount: 12_345 }));
  });
});

it.each<[string, object]>([
  ['a parsed body as its message', { message: { error: 'x' } }],
  ['a list of frames as its stack', { stack: [] }],
])('R-91 keeps running if the processor fails to forget a token with %s', async (_, odd) => {
  const warn = vi.fn<Log['warn']>();
  await begin(async () => ({ token: 'tok_1', last4: '24242' }), {}, { info: vi.fn(), warn, error: vi.fn() });
  if (service.deps.processor)
    service.deps.processor.forget = () => Promise.reject(Object.assign(new Error('x'), odd));
  const page = await open(service.fetch, 'payment');
  expect(await refusal(page.pay())).toMatchObject({ status: 503 });
  await expect.poll(() => warn.mock.calls).toHaveLength(1);
  expect(warn.mock.calls[0]?.[1]?.error?.name).toEqual(expect.any(String));
});

it('R-10 rejects a method that is not offered without tokenizing it', async () => {
  const tokenize = vi.fn<PaymentProcessor['tokenize']>();
  await begin(tokenize, { paymentMethods: ['Credit Card'] });
  const page = await open(service.fetch, 'payment');
  expect(await refusal(page.pay({ source: BANK }))).toMatchObject({
    status: 400,
    errors: [{ field: 'source.method', reason: 'method_not_offered' }],
  });
  expect(tokenize).not.toHaveBeenCalled();
});

it('tokenizes a card even if the response to the COMMIT that counts it is lost', async () => {
  await begin(async () => ({ token: 'tok_1', last4: '4242' }));
  const page = await open(service.fetch, 'payment');
  const { deps } = service;
  const { store, processor } = deps;
  const session = await store.read((tx) => tx.sessions.get(page.id));
  if (!session || !processor) throw new Error('no session');
  const place = { session, methods: ['Credit Card'] as const, countries: ['US'], today: '2026-12-01' };
  const checked = checkNewSource({ ...deps, processor }, CARD, place);
  if (!checked.ok) throw new Error('not a card');
  const tokenize = await losing(store).transaction((tx) => checked.value.preflight(tx, 'attempt-1'), {
    repeatable: true,
  });
  expect(await tokenize()).toMatchObject({ ok: true, value: { token: 'tok_1' } });
});

it.each<[string, () => unknown, string[]]>([
  ['forgets the token', () => ({ token: 'tok_late', last4: '4242' }), ['tok_late']],
  ['ignores a response without a token', () => undefined, []],
  ['ignores an unreadable response', unreadable, []],
])('R-62 R-103 logs that a processor hangs, and %s of its late answer', async (_, late, tokens) => {
  const { error, log } = errorLog();
  let answerLate: (response: Tokenized) => void = () => undefined;
  const hanging = new Promise<Tokenized>((resolve) => (answerLate = resolve));
  const tokenize = vi.fn<PaymentProcessor['tokenize']>(() => hanging);
  await begin(tokenize, {}, log);
  const forget = vi.fn<NonNullable<PaymentProcessor['forget']>>(async () => undefined);
  if (service.deps.processor) service.deps.processor.forget = forget;
  const page = await open(service.fetch, 'payment');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const answer = refusal(page.pay());
  await expect.poll(() => tokenize.mock.calls).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(MAX_CALL_WAIT_MS);
  expect(await answer).toMatchObject({ status: 503, errors: [{ code: 'payments_unavailable' }] });
  expect(error.mock.calls).toMatchObject([[expect.any(String), { error: { code: 'processor_timeout' } }]]);
  expect(forget).not.toHaveBeenCalled();

  answerLate(late() as Tokenized);
  await setImmediate();
  expect(forget.mock.calls.map(([token]) => token)).toEqual(tokens);
});

it('R-91 R-97 keeps connections free for a business unit while the processor is slow to tokenize for three others', async () => {
  const token = { token: 'tok_1', last4: '4242' };
  let resolve = (): void => undefined;
  const late = new Promise<Tokenized>((settle) => (resolve = () => settle(token)));
  const tokenize = vi.fn<PaymentProcessor['tokenize']>((_, { businessUnit }) =>
    businessUnit === SLUG ? Promise.resolve(token) : late,
  );
  const slow = ['a', 'b', 'c'];
  const slugs = [...slow, SLUG];
  service = await startTestService({
    config: {
      businessUnits: slugs.map((slug) => ({ slug, name: slug })),
      apiKeys: [{ key: API_KEY, businessUnits: slugs }],
      maxConnections: 40,
    },
    processor: { tokenize, charge: async () => 'succeeded', lookup: async () => 'succeeded' },
  });
  const pages = await Promise.all(
    slow.flatMap((BusinessUnitSlug) =>
      Array.from({ length: 12 }, () => open(service.fetch, 'payment', { BusinessUnitSlug })),
    ),
  );
  let refused = 0;
  const presses = pages.map((page) =>
    page.pay().catch((error: PageRefused) => {
      expect(error).toMatchObject({ status: 503, errors: [{ code: 'unavailable' }] });
      refused += 1;
    }),
  );
  // All others wait, and fewer than 20 may.
  await expect.poll(() => refused + tokenize.mock.calls.length).toBe(36);
  expect(refused).toBeGreaterThan(16);
  for (const slug of slow)
    expect(
      tokenize.mock.calls.filter(([, { businessUnit }]) => businessUnit === slug).length,
    ).toBeGreaterThan(2);
  const other = await open(service.fetch, 'payment');
  expect(await other.pay()).toMatchObject({ status: 'succeeded' });
  resolve();
  await Promise.all(presses);
});

it.each([undefined, null, 'tok_1', {}])(
  'R-62 handles a processor that returns %j for a card',
  async (odd) => {
    const charge = await begin(async () => odd as Tokenized);
    const page = await open(service.fetch, 'payment');
    expect(await refusal(page.pay())).toMatchObject({ status: 503 });
    expect(charge).not.toHaveBeenCalled();
  },
);

it.each([`declined-${NUMBER}`, 'declined-4242.4242.4242.4242', 'cvc-737', 'n4_2_4_2', 'Ada Byron'])(
  'R-50 logs an error of a processor without a name or code like %s',
  async (text) => {
    const { error, log } = errorLog();
    const failure = Object.assign(new Error('x'), { name: text, code: text });
    await begin(() => Promise.reject(failure), {}, log);
    const page = await open(service.fetch, 'payment');
    expect(await refusal(page.pay())).toMatchObject({ status: 503 });
    expect(error.mock.calls).toMatchObject([[expect.any(String), { error: { name: 'Error' } }]]);
    expect(JSON.stringify(error.mock.calls)).not.toContain(text);
  },
);

it('R-62 logs why a token is rejected, without card details', async () => {
  const { error, log } = errorLog();
  await begin(async () => ({ token: NUMBER, last4: '4242' }), {}, log);
  const page = await open(service.fetch, 'payment');
  expect(await refusal(page.pay())).toMatchObject({ status: 503 });
  const logged = {
    code: 'processor_invalid',
    message: expect.stringContaining('cannot be stored') as string,
  };
  expect(error.mock.calls).toMatchObject([[expect.any(String), { sessionId: page.id, error: logged }]]);
  expect(JSON.stringify(error.mock.calls)).not.toContain(NUMBER);
});

describe('R-62 a card that cannot be tokenized', () => {
  it.each(['payment', 'wallet'] as const)(
    'in flow %s is logged with its session, without payer input',
    async (flow) => {
      const { error, log } = errorLog();
      await begin(() => Promise.reject(new Error(`no such card ${NUMBER}`)), {}, log);
      const page = await open(service.fetch, flow);
      expect(await refusal(flow === 'wallet' ? page.addMethod() : page.pay())).toMatchObject({ status: 503 });
      expect(error.mock.calls).toEqual([
        [
          expect.stringContaining('could not tokenize'),
          expect.objectContaining({ sessionId: page.id, error: expect.objectContaining({ name: 'Error' }) }),
        ],
      ]);
      expect(JSON.stringify(error.mock.calls)).not.toMatch(/4242|no such card/);
    },
  );
});

it('R-68 passes the country of a card and its postcode in capitals to the processor', async () => {
  const sources: unknown[] = [];
  const tokenize: PaymentProcessor['tokenize'] = async (source) => {
    sources.push(source);
    return { token: 'tok_1', last4: '4242' };
  };
  await begin(tokenize, { countries: ['US', 'CA', 'GB'] });
  for (const [country, zipCode] of [
    ['CA', 'k1a 0b1'],
    ['GB', 'sw1a 1aa'],
    ['US', '041011234'],
  ] as const) {
    const page = await open(service.fetch, 'payment');
    await page.pay({ source: { ...CARD, country, zipCode } });
  }
  expect(sources).toMatchObject([
    { country: 'CA', zipCode: 'K1A 0B1' },
    { country: 'GB', zipCode: 'SW1A 1AA' },
    { country: 'US', zipCode: '04101-1234' },
  ]);
});

describe('R-10 a source that the processor rejects', () => {
  it.each<[string | undefined, string]>([
    ['cardNumber', 'source.cardNumber'],
    [undefined, 'source'],
  ])('with field %j shows the processor’s message at its input', async (field, path) => {
    const words = 'This card is not for bills.';
    const refused = Object.assign(new Error(words), { code: 'source_refused', field });
    const charge = await begin(() => Promise.reject(refused));
    const page = await open(service.fetch, 'payment');
    expect(await refusal(page.pay())).toMatchObject({
      status: 400,
      errors: [{ code: 'invalid', field: path, message: words, reason: 'source_refused' }],
    });
    expect(charge).not.toHaveBeenCalled();
  });
});
