import { describe, expect, it } from 'vitest';
import { startEngines } from '../../test/engines.js';
import { config } from '../../test/merchant.js';
import { open } from '../../test/payer.js';
import { ask } from '../../test/postgres.js';
import { startTestService } from '../start/test-service.js';

const ROUNDS = 6;
const NUMBERS = Array.from({ length: 12 }, (_, index) => `1${index}`);

describe.each(startEngines(undefined, 'PostgreSQL'))('on %s', (_, database) => {
  it('R-91 payments of the same accounts in opposite orders do not wait for each other', async () => {
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
  });
});
