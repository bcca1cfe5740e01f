import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { open as openFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { afterAll, afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { describeOn, startEngines } from '../../test/engines.js';
import { config, SLUG } from '../../test/merchant.js';
import { asMerchant, BANK, CARD, open } from '../../test/payer.js';
import type { PaymentProcessor } from '../processor/rules/port.js';
import { isPostgres } from '../platform/databases/connect.js';
import { startTestService, type OpenTestService } from '../start/test-service.js';
import { csvLine } from './csv.js';
import { commandLine } from './command-line.js';

const DAY_MS = 86_400_000;
const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-export-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.restoreAllMocks());

async function linesOf(database: string): Promise<string[]> {
  let output = '';
  const written = vi.spyOn(process.stdout, 'write').mockImplementation((part) => {
    output += String(part);
    return true;
  });
  await commandLine(['payments', 'export', '--business-unit', SLUG, '--database', database]);
  written.mockRestore();
  return output.trimEnd().split('\n');
}

/** The rows of an export, by column. */
async function exported(database: string): Promise<Record<string, string>[]> {
  const [header = [], ...rows] = (await linesOf(database)).map((line) => line.split(','));
  return rows.map((row) => Object.fromEntries(header.map((name, column) => [name, row[column] ?? ''])));
}

async function refund(
  { fetch }: OpenTestService,
  PaymentIdentifier: string,
  Amount: number,
): Promise<number> {
  const { status } = await asMerchant(fetch, '/integrations/payments/refund', { PaymentIdentifier, Amount });
  return status;
}

/** Number of readers that hold an old snapshot: a WAL that can't be reset, or open transactions. */
async function held(database: string): Promise<number> {
  if (isPostgres(database)) {
    const client = new Client(database);
    await client.connect();
    const { rows } = await client.query(
      `select 1 from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`,
    );
    await client.end();
    return rows.length;
  }
  const file = new DatabaseSync(database);
  const { busy } = file.prepare('pragma wal_checkpoint(restart)').get() as { busy: number };
  file.close();
  return busy;
}

it.each([
  [['--from', '1'], /--from must be/],
  [['--to', '11/01/2026'], /--to must be/],
  [['--from', '2026-13-01'], /--from must be/],
  [['--from', '2026-02-30'], /--from must be/],
  [['--to', '2026-01-31T09:30:00'], /--to must be/],
  [['--business-unit', 'Harborlight Water'], /is not a slug/],
  [['--from', '2026-03-02', '--to', '2026-03-01'], /--to must be after --from/],
  [['--from', '2026-03-01', '--to', '2026-03-01'], /--to must be after --from/],
])('R-82 an export refuses an invalid time or business unit: %j', async (wrong, why) => {
  const unit = wrong[0] === '--business-unit' ? [] : ['--business-unit', SLUG];
  const args = ['export', ...unit, '--database', join(folder, 'none.db'), ...wrong];
  await expect(commandLine(['payments', ...args])).rejects.toMatchObject({
    code: 'invalid_arguments',
    message: expect.stringMatching(why) as string,
  });
});

it('R-82 an export reads again without repeats after losing its database connection', async () => {
  const database = join(folder, `${randomUUID()}.db`);
  const service = await startTestService({ config: config(), database });
  await (await open(service.fetch, 'payment')).pay({ source: CARD });
  await service.close();
  const handle = await openFile(database);
  const written = vi.spyOn(Object.getPrototypeOf(handle) as typeof handle, 'appendFile');
  await handle.close();
  written.mockImplementationOnce(async function (this: typeof handle, text) {
    await this.writeFile(text);
    throw Object.assign(new Error('It is busy.'), { errcode: 5 });
  });
  expect(await exported(database)).toMatchObject([{ Status: 'succeeded' }]);
  // The header, whose write failed, then the header and the payment.
  expect(written).toHaveBeenCalledTimes(3);
});

it('R-82 an export reports that it cannot write its temporary file', async () => {
  vi.stubEnv('TMPDIR', join(folder, 'missing'));
  onTestFinished(() => void vi.unstubAllEnvs());
  const args = ['payments', 'export', '--business-unit', SLUG, '--database', join(folder, 'none.db')];
  await expect(commandLine(args)).rejects.toThrow(/missing \(ENOENT\): set TMPDIR to another folder/);
});

it('R-82 an export refuses a missing database and creates none', async () => {
  const database = join(folder, 'mistyped.db');
  await expect(
    commandLine(['payments', 'export', '--business-unit', SLUG, '--database', database]),
  ).rejects.toMatchObject({
    code: 'database_unavailable',
  });
  expect(existsSync(database)).toBe(false);
});

describeOn(startEngines(() => join(folder, `${randomUUID()}.db`)))('on %s', (engine, newDatabase) => {
  it('R-82 R-98 a line has the current state of a payment and no net amount', async () => {
    let bank: 'succeeded' | 'returned' = 'succeeded';
    const processor: PaymentProcessor = {
      tokenize: async ({ method }) => ({ token: method, last4: '4242' }),
      charge: async ({ token }) => (token === 'ACH' ? 'pending' : 'succeeded'),
      lookup: async () => bank,
      refund: async () => 'succeeded',
    };
    const database = await newDatabase();
    const service = await startTestService({ config: config(), database, processor });
    for (const source of [CARD, BANK]) await (await open(service.fetch, 'payment')).pay({ source });
    await service.control.advance(3 * DAY_MS);
    const [card, account] = await exported(database);
    expect(await refund(service, card?.['Id'] ?? '', 57)).toBe(200);
    expect(await refund(service, account?.['Id'] ?? '', 345)).toBe(200);
    bank = 'returned';
    await service.control.advance(3 * DAY_MS);
    const now = await exported(database);
    expect(now).toMatchObject([
      { Status: 'succeeded', Refunded: '57' },
      { Status: 'returned', Refunded: '345' },
    ]);
    expect(now[0]).not.toHaveProperty('Net');
    await service.close();
  });

  it('R-82 an export is a consistent snapshot and respects backpressure during payments and refunds', async () => {
    const database = await newDatabase();
    const service = await startTestService({ config: config(), database });
    await (await open(service.fetch, 'payment')).pay();
    const { store } = service.deps;
    const [first] = await store.read((tx) => tx.attempts.list(SLUG));
    if (first === undefined) throw new Error('There is no payment.');
    const ids = Array.from({ length: 1_200 }, (_, place) => `att_${String(place).padStart(26, '0')}`);
    await store.transaction(async (tx) => {
      const rows = ids.map((id, place) => ({
        ...first,
        id,
        requestId: id,
        createdAt: first.createdAt + 1 + place,
      }));
      await Promise.all(rows.map((row) => tx.attempts.insert(row)));
    });
    const output: string[] = [];
    const standing: number[] = [];
    let concurrent = Promise.resolve();
    vi.spyOn(process.stdout, 'write').mockImplementation((part) => {
      output.push(String(part));
      // The reader's buffer is full.
      if (output.length !== 1) return true;
      concurrent = (async () => {
        expect(await refund(service, ids.at(-1) ?? '', 45)).toBe(200);
        await (await open(service.fetch, 'payment')).pay();
        // A stalled reader holds no snapshot.
        await expect.poll(() => held(database)).toBe(0);
        standing.push(output.length);
        process.stdout.emit('drain');
      })();
      return false;
    });
    await commandLine(['payments', 'export', '--business-unit', SLUG, '--database', database]);
    await concurrent;
    vi.restoreAllMocks();
    expect(standing).toEqual([1]);
    const [, ...lines] = output.join('').trimEnd().split('\n');
    const refunded = lines.map((line) => Number(line.split(',')[4]));
    expect(new Set(lines).size).toBe(1_201);
    expect(refunded.reduce((sum, each) => sum + each, 0)).toBe(0);
    const later = await exported(database);
    expect(later).toHaveLength(1_202);
    expect(later.reduce((sum, { Refunded }) => sum + Number(Refunded), 0)).toBe(45);
    await service.close();
  });

  // The rest does not depend on the engine.
  if (engine === 'PostgreSQL') return;

  it('R-82 R-66 refuses an unknown business unit and lists the known ones', async () => {
    const database = await newDatabase();
    const service = await startTestService({ config: config(), database });
    await service.close();
    const flags = ['--business-unit', 'harbourlight-water', '--database', database];
    const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    for (const run of [
      () => commandLine(['payments', 'export', ...flags]),
      () => commandLine(['webhooks', 'list', ...flags]),
      () => commandLine(['webhooks', 'recover', '--since', '2026-01-01', ...flags]),
      () => commandLine(['webhooks', 'enable', ...flags]),
      () => commandLine(['webhooks', 'resend', '--id', 'msg_1', ...flags]),
    ])
      await expect(run()).rejects.toMatchObject({
        code: 'invalid_arguments',
        message: expect.stringMatching(/no such business unit.*harborlight-water/),
      });
    expect(written).not.toHaveBeenCalled();
    written.mockRestore();
    expect(await exported(database)).toEqual([]);
  });

  it('R-82 exports a business unit removed from the config', async () => {
    const database = await newDatabase();
    const before = await startTestService({ config: config(), database });
    await (await open(before.fetch, 'payment')).pay();
    await before.close();
    const others = Array.from({ length: 21 }, (_, place) => ({ slug: `other-${place}`, name: 'Other' }));
    await (await startTestService({ config: { businessUnits: others }, database })).close();
    expect(await exported(database)).toHaveLength(1);
    // After a typo, it lists up to twenty known units.
    await expect(
      commandLine(['payments', 'export', '--business-unit', 'nobody', '--database', database]),
    ).rejects.toThrow(/It has: [\w-]+(, [\w-]+){19} and 2 more\.$/);
  });

  it('R-82 writes formulas as text and quotes cell separators', async () => {
    const database = await newDatabase();
    const service = await startTestService({ config: config(), database });
    const references = ['=HYPERLINK("x"),1', '+1', '-1', '@x', ' =1', '＝1', '－1', 'a-b,c', 'plain'];
    for (const ClientReference of references)
      await (await open(service.fetch, 'payment', { ClientReference })).pay();
    const [, ...rows] = await linesOf(database);
    const cells = rows.map((row) => /,{2,}(.*),stg_/.exec(row)?.[1]);
    const plain = ["'+1", "'-1", "'@x", "' =1", "'＝1", "'－1", '"a-b,c"', 'plain'];
    expect(cells).toEqual([`"'=HYPERLINK(""x""),1"`, ...plain]);
    await service.close();
  });

  it('R-82 writes formulas as text for spreadsheets that separate cells otherwise', () => {
    const cells = [
      'a;=1',
      'a;\u00a0-1',
      'a\t@x',
      'a\n+1',
      'a\r\u009b+1',
      '\ta',
      'a; b',
      'a;1=2',
      'a; ""=1',
      '"=1',
      `${'\t '.repeat(100_000)}x`,
    ];
    expect(cells.slice(0, -1).map((cell) => csvLine([cell]))).toEqual([
      "a;'=1\n",
      "a;'\u00a0-1\n",
      "a\t'@x\n",
      `"a\n'+1"\n`,
      'a  +1\n',
      "'\ta\n",
      'a; b\n',
      'a;1=2\n',
      `"a;' """"=1"\n`,
      `"'""=1"\n`,
    ]);
    expect(csvLine(cells.slice(-1))).toHaveLength(200_003);
  });
});
