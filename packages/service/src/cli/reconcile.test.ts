import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { describeOn, startEngines } from '../../test/engines.js';
import { config, SLUG } from '../../test/merchant.js';
import { asMerchant, open } from '../../test/payer.js';
import { addDays, dayIn } from '../core/day.js';
import type { PaymentProcessor, ProcessorEvent } from '../processor/rules/port.js';
import { settleRefund } from '../refunds/begin-refund.js';
import { startTestService, type OpenTestService } from '../start/test-service.js';
import { commandLine } from './command-line.js';
import { csvRows } from './csv.js';

const DAY_MS = 86_400_000;
const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-reconcile-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.restoreAllMocks());

/** What the processor would put on its statement. */
let moved: { attemptId: string; refundId?: string; reference: string; amount: number }[] = [];
const processor: PaymentProcessor = {
  tokenize: async () => ({ token: 'tok', last4: '4242' }),
  charge: async ({ attemptId, amount }) => {
    const reference = `ch_${moved.length}`;
    moved.push({ attemptId, reference, amount });
    return { outcome: 'succeeded', reference };
  },
  lookup: async () => 'never_seen',
  refund: async ({ attemptId, refundId, amount }) => {
    const reference = `re_${moved.length}`;
    moved.push({ attemptId, refundId, reference, amount: -amount });
    return { outcome: 'succeeded', reference };
  },
};

function statement(csv: string): string {
  const file = join(folder, `${randomUUID()}.csv`);
  writeFileSync(file, csv);
  return file;
}
const byReference = (rows: typeof moved): string =>
  statement(['Reference,Amount', ...rows.map((row) => `${row.reference},${row.amount}`)].join('\n'));
const byAttempt = (rows: typeof moved): string =>
  statement(
    [
      '\uFEFFDate,"AttemptId",Amount',
      ...rows.map((row) => `"a ""day""",${row.attemptId},${row.amount}`),
      '',
    ].join('\r\n'),
  );

/** Each movement under its own idempotency key, as a processor knows it. */
const byKey = (rows: typeof moved): string =>
  byAttempt(rows.map((row) => ({ ...row, attemptId: row.refundId ?? row.attemptId })));

interface Reconciled {
  readonly output: string;
  /** The error that ends the process with 1, or null. */
  readonly failure: string | null;
}

async function reconciled(database: string, file: string, period = ALL): Promise<Reconciled> {
  let output = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((part) => {
    output += String(part);
    return true;
  });
  const [from, to] = period;
  const args = ['--business-unit', SLUG, '--from', from, '--to', to, '--statement', file];
  const failure = await commandLine(['payments', 'reconcile', ...args, '--database', database]).then(
    () => null,
    (error: Error) => error.message,
  );
  vi.restoreAllMocks();
  return { output, failure };
}
const ALL: readonly [string, string] = ['2000-01-01', '2100-01-01'];

async function refund({ fetch }: OpenTestService, PaymentIdentifier: string, Amount: number): Promise<void> {
  await asMerchant(fetch, '/integrations/payments/refund', { PaymentIdentifier, Amount });
}

it.each([
  ['Amount\n1', /must have the column Amount, and Reference or AttemptId/],
  ['Reference\nch_1', /must have the column Amount/],
  ['Reference,Amount\nch_1,12.50', /Row 2 of the statement: Amount must be whole cents/],
  ['Reference,Amount\nch_1,', /Row 2 of the statement: Amount must be whole cents/],
  ['Reference,Amount\nch_1,1,250', /Row 2 of the statement: It has more cells than the header/],
  ['Reference,Amount\n,5', /Row 2 of the statement: Reference or AttemptId is missing/],
  ['\r\n,\nReference,Amount\n\nch_1,5\n\nch_2,x', /Row 7 of the statement: Amount must be whole cents/],
  ['Reference,Amount\n\n\n"ch_1,5', /stray quote in line 4/],
  ['\n\n', /must have the column Amount/],
  ['Reference,Amount\n"ch_1,5', /stray quote in line 2/],
  ['Reference,Amount\n"ch_1""', /stray quote in line 2/],
  ['Reference,Amount\n"ch_1"x,5', /stray quote in line 2/],
  ['Reference,Amount\nch_"1",5', /stray quote in line 2/],
  ['Reference,Amount\rch_1,1\rch_2,x', /Row 3 of the statement: Amount must be whole cents/],
  [Buffer.from('\uFEFFReference,Amount\nch_1,1', 'utf16le').toString(), /not in UTF-8: save it/],
])('R-98 refuses the statement %j', async (csv, why) => {
  expect((await reconciled(join(folder, 'none.db'), statement(csv))).failure).toMatch(why);
});

it('R-98 reads a cell of 20 MB', () => {
  const text = 'a""'.repeat(1000) + 'a'.repeat(20_000_000);
  const [, row] = csvRows(`Reference,Amount\n"${text}",1`);
  expect(row?.[0] === text.replaceAll('""', '"')).toBe(true);
});

it('R-98 refuses a statement that cannot be read', async () => {
  const { failure } = await reconciled('none.db', join(folder, 'none.csv'));
  expect(failure).toMatch(/^--statement cannot be read: ENOENT/);
});

