/** The service on tables that an operator has partitioned (docs/operating.md). */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withSchema } from '../../test/engines.js';
import { config, SLUG } from '../../test/merchant.js';
import { asMerchant, open, query, refusal, type Payer } from '../../test/payer.js';
import { ask, hasPostgres, sharedPostgres, type Postgres } from '../../test/postgres.js';
import { iso } from '../core/day.js';
import { connect } from '../platform/databases/connect.js';
import { startTestService } from '../start/test-service.js';
import { buildIndex } from './migrate.js';
import { MIGRATIONS } from './migrations/index.js';

const DAY_MS = 86_400_000;
const script = readFileSync(fileURLToPath(new URL('../../deploy/partition.sql', import.meta.url)), 'utf8');

/** The tables that an operator may partition, with their keys. */
const TABLES = { sessions: 'id', attempts: 'id', ledger: 'payment_id' };

describe.runIf(hasPostgres)('on PostgreSQL', () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await sharedPostgres();
  });
  afterAll(() => postgres.stop());

  it('R-55 R-80 R-82 pays, finds, lists and refunds before and after the tables are partitioned by month', async () => {
    const database = await withSchema(postgres)();
    const service = await startTestService({ config: config(), database });
    const attemptId = randomUUID();
    const pay = async (): Promise<Payer> => {
      const page = await open(service.fetch, 'payment');
      expect((await page.pay({ attemptId })).status).toBe('succeeded');
      return page;
    };
    const old = await pay();
    const nextMonth = new Date(service.deps.clock.now() + 40 * DAY_MS).toISOString().slice(0, 7);
    await ask(database, script);
    for (const [table, key] of Object.entries(TABLES))
      await ask(database, `call partition_by_month('${table}', '${key}', '${nextMonth}-01', 2)`);
    const young = await pay();
    await service.control.advance(45 * DAY_MS);
    const late = await pay();
    expect((await refusal(late.pay({ attemptId: randomUUID() }))).status).toBe(409);

    const month = nextMonth.replace('-', '_');
    for (const table of Object.keys(TABLES))
      expect(await ask(database, `select count(*)::int as n from ${table}_${month}`)).toEqual([{ n: 1 }]);
    for (const { id } of [old, young, late]) {
      const { Payments } = await query<{ Payments: { Id: string }[] }>(service.fetch, id);
      const input = { PaymentIdentifier: Payments[0]?.Id, Amount: 100 };
      const refunded = await asMerchant(service.fetch, '/integrations/payments/refund', input);
      expect(await refunded.json()).toMatchObject({ data: { Status: 'succeeded' } });
    }
    const listed = await asMerchant(service.fetch, '/integrations/payments/list', { BusinessUnitSlug: SLUG });
    expect(((await listed.json()) as { data: { Payments: unknown[] } }).data.Payments).toHaveLength(3);
    await service.close();
    // A migration leaves an index that the operator has made: on a partitioned table it can't be built concurrently.
    const connection = await connect(database);
    for (const migration of MIGRATIONS)
      if (typeof migration === 'object' && migration.table in TABLES) await buildIndex(connection, migration);
    await connection.close();
  });

  it(
    'R-99 a service whose role doesn’t own the tables keeps its privileges',
    { tags: ['thorough'] },
    async () => {
      const database = await postgres.database();
      const owner = await startTestService({ config: config(), database });
      await owner.close();
      const role = `service_${randomUUID().slice(0, 8)}`;
      // A superuser may run the script for the owner.
      await ask(
        database,
        `create role owner_${role}; alter table sessions owner to owner_${role};
      create role ${role} login; grant select, insert, update, delete on all tables in schema public to ${role}`,
      );
      const address = new URL(database);
      address.username = role;
      const service = await startTestService({ config: config(), database: address.href });
      const pay = async () => (await open(service.fetch, 'payment')).pay();
      expect((await pay()).status).toBe('succeeded');
      await ask(database, script);
      const month = iso(service.deps.clock.now() + 40 * DAY_MS).slice(0, 7);
      for (const [table, key] of Object.entries(TABLES))
        await ask(database, `call partition_by_month('${table}', '${key}', '${month}-01', 2)`);
      expect((await pay()).status).toBe('succeeded');
      await service.control.advance(45 * DAY_MS);
      expect((await pay()).status).toBe('succeeded');
      await service.close();
      const owners = `select distinct relowner::regrole::text as owner from pg_class where relname ~ '^sessions(_2|$)'`;
      expect(await ask(database, owners)).toEqual([{ owner: `owner_${role}` }]);
      await ask(database, `drop owned by ${role}, owner_${role} cascade; drop role ${role}, owner_${role}`);
    },
  );

  it(
    'R-99 a call that can’t get its lock changes nothing, delays nobody for long, and can be repeated',
    { tags: ['thorough'] },
    async () => {
      const database = await withSchema(postgres)();
      const service = await startTestService({ config: config(), database });
      await open(service.fetch, 'payment');
      await ask(database, script);
      const first = iso(service.deps.clock.now() + 40 * DAY_MS).slice(0, 7);
      const partition = (month = `${first}-01`) =>
        ask(database, `call partition_by_month('sessions', 'id', '${month}', 2)`);
      await expect(partition('2020-01-01')).rejects.toThrow('first_month must be in the future');

      const read = async (table: string) => {
        const reader = new Client(database);
        await reader.connect();
        await reader.query(`begin; select from ${table}`);
        return reader;
      };
      // The first keeps it from beginning, the second from swapping the tables.
      for (const table of ['sessions', 'attempts']) {
        const dump = await read(table);
        await expect(partition(), table).rejects.toThrow('lock timeout');
        expect(await ask(database, `select from pg_constraint where conname = 'before_months'`)).toEqual([]);
        await dump.end();
      }

      await partition();
      await expect(partition()).rejects.toThrow('sessions is already partitioned: call add_month');
      const third = iso(Date.parse(`${first}-01`) + 70 * DAY_MS).slice(0, 7);
      const report = await read('sessions');
      await ask(database, `call add_month('sessions', 'id', '${third}-01')`);
      await report.end();
      await service.control.advance(45 * DAY_MS);
      await open(service.fetch, 'payment');
      await service.close();
    },
  );

  it(
    'R-82 records what AutoPay and schedules charge, and refunds, although the month of their sessions is detached',
    { tags: ['thorough'] },
    async () => {
      const database = await withSchema(postgres)();
      const service = await startTestService({ config: config(), database });
      const dayAfter = (days: number) => iso(service.deps.clock.now() + days * DAY_MS).slice(0, 10);
      const month = dayAfter(40).slice(0, 7);
      await open(service.fetch, 'payment');
      await ask(database, script);
      await ask(database, `call partition_by_month('sessions', 'id', '${month}-01', 3)`);
      await service.control.advance(40 * DAY_MS);
      const ClientAccount = { AccountNumber: '1001', SubAccountNumber: '', Name: 'Ada Byron' };
      const page = await open(service.fetch, 'autopay', { ClientAccount, SyncAccount: true });
      const { id: methodId } = await page.addMethod();
      await page.post('autopay/enroll', { methodId });
      const schedulePage = await open(service.fetch, 'schedule-payment', {
        ClientAccount,
        SyncAccount: true,
      });
      await schedulePage.schedule({ amount: 500, date: dayAfter(36), methodId });
      await service.control.advance(35 * DAY_MS);
      await ask(database, `alter table sessions detach partition sessions_${month.replace('-', '_')}`);
      const bill = { ...ClientAccount, Balance: 7_630, DueDate: dayAfter(2) };
      await open(service.fetch, 'paperless', { ClientAccount: bill, SyncAccount: true });
      await service.control.advance(3 * DAY_MS);
      const listed = await asMerchant(service.fetch, '/integrations/payments/list', {
        BusinessUnitSlug: SLUG,
      });
      const { Payments } = ((await listed.json()) as { data: { Payments: { Id: string }[] } }).data;
      const succeeded = [500, 7_130].map((Amount) => ({ Amount, Status: 'succeeded' }));
      expect(Payments).toMatchObject(succeeded);
      const input = { PaymentIdentifier: Payments[1]?.Id, Amount: 100 };
      expect((await asMerchant(service.fetch, '/integrations/payments/refund', input)).status).toBe(200);
      expect(await ask(database, 'select amount::int, account_number from ledger order by amount')).toEqual([
        { amount: -100, account_number: '1001' },
        { amount: 500, account_number: '1001' },
        { amount: 7_130, account_number: '1001' },
      ]);
      await service.close();
    },
  );
});
