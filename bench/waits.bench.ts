/** How often a request waits for PostgreSQL; `run/turns.test.ts` holds the limits in every run of the tests. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, it } from 'vitest';
import { hasPostgres, startPostgres, startService } from '../e2e/harness/index.js';
import { startApi } from '../packages/service/test/api.js';
import { SLUG } from '../packages/service/test/merchant.js';
import { open } from '../packages/service/test/payer.js';
import { countTurns } from '../packages/service/test/turns.js';
import { median } from './measure.js';
import { record } from './results.mjs';

describe.runIf(hasPostgres)('waits for PostgreSQL', () => {
  it('of a create, of a payment, at rest', async () => {
    const postgres = await startPostgres();
    const turns = await countTurns(await postgres.database());
    const api = await startApi({ database: turns.database });
    const counted = async (work: () => Promise<unknown>): Promise<number> => {
      const seen: number[] = [];
      for (let time = 0; time < 6; time++) {
        await delay(150);
        turns.take();
        await work();
        await delay(150);
        seen.push(turns.take());
      }
      return median(seen.slice(1));
    };
    const create = (): Promise<unknown> =>
      api.post(
        '/integrations/embedded/initiate',
        {
          BusinessUnitSlug: SLUG,
          Channel: 'QuickPay',
          ClientReference: randomUUID(),
          ClientUser: { EmailAddress: `${randomUUID()}@example.com` },
          Charges: [{ Amount: 100, ClientAccount: { AccountNumber: randomUUID(), Name: 'Dana Reyes' } }],
        },
        { 'idempotency-key': randomUUID() },
      );
    record('waits-create', await counted(create), {
      note: 'account and customer new, reference and key given',
    });
    const pages: Awaited<ReturnType<typeof open>>[] = [];
    for (let page = 0; page < 6; page++) pages.push(await open(api.service.fetch, 'payment'));
    const pay = async (): Promise<void> => {
      const paid = await pages.pop()?.pay({ fields: { InvoiceNumber: '1' } });
      if (paid?.status !== 'succeeded') throw new Error(`The payment is ${paid?.status}.`);
    };
    record('waits-payment', await counted(pay));
    await api.close();
    const service = await startService({ database: turns.database });
    await delay(2_000);
    turns.take();
    await delay(10_000);
    record('waits-rest', turns.take() / 10);
    await service.stop();
    turns.stop();
    await postgres.stop();
  });
});
