import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { describeOn, startEngines } from '../../test/engines.js';
import { config, SECRETS, SLUG } from '../../test/merchant.js';
import { asMerchant, BANK, open } from '../../test/payer.js';
import { CHARGE_LEASE_MS } from '../processor/rules/operation.js';
import type { PaymentProcessor, ProcessorEvent } from '../processor/rules/port.js';
import { startTestService, type OpenTestService } from '../start/test-service.js';

const DAY_MS = 86_400_000;

let service: OpenTestService;
afterEach(() => service.close());

describeOn(startEngines())(
  'R-80 a refund without a response whose payment is returned, on %s',
  (_, database) => {
    /** Refunds a bank payment. The response is lost, then the bank returns the payment. */
    async function start() {
      let refunds = 0;
      const processor: PaymentProcessor = {
        tokenize: async () => ({ token: 'tok', last4: '6789' }),
        charge: async () => 'pending',
        lookup: async () => 'succeeded',
        refund: () => {
          refunds++;
          return Promise.reject(new Error('lost'));
        },
        receive: async ({ body }) => [JSON.parse(new TextDecoder().decode(body)) as ProcessorEvent],
      };
      service = await startTestService({
        database: await database(),
        processor,
        config: config({ webhook: { url: 'http://127.0.0.1:9/', secrets: SECRETS } }),
      });
      await (await open(service.fetch, 'payment')).pay({ source: BANK });
      const { store } = service.deps;
      const [payment] = await store.read((tx) => tx.attempts.list(SLUG));
      const attemptId = payment?.id ?? '';
      const report = async (event: ProcessorEvent): Promise<void> => {
        await service.fetch('/processor/events', { method: 'POST', body: JSON.stringify(event) });
        await service.control.advance(1_000);
      };
      await report({ attemptId, outcome: 'succeeded' });
      const input = { PaymentIdentifier: attemptId };
      await asMerchant(service.fetch, '/integrations/payments/refund', input);
      expect(refunds).toBe(1);
      await report({ attemptId, outcome: 'returned' });
      for (let day = 0; day < 3; day++) await service.control.advance(DAY_MS);
      const [refund] = await store.read((tx) => tx.refunds.list(SLUG));
      return { report, refundId: refund?.id ?? '', sent: () => refunds };
    }

    const outcome = async () => {
      const { refunds, webhooks } = await service.control.state(SLUG);
      return [
        ...refunds.map(({ status }) => status),
        ...webhooks.map(({ type }) => type).filter((type) => type.startsWith('refund.')),
      ];
    };

    it('stays pending and is not sent again, because an earlier call may have arrived', async () => {
      const { sent } = await start();
      expect(await outcome()).toEqual(['pending']);
      expect(sent()).toBe(1);
    });

    it.each(['succeeded', 'failed'] as const)(
      'has the outcome of an event, if that is %s',
      async (status) => {
        const { report, refundId } = await start();
        await report({ refundId, outcome: status });
        expect(await outcome()).toEqual([status, `refund.${status}`]);
      },
    );
  },
);

const folder = mkdtempSync(join(tmpdir(), 'refunding-'));
let files = 0;
afterAll(() => rmSync(folder, { recursive: true }));

describeOn(startEngines(() => join(folder, `${files++}.db`)))(
  'R-80 a refund of a process that stalls before its call, on %s',
  (_, database) => {
    /** The payment is returned while or after another process sends the refund. */
    it.each(['has sent', 'is sending'])('is made if another process %s it', async (state) => {
      const shared = await database();
      const processor: PaymentProcessor = {
        tokenize: async () => ({ token: 'tok', last4: '6789' }),
        charge: async () => 'succeeded',
        lookup: async () => 'succeeded',
        receive: async ({ body }) => [JSON.parse(new TextDecoder().decode(body)) as ProcessorEvent],
      };
      let respond = (): void => undefined;
      const refund = vi.fn(async () => {
        if (state === 'is sending') await new Promise<void>((resolve) => (respond = resolve));
        return 'succeeded' as const;
      });
      const start = () =>
        startTestService({ database: shared, processor: { ...processor, refund }, config: config() });
      service = await start();
      const stalled = await start();
      onTestFinished(() => stalled.close());
      await (await open(service.fetch, 'payment')).pay();
      const { store, clock } = service.deps;
      const [payment] = await store.read((tx) => tx.attempts.list(SLUG));
      const attemptId = payment?.id ?? '';
      const refunds = () => store.read((tx) => tx.refunds.list(SLUG));

      let resume = (): void => undefined;
      const resumed = new Promise<void>((resolve) => (resume = resolve));
      const read = stalled.deps.store.read.bind(stalled.deps.store);
      vi.spyOn(stalled.deps.store, 'read').mockImplementation(async (work) => {
        if ((await refunds()).length > 0) await resumed;
        return read(work);
      });
      const input = { PaymentIdentifier: attemptId };
      const refunding = asMerchant(stalled.fetch, '/integrations/payments/refund', input);
      await expect.poll(refunds).toHaveLength(1);
      const advanced = service.control.advance(CHARGE_LEASE_MS);
      await expect.poll(() => refund.mock.calls.length).toBe(1);
      if (state === 'has sent') await advanced;
      await service.fetch('/processor/events', {
        method: 'POST',
        body: JSON.stringify({ attemptId, outcome: 'returned' } satisfies ProcessorEvent),
      });
      expect(await store.read((tx) => tx.attempts.get(attemptId))).toMatchObject({ status: 'returned' });

      // In the other case, its clock is behind.
      if (state === 'is sending') stalled.deps.clock.offset = clock.offset;
      resume();
      await refunding;
      await stalled.deps.refunding.idle();
      respond();
      await advanced;
      expect(refund).toHaveBeenCalledOnce();
      expect(await refunds()).toMatchObject([{ status: 'succeeded' }]);
      const booked = await store.read((tx) => tx.ledger.ofPayment(attemptId));
      expect(booked.map(({ type }) => type).toSorted()).toEqual(['payment', 'refund', 'return']);
    });
  },
);
