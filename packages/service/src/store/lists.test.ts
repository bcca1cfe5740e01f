import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { PostgresAdapter, PostgresQueryCompiler, type CompiledQuery, type Transaction } from 'kysely';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ask, hasPostgres, sharedPostgres, type Postgres } from '../../test/postgres.js';
import { eraseCustomer, erasing } from '../accounts/erase.js';
import type { Store, StoreTx } from '../core/store.js';
import type { AttemptFilter } from '../payments/rules/attempt.js';
import { nextPage, type Cursor } from '../payments/rules/list-cursor.js';
import { startTestService } from '../start/test-service.js';
import { agenda } from './agenda.js';
import { accountPayments } from '../payments/account-payments-store.js';
import { attempts } from '../payments/store.js';
import { autopay } from '../autopay/store.js';
import { ledger } from '../ledger/store.js';
import { messages } from '../messages/store.js';
import { methods } from '../wallet/store.js';
import { openDatabase } from './open.js';
import { schedules } from '../schedules/store.js';
import { outbox } from '../webhooks/store.js';
import { refunds } from '../refunds/store.js';
import { sessions } from '../sessions/store.js';
import { sqlStore } from './sql-store.js';
import { kyselyOn, notStreamed } from '../platform/databases/connection.js';
import { sqliteOn } from '../platform/databases/sqlite.js';
import type { Tables } from '../platform/databases/tables.js';

