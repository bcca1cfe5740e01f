/** Cost of a create as the number of stored sessions grows, on both engines. */
import { describe, it } from 'vitest';
import { hasPostgres, startPostgres } from '../e2e/harness/index.js';
import { grown } from './measure.js';
import { record } from './results.mjs';
import { storing } from './stored.js';
import { costOf } from './targets.js';

const REQUESTS = Number(process.env['BENCH_REQUESTS'] ?? 600);

it('with more sessions stored', async () => {
  const { points, stop } = await grown(
    [10_000, 1_000_000],
    (count) => storing('sessions', count),
    (target) => costOf([target], { requests: REQUESTS }),
  );
  record('sessions', points.at(-1)?.value ?? Number.NaN, { points });
  await stop();
});

describe.runIf(hasPostgres)('PostgreSQL', () => {
  it('with more sessions stored', async () => {
    const postgres = await startPostgres();
    const { points, stop } = await grown(
      [10_000, 1_000_000],
      (count) => storing('sessions', count, postgres),
      (target) => costOf([target], { requests: REQUESTS }),
    );
    record('sessions-postgres', points.at(-1)?.value ?? Number.NaN, { points });
    await stop();
    await postgres.stop();
  });
});
