import { afterEach, describe, expect, it, vi } from 'vitest';
import { describeOn, startEngines } from '../../test/engines.js';
import { API_KEY, config, CUSTOMER, SLUG } from '../../test/merchant.js';
import type { Flow } from '@embedded-sessions/server-types';
import { BANK, CARD, DECLINED, open, refusal, type Payer } from '../../test/payer.js';
import { unavailable } from '../core/error.js';
import { settlePayment } from './attempts.js';
import type { Attempt } from './rules/attempt.js';
import type { PaymentProcessor, PaymentSource } from '../processor/rules/port.js';
import { startTestService, type OpenTestService } from '../start/test-service.js';
import { Forgetting } from './forgetting.js';

const DAY_MS = 86_400_000;

let service: OpenTestService;
afterEach(() => service.close());

interface Tokenizing {
  atOnce: number;
  onToken?: () => void;
  /** Default: another for each source. */
  tokenOf?: (source: PaymentSource) => string;
  /** Default: another for each token. */
  fingerprint?: string;
}

describeOn(startEngines())('R-103 on %s', (engine, database) => {
  /** A processor whose `forget` fails `failures` times, and whose `tokenize` waits for `atOnce` concurrent calls. */
  async function start(failures = 0): Promise<{ forgotten: string[]; tokenizing: Tokenizing }> {
    const forgotten: string[] = [];
    const tokenizing: Tokenizing = { atOnce: 1 };
    let tokens = 0;
    let left = failures;
    const processor: PaymentProcessor = {
      tokenize: async (source) => {
        const { method } = source;
        const turn = ++tokens;
        await vi.waitUntil(() => tokens >= tokenizing.atOnce, { interval: 1 });
        tokenizing.onToken?.();
        return {
          token: tokenizing.tokenOf?.(source) ?? `tok_${turn}`,
          last4: method === 'ACH' ? '6789' : '4242',
          fingerprint: tokenizing.fingerprint ?? `fp_${turn}`,
        };
      },
      charge: async ({ context: { method } }) => (method === 'ACH' ? 'pending' : 'succeeded'),
      lookup: async () => 'succeeded',
      forget: async (token) => {
        if (left-- > 0) throw new Error('down');
        forgotten.push(token);
      },
    };
    service = await startTestService({ database: await database(), config: config(), processor });
    return { forgotten, tokenizing };
  }

  const attemptOf = async (sessionId: string): Promise<Attempt> => {
    const [attempt] = await service.deps.store.read((tx) => tx.attempts.ofSession(sessionId));
    return attempt ?? expect.fail('no attempt');
  };
  const sweep = (ms = 1_000): Promise<unknown> => service.control.advance(ms);

  it('forgets the second token if a press of Pay arrives twice', async () => {
    const { forgotten, tokenizing } = await start();
    const page = await open(service.fetch, 'wallet', CUSTOMER);
    const body = { requestId: 'request-twice', source: CARD, makeDefault: false };
    tokenizing.atOnce = 2;
    await Promise.all([page.post('methods', body), page.post('methods', body)]);
    await expect.poll(() => forgotten.length).toBe(1);
    const [kept] = await service.deps.store.read((tx) => tx.methods.list(SLUG));
    expect(forgotten).not.toContain(kept?.token);
  });

  it.each(['before', 'while'])(
    'keeps a method that returns to an earlier token %s it is forgotten',
    async (when) => {
      const { tokenizing } = await start();
      tokenizing.fingerprint = 'fp_1';
      tokenizing.tokenOf = (source) => `vault_${'expiry' in source ? source.expiry : ''}`;
      const page = await open(service.fetch, 'wallet', CUSTOMER);
      const { id } = await page.addMethod();
      const renew = (requestId: string, expiry: string) =>
        page.post('methods', { requestId, source: { ...CARD, expiry }, makeDefault: false, renews: id });
      await renew('renewal-1', '01/36');
      const goBack = async () => void (await renew('renewal-2', CARD.expiry));
      const forget = vi.spyOn(service.deps.processor!, 'forget');
      if (when === 'before') await goBack();
      else forget.mockImplementationOnce(goBack);
      await sweep();
      expect(forget.mock.calls[0]?.[0]).toBe(`vault_${when === 'before' ? '01/36' : CARD.expiry}`);
      const method = await service.deps.store.read((tx) => tx.methods.get(id));
      expect(method).toMatchObject({ token: `vault_${CARD.expiry}`, holder: 'Ada Byron' });
    },
  );

  it('keeps a bank payment’s details until the bank can no longer return it', async () => {
    const { forgotten } = await start();
    const page = await open(service.fetch, 'payment');
    await page.pay({ source: BANK });
    await sweep(3 * DAY_MS);
    expect(forgotten).toEqual(['tok_1']);
    expect((await attemptOf(page.id)).source).toMatchObject({ token: '', fingerprint: expect.any(String) });

    for (let week = 0; week < 11; week++) await sweep(7 * DAY_MS);
    expect((await attemptOf(page.id)).source).not.toHaveProperty('fingerprint');
  });

  it('forgets a removed method, and keeps only its brand and last digits in payments', async () => {
    const { forgotten } = await start();
    const page = await open(service.fetch, 'wallet', CUSTOMER);
    const kept = await page.addMethod();
    const { id } = await page.addMethod({ ...CARD, cardNumber: '5555 5555 5555 4444' });
    const payment = await open(service.fetch, 'payment', CUSTOMER);
    await payment.pay({ source: { savedMethodId: id } });
    await sweep();
    expect(forgotten).toEqual([]);

    await page.post(`methods/${id}/remove`);
    await sweep();
    expect(forgotten).toEqual(['tok_2']);
    const { store } = service.deps;
    const [removed, other] = await store.read((tx) =>
      Promise.all([tx.methods.get(id), tx.methods.get(kept.id)]),
    );
    expect(removed).toMatchObject({ token: '', holder: '', last4: '4242' });
    expect(removed).not.toHaveProperty('fingerprint');
    // The payment's details stay longer, but not a token that could still be charged.
    expect((await attemptOf(payment.id)).source).toMatchObject({ token: '', holder: 'Ada Byron' });
    expect(other).toMatchObject({ token: 'tok_1', holder: 'Ada Byron' });
  });

  describe.each<[string, (page: Payer) => Promise<unknown>, Flow]>([
    ['payment', (page) => page.pay(), 'payment'],
    ['method', (page) => page.addMethod(), 'wallet'],
  ])('if the database fails after the source of a %s was tokenized', (_, send, flow) => {
    /** Lets the first transaction after `tokenize` fail. */
    async function failing(outcome: 'rolled back' | 'committed' | 'down') {
      const { forgotten, tokenizing } = await start();
      const { store, log } = service.deps;
      const warnings = vi.spyOn(log, 'warn');
      const real = { ...store };
      let failures = 0;
      tokenizing.onToken = () => (failures = outcome === 'down' ? 2 : 1);
      const transactions = vi.spyOn(store, 'transaction').mockImplementation(async (work, options) => {
        if (failures-- <= 0) return real.transaction(work, options);
        if (outcome === 'committed') await real.transaction(work, options);
        throw unavailable(new Error('The connection broke.'));
      });
      const page = await open(service.fetch, flow, CUSTOMER);
      await expect(send(page)).rejects.toMatchObject({ status: 503 });
      return { forgotten, warnings, page, transactions };
    }

    it('forgets the token', async () => {
      const { forgotten } = await failing('rolled back');
      await expect.poll(() => forgotten).toEqual(['tok_1']);
    });

    it('keeps the token if it was stored nevertheless', async () => {
      const { forgotten, page, transactions } = await failing('committed');
      const stored = () =>
        service.deps.store.read(async (tx) => {
          const rows =
            flow === 'payment' ? await tx.attempts.ofSession(page.id) : await tx.methods.list(SLUG);
          return JSON.stringify(rows);
        });
      expect(await stored()).toContain('tok_1');
      await Promise.allSettled(transactions.mock.results.map(({ value }) => value));
      expect(forgotten).toEqual([]);
    });

    it('logs that the token may remain, without the token, if the database stays down', async () => {
      const { forgotten, warnings } = await failing('down');
      await expect
        .poll(() => warnings.mock.calls.map(([message]) => message))
        .toEqual([expect.stringContaining('may not have been forgotten')]);
      expect(JSON.stringify(warnings.mock.calls)).not.toContain('tok_1');
      expect(forgotten).toEqual([]);
    });
  });

  // The rest does not depend on the engine.
  if (engine === 'PostgreSQL') return;

  it('forgets the token of an unsaved card immediately, and its holder when the receipt expires', async () => {
    const { forgotten } = await start();
    const page = await open(service.fetch, 'payment');
    await page.pay();
    await sweep();
    expect(forgotten).toEqual(['tok_1']);
    expect((await attemptOf(page.id)).source).toMatchObject({ token: '', holder: 'Ada Byron' });

    await sweep(DAY_MS);
    const { source } = await attemptOf(page.id);
    expect(source).toEqual({ method: 'Credit Card', token: '', last4: '4242', holder: '', save: false });
    expect(forgotten).toEqual(['tok_1']);
  });

  it('leaves nothing to a first pass if the processor has nothing to forget', async () => {
    await start();
    const { deps } = service;
    const soon = () => deps.store.read((tx) => tx.attempts.toForget(SLUG, deps.clock.now() + 60_000, 10));
    const wallet = await open(service.fetch, 'wallet', CUSTOMER);
    const { id } = await wallet.addMethod();
    const saved = await open(service.fetch, 'payment', CUSTOMER);
    await saved.pay({ source: { savedMethodId: id } });
    expect(await soon()).toEqual([]);

    const typed = await open(service.fetch, 'payment');
    await typed.pay();
    expect(await soon()).toHaveLength(1);

    delete deps.processor?.forget;
    const unforgettable = await open(service.fetch, 'payment');
    await unforgettable.pay();
    expect((await attemptOf(unforgettable.id)).source).toMatchObject({ token: '', holder: 'Ada Byron' });
    expect(await soon()).toHaveLength(1);
  });

  it('forgets the holder of a returned bank payment within a day, and its fingerprint after the last return', async () => {
    await start();
    const { store, newId, clock } = service.deps;
    const page = await open(service.fetch, 'payment');
    await page.pay({ source: BANK });
    const attempt = await attemptOf(page.id);
    const settle = (outcome: 'succeeded' | 'returned') =>
      store.transaction((tx) =>
        settlePayment(
          tx,
          attempt,
          { outcome },
          { now: clock.now(), newId, config: { businessUnits: [] }, hasEvents: true },
        ),
      );
    await settle('succeeded');
    await sweep(3 * DAY_MS);
    expect((await attemptOf(page.id)).source).toHaveProperty('fingerprint');
    await settle('returned');
    await sweep(DAY_MS);
    expect((await attemptOf(page.id)).source).toMatchObject({ holder: '', fingerprint: expect.any(String) });
    await sweep(70 * DAY_MS);
    expect((await attemptOf(page.id)).source).not.toHaveProperty('fingerprint');
  });

  it('R-103 forgets the details of a removed method and of a payment while calls fail', async () => {
    await start();
    vi.spyOn(service.deps.processor!, 'forget').mockRejectedValue(new Error('down'));
    const wallet = await open(service.fetch, 'wallet', CUSTOMER);
    const { id } = await wallet.addMethod();
    await wallet.post(`methods/${id}/remove`);
    const page = await open(service.fetch, 'payment');
    await page.pay();
    await sweep();
    const method = await service.deps.store.read((tx) => tx.methods.get(id));
    expect(method).toMatchObject({ holder: '', token: expect.stringMatching(/./) });
    expect(method).not.toHaveProperty('expiry');
    await sweep(2 * DAY_MS);
    const { source } = await attemptOf(page.id);
    expect(source).toMatchObject({ holder: '', token: expect.stringMatching(/./) });
    expect(source).not.toHaveProperty('expiry');
  });

  it('keeps only the token of a removed method while a payment with it has no outcome', async () => {
    const { forgotten } = await start();
    const { processor, store } = service.deps;
    const wallet = await open(service.fetch, 'wallet', CUSTOMER);
    const { id } = await wallet.addMethod();
    vi.spyOn(processor!, 'charge').mockRejectedValue(new Error('no answer'));
    vi.spyOn(processor!, 'lookup').mockRejectedValue(new Error('down'));
    const page = await open(service.fetch, 'payment', CUSTOMER);
    expect(await page.pay({ source: { savedMethodId: id } })).toMatchObject({ status: 'processing' });
    await wallet.post(`methods/${id}/remove`);
    await sweep(2 * 60_000);
    expect(forgotten).toEqual([]);
    const method = await store.read((tx) => tx.methods.get(id));
    expect(method).toMatchObject({ token: 'tok_1', last4: '4242', holder: '' });
    for (const detail of ['expiry', 'fingerprint', 'name']) expect(method).not.toHaveProperty(detail);
  });

  it('accepts a processor module whose `forget` returns no promise', async () => {
    await start();
    const forgotten: string[] = [];
    const { processor } = service.deps;
    if (processor) processor.forget = (token) => void forgotten.push(token) as unknown as Promise<void>;
    const page = await open(service.fetch, 'payment');
    await page.pay();
    await sweep();
    await sweep();
    expect(forgotten).toEqual(['tok_1']);
    expect((await attemptOf(page.id)).source.token).toBe('');
  });

  it('R-93 refuses a blocked card that is typed again, and forgets its token immediately', async () => {
    const { forgotten } = await start();
    const block = (fingerprint: string) =>
      service.deps.store.transaction((tx) => tx.methods.block(SLUG, fingerprint, 'R10', 0));
    const problem = { field: 'source.cardNumber', reason: 'method_blocked' };
    await block('fp_1');
    const page = await open(service.fetch, 'payment');
    expect(await refusal(page.pay())).toMatchObject({ errors: [problem] });
    await expect.poll(() => forgotten).toEqual(['tok_1']);

    await block('fp_2');
    const wallet = await open(service.fetch, 'wallet', CUSTOMER);
    expect(await refusal(wallet.addMethod())).toMatchObject({ errors: [problem] });
    await expect.poll(() => forgotten).toEqual(['tok_1', 'tok_2']);
    expect(await page.pay({ attemptId: 'attempt-second' })).toMatchObject({ status: 'succeeded' });
  });

  it('forgets a card that was renewed', async () => {
    const { forgotten, tokenizing } = await start();
    tokenizing.fingerprint = 'fp';
    const page = await open(service.fetch, 'wallet', CUSTOMER);
    const { id } = await page.addMethod();
    await page.post('methods', {
      requestId: 'renewal-1',
      source: { ...CARD, expiry: '01/36' },
      makeDefault: false,
      renews: id,
    });
    await sweep();
    expect(forgotten).toEqual(['tok_1']);
    expect(await service.deps.store.read((tx) => tx.methods.get(id))).toMatchObject({ token: 'tok_2' });
  });

  it('R-91 refuses a card that is entered again and again until its earlier tokens are forgotten', async () => {
    const { forgotten, tokenizing } = await start();
    tokenizing.fingerprint = 'fp';
    const page = await open(service.fetch, 'wallet', CUSTOMER);
    const { id } = await page.addMethod();
    for (let again = 0; again < 20; again++) await page.addMethod();
    expect(await refusal(page.addMethod())).toMatchObject({ errors: [{ code: 'rate_limited' }] });
    const method = await service.deps.store.read((tx) => tx.methods.get(id));
    expect(method?.replaced).toHaveLength(20);
    const paid = await open(service.fetch, 'payment', CUSTOMER);
    expect(await paid.pay({ saveMethod: true })).toMatchObject({ status: 'succeeded' });
    expect(await service.deps.store.read((tx) => tx.methods.get(id))).toEqual(method);
    await sweep();
    await sweep();
    // Of the 23 cards that were entered, the last one that was saved is kept.
    expect(new Set(forgotten).size).toBe(22);
    await page.addMethod();
  });

  it('R-91 keeps few tokens of a card if they are long', async () => {
    await start();
    let made = 0;
    vi.spyOn(service.deps.processor!, 'tokenize').mockImplementation(async () => ({
      token: `${++made}`.padEnd(4_000, 'x'),
      last4: '4242',
      fingerprint: 'fp',
    }));
    const page = await open(service.fetch, 'wallet', CUSTOMER);
    for (let again = 0; again < 3; again++) await page.addMethod();
    expect(await refusal(page.addMethod())).toMatchObject({ errors: [{ code: 'rate_limited' }] });
  });

  it('forgets a card that is removed while its earlier token is being forgotten', async () => {
    const { forgotten, tokenizing } = await start();
    tokenizing.fingerprint = 'fp';
    const page = await open(service.fetch, 'wallet', CUSTOMER);
    const { id } = await page.addMethod();
    await page.addMethod();
    vi.spyOn(service.deps.processor!, 'forget').mockImplementation(async (token) => {
      if (forgotten.push(token) === 1) await page.post(`methods/${id}/remove`);
    });
    await sweep();
    await sweep(60_000);
    expect(forgotten).toEqual(['tok_1', 'tok_2']);
    expect(await service.deps.store.read((tx) => tx.methods.get(id))).toMatchObject({ token: '' });
  });

  it('forgets the rest of a removed card’s tokens after one call failed', async () => {
    const { forgotten, tokenizing } = await start();
    tokenizing.fingerprint = 'fp';
    const page = await open(service.fetch, 'wallet', CUSTOMER);
    const { id } = await page.addMethod();
    await page.addMethod();
    await page.addMethod();
    await page.post(`methods/${id}/remove`);
    let calls = 0;
    vi.spyOn(service.deps.processor!, 'forget').mockImplementation(async (token) => {
      if (++calls === 2) throw new Error('down');
      forgotten.push(token);
    });
    await sweep();
    await sweep(60_000);
    expect(new Set(forgotten)).toEqual(new Set(['tok_1', 'tok_2', 'tok_3']));
    expect(await service.deps.store.read((tx) => tx.methods.get(id))).toMatchObject({ token: '' });
  });

  it('R-91 retries a failed call, and does not search for it at once', async () => {
    const { forgotten } = await start(1);
    const page = await open(service.fetch, 'payment');
    await page.pay();
    await sweep();
    expect(forgotten).toEqual([]);
    expect((await attemptOf(page.id)).source).toMatchObject({ token: 'tok_1' });
    const { store, clock } = service.deps;
    expect(await store.read((tx) => tx.attempts.toForget(SLUG, clock.now(), 10))).toEqual([]);
    await sweep(60_000);
    expect(forgotten).toEqual(['tok_1']);
  });

  it('R-91 searches for no removed method again at once if its call failed', async () => {
    const { forgotten } = await start(1);
    const wallet = await open(service.fetch, 'wallet', CUSTOMER);
    const { id } = await wallet.addMethod();
    await wallet.post(`methods/${id}/remove`);
    await sweep();
    expect(forgotten).toEqual([]);
    const { store, clock } = service.deps;
    expect(await store.read((tx) => tx.methods.toForget(SLUG, clock.now(), 10))).toEqual([]);
    await sweep(60_000);
    expect(forgotten).toEqual(['tok_1']);
  });

  it('forgets the token of a declined card immediately, and keeps only its last digits', async () => {
    const { forgotten } = await start();
    vi.spyOn(service.deps.processor as PaymentProcessor, 'charge').mockResolvedValueOnce('declined');
    const page = await open(service.fetch, 'payment');
    await page.pay({ source: DECLINED });
    await sweep();
    expect(forgotten).toEqual(['tok_1']);
    const { source } = await attemptOf(page.id);
    expect(source).toEqual({ method: 'Credit Card', token: '', last4: '4242', holder: '', save: false });
    expect((await service.control.state(SLUG)).payments).toMatchObject([
      { status: 'declined', last4: '4242' },
    ]);
  });
});

