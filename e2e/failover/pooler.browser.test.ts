/** PgBouncer in transaction mode between two processes and PostgreSQL, with fewer server connections than clients. */
import { afterAll, describe, expect, it } from 'vitest';
import { findEngine } from '../../tools/engines.mjs';
import { ask, serverFolder } from '../../packages/service/test/postgres.js';
import { BUSINESS_UNIT, freePort, hasPostgres, startPostgres, startService } from '../harness/index.js';
import { startPooler, until } from './daemon.js';
import { startLoad } from './load.js';

const ALL = process.env['FAILOVER'] === 'all';

describe.runIf(ALL && hasPostgres && findEngine('pgbouncer') !== null)(
  'behind PgBouncer in transaction mode',
  () => {
    const stops: (() => unknown)[] = [];
    afterAll(async () => {
      for (const stop of stops.toReversed()) await stop();
    });

    /** Two processes behind a pooler with `size` server connections. Resolves also to the pooler's address. */
    async function start(size: number) {
      const postgres = await startPostgres();
      stops.push(() => postgres.stop());
      const database = new URL(await postgres.database());
      const port = await freePort();
      const pooled = new URL(database);
      pooled.port = String(port);
      const folder = serverFolder();
      stops.push(() => folder.remove());
      const pooler = startPooler(folder, {
        server: database.port,
        pooler: port,
        size,
        name: database.pathname.slice(1),
      });
      stops.push(() => pooler.stop());
      await until(
        async () => (await ask(pooled.href, 'select 1', 2_000)).length === 1,
        () => pooler.log(),
      );
      const options = { apiKey: 'stg_key_of_the_pooler_test', database: pooled.href };
      const services = [await startService(options), await startService(options)] as const;
      for (const service of services) stops.push(() => service.kill());
      return { services, pooled: pooled.href };
    }

    it(
      'responds to every request, and a killed process leaves no connection behind',
      { timeout: 120_000 },
      async () => {
        const { services } = await start(4);
        const load = startLoad(services, 60);
        await expect.poll(() => load.responses.length, { timeout: 30_000 }).toBeGreaterThan(100);
        await services[0].kill();
        await services[0].restart();
        const before = load.paid.size;
        await expect.poll(() => load.paid.size, { timeout: 30_000 }).toBeGreaterThan(before + 30);
        await load.stop();
        expect(load.responses.filter(({ status }) => status !== 200 && status !== 0)).toEqual([]);
      },
    );

    it(
      'R-91 shares its connections with others while a process reads all the time',
      { timeout: 120_000 },
      async () => {
        const { services, pooled } = await start(1);
        const [service] = services;
        const { sessionId } = await service.create('payment');
        const over = new AbortController();
        const read = async (): Promise<void> => {
          while (!over.signal.aborted)
            await service.post('/integrations/embedded/query', {
              BusinessUnitSlug: BUSINESS_UNIT,
              PaymentSessionIdentifier: sessionId,
            });
        };
        const reading = Array.from({ length: 24 }, read);
        try {
          const from = performance.now();
          for (let turn = 0; turn < 20; turn++) expect(await ask(pooled, 'select 1', 10_000)).toHaveLength(1);
          // Takes 30 to 40 s if reads keep the connection.
          expect(performance.now() - from).toBeLessThan(15_000);
        } finally {
          over.abort();
          await Promise.allSettled(reading);
        }
      },
    );
  },
);
