/**
 * Two service processes under load on PostgreSQL with a synchronous standby: the primary dies, freezes, or loses its standby.
 * Every test run kills it once; `pnpm test:failover` (FAILOVER=all) kills it ten times and runs the other cases.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROCESSOR, startGateway, type Gateway } from '../../packages/service/test/gateway.js';
import { BUSINESS_UNIT, hasPostgres, startService, type Service } from '../harness/index.js';
import { startLoad } from './load.js';
import { untilResponses, complete, firstCreate, report, slowest } from './books.js';
import { startPair, type Pair } from './pair.js';

const ALL = process.env['FAILOVER'] === 'all';
const KILLS = ALL ? 10 : 1;
const PER_SECOND = 20;
/** Timings are meaningful only on an otherwise idle machine, as in the campaign. */
const WITHIN_MS = ALL ? { first: 1_500, slowest: 15_000 } : { first: 15_000, slowest: 30_000 };

describe.runIf(hasPostgres)('PostgreSQL with a synchronous standby', () => {
  let pair: Pair;
  let gateway: Gateway;
  const services: Service[] = [];
  beforeAll(async () => {
    [pair, gateway] = await Promise.all([startPair(), startGateway()]);
    for (let i = 0; i < 2; i++)
      services.push(
        await startService({
          apiKey: 'stg_key_of_the_failover_test',
          database: pair.database,
          args: ['--processor', PROCESSOR],
          variables: gateway.variables,
        }),
      );
  });
  afterAll(async () => {
    await Promise.all(services.map((service) => service.kill()));
    await Promise.all([pair.stop(), gateway.close()]);
  });

  it(
    `R-61 D-9 loses and duplicates nothing when the primary is killed ${KILLS} times`,
    { tags: ['thorough'], timeout: 90_000 + KILLS * 30_000 },
    async () => {
      for (let kill = 0; kill < KILLS; kill++) {
        if (kill > 0) await pair.rebuildStandby();
        const load = startLoad(services, PER_SECOND);
        await untilResponses(load, 20);
        await pair.killPrimary();
        const killedAt = performance.now();
        await delay(Math.random() * 1_000);
        await pair.promote();
        const promotedAt = performance.now();
        await untilResponses(load, load.responses.length + 40);
        await load.stop();
        report(`kill ${kill + 1}`, load, killedAt, promotedAt);
        expect(load.responses.filter(({ status }) => status !== 200)).toEqual([]);
        expect(firstCreate(load, promotedAt)).toBeLessThan(WITHIN_MS.first);
        expect(slowest(load).ms).toBeLessThan(WITHIN_MS.slowest);
        await complete(load, services[0]!, gateway);
      }
    },
  );

  it.runIf(ALL)(
    'R-58 replays only responses that the standby has',
    async () => {
      await pair.rebuildStandby();
      const [service] = services as [Service];
      const create = (): Promise<{ status: number; body: unknown }> =>
        service.post(
          '/integrations/embedded/initiate',
          { BusinessUnitSlug: BUSINESS_UNIT, Channel: 'QuickPay', Charges: [{ Amount: 100 }] },
          { 'idempotency-key': 'cut-off' },
        );
      pair.cutLink();
      const first = create();
      // Committed only on the primary: cancel the backends that wait for the standby.
      await expect.poll(() => pair.endWaiting(), { timeout: 10_000 }).toBeGreaterThan(0);
      const [one, replay] = await Promise.all([first, create()]);
      expect(one).toMatchObject({ status: 503, body: { errors: [{ code: 'unavailable' }] } });
      expect([409, 503]).toContain(replay.status);
      expect(await create()).toMatchObject({ status: 503, body: { errors: [{ code: 'unavailable' }] } });
      expect((await fetch(`${service.url}/readyz`)).status).toBe(503);
      await pair.promote();
      const afterwards = await create();
      expect(afterwards.status).toBe(200);
      expect(await create()).toEqual(afterwards);
    },
    120_000,
  );

  it.runIf(ALL)(
    'R-61 fails over from a primary that freezes for 40 s and leaves all connections open',
    async () => {
      await pair.rebuildStandby();
      const load = startLoad(services, 60);
      await untilResponses(load, 60);
      pair.freezePrimary();
      const frozenAt = performance.now();
      await delay(1_000);
      await pair.promote();
      const promotedAt = performance.now();
      await delay(39_000);
      pair.thawStandby();
      await untilResponses(load, load.responses.length + 60);
      await load.stop();
      report('freeze', load, frozenAt, promotedAt);
      expect(load.responses.filter(({ status }) => status !== 200)).toEqual([]);
      expect(firstCreate(load, promotedAt)).toBeLessThan(10_000);
      expect(slowest(load).ms).toBeLessThan(31_000);
      await complete(load, services[0]!, gateway);
    },
    120_000,
  );
});
