/** What a create costs the more there is: sessions stored, on either engine, and charges. */
import { describe, it } from 'vitest';
import { hasPostgres, startPostgres, startService } from '../e2e/harness/index.js';
import { grown, inPairs } from './measure.js';
import { record } from './results.mjs';
import { storing } from './stored.js';
import { costOf, settings } from './targets.js';

const REQUESTS = Number(process.env['BENCH_REQUESTS'] ?? 600);

it('with more sessions stored', async () => {
  const { points, of, stop } = await grown(
    [1_000, 10_000, 100_000, 1_000_000],
    (count) => storing('sessions', count),
    (target) => costOf([target], { requests: REQUESTS }),
  );
  record('sessions', points.at(-1)?.value ?? Number.NaN, { points });
  const { ours, theirs, ratio } = await inPairs(7, of(1_000_000), of(10_000));
  record('million', ratio, { note: `${ours.toFixed(0)} µs and ${theirs.toFixed(0)} µs` });
  await stop();
});

describe.runIf(hasPostgres)('PostgreSQL', () => {
  it('with more sessions stored', async () => {
    const postgres = await startPostgres();
    const { points, stop } = await grown(
      [1_000, 100_000, 1_000_000],
      (count) => storing('sessions', count, postgres),
      (target) => costOf([target], { requests: REQUESTS }),
    );
    record('sessions-postgres', points.at(-1)?.value ?? Number.NaN, { points });
    await stop();
    await postgres.stop();
  });
});

it('with more charges', async () => {
  const service = await startService({ settings });
  const of = (charges: number) => (): Promise<number> => costOf([service], { requests: 600, charges });
  await of(1)();
  await of(25)();
  const points = [{ x: 1, value: 1 }];
  for (const charges of [10, 25]) {
    const { ratio } = await inPairs(5, of(charges), of(1));
    points.push({ x: charges, value: Number(ratio.toFixed(2)) });
  }
  record('charges', points.at(-1)?.value ?? Number.NaN, { points });
  await service.stop();
});
