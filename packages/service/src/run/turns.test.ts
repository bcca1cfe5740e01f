/** How often a request waits for PostgreSQL: with the database some milliseconds away, that is what it takes. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONFIG, startApi, type Api } from '../../test/api.js';
import { SLUG } from '../../test/merchant.js';
import { open } from '../../test/payer.js';
import { hasPostgres, startPostgres, type Postgres } from '../../test/postgres.js';
import { countTurns, type Turns } from '../../test/turns.js';
import { parseConfig } from '../runtime/config.js';
import { createLog } from '../runtime/log.js';
import { serve } from './serve.js';

describe.runIf(hasPostgres)('waits for PostgreSQL', () => {
  let postgres: Postgres;
  let turns: Turns;
  let api: Api;
  beforeAll(async () => {
    postgres = await startPostgres();
    turns = await countTurns(await postgres.database());
    api = await startApi({ database: turns.database });
  });
  afterAll(async () => {
    await api.close();
    turns.stop();
    await postgres.stop();
  });

  /** Connections are there and nothing is owed. */
  const counted = async (work: () => Promise<unknown>): Promise<number> => {
    await work();
    await delay(100);
    turns.take();
    await work();
    await delay(100);
    return turns.take();
  };

  it('create: five at most, whatever is new', async () => {
    const create = async (charges: number): Promise<void> => {
      const account = (index: number): string => `${randomUUID()}-${index}`;
      const answer = await api.post(
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
      expect(answer.errors).toEqual([]);
    };
    expect(await counted(() => create(1))).toBeLessThanOrEqual(5);
    expect(await counted(() => create(25))).toBeLessThanOrEqual(5);
  });

  it('payment: twelve at most', async () => {
    const pages = [await open(api.service.fetch, 'payment'), await open(api.service.fetch, 'payment')];
    const pay = async (): Promise<void> => {
      const paid = await pages.pop()!.pay({ fields: { InvoiceNumber: '1' } });
      expect(paid.status).toBe('succeeded');
    };
    expect(await counted(pay)).toBeLessThanOrEqual(12);
  });

  it('at rest: four a second at most', async () => {
    const service = await serve({
      env: 'staging',
      config: parseConfig(CONFIG, 'staging'),
      database: turns.database,
      host: '127.0.0.1',
      port: 0,
      log: createLog({ write: () => undefined }),
    });
    try {
      await delay(1_500);
      turns.take();
      await delay(3_000);
      expect(turns.take()).toBeLessThanOrEqual(12);
    } finally {
      await service.close();
    }
  });
});
