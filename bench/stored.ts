/** Services with many stored rows. The database itself copies one row with new ids. */
import { createRequire } from 'node:module';
import { DatabaseSync } from 'node:sqlite';
import { startService, type Postgres, type Service } from '../e2e/harness/index.js';
import { payer } from '../packages/service/test/payer.js';
import { parentOf } from './measure.js';
import { settings, type Target } from './targets.js';

const ofService = createRequire(new URL('../packages/service/package.json', import.meta.url));

export type Table = 'sessions' | 'attempts';

export interface Stored extends Target {
  /** Latest creation time of the copied row, ms since the epoch. */
  readonly newest: number;
  readonly stop: () => Promise<unknown>;
}

/** Older, so that cursors don't list ids of payments that may be followed by late commits. */
const AGE_MS = 60_000;

/** Creates and pays one session, then copies it or its payment, each copy 1 ms older than the previous one. */
export async function storing(table: Table, rows: number, postgres?: Postgres): Promise<Stored> {
  const database = await postgres?.database();
  const service = await startService({ settings, ...(database === undefined ? {} : { database }) });
  if (table === 'attempts') await pay(service);
  else await service.create('payment');
  const newest = Date.now() - AGE_MS;
  await service.stop();
  const server =
    database === undefined
      ? fillFile(service.database, table, rows)
      : await fillServer(database, table, rows);
  await service.restart();
  const { url, apiKey } = service;
  return {
    url,
    apiKey,
    newest,
    // The process changed with the restart.
    get pid() {
      return service.pid;
    },
    ...(server === undefined ? {} : { server }),
    stop: () => service.stop(),
  };
}

async function pay(service: Service): Promise<void> {
  const { sessionId, sessionUrl } = await service.create('payment');
  const page = payer(
    (path, init) => fetch(new URL(path, service.url), init),
    sessionId,
    new URL(sessionUrl).hash.slice(1),
  );
  const paid = await page.pay({ charges: [{ index: 0, amount: 1_234 }] });
  if (paid.status !== 'succeeded') throw new Error(`The payment is ${paid.status}.`);
}

/** @param hex an SQL expression of the engine that yields 20 random digits */
function copies(table: Table, columns: readonly string[], numbers: string, hex: string): string {
  const others: Record<string, string> = {
    id: `substr(id, 1, 12) || ${hex}`,
    request_id: `'r' || n`,
    created_at: `created_at - ${AGE_MS} - n`,
    // Otherwise a job would forget them during the measurement.
    forget_at: 'null',
    client_reference: 'null',
  };
  return `insert into ${table} (${columns.join(', ')})
    select ${columns.map((name) => others[name] ?? name).join(', ')}
    from ${numbers}, (select * from ${table} limit 1) as one`;
}

function fillFile(file: string, table: Table, rows: number): undefined {
  const database = new DatabaseSync(file);
  const columns = database.prepare(`pragma table_info(${table})`).all();
  const numbers = `(with recursive many(n) as (select 1 union all select n + 1 from many where n < ${rows}) select n from many)`;
  database.exec(
    copies(
      table,
      columns.map(({ name }) => String(name)),
      numbers,
      'lower(hex(randomblob(10)))',
    ),
  );
  database.close();
}

/** A connection to a database. */
export interface Pg {
  connect(): Promise<void>;
  query(sql: string): Promise<{ rows: Record<string, unknown>[] }>;
  end(): Promise<void>;
}

export async function connectTo(url: string): Promise<Pg> {
  const { Client } = ofService('pg') as { Client: new (url: string) => Pg };
  const client = new Client(url);
  await client.connect();
  return client;
}

async function serverPidOf(client: Pg): Promise<number> {
  const [backend] = (await client.query('select pg_backend_pid() as pid')).rows;
  return parentOf(Number(backend?.['pid']));
}

/** The process id of the PostgreSQL server behind a database. */
export async function serverPid(url: string): Promise<number> {
  const client = await connectTo(url);
  const pid = await serverPidOf(client);
  await client.end();
  return pid;
}

/** @returns the process id of the server */
async function fillServer(url: string, table: Table, rows: number): Promise<number> {
  const client = await connectTo(url);
  const columns = await client.query(
    `select column_name as name from information_schema.columns where table_name = '${table}'`,
  );
  const names = columns.rows.map(({ name }) => String(name));
  const hex = `substr(md5(n::text || random()), 1, 20)`;
  await client.query(copies(table, names, `generate_series(1, ${rows}) as many(n)`, hex));
  // Does what the server's autovacuum would do later.
  await client.query(`vacuum analyze ${table}`);
  const server = await serverPidOf(client);
  await client.end();
  return server;
}
