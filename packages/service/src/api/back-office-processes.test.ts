/** Back-office calls with several processes on one database: which process calls the processor, and how often. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkResponse, type ApiResponse } from '../../test/api.js';
import { startEngines } from '../../test/engines.js';
import { config, SLUG } from '../../test/merchant.js';
import { asMerchant, open } from '../../test/payer.js';
import { CHARGE_LEASE_MS } from '../processor/rules/operation.js';
import type { PaymentProcessor } from '../processor/rules/port.js';
import { beginPayment } from '../payments/attempts.js';
import type { PaymentSession } from '../sessions/rules/session.js';
import { startTestService, type OpenTestService } from '../start/test-service.js';

const LIST = '/integrations/payments/list';
const REFUND = '/integrations/payments/refund';
const CANCEL = '/integrations/embedded/cancel';
const CHARGE = '/integrations/autopay/charge';

const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-back-office-'));
const engines = startEngines(() => join(folder, `${randomUUID()}.db`));
afterAll(() => rmSync(folder, { recursive: true }));

let services: OpenTestService[] = [];
afterEach(async () => {
  await Promise.all(services.map((service) => service.close()));
  services = [];
});

/** A processor call that the test resolves. */
interface Waiting {
  readonly id: string;
  readonly resolve: (outcome: never) => void;
  readonly fail: () => void;
}

/** A processor whose charges and refunds the test resolves. */
function manualProcessor() {
  const charges: Waiting[] = [];
  const refunds: Waiting[] = [];
  const lookups: string[] = [];
  const wait = (list: Waiting[], id: string): Promise<never> =>
    new Promise((resolve, fail) => list.push({ id, resolve, fail: () => fail(new Error('lost')) }));
  const known = { lookup: 'succeeded' as 'succeeded' | 'never_seen' };
  const processor: PaymentProcessor = {
    tokenize: async () => ({ token: 'tok', last4: '4242' }),
    charge: ({ attemptId }) => wait(charges, attemptId),
    lookup: async (attemptId) => {
      lookups.push(attemptId);
      return known.lookup;
    },
    refund: ({ refundId }) => wait(refunds, refundId),
  };
  return { charges, refunds, lookups, known, processor };
}

/** A processor that answers immediately. */
const instantProcessor: PaymentProcessor = {
  tokenize: async () => ({ token: 'tok', last4: '4242' }),
  charge: async () => 'succeeded',
  lookup: async () => 'never_seen',
  refund: async () => 'succeeded',
};

const answered = (list: readonly Waiting[], outcome: string): void => list.at(-1)?.resolve(outcome as never);

