/** The command line's exports for bookkeepers. */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { BUSINESS_UNIT, startService } from '../harness/index.js';

type Service = Awaited<ReturnType<typeof startService>>;

const CLI = new URL('../../packages/service/dist/cli.js', import.meta.url).pathname;

/** Resolves with the session's id. */
async function pay(service: Service, cardNumber: string, ClientReference: string): Promise<string> {
  const { sessionId, sessionUrl } = await service.create('payment', {
    ClientReference,
    Charges: [{ Amount: 1_000, Description: 'Water' }],
  });
  const paid = await fetch(`${service.url}/s/${sessionId}/api/pay`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${new URL(sessionUrl).hash.slice(1)}`,
    },
    body: JSON.stringify({
      attemptId: randomUUID(),
      source: {
        method: 'Credit Card',
        cardNumber,
        expiry: '12/34',
        securityCode: '123',
        name: '=Ada',
        zipCode: '10001',
      },
      saveMethod: false,
      charges: [{ index: 0, amount: 1_000 }],
      fields: {},
    }),
  });
  expect(paid.status).toBe(200);
  return sessionId;
}

it(
  'R-82 R-98 exports payments as CSV, and a ledger that equals payments minus refunds',
  { tags: 'thorough' },
  async () => {
    const service = await startService();
    const ids: string[] = [];
    for (const cardNumber of ['4242424242424242', '4242424242424242', '4000000000000002'])
      ids.push(await pay(service, cardNumber, `bill, "${ids.length}"`));
    const list = await service.post('/integrations/payments/list', { BusinessUnitSlug: BUSINESS_UNIT });
    const [first] = (list.body as { data: { Payments: { Id: string }[] } }).data.Payments;
    await service.post('/integrations/payments/refund', {
      BusinessUnitSlug: BUSINESS_UNIT,
      PaymentIdentifier: first?.Id,
      Amount: 250,
    });
    const csv = (command: string, ...more: string[]): string[] =>
      execFileSync(
        process.execPath,
        [CLI, command, 'export', '--business-unit', BUSINESS_UNIT, '--database', service.database, ...more],
        { encoding: 'utf8' },
      )
        .trimEnd()
        .split('\n');
    const [header = '', ...rows] = csv('payments');
    const [, ...entries] = csv('ledger', '--from', '2020-01-01', '--to', '2100-01-01');
    expect(entries.map((row) => Number(row.split(',')[8])).toSorted((a, b) => a - b)).toEqual([
      -250, 1_000, 1_000,
    ]);
    expect(rows.map((row) => row.split(',')[2])).toEqual(['succeeded', 'succeeded', 'declined']);
    expect(rows[0]).toContain('"bill, ""0"""');
    expect(csv('payments', '--to', '2020-01-01')).toEqual([header]);
    await service.stop();
  },
);

it('R-82 exports each payment once, even while new ones arrive', { tags: 'thorough' }, async () => {
  const service = await startService();
  const made: string[] = [];
  const over = new AbortController();
  const payers = [1, 2, 3, 4].map(async (payer) => {
    for (let n = 0; !over.signal.aborted; n++)
      made.push(await pay(service, '4242424242424242', `${payer}-${n}`));
  });
  const read = async (): Promise<string[][]> => {
    const args = [
      CLI,
      'payments',
      'export',
      '--business-unit',
      BUSINESS_UNIT,
      '--database',
      service.database,
    ];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const [, ...rows] = stdout.trimEnd().split('\n');
    return rows.map((row) => row.split(','));
  };
  for (let round = 0; round < 3; round++) {
    const before = [...made];
    const rows = await read();
    const sessions = rows.map((row) => row.at(-1));
    expect(new Set(sessions).size).toBe(sessions.length);
    expect(before.filter((id) => !sessions.includes(id))).toEqual([]);
  }
  over.abort();
  await Promise.all(payers);
  expect((await read()).map((row) => Number(row[3])).reduce((sum, amount) => sum + amount, 0)).toBe(
    1_000 * made.length,
  );
  await service.stop();
});

it('R-98 reconciles payments, prints the differences and exits with 1', { tags: 'thorough' }, async () => {
  const service = await startService();
  await pay(service, '4242424242424242', 'bill-1');
  const statement = join(mkdtempSync(join(tmpdir(), 'statement-')), 'statement.csv');
  // More than a pipe holds.
  const unknown = Array.from({ length: 100_000 }, (_, index) => `ch_${index}`);
  writeFileSync(statement, ['Reference,Amount', ...unknown.map((reference) => `${reference},5`)].join('\n'));
  const args = ['--from', '2020-01-01', '--to', '2100-01-01', '--statement', statement];
  const reconciling = spawn(
    process.execPath,
    [CLI, 'payments', 'reconcile', '--business-unit', BUSINESS_UNIT, '--database', service.database, ...args],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const [[code], output, error] = await Promise.all([
    once(reconciling, 'exit'),
    text(reconciling.stdout),
    text(reconciling.stderr),
  ]);
  expect(code).toBe(1);
  expect(output).toMatch(/^PaymentId,.*\npay_.*,0,1000,-1000\n,ch_0,5,0,5\n/);
  expect(output.split('\n')).toHaveLength(100_003);
  expect(error).toBe(
    'embedded-sessions [statement_differs]: The statement and the ledger differ in 100001 of 100001 payments.\n',
  );
  await service.stop();
});

it('R-82 exits without an error when the reader closes the pipe', { tags: 'thorough' }, async () => {
  const service = await startService();
  const args = [CLI, 'payments', 'export', '--business-unit', BUSINESS_UNIT, '--database', service.database];
  const exporting = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  exporting.stdout.destroy();
  const [[code], said] = await Promise.all([once(exporting, 'exit'), text(exporting.stderr)]);
  expect([code, said]).toEqual([0, '']);
  await service.stop();
});
