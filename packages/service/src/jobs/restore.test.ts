import { hash, randomUUID } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { API_KEY, SLUG, config } from '../../test/merchant.js';
import { asMerchant, open, payer, type Payer } from '../../test/payer.js';
import { hasPostgres, program, sharedPostgres } from '../../test/postgres.js';
import { withSchema } from '../../test/engines.js';
import type { PaymentProcessor } from '../processor/rules/port.js';
import type { ScheduledPayment, SchedulePageSession } from '../shared/page.js';
import { startTestService, type OpenTestService } from '../start/test-service.js';

const DAY_MS = 86_400_000;
const KEY = `k1:${'ab'.repeat(32)}`;
const NEWER_KEY = `k2:${'cd'.repeat(32)}`;
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
  sessionKeyText = KEY;
  await start();
});
afterEach(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

/** Its session keys, newest first. */
let sessionKeyText: string;

async function start(database = join(folder, 'live.db')): Promise<void> {
  service = await startTestService({ config: config(), processor, database, sessionKeyText });
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
  expectUnguessable('press', id, attemptId);
});

/** Expects an id that doesn't derive from what the payer knows. */
function expectUnguessable(...known: readonly string[]): void {
  const digest = hash('sha256', JSON.stringify(['staging', ...known]), 'base64url');
  expect(charged[0]?.slice(-22, -1)).not.toBe(digest.slice(0, 21));
}

it('R-96 a restored service sends the same id for a scheduled payment', async () => {
  const page = await open(service.fetch, 'schedule-payment');
  const { earliest: date } = await page.get<SchedulePageSession>();
  const { id: methodId } = await page.addMethod();
  const body = { requestId: randomUUID(), amount: 100, date, methodId };
  const { id } = await page.post<ScheduledPayment>('schedule', body);
  await chargeTwice(() => service.control.advance(DAY_MS));
  expect(charged).toHaveLength(2);
  expect(new Set(charged).size).toBe(1);
  expectUnguessable('schedule', id);
});

