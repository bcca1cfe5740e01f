/**
 * Upgrades two processes of the last release and rolls back, while merchants and payers use them. Runs only in
 * `pnpm test:upgrade` (UPGRADE=all), because it builds the last release.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask } from '../../packages/service/test/postgres.js';
import { slowest } from '../failover/books.js';
import { startLoad, type Load } from '../failover/load.js';
import { PROCESSOR, startGateway } from '../../packages/service/test/gateway.js';
import { seeded } from '../../packages/service/test/random.js';
import { chargeThroughKills } from '../faults/bills.js';
import { BUSINESS_UNIT, hasPostgres, startPostgres, startService, type Service } from '../harness/index.js';
import { previousRelease } from './previous-release.js';

const CLI = new URL('../../packages/service/dist/cli.js', import.meta.url).pathname;
/** Payments in the database before the upgrade. */
const ROWS = Number(process.env['UPGRADE_ROWS'] ?? 200_000);
const PER_SECOND = 30;
const KILLS = 6;

interface Database {
  readonly address: string;
  readonly select: (text: string) => Promise<Record<string, unknown>[]>;
  /** Maximum duration of a request during a migration, ms. */
  readonly limitMs: number;
}

const stops: (() => unknown)[] = [];
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop();
});

const ENGINES: Readonly<Record<string, () => Promise<Database>>> = {
  SQLite: async () => {
    const address = join(mkdtempSync(join(tmpdir(), 'upgrade-')), 'service.db');
    const select = async (text: string) => {
      const database = new DatabaseSync(address, { timeout: 10_000 });
      const rows = database.prepare(text).all();
      database.close();
      return rows;
    };
    return { address, select, limitMs: 15_000 };
  },
  ...(hasPostgres && {
    PostgreSQL: async () => {
      const postgres = await startPostgres();
      stops.push(() => postgres.stop());
      const address = await postgres.database();
      return { address, select: (text: string) => ask(address, text), limitMs: 2_000 };
    },
  }),
};

describe.runIf(process.env['UPGRADE'] === 'all').each(Object.entries(ENGINES))(
  'on %s',
  (name, newDatabase) => {
    let previous: string;
    beforeAll(() => {
      previous = previousRelease();
    }, 300_000);

    it(
      'R-99 no request fails during upgrade and rollback, and the last release can be restarted on the new schema',
      { timeout: 900_000 },
      async () => {
        const { address, select, limitMs } = await newDatabase();
        const start = async (cli?: string): Promise<Service> => {
          const options = { apiKey: 'stg_key_of_the_upgrade_test', database: address };
          const service = await startService({ ...options, ...(cli === undefined ? {} : { cli }) });
          stops.push(() => service.kill());
          return service;
        };
        const services = [await start(previous), await start(previous)];
        if (name === 'PostgreSQL') await ask(address, seed(ROWS));
        const load = startLoad(services, PER_SECOND);
        const replace = async (place: number, cli?: string): Promise<void> => {
          const [before, after] = [services[place]!, await start(cli)];
          services[place] = after;
          await more(load, 30);
          await before.stop();
        };

        await more(load, 100);
        const { stdout } = await promisify(execFile)(process.execPath, [
          CLI,
          'migrate',
          '--database',
          address,
        ]);
        console.log(`${name}: ${stdout.trim()} Slowest request: ${Math.round(slowest(load).ms)} ms`);
        expect(stdout).toMatch(/^Ran \d+ migrations/);
        expect(slowest(load).ms).toBeLessThan(limitMs);
        await more(load, 100);
        await replace(0, previous);
        await replace(1);
        await more(load, 100);
        await replace(0);
        await more(load, 100);
        await replace(0, previous);
        await replace(1, previous);
        await more(load, 100);
        await replace(0);
        await load.stop();

        expect(load.responses.filter(({ status }) => status !== 200)).toEqual([]);
        const payments = await select(`select session_id, amount from attempts where status = 'succeeded'`);
        expect(new Map(payments.map((row) => [row['session_id'], Number(row['amount'])]))).toEqual(load.paid);
        expect(payments).toHaveLength(load.paid.size);
        // The new release also records payments that the previous one has taken since.
        const expected = [...load.paid.values()].reduce((sum, amount) => sum + amount, 0);
        await expect.poll(() => ledgerSum(address), { timeout: 120_000, interval: 1_000 }).toBe(expected);
      },
    );

    it(
      'R-95 R-97 R-99 R-106 charges each due payment once while processes of both releases run and are killed',
      { timeout: 300_000 },
      async () => {
        const { address } = await newDatabase();
        const gateway = await startGateway();
        const random = seeded('beside');
        gateway.slowness = () => random() * 40;
        const options = {
          apiKey: 'stg_key_of_the_upgrade_test',
          args: ['--processor', PROCESSOR],
          variables: gateway.variables,
          database: address,
        };
        const services = [await startService(options), await startService({ ...options, cli: previous })];
        stops.push(() => gateway.close(), ...services.map((service) => () => service.kill()));
        const { due } = await chargeThroughKills(services, gateway, random, KILLS);
        const sum = due.reduce((total, amount) => total + amount, 0);
        // The new release also records payments that the previous one has charged.
        await expect.poll(() => ledgerSum(address), { timeout: 120_000, interval: 1_000 }).toBe(sum);
      },
    );
  },
);

async function more(load: Load, count: number): Promise<void> {
  const before = load.responses.length;
  await expect.poll(() => load.responses.length, { timeout: 120_000 }).toBeGreaterThan(before + count);
}

async function ledgerSum(address: string): Promise<number> {
  const period = ['--from', '2020-01-01', '--to', '2100-01-01', '--format', 'json'];
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [CLI, 'ledger', 'export', '--business-unit', BUSINESS_UNIT, '--database', address, ...period],
    { maxBuffer: 2 ** 28 },
  ).catch(() => ({ stdout: '[]' }));
  return (JSON.parse(stdout) as { Amount: number }[]).reduce((sum, { Amount }) => sum + Amount, 0);
}

/** Inserts declined payments of another business unit without sessions, which nothing reads. */
function seed(count: number): string {
  return `set session_replication_role = replica;
    insert into attempts (id, business_unit, session_id, request_id, status, amount, source, charges, fields, created_at, lookups)
    select 'pay_0' || n, 'other', 'stg_0' || n, 'r', 'declined', 100,
      '{"method":"Credit Card","token":"tok_0123456789","last4":"4242","holder":"Dana Reyes","save":false}',
      '[{"index":0,"amount":100}]', '{}', n, 0
    from generate_series(1, ${count}) n;
    analyze attempts`;
}
