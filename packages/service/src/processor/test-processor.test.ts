import { describe, expect, it } from 'vitest';
import type { CardSource } from './rules/port.js';
import { SETTLEMENT_MS } from '../payments/rules/attempt.js';
import { BEHAVIORS, createTestProcessor, TEST_ACCOUNTS, TEST_CARDS } from './test-processor.js';
import type { TestCharge, TestRefund, TestLedger } from './rules/test-ledger.js';

const context = {
  businessUnit: 'water',
  currency: 'USD',
  channel: 'QuickPay',
  initiator: 'payer',
  method: 'Credit Card',
  environment: 'staging',
} as const;
const outcome = async (response: Promise<unknown>) => ((await response) as { outcome: string }).outcome;

const card = (cardNumber: string): CardSource => ({
  method: 'Credit Card',
  cardNumber,
  expiry: '12/34',
  securityCode: '737',
  name: 'Ada',
  country: 'US',
  zipCode: '10001',
});
const bank = (accountNumber: string) =>
  ({
    method: 'ACH',
    accountType: 'checking',
    holder: 'Ada',
    routingNumber: '110000000',
    accountNumber,
  }) as const;

function setup() {
  const kept = new Map<string, TestCharge>();
  const clock = { ms: 1_000, now: () => clock.ms };
  const refunds = new Map<string, TestRefund>();
  const ledger: TestLedger = {
    charge: async (entry: TestCharge) => {
      if (!kept.has(entry.attemptId)) kept.set(entry.attemptId, entry);
      return kept.get(entry.attemptId) as TestCharge;
    },
    find: async (id: string) => kept.get(id) ?? null,
    answerChallenge: async (id, challenge) => {
      const entry = kept.get(id);
      if (entry && entry.challenge === undefined) kept.set(id, { ...entry, challenge });
    },
    refund: async (entry) => {
      if (!refunds.has(entry.refundId)) refunds.set(entry.refundId, entry);
      return refunds.get(entry.refundId) ?? entry;
    },
  };
  const start = () => createTestProcessor({ clock, ledger });
  return { clock, start, processor: start() };
}

describe('R-10 the test processor', () => {
  const answering = Object.entries(TEST_CARDS).filter(
    ([, name]) => BEHAVIORS[name]?.failure === undefined && BEHAVIORS[name]?.isChallenged === undefined,
  );
  it.each(answering)('charges %s: %s', async (number, name) => {
    const { processor } = setup();
    const { token } = await processor.tokenize(card(number), context);
    expect(await processor.charge({ attemptId: 'a', token, amount: 100, context })).toEqual(
      BEHAVIORS[name]?.charge,
    );
    expect(await processor.lookup('a', context)).toEqual(BEHAVIORS[name]?.charge);
  });

  it('R-101 starts a challenge and keeps its first outcome', async () => {
    const { processor } = setup();
    const { token } = await processor.tokenize(card('4000000000003220'), context);
    const away = { attemptId: 'away', token, amount: 100, context };
    expect(await processor.charge(away)).toEqual({ outcome: 'declined', reason: 'authentication_required' });

    const present = { ...context, returnUrl: 'https://pay.example/base/s/stg_1/returned' };
    const action = { url: 'https://pay.example/base/test-processor/challenge?attempt=a' };
    const required = { outcome: 'requires_action', action };
    expect(await processor.charge({ ...away, attemptId: 'a', context: present })).toEqual(required);
    expect(await processor.lookup('a', present)).toEqual(required);
    const canceled = { outcome: 'declined', reason: 'authentication_canceled' };
    expect(await processor.cancel('a', present)).toEqual(canceled);
    expect(await processor.charge({ ...away, attemptId: 'a', context: present })).toEqual(canceled);
  });

  it('R-62 charges even if the response is lost or never sent', async () => {
    const { processor } = setup();
    const lost = await processor.tokenize(card('4000000000000267'), context);
    const hangs = await processor.tokenize(card('4000000000000119'), context);
    await expect(
      processor.charge({ attemptId: 'lost', token: lost.token, amount: 100, context }),
    ).rejects.toThrow();
    const hanging = processor.charge({ attemptId: 'hangs', token: hangs.token, amount: 100, context });
    const first = Promise.race([hanging, new Promise((resolve) => setImmediate(resolve, 'nothing yet'))]);
    expect(await first).toBe('nothing yet');
    expect(await outcome(processor.lookup('lost', context))).toBe('succeeded');
    expect(await outcome(processor.lookup('hangs', context))).toBe('succeeded');
  });

  it.each(Object.entries(TEST_ACCOUNTS))(
    'settles bank account %s after two days: %s',
    async (number, name) => {
      const { processor, clock } = setup();
      const { token } = await processor.tokenize(bank(number), context);
      expect(await outcome(processor.charge({ attemptId: 'a', token, amount: 100, context }))).toBe(
        'pending',
      );
      clock.ms += SETTLEMENT_MS - 1;
      expect(await outcome(processor.lookup('a', context))).toBe('pending');
      clock.ms += 1;
      expect(await processor.lookup('a', context)).toEqual(BEHAVIORS[name]?.settles);
    },
  );

  it('R-80 refunds once per id; $1.13 fails, $1.14 is pending for a day', async () => {
    const { processor, clock } = setup();
    const refund = (refundId: string, amount: number) =>
      processor.refund({ refundId, attemptId: 'a', amount, context });
    expect(await refund('r1', 100)).toBe('succeeded');
    expect(await refund('r2', 113)).toEqual({ outcome: 'failed', reason: 'refund_refused' });
    expect(await refund('r3', 114)).toBe('pending');
    clock.ms += 86_400_000 - 1;
    expect(await refund('r3', 114)).toBe('pending');
    clock.ms += 1;
    expect(await refund('r3', 114)).toBe('succeeded');
  });

  it('returns the outcome of the first charge with an id, even after a restart', async () => {
    const { start } = setup();
    const good = await start().tokenize(card('4242424242424242'), context);
    const bad = await start().tokenize(card('4000000000000002'), context);
    expect(await outcome(start().charge({ attemptId: 'a', token: good.token, amount: 100, context }))).toBe(
      'succeeded',
    );
    expect(await outcome(start().charge({ attemptId: 'a', token: bad.token, amount: 100, context }))).toBe(
      'succeeded',
    );
    expect(await outcome(start().lookup('a', context))).toBe('succeeded');
    expect(await start().lookup('b', context)).toBe('never_seen');
  });

  it.each([
    card('4111111111111111'),
    bank('87654321'),
    { ...bank('000123456789'), routingNumber: '021000021' },
  ])('rejects %o, which might be real, without repeating it', async (source) => {
    const refused = await setup()
      .processor.tokenize(source, context)
      .catch((error: unknown) => error as Error & { code: string });
    expect(refused).toMatchObject({ code: 'source_refused' });
    expect((refused as Error).message).not.toMatch(/4111|87654321|021000021/);
  });

  it('has no card numbers in tokens', async () => {
    const { processor } = setup();
    for (const source of [...Object.keys(TEST_CARDS).map(card), ...Object.keys(TEST_ACCOUNTS).map(bank)]) {
      expect((await processor.tokenize(source, context)).token).not.toMatch(/\d/);
    }
  });
});
