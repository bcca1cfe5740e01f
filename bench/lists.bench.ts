/** Cost of a page from the middle of the list as the number of stored payments grows. */
import { describe, it } from 'vitest';
import { hasPostgres, startPostgres, type Postgres } from '../e2e/harness/index.js';
import { grown } from './measure.js';
import { record } from './results.mjs';
import { storing, type Stored } from './stored.js';
import { costOf, pageOf } from './targets.js';

const REQUESTS = Number(process.env['BENCH_REQUESTS'] ?? 200);

/** Few, because a page of a long list costs no more than half of what it may. */
const ROUNDS = 5;

async function lists(row: 'lists' | 'lists-postgres', postgres?: Postgres): Promise<void> {
  const middle = new Map<Stored, string>();
  const { points, stop } = await grown(
    [1_000, 1_000_000],
    async (count) => {
      const stored = await storing('attempts', count, postgres);
      middle.set(stored, new Date(stored.newest - count / 2).toISOString());
      return stored;
    },
    (target) => costOf([target], { requests: REQUESTS, ask: pageOf(middle.get(target) ?? '') }),
    ROUNDS,
  );
  record(row, points.at(-1)?.value ?? Number.NaN, { points });
  await stop();
}

it('embedded', () => lists('lists'));

describe.runIf(hasPostgres)('PostgreSQL', () => {
  it('the same', async () => {
    const postgres = await startPostgres();
    await lists('lists-postgres', postgres);
    await postgres.stop();
  });
});
