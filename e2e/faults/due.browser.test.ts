/**
 * `kill -9` while due bills are charged, on two processes. Every test run kills once on SQLite; `pnpm test:faults` kills a hundred
 * times on each engine (FAULT_KILLS).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROCESSOR, startGateway, type Gateway } from '../../packages/service/test/gateway.js';
import { seeded } from '../../packages/service/test/random.js';
import { hasPostgres, startPostgres, startService, type Postgres, type Service } from '../harness/index.js';
import { chargeThroughKills } from './bills.js';
import { ledgerOf } from './ledger.js';

const IS_CAMPAIGN = process.env['FAULT_KILLS'] !== undefined;
const KILLS = Number(process.env['FAULT_KILLS'] ?? 1);
const random = seeded('due');
const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-due-'));

let gateway: Gateway;
let postgres: Postgres | undefined;
let services: Service[] = [];
beforeAll(async () => {
  if (IS_CAMPAIGN && hasPostgres) postgres = await startPostgres();
});
afterAll(async () => {
  await Promise.all(services.map((service) => service.kill()));
  await Promise.all([gateway.close(), postgres?.stop()]);
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
});

const engines = [
  { name: 'SQLite', database: async () => join(folder, 'service.db') },
  { name: 'PostgreSQL', database: async () => (await postgres?.database()) ?? '' },
];

describe.each(engines.slice(0, IS_CAMPAIGN && hasPostgres ? 2 : 1))(
  '$name, two processes',
  ({ database }) => {
    it(
      `R-57 R-95 R-97 R-106 charges and records each due payment once when killed ${KILLS} times`,
      { tags: ['thorough'], timeout: 120_000 + KILLS * 15_000 },
      async () => {
        gateway = await startGateway();
        // Slow enough for a kill to interrupt a charge.
        gateway.slowness = () => random() * 40;
        const options = {
          apiKey: 'stg_key_of_the_due_test',
          args: ['--processor', PROCESSOR],
          variables: gateway.variables,
          database: await database(),
        };
        services = [await startService(options), await startService(options)];
        const { due } = await chargeThroughKills(services, gateway, random, KILLS);
        const amounts = ledgerOf(options.database).map(({ Amount }) => Amount);
        expect(amounts.toSorted((a, b) => a - b)).toEqual(due);
        await Promise.all(services.map((service) => service.stop()));
        await gateway.close();
      },
    );
  },
);
