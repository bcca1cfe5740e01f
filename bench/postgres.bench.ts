/** What a create costs when several processes share a PostgreSQL. */
import { describe, it } from 'vitest';
import { hasPostgres, startPostgres, startService, type Service } from '../e2e/harness/index.js';
import { inPairs } from './measure.js';
import { record } from './results.mjs';
import { costOf, settings } from './targets.js';

const PER_SECOND = Number(process.env['BENCH_PER_SECOND'] ?? 25);
const SECONDS = 8;

describe.runIf(hasPostgres)('processes on one PostgreSQL', () => {
  // Each as busy as the one: a process that is less busy costs more per request, whoever shares its database.
  it('cost what one costs', async () => {
    const postgres = await startPostgres();
    const database = await postgres.database();
    const start = (): Promise<Service> =>
      startService({ settings, apiKey: 'stg_key_of_the_bench', database });
    const services = [await start(), await start(), await start(), await start()];
    await costOf(services, { requests: 6_000 });
    const of = (count: number) => (): Promise<number> =>
      costOf(services.slice(0, count), {
        requests: count * PER_SECOND * SECONDS,
        perSecond: count * PER_SECOND,
      });
    const points = [{ x: 1, value: 1 }];
    for (const count of [2, 4]) {
      const { ratio } = await inPairs(5, of(count), of(1));
      points.push({ x: count, value: Number(ratio.toFixed(2)) });
    }
    record('processes', points.at(-1)?.value ?? Number.NaN, {
      points,
      note: `${PER_SECOND} requests a second each`,
    });
    await Promise.all(services.map((service) => service.stop()));
    await postgres.stop();
  });
});
