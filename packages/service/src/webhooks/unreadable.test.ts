/** An unreadable row, as after a failed restore, doesn't block other messages. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { describeOn, startEngines } from '../../test/engines.js';
import { config } from '../../test/merchant.js';
import { asMerchant, BANK, open, query } from '../../test/payer.js';
import type { PaymentProcessor } from '../processor/rules/port.js';
import { connect } from '../platform/databases/connect.js';
import { Refunding } from '../refunds/refunding.js';
import { Charging } from '../payments/charging.js';
import type { LogFields } from '../platform/log/fields.js';
import { startTestService } from '../start/test-service.js';
import type { OpenTestService } from '../start/test-service.js';
import { Jobs } from '../jobs/jobs.js';

const DAY_MS = 86_400_000;
const folder = mkdtempSync(join(tmpdir(), 'unreadable-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describeOn(startEngines(() => join(folder, `${randomUUID()}.db`)))('on %s', (engine, newDatabase) => {
  let database: string;
  let service: OpenTestService;
  let refunds: string[];
  const lines: LogFields[] = [];

  beforeEach(async () => {
    database = await newDatabase();
    lines.length = 0;
    refunds = [];
    service = await startTestService({ config: config(), database, processor });
  });
  afterEach(() => service.close());

  const processor: PaymentProcessor = {
    tokenize: async () => ({ token: 'tok', last4: '6789' }),
    charge: async () => 'pending',
    lookup: async () => 'succeeded',
    refund: async ({ refundId }) => {
      refunds.push(refundId);
      return refunds.length <= 2 ? 'pending' : 'succeeded';
    },
  };

  const breakRow = async (table: 'sessions' | 'attempts', column: string, id: string): Promise<void> => {
    const connection = await connect(database);
    await connection.transaction(
      (tx) =>
        sql`update ${sql.table(table)} set ${sql.ref(column)} = 'sk-canary' where id = ${id}`.execute(tx),
      { mode: 'write' },
    );
    await connection.close();
  };

  const runAt = async (ms: number): Promise<void> => {
    const hear = (__: string, fields: LogFields = {}): void => void lines.push(fields);
    const parts = { ...service.deps, log: { ...service.deps.log, warn: hear, error: hear } };
    service.deps.clock.offset = ms;
    const jobs = new Jobs({
      ...parts,
      charging: new Charging(parts),
      refunding: new Refunding(parts),
    });
    await jobs.runDue();
    await jobs.stop();
    // Its content may be payer data.
    expect(JSON.stringify(lines)).not.toContain('canary');
  };

  const paid = async (): Promise<{ sessionId: string; id: string }> => {
    const page = await open(service.fetch, 'payment');
    await page.pay({ source: BANK });
    const [attempt] = await service.deps.store.read((tx) => tx.attempts.ofSession(page.id));
    return { sessionId: page.id, id: attempt?.id ?? '' };
  };
  const statusOf = async (id: string): Promise<unknown> => (await query(service.fetch, id))['Status'];

  it('R-44 logs an unreadable payment and still settles the others', async () => {
    const [bad, good] = [await paid(), await paid()];
    await breakRow('attempts', 'source', bad.id);
    await runAt(2 * DAY_MS);
    expect(await statusOf(good.sessionId)).toBe('Succeeded');
    const logged = { job: 'settle', sessionId: bad.sessionId, paymentId: bad.id };
    expect(lines).toContainEqual(expect.objectContaining(logged));
  });

  // The rest does not depend on the engine.
  if (engine === 'PostgreSQL') return;

  it('R-51 logs an unreadable session and still expires the others', async () => {
    const [bad, good] = [await open(service.fetch, 'payment'), await open(service.fetch, 'payment')];
    await breakRow('sessions', 'request', bad.id);
    await runAt(31 * 60_000);
    expect(await statusOf(good.id)).toBe('Expired');
    expect(lines).toContainEqual(expect.objectContaining({ job: 'expire', sessionId: bad.id }));
  });

  it('R-80 logs a refund with an unreadable payment and still processes the others', async () => {
    const [bad, good] = [await paid(), await paid()];
    await runAt(2 * DAY_MS);
    for (const { id } of [bad, good])
      await asMerchant(service.fetch, '/integrations/payments/refund', { PaymentIdentifier: id });
    expect(refunds).toHaveLength(2);
    await breakRow('attempts', 'source', bad.id);
    await runAt(2 * DAY_MS + 3_600_000);
    expect(refunds).toEqual([refunds[0], refunds[1], refunds[1]]);
    expect((await query(service.fetch, good.sessionId))['Payments']).toMatchObject([{ Refunded: 12_345 }]);
    expect(lines).toContainEqual(expect.objectContaining({ paymentId: bad.id }));
  });
});
