/** Size of finished sessions on PostgreSQL, and cost of a create with many of them. `pnpm bench size`, SIZE_SESSIONS. */
import { it, describe } from 'vitest';
import { hasPostgres, startPostgres, startService, type Service } from '../e2e/harness/index.js';
import { payer } from '../packages/service/test/payer.js';
import { inPairs } from './measure.js';
import { record } from './results.mjs';
import { connectTo, serverPid, type Pg } from './postgres.js';
import { costOf, settings, type Target } from './targets.js';

const SESSIONS = Number(process.env['SIZE_SESSIONS'] ?? 10_000_000);
/** Sessions of one customer and account. */
const PER_CUSTOMER = 12;
/** Rows per statement. */
const AT_ONCE = 250_000;

/** A typical request of a biller. Each month has another bill, which includes the payment of the last one. */
const requestOf = (Balance: number, DueDate: string) => ({
  PaymentDescriptor: 'HARBORLIGHT WATER',
  Charges: [
    {
      Amount: 8412,
      Description: 'Water, November',
      ClientAccount: {
        AccountNumber: '100-2000345',
        SubAccountNumber: '01',
        Name: 'Dana Reyes',
        EmailAddress: 'dana.reyes@example.com',
        PhoneNumber: '+1 207 555 0100',
        Balance,
        DueDate,
      },
    },
  ],
  ClientUser: { EmailAddress: 'dana.reyes@example.com', FirstName: 'Dana', LastName: 'Reyes' },
});

/** Creates and pays one session, and another a month later. After that, the retention of the first has ended. */
async function payOne(service: Service): Promise<void> {
  const { sessionId, sessionUrl } = await service.create('payment', {
    ...requestOf(8412, '2026-12-15'),
    ClientReference: 'invoice-2026-11-0012345',
  });
  const page = payer(
    (path, init) => fetch(new URL(path, service.url), init),
    sessionId,
    new URL(sessionUrl).hash.slice(1),
  );
  const paid = await page.pay({ charges: [{ index: 0, amount: 8412 }] });
  if (paid.status !== 'succeeded') throw new Error(`The payment is ${paid.status}.`);
  await service.control.advance('720h');
  await service.create('payment', requestOf(7630, '2027-01-15'));
  await service.control.advance('1500h');
}

/** Columns that differ between copies, as SQL expressions of `n`. Ids keep their length and sort by time. */
const id = (column: string, of = 'n'): string =>
  `left(${column}, 4) || lpad((${of})::text, 9, '0') || left(md5(${of} || ${column}), length(${column}) - 13)`;
const CUSTOMER = `n / ${PER_CUSTOMER}`;
const COPIES: Readonly<Record<string, Record<string, string>>> = {
  sessions: {
    id: id('id'),
    client_reference: `'invoice-' || n || '-00000'`,
    created_at: 'created_at + n',
    customer_id: id('customer_id', CUSTOMER),
  },
  client_references: { reference: `'invoice-' || n || '-00000'` },
  attempts: {
    id: id('id'),
    session_id: id('session_id'),
    request_id: `md5(n::text) || 'abcd'`,
    created_at: 'created_at + n',
    client_reference: `'invoice-' || n || '-00000'`,
  },
  account_payments: { attempt_id: id('attempt_id'), account_id: id('account_id', CUSTOMER) },
  ledger: {
    payment_id: id('payment_id'),
    id: id('id'),
    session_id: id('session_id'),
    date: `to_char(date '2026-01-01' + (n / 30000)::int, 'YYYY-MM-DD')`,
  },
};
const CUSTOMERS: Readonly<Record<string, Record<string, string>>> = {
  customers: { id: id('id'), email_key: `'dana.reyes.' || n || '@example.com'` },
  accounts: { id: id('id'), account_number: `'100-2' || n` },
  account_customers: { account_id: id('account_id'), customer_id: id('customer_id') },
};

async function fill(client: Pg, count: number): Promise<void> {
  // Disables foreign keys, so that the order doesn't matter.
  await client.query(`set session_replication_role = replica; set work_mem = '256MB'`);
  const copy = async (table: string, changed: Record<string, string>, rows: number): Promise<void> => {
    const { rows: columns } = await client.query(
      `select column_name as name from information_schema.columns where table_name = '${table}' and table_schema = 'public'`,
    );
    const names = columns.map(({ name }) => String(name));
    const values = names.map((name) => changed[name] ?? name).join(', ');
    await client.query(
      `create temp table one as select * from ${table} ${table === 'sessions' ? `where status = 'Succeeded'` : ''} limit 1`,
    );
    for (let from = 1; from <= rows; from += AT_ONCE)
      await client.query(
        `insert into ${table} (${names.join(', ')})
         select ${values} from one, generate_series(${from}, ${Math.min(rows, from + AT_ONCE - 1)}) as many(n)`,
      );
    await client.query('drop table one');
    await client.query(`vacuum analyze ${table}`);
  };
  for (const [table, changed] of Object.entries(CUSTOMERS))
    await copy(table, changed, Math.ceil(count / PER_CUSTOMER));
  for (const [table, changed] of Object.entries(COPIES)) await copy(table, changed, count);
}

/** Bytes per session of each table and index, largest first. */
async function sizes(client: Pg): Promise<{ name: string; bytes: number }[]> {
  const { rows } = await client.query(
    `select relname as name, pg_relation_size(oid) + coalesce(pg_relation_size(nullif(reltoastrelid, 0)), 0) as bytes
     from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'i') order by 2 desc`,
  );
  return rows.map(({ name, bytes }) => ({ name: String(name), bytes: Number(bytes) / SESSIONS }));
}

describe.runIf(hasPostgres)('PostgreSQL', () => {
  it('finished sessions', { timeout: 7_200_000 }, async () => {
    const postgres = await startPostgres();
    const start = async (): Promise<Service & Target> => {
      const database = await postgres.database();
      const service = await startService({ settings, database });
      await payOne(service);
      return Object.assign(service, { server: await serverPid(database) });
    };
    const [large, small] = [await start(), await start()];
    await large.stop();
    const client = await connectTo(large.database);
    const began = performance.now();
    await fill(client, SESSIONS);
    console.log(`Filled in ${((performance.now() - began) / 1_000).toFixed(0)} s`);
    const all = await sizes(client);
    for (const { name, bytes } of all.filter((one) => one.bytes >= 1))
      console.log(`${name}: ${bytes.toFixed(0)} B`);
    await client.end();
    await large.restart();
    const cost = (target: Target) => () => costOf([target], { requests: 600 });
    for (const target of [large, small, large, small]) await cost(target)();
    const { ratio } = await inPairs(9, cost(large), cost(small));
    record('size', all.reduce((sum, { bytes }) => sum + bytes, 0) / 1_000, {
      note: `${SESSIONS.toLocaleString('en')} sessions; create costs ${ratio.toFixed(2)} times as much as on an empty database`,
    });
    await large.stop();
    await small.stop();
    await postgres.stop();
  });
});
