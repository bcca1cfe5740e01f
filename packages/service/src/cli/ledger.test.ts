import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { advanceTo } from '../../test/advance-to.js';
import { describeOn, startEngines } from '../../test/engines.js';
import { account, config, SLUG } from '../../test/merchant.js';
import { asMerchant, BANK, CARD, open } from '../../test/payer.js';
import { addDays, dayIn } from '../core/day.js';
import type { PaymentProcessor } from '../processor/rules/port.js';
import { settleRefund } from '../refunds/begin-refund.js';
import { startTestService, type OpenTestService } from '../start/test-service.js';
import { connect } from '../platform/databases/connect.js';
import { commandLine } from './command-line.js';

const DAY_MS = 86_400_000;
const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-ledger-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.restoreAllMocks());

let bank: 'succeeded' | 'returned' = 'succeeded';
const processor: PaymentProcessor = {
  tokenize: async ({ method }) => ({ token: method, last4: '4242' }),
  charge: async ({ attemptId, token }) => ({
    outcome: token === 'ACH' ? 'pending' : 'succeeded',
    reference: `ch_${attemptId.slice(-4)}`,
  }),
  lookup: async () => bank,
  refund: async () => 'succeeded',
};

const ACCOUNTS = [
  { Amount: 1_000, Description: 'Water', ...account('1001', { SubAccountNumber: 'A' }) },
  { Amount: 2_000, Description: 'Sewer', ...account('1002') },
];
const CHOSEN = [
  { index: 0, amount: 1_000 },
  { index: 1, amount: 2_000 },
];

async function printed(database: string, period: readonly [string, string], ...more: string[]) {
  let output = '';
  const written = vi.spyOn(process.stdout, 'write').mockImplementation((part) => {
    output += String(part);
    return true;
  });
  const [from, to] = period;
  const args = ['--business-unit', SLUG, '--from', from, '--to', to, '--database', database, ...more];
  await commandLine(['ledger', 'export', ...args]);
  written.mockRestore();
  return output;
}

interface Line {
  readonly Date: string;
  readonly Type: string;
  readonly PaymentId: string;
  readonly RefundId: string;
  readonly AccountNumber: string;
  readonly Amount: number;
}
const ALL = ['2000-01-01', '2100-01-01'] as const;
const lines = async (database: string, period: readonly [string, string] = ALL): Promise<Line[]> =>
  JSON.parse(await printed(database, period, '--format', 'json')) as Line[];
const short = (entries: Line[]) =>
  entries.map(({ Type, AccountNumber, Amount }) => [Type, AccountNumber, Amount]);

async function paid(service: OpenTestService, source: typeof CARD | typeof BANK = CARD): Promise<string> {
  const page = await open(service.fetch, 'payment', { Charges: ACCOUNTS });
  expect(await page.pay({ source, charges: CHOSEN })).toMatchObject({
    status: source === CARD ? 'succeeded' : 'pending',
  });
  const payments = await service.deps.store.read((tx) => tx.attempts.ofSession(page.id));
  return payments[0]?.id ?? '';
}

async function refund({ fetch }: OpenTestService, PaymentIdentifier: string, Amount: number): Promise<void> {
  const { status } = await asMerchant(fetch, '/integrations/payments/refund', { PaymentIdentifier, Amount });
  expect(status).toBe(200);
}

it.each([
  [['--from', '2026-13-01'], /--from must be a day/],
  [['--to', '2026-12-01T00:00:00Z'], /--to must be a day/],
  [['--from', '2026-12-02'], /--to must be after --from/],
  // A day's export with the same day twice would be empty.
  [['--from', '2026-12-01'], /--to must be after --from/],
  [['--format', 'xml'], /--format must be csv or json/],
])('R-98 an export refuses %j', async (wrong, why) => {
  const args = ['--business-unit', SLUG, '--from', '2026-11-01', '--to', '2026-12-01', ...wrong];
  await expect(
    commandLine(['ledger', 'export', ...args, '--database', join(folder, 'none.db')]),
  ).rejects.toThrow(why);
});

