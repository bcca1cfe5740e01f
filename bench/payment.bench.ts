/** CPU of a whole payment (create, page read, pay, webhook, query), compared with `node:http` that returns constants. */
import { afterAll, beforeAll, describe, it } from 'vitest';
import { hasPostgres, startPostgres, startService } from '../e2e/harness/index.js';
import { startFloor, startReceiver, WEBHOOK_SECRETS, type Receiver } from './floor.js';
import { inPairs, median, treeCpuMs } from './measure.js';
import { payingOnce } from './pay-once.js';
import { record } from './results.mjs';
import { serverPid } from './postgres.js';
import { costOf, settings, type Target } from './targets.js';

const PAYMENTS = Number(process.env['BENCH_REQUESTS'] ?? 500);
const PAIRS = 9;

let receiver: Receiver;
let floor: Target & { stop(): void };
let payOnce: (target: Target) => Promise<void>;

beforeAll(async () => {
  receiver = await startReceiver();
  floor = await startFloor(receiver.url);
  payOnce = payingOnce(receiver);
  await costOf([floor], { requests: 4_000, ask: payOnce });
});
afterAll(() => {
  floor.stop();
  receiver.stop();
});

async function startTarget(database?: string): Promise<Target & { stop(): Promise<unknown> }> {
  const service = await startService({
    settings,
    businessUnit: { webhook: { url: receiver.url, secrets: WEBHOOK_SECRETS } },
    ...(database === undefined ? {} : { database }),
  });
  await costOf([service], { requests: 3_000, ask: payOnce });
  return service;
}

const costOfPayment = (target: Target) => (): Promise<number> =>
  costOf([target], { requests: PAYMENTS, ask: payOnce });

it('embedded', async () => {
  const service = await startTarget();
  const { ours, theirs, ratio } = await inPairs(PAIRS, costOfPayment(service), costOfPayment(floor));
  record('payment', ratio, { note: `${ours.toFixed(0)} µs and ${theirs.toFixed(0)} µs` });
  await service.stop();
});

describe.runIf(hasPostgres)('PostgreSQL', () => {
  it('in the service and in the database', async () => {
    const postgres = await startPostgres();
    const database = await postgres.database();
    const service = await startTarget(database);
    const server = await serverPid(database);
    const inDatabase: number[] = [];
    const ofService = async (): Promise<number> => {
      const before = treeCpuMs(server);
      const cost = await costOfPayment(service)();
      inDatabase.push(((treeCpuMs(server) - before) * 1000) / PAYMENTS);
      return cost;
    };
    const { ours, theirs, ratio } = await inPairs(PAIRS, ofService, costOfPayment(floor));
    record('payment-postgres', ratio, { note: `${ours.toFixed(0)} µs and ${theirs.toFixed(0)} µs` });
    record('payment-database', median(inDatabase) / theirs, {
      note: `${median(inDatabase).toFixed(0)} µs`,
    });
    await service.stop();
    await postgres.stop();
  });
});
