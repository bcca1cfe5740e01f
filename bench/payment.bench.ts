/** CPU of a whole payment: create, page read, pay, webhook and query, against `node:http` answering constants. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { BUSINESS_UNIT, hasPostgres, startPostgres, startService } from '../e2e/harness/index.js';
import { inPairs, median, treeCpuMs } from './measure.js';
import { record } from './results.mjs';
import { serverPid } from './stored.js';
import { costOf, settings, type Target } from './targets.js';

const PAYMENTS = Number(process.env['BENCH_REQUESTS'] ?? 500);
const PAIRS = 9;
const SECRETS = ['whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE='];

const CARD = {
  method: 'Credit Card',
  cardNumber: '4242 4242 4242 4242',
  expiry: '12/34',
  securityCode: '737',
  name: 'Dana Reyes',
  country: 'US',
  zipCode: '04101',
};

let receiver: Server;
const webhooks = { sent: 0, received: 0 };
let webhookUrl: string;
let floor: Target & { stop(): void };

beforeAll(async () => {
  receiver = createServer((request, response) => {
    webhooks.received += 1;
    request.resume();
    request.on('end', () => response.end());
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  webhookUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  floor = await startFloor();
  await costOf([floor], { requests: 4_000, ask: payOnce });
});
afterAll(() => {
  floor.stop();
  receiver.closeAllConnections();
  receiver.close();
});

async function startFloor(): Promise<Target & { stop(): void }> {
  const args = [join(import.meta.dirname, 'constant-service.mjs'), webhookUrl];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise<string>((resolve) =>
    child.stdout.once('data', (data: Buffer) => resolve(data.toString().trim())),
  );
  return { url, pid: child.pid as number, apiKey: 'none', stop: () => void child.kill() };
}

async function send(url: string, headers: Record<string, string>, body?: object): Promise<unknown> {
  const response = await fetch(url, {
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  const answer = (await response.json()) as { data: unknown };
  return answer.data;
}

/** One payment from start to finish. Waits while more than 32 webhooks are pending. */
async function payOnce({ url, apiKey }: Target): Promise<void> {
  const turn = ++webhooks.sent;
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
  while (webhooks.received < webhooks.sent - 32) await delay(5);
}

async function startTarget(database?: string): Promise<Target & { stop(): Promise<unknown> }> {
  const service = await startService({
    settings,
    businessUnit: { webhook: { url: webhookUrl, secrets: SECRETS } },
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
