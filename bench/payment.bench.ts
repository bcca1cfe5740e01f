/** CPU of a whole payment: create, page read, pay, webhook and query, against `node:http` answering constants. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { BUSINESS_UNIT, hasPostgres, startPostgres, startService } from '../e2e/harness/index.js';
import { send, startFloor, startReceiver, WEBHOOK_SECRETS, type Receiver } from './floor.js';
import { inPairs, median, treeCpuMs } from './measure.js';
import { record } from './results.mjs';
import { serverPid } from './stored.js';
import { costOf, settings, type Target } from './targets.js';

const PAYMENTS = Number(process.env['BENCH_REQUESTS'] ?? 500);
const PAIRS = 9;

const CARD = {
  method: 'Credit Card',
  cardNumber: '4242 4242 4242 4242',
  expiry: '12/34',
  securityCode: '737',
  name: 'Dana Reyes',
  country: 'US',
  zipCode: '04101',
};

let receiver: Receiver;
let floor: Target & { stop(): void };
let turns = 0;

beforeAll(async () => {
  receiver = await startReceiver();
  floor = await startFloor(receiver.url);
  await costOf([floor], { requests: 4_000, ask: payOnce });
});
afterAll(() => {
  floor.stop();
  receiver.stop();
});

/** One payment from start to finish. */
async function payOnce({ url, apiKey }: Target): Promise<void> {
  const turn = ++turns;
  const merchant = { 'x-service-api-key': apiKey };
  const created = (await send(`${url}/integrations/embedded/initiate`, merchant, {
    BusinessUnitSlug: BUSINESS_UNIT,
    Channel: 'QuickPay',
    Charges: [{ Amount: 8412, ClientAccount: { AccountNumber: `100-${turn % 500}`, Name: 'Dana Reyes' } }],
    ClientUser: { EmailAddress: `payer-${turn % 500}@example.com` },
  })) as { PaymentSessionIdentifier: string; PaymentLogInLink: string };

  const id = created.PaymentSessionIdentifier;
  const payer = { authorization: `Bearer ${new URL(created.PaymentLogInLink).hash.slice(1)}` };
  await send(`${url}/s/${id}/api/session`, payer);
  await send(`${url}/s/${id}/api/pay`, payer, {
    attemptId: randomUUID(),
    source: CARD,
    saveMethod: false,
    charges: [{ index: 0, amount: 8412 }],
    fields: {},
  });
  await send(`${url}/integrations/embedded/query`, merchant, {
    BusinessUnitSlug: BUSINESS_UNIT,
    PaymentSessionIdentifier: id,
  });
  await receiver.expect();
}

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