const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-lists-'));
let database: DatabaseSync;
beforeAll(async () => {
  const file = join(folder, 'service.db');
  const service = await startTestService({ database: file });
  await service.close();
  database = new DatabaseSync(file);
});
afterAll(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

type Operation = { sql: string; parameters: readonly unknown[] }[];
type Reads = (tx: Transaction<Tables>) => Promise<unknown>;

const ENGINES = {
  SQLite: sqliteOn,
  PostgreSQL: kyselyOn(new PostgresAdapter(), new PostgresQueryCompiler()),
};

/** Collects an engine's statements without running them. */
async function statements(
  engine: 'SQLite' | 'PostgreSQL',
  reads: Reads,
  found: (sql: string) => never[] = () => [],
): Promise<Operation> {
  const statements: Operation = [];
  const collect = async (query: CompiledQuery) => {
    statements.push({ sql: query.sql, parameters: query.parameters });
    return { rows: found(query.sql) };
  };
  const tx = ENGINES[engine]({
    executeQuery: collect,
    run: async ({ query }, parameters) => (await collect({ ...query, parameters })).rows,
    streamQuery: notStreamed,
  });
  await reads(tx);
  return statements;
}

const positions =
  (filter: Partial<AttemptFilter>): Reads =>
  (tx) =>
    attempts(tx).positions({ businessUnit: 'shop', limit: 101, ...filter });

/** SQLite's query plan of each statement. */
async function plans(reads: Reads, found?: (sql: string) => never[]): Promise<string[]> {
  return (await statements('SQLite', reads, found)).map(({ sql, parameters }) =>
    (
      database.prepare(`explain query plan ${sql}`).all(...(parameters as SQLInputValue[])) as {
        detail: string;
      }[]
    )
      .map(({ detail }) => detail)
      .join('; '),
  );
}

const after = { createdAt: 5, id: 'pay_1' };
const LISTED = /^SEARCH attempts USING COVERING INDEX attempts_listed \([^;]*\)$/;
const BY_STATUS =
  /^SEARCH attempts USING COVERING INDEX attempts_listed_by_status \(business_unit=\? AND status=\?[^;]*$/;
const BY_REFERENCE =
  /^SEARCH attempts USING INDEX attempts_by_reference \(business_unit=\? AND client_reference=\?\); USE TEMP B-TREE/;

it.each<[Partial<AttemptFilter>, RegExp]>([
  [{}, LISTED],
  [{ from: 1, to: 9 }, LISTED],
  [{ from: 1, after }, LISTED],
  [{ statuses: ['succeeded'] }, BY_STATUS],
  [{ statuses: ['pending', 'processing'], from: 1, to: 9, after }, BY_STATUS],
  [{ clientReference: 'bill-1' }, BY_REFERENCE],
  [{ clientReference: 'bill-1', statuses: ['pending', 'processing'], from: 1, to: 9, after }, BY_REFERENCE],
])('R-82 finds the payments of a page in an index: %j', async (filter, index) => {
  const read = await plans(positions(filter));
  expect(read).toHaveLength(filter.clientReference === undefined ? (filter.statuses?.length ?? 1) : 1);
  for (const plan of read) expect(plan).toMatch(index);
});

it('R-97 finds due rows of a business unit by an index on both', async () => {
  expect(await plans((tx) => outbox(tx).due('shop', 9, 9, 8))).toEqual([
    expect.stringMatching(/^SEARCH outbox USING INDEX outbox_queue \(.*\); USE TEMP B-TREE FOR LAST TERM/),
  ]);
  expect(await plans((tx) => schedules(tx).waiting.due('shop', '2026-12-01', 8))).toEqual([
    expect.stringMatching(/^SEARCH schedules USING INDEX schedules_due_of_unit \([^;]*$/),
  ]);
});

it('R-103 finds payments of a method that have no outcome by an index on the method', async () => {
  expect(await plans((tx) => attempts(tx).isCharging('pm_1'))).toEqual([
    'SEARCH attempts USING INDEX attempts_charging (<expr>=?)',
  ]);
});

it('R-80 finds due lookups of payments and refunds by an index on their business unit and time', async () => {
  expect(await plans((tx) => attempts(tx).due('shop', 9, 50))).toEqual([
    expect.stringMatching(/^SEARCH attempts USING INDEX attempts_due_of_unit \([^;]*$/),
  ]);
  expect(await plans((tx) => refunds(tx).due('shop', 9, 50))).toEqual([
    expect.stringMatching(/^SEARCH refunds USING INDEX refunds_due_of_unit \([^;]*$/),
  ]);
  expect(await plans((tx) => refunds(tx).get('ref_1'))).toEqual([
    expect.stringMatching(/^SEARCH refunds USING INDEX sqlite_autoindex_refunds_1 \(id=\?\)$/),
  ]);
});

const ENTRY = { date: '2026-11-20', id: 'pay_1', line: 0 };
const MONTH = { businessUnit: 'shop', from: '2026-11-01', to: '2026-12-01', limit: 500 };

it('R-98 reads ledger pages and unbooked entries by an index without sorting', async () => {
  for (const [filter, from] of [
    [MONTH, 'date>?'],
    // Behind the last entry, not at the start of its day.
    [{ ...MONTH, after: ENTRY }, '(date,id,line)>(?,?,?)'],
  ] as const)
    expect(await plans((tx) => ledger(tx).page(filter))).toEqual([
      [
        `SEARCH ledger USING INDEX ledger_of_unit (business_unit=? AND ${from} AND date<?)`,
        'SEARCH attempts USING INDEX sqlite_autoindex_attempts_1 (id=?) LEFT-JOIN',
        'SEARCH refunds USING INDEX sqlite_autoindex_refunds_1 (id=?) LEFT-JOIN',
      ].join('; '),
    ]);
  for (const [table, rows] of [
    ['attempts', attempts],
    ['refunds', refunds],
  ] as const)
    expect(await plans((tx) => rows(tx).unbooked(100))).toEqual([
      `SCAN ${table} USING INDEX ${table}_unbooked`,
    ]);
  expect(await plans((tx) => attempts(tx).begunIn03(100))).toEqual([
    'SCAN attempts USING INDEX attempts_begun',
  ]);
  expect(await plans((tx) => attempts(tx).needsBackfill('shop'))).toEqual([
    'SCAN attempts USING INDEX attempts_begun',
    'SCAN attempts USING INDEX attempts_unbooked',
  ]);
});

it('R-91 finds what is scheduled for an account, and what attempts paid for accounts, by an index', async () => {
  expect(await plans((tx) => schedules(tx).hasDue('acc_1', '2026-12-01'))).toEqual([
    'SEARCH schedules USING INDEX schedules_due_of_account (account_id=? AND date<?)',
  ]);
  const account = { accountNumber: '1001', subAccountNumber: '' };
  const than = { counted: 0, today: '2026-12-01' };
  const automatic = (await plans((tx) => accountPayments(tx).hasAutomatic('shop', account, than))).join();
  expect(automatic).toContain(
    'SEARCH schedules USING INDEX schedules_due_of_account (account_id=? AND date<?)',
  );
  // A description of 10,000 characters is stored before the day.
  expect(automatic).toContain(
    'SEARCH attempts USING COVERING INDEX attempts_waiting_of_account (account_id=? AND charge_on<?)',
  );
  expect(await plans((tx) => attempts(tx).scheduledFor('acc_1'))).toEqual([
    expect.stringMatching(/^SEARCH attempts USING INDEX attempts_waiting_of_account \(account_id=\?\);/),
  ]);
  expect(await plans((tx) => attempts(tx).hasScheduled('acc_1', 100))).toEqual([
    expect.stringMatching(
      /^SEARCH attempts USING COVERING INDEX attempts_waiting_of_account \(account_id=\?\)/,
    ),
  ]);
  const ofAttempt =
    /^SEARCH account_payments USING (COVERING )?INDEX account_payments_of_attempt \(attempt_id=\?\)/;
  expect(await plans((tx) => accountPayments(tx).remove('pay_1'))).toEqual([
    expect.stringMatching(ofAttempt),
  ]);
});

/** Each reads what counts toward a limit. */
const LIMITED: readonly [string, Reads][] = [
  ['refunds_not_failed', (tx) => refunds(tx).hasAtLeast('pay_1', 100)],
  ['messages_texts_of_customer', (tx) => messages(tx, () => null).countTexts({ customerId: 'cus_1' }, 5, 20)],
  [
    'messages_texts',
    (tx) => messages(tx, () => null).countTexts({ businessUnit: 'shop', phoneNumber: '+1' }, 5, 20),
  ],
];

it.each(LIMITED)('R-91 reads what counts toward a limit by index %s', async (index, reads) => {
  expect(await plans(reads)).toEqual([
    expect.stringMatching(new RegExp(`^SEARCH .* USING (COVERING )?INDEX ${index} \\(`)),
  ]);
});

it('R-103 finds what release 0.3 did not forget by a partial index', async () => {
  for (const [older, reads] of [
    ['attempts_unforgotten', (tx) => attempts(tx).forgetOlder(5, 9, 100)],
    ['methods_unforgotten', (tx) => methods(tx).forgetOlder(5, 9, 100)],
  ] satisfies [string, Reads][])
    expect(await plans(reads)).toEqual([
      expect.stringMatching(new RegExp(`; SEARCH \\w+ USING INDEX ${older} \\([^;]*$`)),
    ]);
});

it('R-91 reads what a customer has now by indexes without canceled or removed rows', async () => {
  expect(await plans((tx) => schedules(tx).next('acc_1', 'cus_1'))).toEqual([
    'SEARCH schedules USING INDEX schedules_upcoming (account_id=? AND customer_id=?)',
  ]);
  expect(await plans((tx) => schedules(tx).upcoming('acc_1', 'cus_1'))).toEqual([
    'SEARCH schedules USING INDEX schedules_upcoming (account_id=? AND customer_id=?)',
  ]);
  expect(await plans((tx) => schedules(tx).past('acc_1', 'cus_1', 20))).toEqual([
    'SEARCH schedules USING INDEX schedules_past (account_id=? AND customer_id=?)',
  ]);
  expect(await plans((tx) => methods(tx).ofCustomer('cus_1'))).toEqual([
    'SEARCH methods USING INDEX methods_active (customer_id=?)',
  ]);
  expect(await plans((tx) => methods(tx).uses(['pm_1', 'pm_2']))).toEqual([
    expect.stringMatching(
      /SEARCH autopay USING INDEX autopay_method \(method_id=\?\); .*SEARCH schedules USING INDEX schedules_of_method \(method_id=\?\)$/,
    ),
  ]);
});

/** A transaction whose writes are rolled back after the test. */
function begin() {
  const run = async ({ sql, parameters }: CompiledQuery) => ({
    rows: database.prepare(sql).all(...(parameters as SQLInputValue[])) as never[],
  });
  database.exec('pragma foreign_keys = off; begin');
  onTestFinished(() => database.exec('rollback; pragma foreign_keys = on'));
  return sqliteOn({
    executeQuery: run,
    run: async ({ query }, parameters) => (await run({ ...query, parameters })).rows,
    streamQuery: notStreamed,
  });
}

it('R-91 metrics read no more than the thousand oldest payments without an outcome', async () => {
  const tx = begin();
  const add = (from: number, to: number, actionUntil: number | null) =>
    database.exec(`insert into attempts (id, business_unit, session_id, request_id, status, amount, source, charges,
        fields, created_at, action_until, lookups)
      with recursive n (i) as (select ${from} union all select i + 1 from n where i < ${to})
      select 'pay_' || i, 'shop', 'stg_' || i, i, 'processing', 1, '{}', '[]', '{}', i, ${actionUntil}, 0 from n`);
  const oldest = async (now: number) => (await agenda(tx).backlog(now)).processingSince;
  add(1, 999, 5_000);
  add(1_000, 1_001, null);
  expect(await oldest(4_000)).toBe(1_000);
  database.exec(`update attempts set action_until = 5000 where id = 'pay_1000'`);
  expect(await oldest(4_000)).toBeNull();
  expect(await oldest(5_000)).toBe(5_000);
});

describe('the payments of an account', () => {
  /** Payments of one cent with ids in order, all begun at the same time. */
  const add = (from: number, to: number, createdAt: number) =>
    database.exec(`
      create temp table n as with recursive n (i) as (select ${from} union all select i + 1 from n where i < ${to})
        select printf('pay_%08d', i) as id from n;
      insert into attempts (id, business_unit, session_id, request_id, status, amount, source, charges, fields,
          created_at, answered_at, lookups)
        select id, 'shop', 'stg_1', id, 'succeeded', 1, '{}', '[]', '{}', ${createdAt}, ${createdAt}, 0 from n;
      insert into account_payments select 'acc_1', id, 1, 1 from n;
      drop table n`);

  it('R-91 R-106 are summed up to 200', async () => {
    const tx = begin();
    add(1, 200, 500);
    expect(await accountPayments(tx).sum('acc_1')).toEqual({ amount: 200, unfinished: false });
    add(201, 201, 500);
    expect(await accountPayments(tx).sum('acc_1')).toBeNull();
  });

  it('R-91 are deleted by a new bill, which reads no more than 401 without an answer', async () => {
    const tx = begin();
    const forget = () => accountPayments(tx).forget('acc_1', 1_000);
    const left = () => database.prepare('select count(*) as left from account_payments').get()?.['left'];
    add(1, 1_000, 500);
    expect(await forget()).toBe(true);
    expect(left()).toBe(0);

    add(2_001, 2_401, 500);
    database.exec(`update attempts set answered_at = null`);
    add(2_402, 2_402, 500);
    expect(await forget()).toBe(true);
    expect(left()).toBe(402);
  });

  it('R-65 R-91 overtake a charge if they are newer, whatever came before', async () => {
    const tx = begin();
    database.exec(
      `insert into accounts (id, business_unit, account_number, sub_account_number, fields) values ('acc_1', 'shop', '1', '', '{}')`,
    );
    add(1, 300, 500);
    add(1_000, 1_000, 1_000);
    const charge = { id: 'pay_00001000', amount: 1, createdAt: 1_000 };
    expect(await accountPayments(tx).overtaken(charge)).toBeNull();
    add(1_001, 1_001, 2_000);
    expect(await accountPayments(tx).overtaken(charge)).toBe('paid');
  });
});

/** Each reads the business units that have something due. */
const DUE_UNITS: readonly [string, Reads][] = [
  ['outbox_queue', (tx) => outbox(tx).unitsDue(9, 9)],
  [
    'messages_pending',
    (tx) =>
      messages(tx, () => null)
        .ofChannel('email')
        .unitsDue(9, 9),
  ],
  [
    'messages_pending',
    (tx) =>
      messages(tx, () => null)
        .ofChannel('sms')
        .unitsDue(9, 9),
  ],
  ['attempts_due_of_unit', (tx) => attempts(tx).unitsDue(9)],
  ['refunds_due_of_unit', (tx) => refunds(tx).unitsDue(9)],
  ['schedules_due_of_unit', (tx) => schedules(tx).waiting.units()],
  ['autopay_due_of_unit', (tx) => autopay(tx).waiting.units()],
  ['attempts_waiting_of_unit', (tx) => attempts(tx).waiting.units()],
];

it.each(DUE_UNITS)('R-97 probes %s once per business unit with a backlog', async (index, reads) => {
  const [plan] = await plans(reads);
  const probes = plan?.split('; ').filter((step) => step.includes(index.split('_')[0] ?? ''));
  expect(probes).toHaveLength(3);
  for (const probe of probes ?? []) expect(probe).toMatch(new RegExp(`^(SEARCH|SCAN) .* INDEX ${index}`));
});

it('R-97 finds when each job has work by the indexes of its business units', async () => {
  const found = await plans(
    (tx) => agenda(tx).next(9),
    () => [{}] as never[],
  );
  const steps = found
    .flatMap((plan) => plan.split('; '))
    .filter((step) => / (attempts|refunds|schedules|autopay|outbox|messages)\b/.test(step));
  // The first unit, the next ones, and the first row of each.
  expect(steps).toHaveLength(8 * 3);
  for (const step of steps) expect(step).toMatch(/ INDEX (\w+_of_unit|outbox_queue|messages_pending)/);
});

it('R-90 reads the lists of the inspector in display order, up to their limit', async () => {
  expect(await plans((tx) => sessions(tx).latest(200))).toEqual([
    'SCAN sessions USING INDEX sqlite_autoindex_sessions_1',
  ]);
  expect(await plans((tx) => outbox(tx).latest(200))).toEqual([
    'SCAN outbox USING INDEX sqlite_autoindex_outbox_1',
  ]);
  expect(await plans((tx) => outbox(tx).ofSession('shop', 'stg_1', 200))).toEqual([
    'SCAN outbox; USE TEMP B-TREE FOR ORDER BY',
  ]);
});

it('R-105 searches for rows of a customer by primary key or customer', async () => {
  const erase: Reads = async (tx) => {
    const run = async <T>(work: (tx: StoreTx) => Promise<T>) => work({ erasing: erasing(tx) } as StoreTx);
    const erasure = { businessUnit: 'shop', emailAddress: 'ada@example.com', now: 0 };
    await eraseCustomer({ read: run, transaction: run } as Store, erasure);
  };
  const ada = { id: 'cus_1', email_key: 'ada@example.com' } as never;
  const searched = await plans(erase, (sql) => (sql.includes('from "customers"') ? [ada] : []));
  for (const plan of searched)
    expect(plan).toMatch(/^SEARCH \w+ USING (COVERING )?INDEX (sqlite_autoindex_\w+|\w+_customer) \([^;]*$/);
  for (const table of ['sessions', 'outbox', 'messages', 'account_customers'])
    expect(searched.join()).toMatch(new RegExp(`SEARCH ${table} USING .*INDEX sqlite_autoindex_${table}_1`));
});

it('R-66 lists and recovers webhooks in pages by primary key', async () => {
  const page = { after: 'msg_1', size: 500 };
  expect(await plans((tx) => outbox(tx).since('shop', 1, page))).toEqual([
    'SEARCH outbox USING COVERING INDEX sqlite_autoindex_outbox_1 (id>?)',
    'SEARCH outbox USING INDEX sqlite_autoindex_outbox_1 (id>?)',
  ]);
});

it('R-91 reads no bodies of webhooks for lists', async () => {
  for (const reads of [
    (tx) => outbox(tx).since('shop', 1, { after: '', size: 500 }),
    (tx) => outbox(tx).latest(200),
    (tx) => outbox(tx).ofSession('shop', 'stg_1', 200),
  ] satisfies Reads[])
    for (const { sql } of await statements('SQLite', reads)) expect(sql).not.toMatch(/\*|"body"/);
});

describe.runIf(hasPostgres)(
  'on PostgreSQL, of 40,000 payments and 5,000 refunds in two business units',
  () => {
    let postgres: Postgres;
    let client: Client;
    beforeAll(async () => {
      postgres = await sharedPostgres();
      const connectionString = await postgres.database();
      await (await startTestService({ database: connectionString })).close();
      client = new Client({ connectionString });
      await client.connect();
      // Only rows of payments; their sessions are not read.
      await client.query(`set session_replication_role = replica`);
      await client.query(`
      insert into attempts (id, business_unit, session_id, request_id, status, amount, refunded, source, charges, fields,
        created_at, due_at, lookups, client_reference)
      select 'pay_' || lpad(n::text, 6, '0'), case n % 2 when 0 then 'shop' else 'other' end, 'stg_' || n, 'r',
        case n % 20 when 0 then 'declined' when 2 then 'pending' when 4 then 'processing' else 'succeeded' end,
        100, 0, '{}', '[]', '{}', n * 1000, case when n % 20 in (2, 4) then n * 1000 end, 0, 'bill-' || n
      from generate_series(1, 40000) n`);
      await client.query(`
      insert into refunds (id, business_unit, attempt_id, status, amount, left_over, created_at, due_at, lookups)
      select 'ref_' || n, 'shop', 'pay_' || n, 'succeeded', 1, 0, n, case when n % 20 = 0 then n end, 0
      from generate_series(1, 5000) n`);
      await client.query('analyze');
    }, 60_000);
    afterAll(async () => {
      await client.end();
      await postgres.stop();
    });

    interface Plan {
      'Node Type': string;
      'Index Name'?: string;
      'Actual Rows': number;
      'Rows Removed by Filter'?: number;
      Plans?: Plan[];
    }

    /** For each statement: plan nodes, index, and number of rows read. */
    const read = async (reads: Reads): Promise<{ nodes: string[]; index: string; rows: number }[]> => {
      const found = [];
      for (const { sql, parameters } of await statements('PostgreSQL', reads)) {
        const { rows } = await client.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
          `explain (analyze, format json) ${sql}`,
          [...parameters],
        );
        const nodes: Plan[] = [];
        for (let node = rows[0]?.['QUERY PLAN'][0]?.Plan; node; node = node.Plans?.[0]) nodes.push(node);
        const leaf = nodes.at(-1);
        found.push({
          nodes: nodes.map((node) => node['Node Type']),
          index: leaf?.['Index Name'] ?? '',
          rows: (leaf?.['Actual Rows'] ?? 0) + (leaf?.['Rows Removed by Filter'] ?? 0),
        });
      }
      return found;
    };

    const middle = { createdAt: 20_000_000, id: 'pay_020000' };
    it.each<[Partial<AttemptFilter>, ...string[]]>([
      [{}, 'attempts_listed'],
      [{ from: 20_000_000, to: 30_000_000 }, 'attempts_listed'],
      [{ after: middle }, 'attempts_listed'],
      [{ statuses: ['declined'] }, 'attempts_listed_by_status'],
      [
        { statuses: ['pending', 'succeeded'], from: 1, after: middle },
        'attempts_listed_by_status',
        'attempts_listed_by_status',
      ],
      [{ clientReference: 'bill-20000' }, 'attempts_by_reference'],
    ])(
      'R-82 a page scans only its own rows and sorts only those of one reference: %j',
      async (filter, ...indexes) => {
        const statements = await read(positions(filter));
        expect(statements.map(({ index }) => index)).toEqual(indexes);
        for (const { nodes, rows } of statements) {
          expect(rows).toBeLessThanOrEqual(102);
          if (filter.clientReference === undefined) expect(nodes).toEqual(['Limit', 'Index Only Scan']);
        }
      },
    );

    it.for<Partial<AttemptFilter>>([{}, { statuses: ['pending', 'processing'] }])(
      'R-82 lists each payment of one moment once, even with a linguistic collation: %j',
      { tags: ['thorough'] },
      async (filter, { skip }) => {
        const server = await postgres.database();
        const [version] = await ask(server, `select current_setting('server_version_num')::int as number`);
        // Earlier versions sort by the machine's locales.
        skip(Number(version?.['number']) < 150_000);
        const name = `sorted_${Object.keys(filter).length}`;
        await ask(
          server,
          `create database ${name} template template0 locale_provider icu icu_locale 'en-US'`,
        );
        const { connection } = await openDatabase(server.replace(/[^/]+$/, name));
        const store = sqlStore(connection);
        // Ends of random ids: byte order puts capitals first, language order mixes them with small letters.
        const ids = ['pay_a', 'pay_B', 'pay_b', 'pay_A', 'pay_-', 'pay__', 'pay_0', 'pay_Z'];
        await ask(
          server.replace(/[^/]+$/, name),
          `set session_replication_role = replica;
           insert into attempts (id, business_unit, session_id, request_id, status, amount, source, charges, fields, created_at, lookups)
           select id, 'shop', id, 'r', case when n % 2 = 0 then 'pending' else 'processing' end, 100, '{}', '[]', '{}', 1, 0
           from unnest(array['${ids.join("','")}']) with ordinality as made (id, n)`,
        );
        const listed: string[] = [];
        for (let cursor: Cursor | undefined = { listed: [] }; cursor !== undefined;) {
          const from: Cursor = cursor;
          const { positions, next } = await store.read((tx) =>
            nextPage(tx.attempts, { businessUnit: 'shop', limit: 2, ...filter }, from, 1e9),
          );
          listed.push(...positions.map(({ id }) => id));
          cursor = next;
        }
        expect(listed).toEqual(ids.toSorted());
        await store.close();
        await ask(server, `drop database ${name}`);
      },
    );

    it('R-80 finds due lookups of payments and refunds by an index on their business unit and time', async () => {
      const limited = { nodes: ['Limit', 'Index Scan'], rows: 50 };
      expect(await read((tx) => attempts(tx).due('shop', 4e7, 50))).toEqual([
        { ...limited, index: 'attempts_due_of_unit' },
      ]);
      expect(await read((tx) => refunds(tx).due('shop', 4e7, 50))).toEqual([
        { ...limited, index: 'refunds_due_of_unit' },
      ]);
      expect(await read((tx) => refunds(tx).get('ref_9'))).toMatchObject([
        { index: 'refunds_pkey', rows: 1 },
      ]);
    });

    it('R-103 finds payments of a method that have no outcome by an index on the method', async () => {
      const processing = await read((tx) => attempts(tx).isCharging('pm_1'));
      expect(processing).toMatchObject([{ index: 'attempts_charging', rows: 0 }]);
    });

    it('R-97 finds due rows of a small business unit without reading those of others', async () => {
      await client.query(
        `set session_replication_role = replica;
         insert into attempts (id, business_unit, session_id, request_id, status, amount, source, charges, fields, created_at, due_at, lookups)
         select 'pay_small_' || n, 'small', 'small_' || n, 'r', 'processing', 100, '{}', '[]', '{}', 1, 50000000 + n, 0
         from generate_series(1, 1000) n;
         set session_replication_role = default;
         analyze attempts`,
      );
      const [plan] = await read((tx) => attempts(tx).due('small', 6e7, 8));
      expect(plan).toMatchObject({ index: 'attempts_due_of_unit', rows: 8 });
      await client.query(`delete from attempts where business_unit = 'small'`);
      await client.query(
        `set session_replication_role = replica;
         insert into outbox (id, business_unit, type, body, status, attempts, created_at, due_at, leased_until)
         select 'msg_' || n, case when n > 5000 then 'small' else 'large' end, 'payment.succeeded', '{}', 'pending', 0, n, n, 0
         from generate_series(1, 5500) n;
         insert into schedules (id, business_unit, session_id, request_id, account_id, customer_id, method_id, amount, date, status, created_at)
         select 'sch_' || n, case when n > 5000 then 'small' else 'large' end, 's', n, 'a', 'c', 'm', 1, '2026-11-' || (10 + n / 500), 'scheduled', n
         from generate_series(1, 5500) n;
         set session_replication_role = default;
         analyze outbox, schedules`,
      );
      const [messages] = await read((tx) => outbox(tx).due('small', 1e6, 1e6, 8));
      expect(messages).toMatchObject({ index: 'outbox_queue' });
      expect(messages?.rows).toBeLessThanOrEqual(9);
      const [waiting] = await read((tx) => schedules(tx).waiting.due('small', '2026-12-01', 8));
      expect(waiting).toMatchObject({ index: 'schedules_due_of_unit' });
      // Not all of the day.
      expect(waiting?.rows).toBeLessThanOrEqual(9);
    });

    it('R-91 reads what a customer has now without what was canceled or removed', async () => {
      await client.query(
        `set session_replication_role = replica;
         insert into methods (id, business_unit, customer_id, request_id, method, token, details, created_at, removed_at, touched)
         select 'pm_' || n, 'shop', 'cus_1', n, 'ACH', '', '{}', n, n, 0 from generate_series(1, 5000) n;
         insert into schedules (id, business_unit, session_id, request_id, account_id, customer_id, method_id, amount, date, status, created_at)
         select 'past_' || n, 'shop', 's', 'past_' || n, 'acc_1', 'cus_1', 'pm_' || n % 2, 1, '2026-11-01', 'canceled', n
         from generate_series(1, 5000) n;
         set session_replication_role = default;
         analyze methods, schedules`,
      );
      for (const [index, rows, reads] of [
        ['schedules_upcoming', 0, (tx) => schedules(tx).upcoming('acc_1', 'cus_1')],
        ['schedules_past', 20, (tx) => schedules(tx).past('acc_1', 'cus_1', 20)],
        ['methods_active', 0, (tx) => methods(tx).ofCustomer('cus_1')],
      ] satisfies [string, number, Reads][])
        expect(await read(reads)).toMatchObject([{ index, rows }]);
    });

    it('R-91 reads what counts toward a limit without what does not', async () => {
      await client.query(
        `set session_replication_role = replica;
         insert into refunds (id, business_unit, attempt_id, status, amount, left_over, created_at, lookups)
         select 'failed_' || n, 'shop', 'pay_1', 'failed', 1, 0, n, 0 from generate_series(1, 5000) n;
         insert into messages (id, business_unit, kind, channel, about, recipient, customer_id, language, facts, status,
           attempts, created_at, due_at, leased_until)
         select 'eml_' || n, 'shop', 'receipt', case n % 2 when 0 then 'sms' else 'email' end, n, '+1', 'cus_1', 'en', '{}',
           case n % 2 when 0 then 'unsent' else 'sent' end, 0, n, n, 0
         from generate_series(1, 5000) n;
         set session_replication_role = default;
         analyze refunds, messages`,
      );
      for (const [index, reads] of LIMITED) {
        const [plan] = await read(reads);
        expect(plan?.index).toBe(index);
        expect(plan?.rows).toBeLessThanOrEqual(1);
      }
    });

    it('R-98 reads ledger pages and unbooked entries by an index without sorting', async () => {
      await client.query(`
        insert into ledger (payment_id, id, line, business_unit, date, type, session_id, account_number,
          sub_account_number, description, amount, method)
        select id, id, 0, business_unit, '2026-11-' || lpad((1 + created_at / 1000 % 30)::text, 2, '0'), 'payment',
          session_id, '', '', '', 100, 'ACH'
        from attempts`);
      await client.query('analyze ledger');
      const limited = { nodes: ['Limit', 'Index Scan'], rows: 500 };
      const joined = { ...limited, nodes: ['Limit', 'Nested Loop', 'Nested Loop', 'Index Scan'] };
      for (const filter of [MONTH, { ...MONTH, after: ENTRY }])
        expect(await read((tx) => ledger(tx).page(filter))).toEqual([{ ...joined, index: 'ledger_of_unit' }]);
      for (const [index, rows] of [
        ['attempts_unbooked', attempts],
        ['refunds_unbooked', refunds],
      ] as const)
        expect(await read((tx) => rows(tx).unbooked(100))).toEqual([{ ...limited, index, rows: 100 }]);
    });

    it(
      'R-97 finds the business units with something due without reading through a backlog',
      { tags: ['thorough'] },
      async () => {
        const rows = (count: number) => `from generate_series(1, ${count}) n`;
        const unit = `case when n > 5000 then 'small' else 'large' end`;
        // The other tests read the rows that this one replaces.
        await client.query('begin');
        onTestFinished(async () => void (await client.query('rollback')));
        await client.query(
          `set local session_replication_role = replica;
         truncate attempts, outbox, schedules, messages, refunds, autopay cascade;
         insert into outbox (id, business_unit, type, body, status, attempts, created_at, due_at, leased_until)
         select 'old_' || n, 'finished', 'payment.succeeded', '{}', 'delivered', 1, n, n, 0 ${rows(5_000)};
         insert into outbox (id, business_unit, type, body, status, attempts, created_at, due_at, leased_until)
         select 'msg_' || n, ${unit}, 'payment.succeeded', '{}', 'pending', 0, n, n, 0 ${rows(5_010)};
         insert into messages (id, business_unit, kind, channel, about, recipient, language, facts, status, attempts, created_at, due_at, leased_until)
         select 'mes_' || channel || n, ${unit}, 'receipt', channel, n, 'r', 'en', '{}', 'pending', 0, n, n, 0
         ${rows(5_010)}, unnest(array['email', 'sms']) as channel;
         insert into attempts (id, business_unit, session_id, request_id, status, amount, source, charges, fields, created_at, due_at, lookups, charge_on)
         select 'pay_' || n, ${unit}, n, 'r', 'processing', 100, '{}', '[]', '{}', 1, n, 0, null ${rows(5_010)};
         insert into attempts (id, business_unit, session_id, request_id, status, amount, source, charges, fields, created_at, due_at, lookups, charge_on)
         select 'cha_' || n, ${unit}, n, 's', 'scheduled', 100, '{}', '[]', '{}', 1, null, 0, '2026-11-' || (10 + n / 500) ${rows(5_010)};
         insert into refunds (id, business_unit, attempt_id, status, amount, left_over, created_at, due_at, lookups)
         select 'ref_' || n, ${unit}, 'pay_' || n, 'processing', 1, 0, n, n, 0 ${rows(5_010)};
         insert into autopay (account_id, customer_id, business_unit, session_id, method_id, enrolled_at, due_date)
         select n, n, ${unit}, 's', 'm', n, '2026-11-' || (10 + n / 500) ${rows(5_010)};
         insert into schedules (id, business_unit, session_id, request_id, account_id, customer_id, method_id, amount, date, status, created_at)
         select 'sch_' || n, ${unit}, 's', n, 'a', 'c', 'm', 1, '2026-11-' || (10 + n / 500), 'scheduled', n ${rows(5_010)};
         set local session_replication_role = default;
         analyze`,
        );
        for (const [index, reads] of DUE_UNITS) {
          const [statement] = await statements('PostgreSQL', reads);
          const { rows: lines } = await client.query<{ 'QUERY PLAN': string }>(
            `explain (analyze, costs off, timing off) ${statement?.sql}`,
            [...(statement?.parameters ?? [])],
          );
          const plan = lines.map((line) => line['QUERY PLAN']).join('\n');
          expect(plan, index).toContain(`using ${index}`);
          expect(plan, index).not.toMatch(
            /Seq Scan on|Rows Removed by Filter: [2-9]|Rows Removed by Filter: \d\d/,
          );
          expect(plan, index).not.toMatch(/Scan using .* rows=\d\d/);
        }
      },
    );
  },
);
