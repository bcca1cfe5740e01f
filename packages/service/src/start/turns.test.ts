/** Counts round trips to PostgreSQL, which dominate a request's time if the database is a few ms away. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONFIG, startApi, type Api } from '../../test/api.js';
import { SLUG } from '../../test/merchant.js';
import { open } from '../../test/payer.js';
import { hasPostgres, sharedPostgres, type Postgres } from '../../test/postgres.js';
import { countTurns, type Turns } from '../../test/turns.js';
import { parseConfig } from '../platform/config/config.js';
import { createLog } from '../platform/log/log.js';
import { serve } from './serve.js';

describe.runIf(hasPostgres)('waits for PostgreSQL', () => {
  let postgres: Postgres;
  let turns: Turns;
  let api: Api;
  beforeAll(async () => {
    postgres = await sharedPostgres();
    turns = await countTurns(await postgres.database());
    api = await startApi({ database: turns.database });
  });
  afterAll(async () => {
    await api.close();
    turns.stop();
    await postgres.stop();
  });

  /**
   * Runs with warm connections and no deferred COMMIT. On a busy machine one packet may arrive split and count as
   * extra round trips, so callers measure repeatedly; real extra round trips happen every time.
   */
  const counted = async (work: () => Promise<unknown>): Promise<number> => {
    await work();
    await delay(100);
    turns.take();
    await work();
    await delay(100);
    return turns.take();
  };

  it.each(['scheduled-payments', 'autopay'] as const)('page of %s: at most five', async (flow) => {
    const page = await open(api.service.fetch, flow);
    await expect.poll(() => counted(() => page.get()), { timeout: 5_000 }).toBeLessThanOrEqual(5);
  });

  it('create: at most five, even for new records', async () => {
    const create = async (charges: number): Promise<void> => {
      const account = (index: number): string => `${randomUUID()}-${index}`;
      const response = await api.post(
        '/integrations/embedded/initiate',
        {
          BusinessUnitSlug: SLUG,
          Channel: 'QuickPay',
          ClientReference: randomUUID(),
          ClientUser: { EmailAddress: `${randomUUID()}@example.com` },
          Charges: Array.from({ length: charges }, (_, index) => ({
            Amount: 100,
            ClientAccount: { AccountNumber: account(index), Name: 'Dana Reyes' },
          })),
        },
        { 'idempotency-key': randomUUID() },
      );
      expect(response.errors).toEqual([]);
    };
    await expect.poll(() => counted(() => create(1))).toBeLessThanOrEqual(5);
    await expect.poll(() => counted(() => create(25))).toBeLessThanOrEqual(5);
  });

  it('payment: at most twelve', async () => {
    const payment = async (): Promise<number> => {
      const pages = [await open(api.service.fetch, 'payment'), await open(api.service.fetch, 'payment')];
      return counted(async () => {
        const paid = await pages.pop()!.pay({ fields: { InvoiceNumber: '1' } });
        expect(paid.status).toBe('succeeded');
      });
    };
    await expect.poll(payment).toBeLessThanOrEqual(12);
  });

  it('idle: at most four a second', async () => {
    const service = await serve({
      env: 'staging',
      config: parseConfig(CONFIG, 'staging'),
      database: turns.database,
      host: '127.0.0.1',
      port: 0,
      log: createLog({ write: () => undefined }),
    });
    try {
      const perSecond = async (): Promise<number> => {
        turns.take();
        const from = performance.now();
        await delay(3_000);
        return (turns.take() * 1_000) / (performance.now() - from);
      };
      await delay(1_500);
      await expect.poll(perSecond).toBeLessThanOrEqual(4);
    } finally {
      await service.close();
    }
  });
});
