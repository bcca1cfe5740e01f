/**
 * `kill -9` at random moments under load. Every test run kills a few times; `pnpm test:faults` kills a hundred times on each
 * engine (FAULT_KILLS).
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPostgres, startPostgres, startService, type Postgres, type Service } from '../harness/index.js';
import { PROCESSOR, startGateway, type Gateway } from '../../packages/service/test/gateway.js';
import { seeded } from '../../packages/service/test/random.js';
import { ledgerOf } from './ledger.js';
import { createPayers } from './payer.js';

const KILLS = Number(process.env['FAULT_KILLS'] ?? 2);
const PAYERS = 6;
const random = seeded('crash');

let gateway: Gateway;
let postgres: Postgres | undefined;

beforeAll(async () => {
  gateway = await startGateway();
  // Slow enough for a kill to interrupt a charge.
  gateway.slowness = () => random() * 20;
  if (hasPostgres) postgres = await startPostgres();
});
afterAll(() => Promise.all([gateway.close(), postgres?.stop()]));

const sorted = (values: Iterable<unknown>): string[] => [...values].map(String).toSorted();

const engines = [
  { name: 'SQLite, one process', processes: 1, database: async () => undefined, tags: [] },
  {
    name: 'PostgreSQL, two processes',
    processes: 2,
    database: async () => postgres?.database(),
    tags: ['thorough'],
  },
];

describe.each(engines.slice(0, hasPostgres ? 2 : 1))('$name', ({ processes, database, tags }) => {
  it(
    `D-9 R-44 R-58 R-98 loses and duplicates no acknowledged data when killed ${KILLS} times`,
    { tags, timeout: 120_000 + KILLS * 10_000 },
    async () => {
      const url = await database();
      const options = {
        apiKey: 'stg_key_of_the_crash_test',
        args: ['--processor', PROCESSOR],
        variables: gateway.variables,
        ...(url === undefined ? {} : { database: url }),
      };
      const services: Service[] = [];
      for (let i = 0; i < processes; i++) services.push(await startService(options));
      const before = gateway.charges.length;
      const stop = new AbortController();
      const { acknowledged, work } = createPayers(services, random);
      const payers = Promise.all(Array.from({ length: PAYERS }, (_, payer) => work(stop.signal, payer)));
      payers.catch(() => stop.abort());

      for (let kill = 0; kill < KILLS && !stop.signal.aborted; kill++) {
        const { answered, cut } = acknowledged;
        const moves = (count: 'answered' | 'cut', from: number): Promise<unknown> =>
          // Fail early if a payer sees something unexpected.
          Promise.race([
            payers,
            expect.poll(() => acknowledged[count], { timeout: 60_000 }).toBeGreaterThan(from),
          ]);
        await moves('answered', answered);
        const busyMs = random() * 400;
        await new Promise((resolve) => setTimeout(resolve, busyMs));
        const victim = services[kill % processes]!;
        await victim.kill();
        await moves('cut', cut);
        await victim.restart();
      }
      stop.abort();
      await payers;

      const control = services[0]!.control;
      await control.advance('10m');
      for (const [session, { amount, ask }] of acknowledged.inFlight) {
        await expect.poll(ask).toBe('succeeded');
        acknowledged.paid.set(session, amount);
      }
      const state = await control.state();
      const payments = state.payments.filter(({ status }) => status === 'succeeded');

      expect(acknowledged.cut).toBeGreaterThan(0);
      expect(acknowledged.paid.size).toBeGreaterThan(0);
      expect(acknowledged.enrolled.size).toBeGreaterThan(0);
      expect(sorted(state.sessions.filter(({ flow }) => flow === 'payment').map(({ id }) => id))).toEqual(
        sorted(acknowledged.sessions.values()),
      );
      expect(sorted(payments.map(({ sessionId, amount }) => `${sessionId} ${amount}`))).toEqual(
        sorted([...acknowledged.paid].map(([sessionId, amount]) => `${sessionId} ${amount}`)),
      );
      expect(
        sorted(ledgerOf(services[0]!.database).map(({ SessionId, Amount }) => `${SessionId} ${Amount}`)),
      ).toEqual(sorted([...acknowledged.paid].map(([sessionId, amount]) => `${sessionId} ${amount}`)));
      expect(sorted(gateway.charges.slice(before).map(({ amount }) => amount))).toEqual(
        sorted(acknowledged.paid.values()),
      );
      expect(sorted(state.autopay.map(({ AccountNumber }) => AccountNumber))).toEqual(
        sorted(acknowledged.enrolled),
      );
      expect(sorted(state.paymentMethods.map(({ EmailAddress }) => EmailAddress))).toEqual(
        sorted(acknowledged.saved),
      );
      await Promise.all(services.map((service) => service.stop()));
    },
  );
});
