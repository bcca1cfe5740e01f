/**
 * CPU of other operations: AutoPay charges, refunds, scheduled payments, lookups of pending bank payments and lists. Compares
 * the embedded database with `node:http` that returns constants. The note has PostgreSQL.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, it } from 'vitest';
import {
  BUSINESS_UNIT,
  hasPostgres,
  startPostgres,
  startService,
  type Service,
} from '../e2e/harness/index.js';
import { BANK, CARD, payer, type Payer } from '../packages/service/test/payer.js';
import { send, startFloor, startReceiver, WEBHOOK_SECRETS, type Receiver } from './floor.js';
import { cpuMs, inPairs, median, treeCpuMs } from './measure.js';
import { record } from './results.mjs';
import type { ROWS } from './rows.mjs';
import { serverPid } from './postgres.js';
import { costOf, pageOf, settings, type Target } from './targets.js';

const REQUESTS = Number(process.env['BENCH_REQUESTS'] ?? 100);
const PAIRS = 5;
/** Rounds of a job before it is measured. V8 has compiled little of it in the first. */
const WARM_UP_ROUNDS = 3;
/** Number of accounts. Two operations on one account would wait for each other in any database. */
const ACCOUNTS = 50;
/** Scheduled charges are due after this, and bank payments settle, days. */
const DUE_DAYS = 2;
/** After this, nothing of a round is left to do, days. Settled bank payments are looked up for 70 days. */
const REST_DAYS = 100;
const DAY_MS = 86_400_000;

interface Costs {
  /** CPU per operation, µs. */
  readonly service: number;
  readonly database: number;
  /** Ratio to `node:http`, the median of the pairs. */
  readonly ratio: number;
}

/** Sends one request, with the data that was prepared for it. */
type Operation = (target: Target, turn: number) => Promise<void>;

let receiver: Receiver;
let floor: Target & { stop(): void };

beforeAll(async () => {
  receiver = await startReceiver();
  floor = await startFloor(receiver.url);
});
afterAll(() => {
  floor.stop();
  receiver.stop();
});

const openPage = async (service: Service, flow: 'payment' | 'autopay', body: object): Promise<Payer> => {
  const { sessionId, sessionUrl } = await service.create(flow, { ...body });
  const fetchAt = (path: string, init?: RequestInit): Promise<Response> =>
    fetch(new URL(path, service.url), init);
  return payer(fetchAt, sessionId, new URL(sessionUrl).hash.slice(1));
};

/** Pays `count` sessions with a source. @returns the identifiers of the payments */
async function pay(service: Service, count: number, source: typeof CARD | typeof BANK): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 0; number < count; number++) {
    const Charges = [{ Amount: 1_000_000, ClientAccount: { AccountNumber: `200-${number}`, Name: 'Dana' } }];
    const page = await openPage(service, 'payment', { Charges });
    await page.pay({ source, charges: [{ index: 0, amount: 1_000_000 }] });
    await receiver.expect();
    const { Payments } = (await post(service, '/integrations/embedded/query', {
      PaymentSessionIdentifier: page.id,
    })) as { Payments: { Id: string }[] };
    ids.push(Payments[0]?.Id ?? '');
  }
  return ids;
}

const post = ({ url, apiKey }: Target, path: string, body: object): Promise<unknown> =>
  send(`${url}${path}`, { 'x-service-api-key': apiKey }, { BusinessUnitSlug: BUSINESS_UNIT, ...body });

async function autopayCharges(service: Service, more: () => object = () => ({})): Promise<Operation> {
  for (let number = 0; number < ACCOUNTS; number++) {
    const ClientAccount = { AccountNumber: `300-${number}`, SubAccountNumber: '', Name: 'Dana Reyes' };
    const ClientUser = { EmailAddress: `autopay-${number}@example.com` };
    const page = await openPage(service, 'autopay', { ClientAccount, ClientUser, SyncAccount: true });
    const { id: methodId } = await page.addMethod();
    await receiver.expect();
    await page.post('autopay/enroll', { methodId, authorization: 'I agree.' });
    await receiver.expect();
  }
  return async (target, turn) => {
    const charge = { AccountNumber: `300-${turn % ACCOUNTS}`, Amount: 100, ClientReference: randomUUID() };
    const scheduled = more();
    await post(target, '/integrations/autopay/charge', { ...charge, ...scheduled });
    if (!('ChargeOn' in scheduled)) await receiver.expect();
  };
}

async function refunds(service: Service): Promise<Operation> {
  const payments = await pay(service, ACCOUNTS, CARD);
  return async (target, turn) => {
    const refund = { PaymentIdentifier: payments[turn % ACCOUNTS], Amount: 1, ClientReference: randomUUID() };
    await post(target, '/integrations/payments/refund', refund);
    await receiver.expect();
  };
}

async function lists(service: Service): Promise<Operation> {
  const from = new Date().toISOString();
  await pay(service, 101, CARD);
  return pageOf(from);
}

