import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { config } from '../../test/merchant.js';
import { asMerchant, open, payer } from '../../test/payer.js';
import type { PaymentProcessor } from '../processor/rules/port.js';
import type { SchedulePageSession } from '../shared/page.js';
import { startTestService, type OpenTestService } from '../start/test-service.js';

const DAY_MS = 86_400_000;
let folder: string;
let charged: string[];
let service: OpenTestService;

const processor: PaymentProcessor = {
  tokenize: async () => ({ token: 'tok', last4: '4242' }),
  charge: async ({ attemptId }) => {
    charged.push(attemptId);
    return 'succeeded';
  },
  lookup: async () => 'never_seen',
};

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'restore-'));
  charged = [];
  await start();
});
afterEach(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

async function start(): Promise<void> {
  service = await startTestService({ config: config(), processor, database: join(folder, 'live.db') });
}

async function backUp(): Promise<void> {
  await service.close();
  copyFileSync(join(folder, 'live.db'), join(folder, 'backup.db'));
  await start();
}

async function restore(): Promise<void> {
  await service.close();
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(folder, `live.db${suffix}`), { force: true });
  copyFileSync(join(folder, 'backup.db'), join(folder, 'live.db'));
  await start();
}

/** Charges, restores the backup taken before, and charges again. */
async function chargeTwice(charge: () => Promise<unknown>): Promise<void> {
  await backUp();
  await charge();
  await restore();
  await charge();
}

it('R-96 a restored service sends the same id for a press of Pay', async () => {
  const { id, secret } = await open(service.fetch, 'payment');
  const attemptId = randomUUID();
  await chargeTwice(() => payer(service.fetch, id, secret).pay({ attemptId }));
  expect(charged).toHaveLength(2);
  expect(new Set(charged).size).toBe(1);
  expect(charged[0]).toMatch(/^pay_[\w-]{31}$/);
});

it('R-96 a restored service sends the same id for a scheduled payment', async () => {
  const page = await open(service.fetch, 'schedule-payment');
  const { earliest: date } = await page.get<SchedulePageSession>();
  const { id: methodId } = await page.addMethod();
  await page.post('schedule', { requestId: randomUUID(), amount: 100, date, methodId });
  await chargeTwice(() => service.control.advance(DAY_MS));
  expect(charged).toHaveLength(2);
  expect(new Set(charged).size).toBe(1);
});

it('R-96 R-106 a restored service sends the same id for the AutoPay charge of a due date', async () => {
  const { clock } = service.deps;
  const DueDate = new Date(clock.now() + DAY_MS).toISOString().slice(0, 10);
  const page = await open(service.fetch, 'autopay', {
    ClientAccount: { AccountNumber: '1001', Balance: 700, DueDate },
    SyncAccount: true,
  });
  await page.post('autopay/enroll', { methodId: (await page.addMethod()).id });
  await chargeTwice(() => service.control.advance(DAY_MS));
  expect(charged).toHaveLength(2);
  expect(new Set(charged).size).toBe(1);
});

it('R-96 a restored service sends the same id for an AutoPay reference, and another for another', async () => {
  const page = await open(service.fetch, 'autopay');
  await page.post('autopay/enroll', { methodId: (await page.addMethod()).id });
  const charge = (ClientReference: string) =>
    asMerchant(service.fetch, '/integrations/autopay/charge', {
      AccountNumber: '1001',
      Amount: 700,
      ClientReference,
    });
  await chargeTwice(() => charge('bill-1'));
  await charge('bill-2');
  expect(charged).toHaveLength(3);
  expect(charged[1]).toBe(charged[0]);
  expect(charged[2]).not.toBe(charged[0]);
});
