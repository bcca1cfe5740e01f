/** The recommended high-availability setup: Patroni, etcd, HAProxy and PgBouncer, configured from `config/`. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROCESSOR, startGateway, type Gateway } from '../../packages/service/test/gateway.js';
import { missingEngines } from '../../tools/engines.mjs';
import { startService, type Service } from '../harness/index.js';
import { untilResponses, complete, report, slowest } from './books.js';
import { startCluster, type Cluster } from './cluster.js';
import { startLoad } from './load.js';

const ALL = process.env['FAILOVER'] === 'all';
const KILLS = 3;
const PER_SECOND = 20;
const isPending = ({ status }: { status: string }): boolean => status === 'pending';

describe.runIf(ALL && missingEngines().length === 0)('under Patroni', () => {
  const stops: (() => unknown)[] = [];
  const services: Service[] = [];
  let cluster: Cluster;
  let gateway: Gateway;
  beforeAll(async () => {
    [cluster, gateway] = await Promise.all([startCluster(), startGateway()]);
    stops.push(
      () => cluster.stop(),
      () => gateway.close(),
    );
    for (let i = 0; i < 2; i++) {
      const service = await startService({
        apiKey: 'stg_key_of_the_patroni_test',
        database: cluster.database,
        args: ['--processor', PROCESSOR],
        variables: gateway.variables,
      });
      services.push(service);
      stops.push(() => service.kill());
    }
  }, 120_000);
  afterAll(async () => {
    for (const stop of stops.toReversed()) await stop();
  });

  it(
    `R-61 D-9 loses and duplicates nothing when the primary is killed ${KILLS} times`,
    async () => {
      for (let kill = 0; kill < KILLS; kill++) {
        await cluster.whole();
        const load = startLoad(services, PER_SECOND);
        await untilResponses(load, 20);
        const killedAt = performance.now();
        await cluster.killPrimary();
        await cluster.promoted();
        const promotedAt = performance.now();
        await untilResponses(load, load.responses.length + 40);
        await load.stop();
        report(`Patroni, kill ${kill + 1}`, load, killedAt, promotedAt);
        expect(load.responses.filter(({ status }) => status !== 200)).toEqual([]);
        expect(slowest(load).ms).toBeLessThan(15_000);
        await complete(load, services[0]!, gateway);
      }
    },
    KILLS * 120_000,
  );

  it('R-61 D-9 loses and duplicates nothing when a machine dies with its Patroni', async () => {
    await cluster.whole();
    const load = startLoad(services, PER_SECOND);
    await untilResponses(load, 20);
    const killedAt = performance.now();
    await cluster.killMachine();
    await cluster.promoted();
    const promotedAt = performance.now();
    await untilResponses(load, load.responses.length + 40);
    await load.stop();
    report('Patroni, its machine', load, killedAt, promotedAt);
    cluster.startMachine();
    expect(load.responses.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
    expect(slowest(load).ms).toBeLessThan(20_000);
    // A job looks up charges at the processor if their outcome could not be recorded.
    await expect
      .poll(async () => (await services[0]!.control.state()).payments.filter(isPending), {
        timeout: 60_000,
      })
      .toEqual([]);
    await complete(load, services[0]!, gateway);
  }, 240_000);
});