/** CPU of requests, compared with the same requests to `node:http`. */
async function ofRequests(
  prepare: (service: Service) => Promise<Operation>,
  database?: string,
): Promise<Costs> {
  const service = await start(database);
  const operation = await prepare(service);
  let turn = 0;
  const cost = (target: Target, requests = REQUESTS) =>
    costOf([target], { requests, ask: (one) => operation(one, ++turn) });
  for (const target of [service, floor]) await cost(target, 1_000);

  const server = database === undefined ? undefined : await serverPid(database);
  const inDatabase: number[] = [];
  const ofService = async (): Promise<number> => {
    const before = server === undefined ? 0 : treeCpuMs(server);
    const micros = await cost(service);
    if (server !== undefined) inDatabase.push(((treeCpuMs(server) - before) * 1_000) / REQUESTS);
    return micros;
  };
  const { ours, ratio } = await inPairs(PAIRS, ofService, () => cost(floor));
  await service.stop();
  return { service: ours, ratio, database: inDatabase.length === 0 ? 0 : median(inDatabase) };
}

/**
 * CPU of a job on its day including the webhook, compared with a payment's request to `node:http`. Without what all other
 * jobs of these days cost, because that doesn't depend on the number of payments.
 */
async function ofJob(prepare: (service: Service) => Promise<unknown>, database?: string): Promise<Costs> {
  const service = await start(database);
  const server = database === undefined ? undefined : await serverPid(database);
  const rounds: { service: number; database: number; ratio: number }[] = [];
  const used = (): { service: number; database: number } => ({
    service: cpuMs(service.pid),
    database: server === undefined ? 0 : treeCpuMs(server),
  });
  /** CPU of the days until work is due, ms. */
  const costOfDays = async (): Promise<{ service: number; database: number }> => {
    const before = used();
    await service.control.advance(`${DUE_DAYS}d`);
    const after = used();
    return { service: after.service - before.service, database: after.database - before.database };
  };
  const payFloor = (requests: number): Promise<number> =>
    costOf([floor], {
      requests,
      ask: async (target) => {
        await post(target, '/charge', {});
        // All of them, because a job also sends all of its webhooks.
        await receiver.expect(0);
      },
    });
  await payFloor(1_000);
  for (let round = 0; round < WARM_UP_ROUNDS + PAIRS; round++) {
    const idle = await costOfDays();
    await prepare(service);
    const due = await costOfDays();
    for (let sent = 0; sent < REQUESTS; sent++) await receiver.expect();
    await service.control.advance(`${REST_DAYS}d`);
    const micros = (ms: number): number => (ms * 1_000) / REQUESTS;
    const cost = micros(due.service - idle.service);
    rounds.push({
      service: cost,
      database: micros(due.database - idle.database),
      ratio: cost / (await payFloor(REQUESTS)),
    });
  }
  await service.stop();
  const of = (name: keyof Costs): number => median(rounds.slice(WARM_UP_ROUNDS).map((round) => round[name]));
  return { service: of('service'), database: of('database'), ratio: of('ratio') };
}

/** @returns schedules charges for the day after tomorrow, in each round */
function scheduledCharges(): (service: Service) => Promise<void> {
  let daysAhead = 2 * DUE_DAYS;
  let charge: Operation | undefined;
  return async (service) => {
    charge ??= await autopayCharges(service, () => ({
      ChargeOn: new Date(Date.now() + daysAhead * DAY_MS).toISOString().slice(0, 10),
    }));
    for (let turn = 0; turn < REQUESTS; turn++) await charge(service, turn);
    daysAhead += 2 * DUE_DAYS + REST_DAYS;
  };
}

/** Bank payments, which the processor settles after `DUE_DAYS`. */
const bankPayments = (service: Service): Promise<unknown> => pay(service, REQUESTS, BANK);

const start = (database?: string): Promise<Service> =>
  startService({
    settings,
    businessUnit: { webhook: { url: receiver.url, secrets: WEBHOOK_SECRETS }, autopay: 'merchant' },
    ...(database === undefined ? {} : { database }),
  });

const figures = ({ service, database }: Costs): string =>
  `${service.toFixed(0)} µs${database === 0 ? '' : ` and ${database.toFixed(0)} µs in the database`}`;

const OPERATIONS: Readonly<Record<string, (database?: string) => Promise<Costs>>> = {
  charge: (database) => ofRequests(autopayCharges, database),
  refund: (database) => ofRequests(refunds, database),
  list: (database) => ofRequests(lists, database),
  scheduled: (database) => ofJob(scheduledCharges(), database),
  settle: (database) => ofJob(bankPayments, database),
};

describe.each(Object.entries(OPERATIONS))('%s', (id, costs) => {
  it('uses little CPU', async () => {
    const embedded = await costs();
    const notes = [`embedded ${figures(embedded)}`];
    if (hasPostgres) {
      const postgres = await startPostgres();
      const measured = await costs(await postgres.database());
      notes.push(`PostgreSQL ${measured.ratio.toFixed(1)} ×, ${figures(measured)}`);
      await postgres.stop();
    }
    record(id as keyof typeof ROWS, embedded.ratio, { note: notes.join('; ') });
  });
});
