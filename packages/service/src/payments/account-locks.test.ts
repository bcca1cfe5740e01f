import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { startEngines } from '../../test/engines.js';
import { config } from '../../test/merchant.js';
import { open } from '../../test/payer.js';
import { ask } from '../../test/postgres.js';
import { startTestService } from '../start/test-service.js';

const ROUNDS = 6;
const NUMBERS = Array.from({ length: 12 }, (_, index) => `1${index}`);

describe.each(startEngines(undefined, 'PostgreSQL'))('on %s', (_, database) => {
  it(
    'R-91 payments of the same accounts in opposite orders do not wait for each other',
    { tags: ['thorough'] },
    async () => {
      const url = await database();
      const service = await startTestService({ config: config(), database: url });
      const sessionOf = (numbers: readonly string[]) =>
        open(service.fetch, 'payment', {
          Charges: numbers.map((AccountNumber) => ({
            Amount: 100,
            ClientAccount: { AccountNumber, Name: 'Ada' },
          })),
        });
      const charges = Array.from(NUMBERS.keys(), (index) => ({ index, amount: 100 }));
      for (let round = 0; round < ROUNDS; round++) {
        const pages = await Promise.all(
          [NUMBERS, NUMBERS.toReversed(), NUMBERS, NUMBERS.toReversed(), NUMBERS].map(sessionOf),
        );
        for (const paid of await Promise.all(pages.map((page) => page.pay({ charges }))))
          expect(paid).toMatchObject({ status: 'succeeded' });
      }
      // Its connections report their statistics when they end.
      await service.close();
      const deadlocks = async (): Promise<unknown> =>
        (await ask(url, 'select deadlocks::int from pg_stat_database where datname = current_database()'))[0];
      expect(await deadlocks()).toEqual({ deadlocks: 0 });
    },
  );

  it('R-91 locks the accounts of a payment in order, whatever the order of its charges', async () => {
    const url = await database();
    const service = await startTestService({ config: config(), database: url });
    const page = await open(service.fetch, 'payment', {
      Charges: ['4', '3', '2', '1'].map((AccountNumber) => ({
        Amount: 100,
        ClientAccount: { AccountNumber, Name: 'Ada' },
      })),
    });
    const other = new Client(url);
    await other.connect();
    await other.query('begin');
    await other.query(`select 1 from accounts where account_number = '4' for no key update`);
    const charges = [0, 1, 2, 3].map((index) => ({ index, amount: 100 }));
    const paying = page.pay({ charges });
    const unlocked = () => ask(url, 'select account_number from accounts for no key update skip locked');
    await expect.poll(unlocked).toEqual([]);

    await other.query('rollback');
    await other.end();
    expect(await paying).toMatchObject({ status: 'succeeded' });
    await service.close();
  });
});