it('R-96 a restored service sends the same id per AutoPay reference', async () => {
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

it('R-96 R-106 an account first synced after the backup gets the same charge ids again', async () => {
  await chargeTwice(async () => {
    await chargeNewAccount();
    sessionKeyText = `${NEWER_KEY},${KEY}`;
  });
  expect(charged).toHaveLength(6);
  expect(charged.slice(3)).toEqual(charged.slice(0, 3));
  expect(new Set(charged).size).toBe(3);
});

it('R-96 ids of accounts with the same number differ between business units, databases, and after a reset', async () => {
  const units = [SLUG, 'other'];
  const twoUnits = {
    businessUnits: units.map((slug) => ({ slug, name: slug })),
    apiKeys: [{ key: API_KEY, businessUnits: units }],
  };
  const ids = new Set<string>();
  const sync = async (): Promise<void> => {
    for (const slug of units) {
      for (const SubAccountNumber of ['1', '2'])
        await open(service.fetch, 'autopay', {
          BusinessUnitSlug: slug,
          ClientAccount: { AccountNumber: '1001', SubAccountNumber },
        });
      for (const { id } of await service.deps.store.read((tx) => tx.accounts.list(slug))) ids.add(id);
    }
  };
  for (const database of ['first.db', 'second.db']) {
    await service.close();
    service = await startTestService({ config: twoUnits, database: join(folder, database) });
    await sync();
  }
  await service.control.reset();
  await sync();
  expect(ids.size).toBe(12);
});

it('R-65 R-96 a business unit that moves to another service with a database copy is charged once', async () => {
  const units = [
    { slug: 'stays', name: 'Stays' },
    { slug: 'moves', name: 'Moves' },
  ];
  const apiKeys = [{ key: API_KEY, businessUnits: ['stays', 'moves'] }];
  const startWith = async (file: string, slugs: readonly string[]): Promise<void> => {
    service = await startTestService({
      config: {
        businessUnits: units.filter(({ slug }) => slugs.includes(slug)),
        apiKeys: apiKeys.map(({ key }) => ({ key, businessUnits: slugs })),
      },
      processor,
      database: join(folder, file),
      sessionKeyText,
    });
  };
  await service.close();
  await startWith('both.db', ['stays', 'moves']);
  const pages: Payer[] = [];
  for (const BusinessUnitSlug of ['stays', 'moves']) {
    const page = await open(service.fetch, 'schedule-payment', { BusinessUnitSlug });
    const { earliest: date } = await page.get<SchedulePageSession>();
    const { id: methodId } = await page.addMethod();
    await page.schedule({ amount: 100, date, methodId });
    pages.push(await open(service.fetch, 'payment', { BusinessUnitSlug }));
  }
  await service.close();
  copyFileSync(join(folder, 'both.db'), join(folder, 'own.db'));

  for (const [place, file, slug] of [
    [0, 'both.db', 'stays'],
    [1, 'own.db', 'moves'],
  ] as const) {
    charged = [];
    await startWith(file, [slug]);
    const [here, elsewhere] = [pages[place], pages[1 - place]];
    if (!here || !elsewhere) throw new Error('A page is missing.');
    await payer(service.fetch, here.id, here.secret).pay();
    await expect(payer(service.fetch, elsewhere.id, elsewhere.secret).pay()).rejects.toMatchObject({
      status: 401,
    });
    await service.control.advance(DAY_MS);
    expect(charged).toHaveLength(2);
    await service.close();
  }
  await start();
});

/** Syncs and enrolls an account, and charges it by reference, on a day and on its due date. */
async function chargeNewAccount(): Promise<void> {
  const AccountNumber = '2002';
  const ChargeOn = new Date(service.deps.clock.now() + DAY_MS).toISOString().slice(0, 10);
  const page = await open(service.fetch, 'autopay', {
    ClientAccount: { AccountNumber, Balance: 9_000, DueDate: ChargeOn },
    SyncAccount: true,
  });
  await page.post('autopay/enroll', { methodId: (await page.addMethod()).id });
  for (const input of [{ ClientReference: 'new-1' }, { ClientReference: 'new-2', ChargeOn }]) {
    const body = { AccountNumber, Amount: 700, ...input };
    expect((await asMerchant(service.fetch, '/integrations/autopay/charge', body)).status).toBe(200);
  }
  await service.control.advance(DAY_MS);
  charged.splice(-3, 3, ...charged.slice(-3).toSorted());
}

/** Schedules an AutoPay charge. Returns a function that advances to its day. */
async function chargeTomorrow(): Promise<() => Promise<void>> {
  const ChargeOn = new Date(service.deps.clock.now() + DAY_MS).toISOString().slice(0, 10);
  const input = { AccountNumber: '1001', Amount: 700, ClientReference: 'bill-3', ChargeOn };
  expect((await asMerchant(service.fetch, '/integrations/autopay/charge', input)).status).toBe(200);
  return () => service.control.advance(DAY_MS);
}

// A server elsewhere (DATABASE_URL) has no local programs.
describe.runIf(hasPostgres && process.env['DATABASE_URL'] === undefined)('on PostgreSQL', () => {
  it(
    'R-96 R-106 a service restored by pg_restore sends the same ids for all kinds of charges',
    { tags: ['thorough'] },
    async () => {
      const postgres = await sharedPostgres();
      const newDatabase = withSchema(postgres);
      const live = await newDatabase();
      await service.close();
      await start(live);
      const DueDate = new Date(service.deps.clock.now() + DAY_MS).toISOString().slice(0, 10);
      const ClientAccount = { AccountNumber: '1001', Balance: 9_000, DueDate };
      const enrolled = await open(service.fetch, 'autopay', { ClientAccount, SyncAccount: true });
      await enrolled.post('autopay/enroll', { methodId: (await enrolled.addMethod()).id });
      const scheduling = await open(service.fetch, 'schedule-payment', {
        ClientAccount: { AccountNumber: '1002' },
      });
      const { id: methodId } = await scheduling.addMethod();
      await scheduling.schedule({ amount: 100, date: DueDate, methodId });
      const beginDay = await chargeTomorrow();
      const { id, secret } = await open(service.fetch, 'payment');
      const attemptId = randomUUID();
      const chargeAll = async (): Promise<string[]> => {
        charged = [];
        await payer(service.fetch, id, secret).pay({ attemptId });
        const input = { AccountNumber: '1001', Amount: 200, ClientReference: 'bill-1' };
        await asMerchant(service.fetch, '/integrations/autopay/charge', input);
        await chargeNewAccount();
        await beginDay();
        return charged.toSorted();
      };

      const dump = join(folder, 'backup.dump');
      execFileSync(program('pg_dump'), ['-Fc', '-f', dump, live]);
      const before = await chargeAll();
      expect(before).toHaveLength(8);
      await service.close();
      const restored = await postgres.database();
      execFileSync(program('pg_restore'), ['--exit-on-error', '-d', restored, dump]);
      await start(restored);
      expect(await chargeAll()).toEqual(before);
      await service.close();
      await postgres.stop();
      await start();
    },
  );
});