describe.each(engines)('on %s', (engine, newDatabase) => {
  let database: string;

  beforeEach(async () => {
    database = await newDatabase();
  });

  const start = async (
    processor?: PaymentProcessor,
    change: Record<string, unknown> = {},
  ): Promise<OpenTestService> => {
    const service = await startTestService({
      config: config(change),
      database,
      ...(processor ? { processor } : {}),
    });
    services.push(service);
    return service;
  };

  const post = async (
    service: OpenTestService,
    path: string,
    body: object,
    key: string = randomUUID(),
  ): Promise<ApiResponse> =>
    checkResponse(path, await asMerchant(service.fetch, path, body, { 'idempotency-key': key }));
  const enroll = async (service: OpenTestService): Promise<void> => {
    const page = await open(service.fetch, 'autopay');
    const { id: methodId } = await page.addMethod();
    await page.post('autopay/enroll', { methodId });
  };

  const paidPromptly = async (service: OpenTestService): Promise<string> => {
    await (await open(service.fetch, 'payment')).pay();
    const [attempt] = await service.deps.store.read((tx) => tx.attempts.list(SLUG));
    return attempt?.id ?? '';
  };
  const bill = { AccountNumber: '1001', Amount: 7_630, ClientReference: 'bill-1' };

  describe('R-58 R-83 an AutoPay charge whose request is repeated elsewhere', () => {
    const begun = async () => {
      const waiting = manualProcessor();
      const [first, second] = [await start(waiting.processor), await start(waiting.processor)];
      await enroll(first);
      const response = post(first, CHARGE, bill, 'key-1');
      await expect.poll(() => waiting.charges).toHaveLength(1);
      return { ...waiting, first, second, response };
    };

    it('returns the pending state while in progress, without a second processor call', async () => {
      const { second, charges, lookups, response } = await begun();
      const concurrent = await post(second, CHARGE, bill, 'key-1');
      expect([charges.length, lookups.length]).toEqual([1, 0]);
      expect(concurrent.data).toMatchObject({ Status: 'pending' });
      answered(charges, 'succeeded');
      expect((await response).data).toEqual({ ...concurrent.data, Status: 'succeeded' });
      expect((await post(second, CHARGE, bill, 'key-1')).data).toEqual((await response).data);
      expect([charges.length, lookups.length]).toEqual([1, 0]);
    });

    // The rest does not depend on the engine.
    if (engine === 'PostgreSQL') return;

    it('is looked up after a lost response, once its lease has expired', async () => {
      const { second, charges, lookups, response } = await begun();
      charges[0]?.fail();
      expect((await response).data).toMatchObject({ Status: 'pending' });
      expect((await post(second, CHARGE, bill, 'key-1')).data).toMatchObject({ Status: 'pending' });
      expect([charges.length, lookups.length]).toEqual([1, 0]);
      second.deps.clock.offset = CHARGE_LEASE_MS;
      const both = await Promise.all([
        post(second, CHARGE, bill, 'key-1'),
        post(second, CHARGE, bill, 'key-2').then(({ errors }) => errors[0]?.code),
      ]);
      expect(both).toMatchObject([{ data: { Status: 'succeeded' } }, 'client_reference_taken']);
      expect([charges.length, lookups.length]).toEqual([1, 1]);
    });

    it('is not charged if its business unit no longer accepts the method (R-65)', async () => {
      const { charges, known, processor, response } = await begun();
      known.lookup = 'never_seen';
      charges[0]?.fail();
      await response;
      const narrowed = await start(processor, { paymentMethods: ['ACH'] });
      narrowed.deps.clock.offset = CHARGE_LEASE_MS;
      expect((await post(narrowed, CHARGE, bill, 'key-1')).data).toMatchObject({ Status: 'pending' });
      expect(charges).toHaveLength(1);
    });
  });

  describe('R-58 R-80 a refund whose request is repeated elsewhere', () => {
    const paid = async (service: OpenTestService, charges: readonly Waiting[]): Promise<string> => {
      const page = await open(service.fetch, 'payment');
      const paying = page.pay();
      await expect.poll(() => charges).toHaveLength(1);
      answered(charges, 'succeeded');
      await paying;
      return charges[0]?.id ?? '';
    };

    const begun = async () => {
      const waiting = manualProcessor();
      const [first, second] = [await start(waiting.processor), await start(waiting.processor)];
      const refund = { PaymentIdentifier: await paid(first, waiting.charges), Amount: 345 };
      const response = post(first, REFUND, refund, 'key-1');
      await expect.poll(() => waiting.refunds).toHaveLength(1);
      return { ...waiting, first, second, refund, response };
    };

    it('returns the pending state while in progress, without a second processor call', async () => {
      const { second, refund, refunds, response } = await begun();
      const concurrent = await post(second, REFUND, refund, 'key-1');
      expect(refunds).toHaveLength(1);
      expect(concurrent.data).toMatchObject({ Status: 'pending', Refundable: 12_000 });
      answered(refunds, 'succeeded');
      expect((await response).data).toEqual({ ...concurrent.data, Status: 'succeeded' });
      expect((await post(second, REFUND, refund, 'key-1')).data).toEqual((await response).data);
      expect(refunds).toHaveLength(1);
    });

    // The rest does not depend on the engine.
    if (engine === 'PostgreSQL') return;

    it('is retried once under the same id after a lost response, once its lease has expired', async () => {
      const { first, second, refund, refunds, response } = await begun();
      refunds[0]?.fail();
      expect((await response).data).toMatchObject({ Status: 'pending' });
      for (const service of [first, second]) service.deps.clock.offset = CHARGE_LEASE_MS;
      const again = post(second, REFUND, refund, 'key-1');
      await expect.poll(() => refunds).toHaveLength(2);
      expect((await post(first, REFUND, refund, 'key-1')).data).toMatchObject({ Status: 'pending' });
      answered(refunds, 'succeeded');
      expect((await again).data).toMatchObject({ Status: 'succeeded' });
      expect(new Set(refunds.map(({ id }) => id)).size).toBe(1);
      expect(refunds).toHaveLength(2);
    });
  });

  it('R-80 two processes never refund more than was paid in twelve concurrent requests', async () => {
    const both = [await start(instantProcessor), await start(instantProcessor)] as const;
    const refund = { PaymentIdentifier: await paidPromptly(both[0]), Amount: 4_000 };
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, turn) => post(both[turn % 2 === 0 ? 0 : 1], REFUND, refund)),
    );
    const got = (code: number) => responses.filter(({ status }) => status === code).length;
    expect([got(200), got(400)]).toEqual([3, 9]);
    const { payments, refunds } = await both[1].control.state(SLUG);
    expect(payments).toMatchObject([{ amount: 12_345, refunded: 12_000 }]);
    expect(refunds.map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded']);
  });

  it('R-82 lists a payment that started before a page and committed after it on the next page', async () => {
    const service = await start(instantProcessor);
    const pages = [];
    for (let count = 0; count < 6; count++) pages.push(await open(service.fetch, 'payment'));
    const slow = pages.pop();
    const { store, clock, newId } = service.deps;
    const begun = clock.now();
    for (const page of pages) await page.pay();
    const first = await post(service, LIST, { Limit: 3 });
    const refund = {
      id: newId('pay_'),
      session: (await store.read((tx) => tx.sessions.get(slow?.id ?? ''))) as PaymentSession,
      requestId: 'attempt-1',
      source: { method: 'Credit Card', token: 'tok', last4: '4242', holder: 'Ada', save: false } as const,
      charges: [],
      total: 1,
      fields: {},
      authorization: 'I authorize it.',
    };
    await store.transaction((tx) => beginPayment(tx, refund, { now: begun - 1, newId, timeZone: 'UTC' }));
    const second = await post(service, LIST, { Limit: 3, Cursor: first.data.NextCursor });
    const listed = [first, second].flatMap(({ data }) => data.Payments.map(({ Id }: { Id: string }) => Id));
    const stored = await store.read((tx) => tx.attempts.list(SLUG));
    expect(listed).toHaveLength(6);
    expect(new Set(listed)).toEqual(new Set(stored.map(({ id }) => id)));
    expect(second.data.NextCursor).toBeUndefined();
  });

  it('R-81 lets either a payment or a cancel win in two processes', async () => {
    const both = [await start(instantProcessor), await start(instantProcessor)] as const;
    for (let round = 0; round < 6; round++) {
      const page = await open(both[0].fetch, 'payment');
      const [canceled, paid] = await Promise.all([
        post(both[1], CANCEL, { PaymentSessionIdentifier: page.id }),
        page.pay().then(
          () => true,
          () => false,
        ),
      ]);
      expect([canceled.status, paid]).toEqual(paid ? [409, true] : [200, false]);
    }
    const { sessions, payments } = await both[0].control.state(SLUG);
    expect(sessions.filter(({ status }) => status === 'Canceled')).toHaveLength(6 - payments.length);
  });

  // The rest does not depend on the engine.
  if (engine === 'PostgreSQL') return;

  it('R-80 retries a processor that returns garbage, rejects or throws, and reserves the amount', async () => {
    const odd: (() => unknown)[] = [
      () => undefined,
      () => 'settled',
      () => ({ outcome: 'returned' }),
      () => Promise.reject(new Error('down')),
      () => {
        throw new Error('broken');
      },
    ];
    const ids = new Set<string>();
    const service = await start({
      ...instantProcessor,
      refund: (({ refundId }: { refundId: string }) => {
        ids.add(refundId);
        return (odd.shift() ?? (() => 'succeeded'))();
      }) as NonNullable<PaymentProcessor['refund']>,
    });
    const refund = { PaymentIdentifier: await paidPromptly(service) };
    expect((await post(service, REFUND, refund)).data).toMatchObject({ Status: 'pending', Refundable: 0 });
    expect(await post(service, REFUND, refund)).toMatchObject({ status: 409 });
    for (let hour = 0; hour < 6; hour++) await service.control.advance(3_600_000);
    expect(odd).toEqual([]);
    expect(ids.size).toBe(1);
    const { refunds, payments } = await service.control.state(SLUG);
    expect(refunds).toMatchObject([{ amount: 12_345, status: 'succeeded' }]);
    expect(payments).toMatchObject([{ refunded: 12_345 }]);
  });

  it('R-80 does not call a processor without refunds, and explains where to refund', async () => {
    const service = await start({
      tokenize: async () => ({ token: 'tok', last4: '4242' }),
      charge: async () => 'succeeded',
      lookup: async () => 'never_seen',
    });
    expect(await post(service, REFUND, { PaymentIdentifier: await paidPromptly(service) })).toMatchObject({
      status: 409,
      errors: [
        { code: 'not_refundable', message: expect.stringContaining('does not support refunds') as string },
      ],
    });
    const { payments, refunds } = await service.control.state(SLUG);
    expect([payments[0]?.refunded ?? 0, refunds ?? []]).toEqual([0, []]);
  });
});
