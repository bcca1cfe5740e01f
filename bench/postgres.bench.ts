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
    const four = async (databaseOf: (place: number) => Promise<string>): Promise<Service[]> => {
      const services: Service[] = [];
      for (let place = 0; place < 4; place++)
        services.push(
          await startService({
            settings,
            apiKey: 'stg_key_of_the_bench',
            database: await databaseOf(place),
          }),
        );
      await costOf(services, { requests: 16_000 });
      return services;
    };
    const against = async (services: readonly Service[], count: number): Promise<number> => {
      // Each of them in turn: one that is always the one would be warmer than the others that it is compared with.
      const of = (count: number) => {
        let turn = 0;
        return (): Promise<number> => {
          const first = turn++ % services.length;
          return costOf([...services, ...services].slice(first, first + count), {
            requests: count * PER_SECOND * SECONDS,
            perSecond: count * PER_SECOND,
          });
        };
      };
      return (await inPairs(7, of(count), of(1))).ratio;
    };
    const database = await postgres.database();
    const services = await four(async () => database);
    const points = [{ x: 1, value: 1 }];
    for (const count of [2, 4])
      points.push({ x: count, value: Number((await against(services, count)).toFixed(2)) });
    await Promise.all(services.map((service) => service.stop()));
    // What four cost more that have nothing in common but the machine.
    const apart = await four(() => postgres.database());
    const control = await against(apart, 4);
    await Promise.all(apart.map((service) => service.stop()));
    record('processes', points.at(-1)?.value ?? Number.NaN, {
      points,
      note: `${PER_SECOND} requests a second each; four with a database each, against one of them: ${control.toFixed(2)}`,
    });
    await postgres.stop();
  });
});