describeOn(startEngines(() => join(folder, `${randomUUID()}.db`)))('on %s', (engine, newDatabase) => {
  const start = async (database: string, timeZone = 'UTC'): Promise<OpenTestService> => {
    bank = 'succeeded';
    return startTestService({ config: config({ timeZone }), database, processor });
  };

  it('R-98 prints one line per movement and account, and a refund split to the cent', async () => {
    const database = await newDatabase();
    const service = await start(database);
    const id = await paid(service);
    await refund(service, id, 100);
    await refund(service, id, 2_900);
    expect(short(await lines(database))).toEqual([
      ['payment', '1001', 1_000],
      ['payment', '1002', 2_000],
      ['refund', '1001', -33],
      ['refund', '1002', -67],
      ['refund', '1001', -967],
      ['refund', '1002', -1_933],
    ]);
    const [header, first] = (await printed(database, ALL)).split('\n');
    expect(header).toBe(
      'Date,Type,PaymentId,RefundId,SessionId,AccountNumber,SubAccountNumber,Description,Amount,Method,Reference',
    );
    const [{ Date: date, PaymentId } = { Date: '', PaymentId: '' }] = await lines(database);
    expect(PaymentId).toBe(id);
    expect(first).toMatch(
      new RegExp(`^${date},payment,${id},,stg_[\\w-]+,1001,A,Water,1000,Credit Card,ch_${id.slice(-4)}$`),
    );
    await service.close();
  });

  it('R-98 prints the same RefundId for a refund and its later failure', async () => {
    const database = await newDatabase();
    const service = await start(database);
    await refund(service, await paid(service), 3_000);
    const { store, clock, newId, config: current } = service.deps;
    const [refunded] = await store.read((tx) => tx.refunds.list(SLUG));
    const { id = '', attemptId = '' } = refunded ?? {};
    await store.transaction(async (tx) => {
      const { sessionId = '' } = (await tx.attempts.get(attemptId)) ?? {};
      const context = { now: clock.now(), newId, config: current };
      return settleRefund(tx, { id, sessionId }, { outcome: 'failed' }, context);
    });
    const refunds = (await lines(database)).filter(({ Type }) => Type === 'refund');
    expect(refunds.map(({ RefundId, Amount }) => [RefundId, Amount])).toEqual([
      [id, -1_000],
      [id, -2_000],
      [id, 1_000],
      [id, 2_000],
    ]);
    await service.close();
  });

  it('R-98 a refund and a return two months later do not change the month of the payment', async () => {
    const database = await newDatabase();
    const service = await start(database);
    const today = dayIn(service.deps.clock.now(), 'UTC');
    const month = [today, addDays(today, 30)] as const;
    const [card, debit] = [await paid(service), await paid(service, BANK)];
    await service.control.advance(3 * DAY_MS);
    const before = await printed(database, month);
    expect(before.split('\n')).toHaveLength(1 + 4 + 1);
    await service.control.advance(40 * DAY_MS);
    await refund(service, card, 3_000);
    await refund(service, debit, 50);
    bank = 'returned';
    await service.control.advance(9 * DAY_MS);
    expect(await printed(database, month)).toBe(before);
    const later = await lines(database, [month[1], '2100-01-01']);
    const of = (id: string) => short(later.filter(({ PaymentId }) => PaymentId === id));
    expect(of(card)).toEqual([
      ['refund', '1001', -1_000],
      ['refund', '1002', -2_000],
    ]);
    // The bank takes back everything, so the refund before it is a loss.
    expect(of(debit)).toEqual(
      expect.arrayContaining([
        ['refund', '1001', -17],
        ['refund', '1002', -33],
        ['return', '1001', -1_000],
        ['return', '1002', -2_000],
      ]),
    );
    expect(of(debit)).toHaveLength(4);
    await service.close();
  });

  it.each(['csv', 'json'])('prints nothing as %s that a terminal would obey', async (format) => {
    const database = await newDatabase();
    const service = await start(database);
    const id = await paid(service);
    const { store } = service.deps;
    const [entry] = await store.read((tx) => tx.ledger.ofPayment(id));
    const accountNumber = 'A\u001b[2J\u009b31m\u202e\u0007';
    await store.transaction((tx) => tx.ledger.insert([{ ...entry!, id: 'obeyed', accountNumber }]));
    const output = await printed(database, ALL, '--format', format);
    expect(output.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
    if (format === 'json')
      expect(JSON.parse(output)).toContainEqual(expect.objectContaining({ AccountNumber: accountNumber }));
    await service.close();
  });

  it('R-98 exports 1,200 payments in pages, without a gap or a repeat', async () => {
    const database = await newDatabase();
    const service = await start(database);
    const id = await paid(service);
    const { store } = service.deps;
    const entries = await store.read((tx) => tx.ledger.ofPayment(id));
    await store.transaction(async (tx) => {
      for (let place = 0; place < 1_200; place++)
        await tx.ledger.insert(entries.map((each) => ({ ...each, id: `${id}-${place}` })));
    });
    const found = await lines(database);
    expect(found).toHaveLength(2 * 1_201);
    expect(found.reduce((sum, { Amount }) => sum + Amount, 0)).toBe(3_000 * 1_201);
    await service.close();
  });

  describe('R-98 after an upgrade', () => {
    /** Brings the database to what an older release leaves: no ledger, and payments that it does not mark. */
    const asBefore = async (database: string, complete: boolean): Promise<void> => {
      const connection = await connect(database);
      await connection.transaction(
        async (tx) => {
          await tx.deleteFrom('ledger').execute();
          for (const table of ['attempts', 'refunds'] as const)
            await tx.updateTable(table).set({ booked: null }).execute();
          if (!complete)
            await tx.insertInto('meta').values({ name: 'ledger', value: 'incomplete' }).execute();
        },
        { mode: 'write' },
      );
      await connection.close();
    };

    it('an export waits until earlier payments are booked on the days they were made', async () => {
      const database = await newDatabase();
      const service = await start(database);
      const ids = [await paid(service), await paid(service)];
      await refund(service, ids[1] ?? '', 30);
      const before = await lines(database);
      await service.close();
      await asBefore(database, false);
      await expect(lines(database)).rejects.toMatchObject({ code: 'ledger_incomplete' });
      const after = await start(database);
      await after.control.advance(40 * DAY_MS);
      expect(await lines(database)).toEqual(before);
      await after.close();
    });

    // The rest does not depend on the engine.
    if (engine === 'PostgreSQL') return;

    it('a payment settled by an older process is booked on the day it is found', async () => {
      const database = await newDatabase();
      const service = await start(database);
      await service.control.advance(0);
      await paid(service);
      await asBefore(database, true);
      await service.control.advance(40 * DAY_MS);
      const today = dayIn(service.deps.clock.now(), 'UTC');
      expect(await lines(database)).toMatchObject([
        { Date: today, Amount: 1_000 },
        { Date: today, Amount: 2_000 },
      ]);
      await service.close();
    });
  });

  // The rest does not depend on the engine.
  if (engine === 'PostgreSQL') return;

  it('R-98 omits a bank payment that never settled', async () => {
    const database = await newDatabase();
    const service = await start(database);
    await paid(service, BANK);
    expect(await lines(database)).toEqual([]);
    bank = 'returned';
    await service.control.advance(3 * DAY_MS);
    expect(await lines(database)).toEqual([]);
    await service.close();
  });

  it('R-98 R-95 uses the days of the business unit, and keeps them if its time zone changes', async () => {
    const database = await newDatabase();
    const before = await start(database, 'Pacific/Kiritimati');
    await paid(before);
    const day = dayIn(before.deps.clock.now(), 'Pacific/Kiritimati');
    await before.close();
    const after = await start(database, 'Pacific/Pago_Pago');
    await paid(after);
    const days = (await lines(database)).map((line) => line.Date);
    expect(days).toEqual([
      ...Array.from({ length: 2 }, () => dayIn(after.deps.clock.now(), 'Pacific/Pago_Pago')),
      ...Array.from({ length: 2 }, () => day),
    ]);
    await after.close();
  });

  it('R-98 R-95 uses the days of a business unit that has left the config', async () => {
    const database = await newDatabase();
    const before = await start(database, 'Pacific/Kiritimati');
    await paid(before, BANK);
    await before.close();
    const other = { businessUnits: [{ slug: 'other', name: 'Other' }], apiKeys: [] };
    const after = await startTestService({ config: other, database, processor });
    // It is the next day in Kiritimati.
    const settlesAt = new Date(after.deps.clock.now() + 3 * DAY_MS)
      .toISOString()
      .replace(/T.*/, 'T15:00:00Z');
    await advanceTo(after, settlesAt);
    const days = (await lines(database)).map((line) => line.Date);
    expect(new Set(days)).toEqual(new Set([dayIn(Date.parse(settlesAt), 'Pacific/Kiritimati')]));
    await after.close();
  });

  it('R-98 R-83 AutoPay names the account that it charges', async () => {
    const database = await newDatabase();
    const service = await start(database);
    const page = await open(service.fetch, 'autopay');
    await page.post('autopay/enroll', { methodId: (await page.addMethod()).id });
    await asMerchant(service.fetch, '/integrations/autopay/charge', {
      AccountNumber: '1001',
      Amount: 700,
      ClientReference: 'bill-1',
    });
    expect(await lines(database)).toMatchObject([
      { Type: 'payment', AccountNumber: '1001', Description: 'AutoPay', Amount: 700 },
    ]);
    await service.close();
  });

  it('R-98 writes a formula in an account number as text, and a negative amount as a number', async () => {
    const database = await newDatabase();
    const service = await start(database);
    const charge = { Amount: 100, Description: '=1+1', ...account('-1001') };
    const page = await open(service.fetch, 'payment', { Charges: [charge] });
    await page.pay({ charges: [{ index: 0, amount: 100 }] });
    const [payment] = await service.deps.store.read((tx) => tx.attempts.ofSession(page.id));
    await refund(service, payment?.id ?? '', 100);
    const [, ...rows] = (await printed(database, ALL)).trimEnd().split('\n');
    expect(rows.map((row) => row.split(',').slice(5, 9))).toEqual([
      ["'-1001", '', "'=1+1", '100'],
      ["'-1001", '', "'=1+1", '-100'],
    ]);
    await service.close();
  });
});