it('R-103 waits for the next sweep if forgotten payments cannot be recorded', async () => {
  service = await startTestService({ config: config() });
  const attempts = Array.from({ length: 100 }, (_, place) => ({ id: `attempt_${place}`, source: {} }));
  const tx = { attempts: { toForget: async () => attempts }, methods: { toForget: async () => [] } };
  const store = {
    read: (work: (of: unknown) => unknown) => work(tx),
    transaction: () => Promise.reject(new Error('a broken row')),
  };
  const log = { ...service.deps.log, error: () => undefined };
  expect(await new Forgetting({ ...service.deps, log, store } as never).handleDue(SLUG)).toBe(0);
});

it('R-97 R-103 a slow processor of a business unit does not delay another one', async () => {
  const running = { of: new Map<string, number>(), most: 0 };
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const forgotten: string[] = [];
  const slow = ['a', 'b'];
  const slugs = [...slow, SLUG];
  const processor: PaymentProcessor = {
    tokenize: async () => ({ token: 'tok', last4: '4242' }),
    charge: async () => 'succeeded',
    lookup: async () => 'succeeded',
    forget: async (_, { businessUnit }) => {
      const calls = (running.of.get(businessUnit) ?? 0) + 1;
      running.of.set(businessUnit, calls);
      running.most = Math.max(running.most, calls);
      if (slow.includes(businessUnit)) await released;
      running.of.set(businessUnit, calls - 1);
      forgotten.push(businessUnit);
    },
  };
  service = await startTestService({
    config: {
      businessUnits: slugs.map((slug) => ({ slug, name: slug })),
      apiKeys: [{ key: API_KEY, businessUnits: slugs }],
      processor: { concurrency: 10, perBusinessUnit: 4 },
    },
    processor,
  });
  for (const BusinessUnitSlug of [...slow.flatMap((slug) => Array.from({ length: 6 }, () => slug)), SLUG]) {
    const page = await open(service.fetch, 'payment', { BusinessUnitSlug });
    await page.pay();
  }
  const advanced = service.control.advance(1_000);
  await expect.poll(() => forgotten).toEqual([SLUG]);
  expect(running.most).toBe(4);
  release();
  await advanced;
  expect(forgotten).toHaveLength(13);
});