describeOn(startEngines(() => join(folder, `${randomUUID()}.db`)))('on %s', (engine, newDatabase) => {
  const start = async (database: string): Promise<OpenTestService> => {
    moved = [];
    return startTestService({ config: config(), database, processor });
  };

  const pay = async (service: OpenTestService): Promise<string> => {
    await (await open(service.fetch, 'payment')).pay();
    return moved.at(-1)?.attemptId ?? '';
  };

  it('R-98 prints every difference: charged twice, missing here or there, another amount', async () => {
    const database = await newDatabase();
    const service = await start(database);
    const [twice, equal, missing, other] = [
      await pay(service),
      await pay(service),
      await pay(service),
      await pay(service),
    ];
    const unknown = { attemptId: 'pay_lost', reference: '"ch\u001b[2J\r_lost"', amount: 700 };
    const rows = [...moved, ...moved.slice(0, 1), unknown]
      .filter(({ attemptId }) => attemptId !== missing)
      .map((row) => (row.attemptId === other ? { ...row, amount: 1 } : row));
    const { output, failure } = await reconciled(database, byReference(rows));
    expect(failure).toBe('The statement and the ledger differ in 4 of 5 payments.');
    const [header, ...differences] = output.trimEnd().split('\n');
    expect(header).toBe('PaymentId,Reference,Statement,Ledger,Difference');
    expect(differences.toSorted()).toEqual(
      [
        `${twice},ch_0,24690,12345,12345`,
        `${missing},ch_2,0,12345,-12345`,
        `${other},ch_3,1,12345,-12344`,
        ',ch [2J _lost,700,0,700',
      ].toSorted(),
    );
    expect(output).not.toContain(equal);
    await service.close();
  });

  it('R-98 matches the reference of a response that came after an event with another', async () => {
    const database = await newDatabase();
    Object.assign(processor, {
      receive: async ({ body }: { body: Uint8Array }) =>
        JSON.parse(new TextDecoder().decode(body)) as ProcessorEvent[],
    });
    const service = await start(database);
    const charge = vi.spyOn(processor, 'charge').mockImplementationOnce(async ({ attemptId, amount }) => {
      moved.push({ attemptId, reference: 'ch_late', amount });
      const event = { attemptId, outcome: 'succeeded', reference: 'settlement_1' };
      await service.fetch('/processor/events', { method: 'POST', body: JSON.stringify([event]) });
      return { outcome: 'succeeded', reference: 'ch_late' };
    });
    await pay(service);
    Reflect.deleteProperty(processor, 'receive');
    charge.mockRestore();
    expect((await reconciled(database, byReference(moved))).failure).toBeNull();
    await service.close();
  });

  it('R-98 matches a refund under the reference of a payment of an earlier period', async () => {
    const database = await newDatabase();
    const service = await start(database);
    const id = await pay(service);
    await service.control.advance(40 * DAY_MS);
    await refund(service, id, 45);
    const today = dayIn(service.deps.clock.now(), 'UTC');
    const file = statement('Reference,Amount\nch_0,-45');
    expect((await reconciled(database, file, [today, addDays(today, 1)])).output).toBe(
      'No difference: 1 payments, -45 cents.\n',
    );
    await service.close();
  });

  it('R-98 matches the failure of an earlier period’s refund by its id', async () => {
    const database = await newDatabase();
    const service = await start(database);
    await refund(service, await pay(service), 45);
    const { refundId: id = '' } = moved.at(-1) ?? {};
    await service.control.advance(40 * DAY_MS);
    const { store, clock, newId, config: current } = service.deps;
    const context = { now: clock.now(), newId, config: current };
    await store.transaction(async (tx) => {
      const [payment] = await tx.attempts.list(SLUG);
      const settling = { id, sessionId: payment?.sessionId ?? '' };
      return settleRefund(tx, settling, { outcome: 'failed' }, context);
    });
    const today = dayIn(clock.now(), 'UTC');
    const file = statement(`AttemptId,Amount\n${id},45`);
    expect((await reconciled(database, file, [today, addDays(today, 1)])).output).toBe(
      'No difference: 1 payments, 45 cents.\n',
    );
    await service.close();
  });

  it('R-98 matches references of responses that come after the events of their outcomes', async () => {
    let event: ProcessorEvent;
    const announced = async (about: Pick<ProcessorEvent, 'attemptId' | 'refundId'>): Promise<void> => {
      event = { ...about, outcome: 'succeeded' };
      const stored = await service.fetch('/processor/events', { method: 'POST', body: '{}' });
      expect(stored.status).toBe(200);
      await service.control.advance(1_000);
    };
    moved = [];
    const database = await newDatabase();
    const service = await startTestService({
      config: config(),
      database,
      processor: {
        ...processor,
        receive: async () => [event],
        charge: (charge) => announced({ attemptId: charge.attemptId }).then(() => processor.charge(charge)),
        refund: (each) => announced({ refundId: each.refundId }).then(() => processor.refund!(each)),
      },
    });
    await refund(service, await pay(service), 45);
    const { output, failure } = await reconciled(database, byReference(moved));
    expect(failure).toBeNull();
    expect(output).toBe('No difference: 1 payments, 12300 cents.\n');
    await service.close();
  });

  // The rest does not depend on the engine.
  if (engine === 'PostgreSQL') return;

  it.each([
    ['Reference', byReference],
    ['AttemptId', byAttempt],
    ['AttemptId, with the id of each refund,', byKey],
  ])('R-98 finds no difference in a statement by %s that has the same movements', async (_column, file) => {
    const database = await newDatabase();
    const service = await start(database);
    await refund(service, await pay(service), 45);
    await pay(service);
    const { output, failure } = await reconciled(database, file(moved));
    expect(failure).toBeNull();
    expect(output).toBe('No difference: 2 payments, 24645 cents.\n');
    await service.close();
  });
});
