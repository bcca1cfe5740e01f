/** A one-gigabyte database file, backed up under load and restored. Runs only in `pnpm test:faults`, because of its size. */
import { execFile, execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { PROCESSOR, startGateway } from '../../packages/service/test/gateway.js';
import { startService } from '../harness/index.js';
import { Bills } from './bills.js';
import { ledgerOf } from './ledger.js';

const CLI = new URL('../../packages/service/dist/cli.js', import.meta.url).pathname;
const IS_CAMPAIGN = Number(process.env['FAULT_KILLS'] ?? 0) >= 100;
const ROWS = 130_000;

/** Inserts declined payments of another business unit, 8 kB each, without sessions, which nothing reads. */
function fill(file: string): void {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false });
  database.exec(`pragma synchronous = off;
    insert into attempts (id, business_unit, session_id, request_id, status, amount, source, charges, fields, created_at, lookups)
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${ROWS})
    select 'pay_0' || n, 'other', 'stg_0' || n, 'r', 'declined', 100,
      '{"method":"Credit Card","token":"tok_0123456789","last4":"4242","holder":"Dana Reyes","save":false}',
      '[{"index":0,"amount":100}]', json_object('note', hex(zeroblob(4000))), n, 0 from numbers`);
  database.close();
}

/** Backs up as docs/operating.md says, in a separate process. */
async function backUp(file: string, to: string): Promise<void> {
  const code = `new (require('node:sqlite').DatabaseSync)(process.argv[1], { timeout: 10_000 }).exec("vacuum into '" + process.argv[2] + "'")`;
  await promisify(execFile)(process.execPath, ['-e', code, file, to]);
}

function historyOf(file: string): string {
  const database = new DatabaseSync(file, { readOnly: true });
  const row = database.prepare(`select value from meta where name = 'restore-mark'`).get();
  database.close();
  return (JSON.parse(String(row?.['value'])) as { history: string }).history;
}

describe.runIf(IS_CAMPAIGN)('a one-gigabyte database file', () => {
  it(
    'R-96 is backed up under load, and after a restore each bill is charged once',
    { timeout: 600_000 },
    async () => {
      const gateway = await startGateway();
      const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-large-'));
      const [database, backup] = [join(folder, 'service.db'), join(folder, 'backup.db')];
      const service = await startService({
        database,
        args: ['--processor', PROCESSOR],
        variables: gateway.variables,
      });
      const bills = new Bills(service, gateway);
      await bills.enroll();
      await service.stop();
      fill(database);
      expect(statSync(database).size).toBeGreaterThan(2 ** 30);
      await service.restart();
      await bills.write();

      const stop = new AbortController();
      const load = (async () => {
        while (!stop.signal.aborted) await service.create('payment');
      })();
      await backUp(database, backup);
      stop.abort();
      await load;
      await service.control.advance('24h');
      await expect.poll(() => bills.charged().length).toBe(bills.due.length);
      const calls = gateway.calls.charge;

      await service.stop();
      for (const end of ['', '-wal', '-shm']) rmSync(`${database}${end}`, { force: true });
      copyFileSync(backup, database);
      // Simulates some minutes passing.
      writeFileSync(`${database}.marker`, `${historyOf(backup)} 99\n`);
      await service.restart();
      await expect.poll(() => service.logs(), { timeout: 30_000 }).toContain('A backup was restored');
      await service.control.advance('24h');
      expect(gateway.calls.charge).toBe(calls);
      expect(ledgerOf(database)).toEqual([]);

      execFileSync(process.execPath, [CLI, 'jobs', 'resume', '--database', database]);
      await expect
        .poll(
          async () => {
            await service.control.advance('1s');
            return ledgerOf(database).length;
          },
          { timeout: 60_000 },
        )
        .toBe(bills.due.length);
      expect(gateway.calls.charge).toBeGreaterThan(calls);
      expect(bills.charged().toSorted((a, b) => a - b)).toEqual(bills.due);
      await service.stop();
      await gateway.close();
      rmSync(folder, { recursive: true });
    },
  );
});
