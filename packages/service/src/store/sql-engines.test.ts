import { mkdtempSync, rmSync } from 'node:fs';
import { open as openFile, type FileHandle } from 'node:fs/promises';
import { connect as connectSocket, createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql, type RawBuilder, type Transaction } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { withSchema } from '../../test/engines.js';
import { ask, hasPostgres, sharedPostgres, startPostgres, type Postgres } from '../../test/postgres.js';
import type { Customer } from '../accounts/rules/customer.js';
import { accounts, customers } from '../accounts/store.js';
import { messages } from '../messages/store.js';
import { connect } from '../platform/databases/connect.js';
import { migrate } from './migrate.js';
import { MIGRATIONS } from './migrations/index.js';
import { runInContext } from '../platform/context.js';
import type { LogFields } from '../platform/log/fields.js';
import { prepared } from '../platform/databases/prepared.js';
import { retrying, type InTurn, Lost } from '../platform/databases/retry.js';
import { sqlStore, type StoreOptions } from './sql-store.js';
import { describeConcurrent, describePayments } from '../../test/payments.contract.js';
import { describeStore, type Opened } from '../../test/sql-engines.contract.js';
import type { Tables } from '../platform/databases/tables.js';

async function open(database: string, options: StoreOptions & { alone?: boolean } = {}): Promise<Opened> {
  const connection = await connect(database);
  await migrate(connection);
  const store = sqlStore(connection, options);
  if (options.alone) return { store, close: () => store.close() };
  const other = sqlStore(await connect(database), options);
  return {
    store,
    other,
    close: async () => {
      await store.close();
      await other.close();
    },
  };
}

/** A proxy to a database: muted connections still accept statements but never return results. */
async function startMuting(database: string): Promise<{ url: string; mute: () => void; close: () => void }> {
  const { hostname, port, href } = new URL(database);
  const pairs: [Socket, Socket][] = [];
  const server = createServer((near) => {
    const far = connectSocket(Number(port), hostname);
    pairs.push([near, far]);
    near.pipe(far).pipe(near);
    for (const socket of [near, far]) socket.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: href.replace(`:${port}/`, `:${(server.address() as AddressInfo).port}/`),
    mute: () => {
      for (const [near, far] of pairs) far.unpipe(near).resume();
    },
    close: () => {
      for (const socket of pairs.flat()) socket.destroy();
      server.close();
    },
  };
}

const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-store-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describeStore('SQLite file', () => open(join(folder, 'service.db')));
describe('memory', { tags: 'thorough' }, () => {
  describeStore('store', () => open(':memory:', { alone: true }));
  describePayments('payments', () => open(':memory:', { alone: true }));
});
describePayments('SQLite file: payments', () => open(join(folder, 'payments.db')));

it('D-9 syncs the commits of another process before it returns them', async () => {
  const file = join(folder, 'synced.db');
  const both = await open(file);
  const { store, other } = both;
  const handle = await openFile(file);
  const syncs = vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, 'datasync');
  await handle.close();
  const read = () => store.read((tx) => tx.meta.get('probed'));
  await read();
  const before = syncs.mock.calls.length;
  await read();
  expect(syncs).toHaveBeenCalledTimes(before);
  await other?.transaction((tx) => tx.meta.set('probed', '1'));
  const committed = syncs.mock.calls.length;
  expect(await read()).toBe('1');
  expect(syncs.mock.calls.length).toBeGreaterThan(committed);
  syncs.mockRestore();
  await both.close();
});

it('R-61 tells repeated work that its COMMIT got no response', async () => {
  const repeats: boolean[] = [];
  const work = async (repeated: boolean): Promise<string> => {
    repeats.push(repeated);
    if (repeats.length < 3)
      throw new Lost('The connection broke.', { done: repeats.length === 1 ? 'nothing' : 'unknown' });
    return 'done';
  };
  expect(await retrying(work, { repeatable: true })).toBe('done');
  expect(repeats).toEqual([false, false, true]);
});

it.each([{ code: '23505' }, { errcode: 1555 }, { errcode: 2067 }])(
  'throws a unique violation that is repeated five times: %j',
  async (codes) => {
    let times = 0;
    const work = (): Promise<never> => {
      times += 1;
      return Promise.reject(Object.assign(new Error('taken'), codes));
    };
    await expect(retrying(work)).rejects.toThrow('taken');
    expect(times).toBe(6);
  },
);

it('R-61 R-82 gives up after 12 s, and drops a conflicting retry if its turn comes long after the deadline', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  let times = 0;
  const work = (): Promise<never> => {
    times += 1;
    return Promise.reject(Object.assign(new Error('lost to another'), { code: '40001' }));
  };
  const after = (ms: number): InTurn => {
    return (turn) => {
      vi.advanceTimersByTime(ms);
      return turn();
    };
  };
  const busy = {
    name: 'ServiceError',
    code: 'unavailable',
    message: 'The database is too busy or cannot be reached. Retry after 2 s with the same Idempotency-Key.',
    retryAfter: 2,
  };
  try {
    await expect(retrying(work, { again: after(18_001) })).rejects.toMatchObject(busy);
    expect(times).toBe(1);
    await expect(retrying(work, { again: after(18_000) })).rejects.toMatchObject(busy);
    expect(times).toBe(3);
    const unreachable = (): Promise<never> => {
      times += 1;
      vi.advanceTimersByTime(1_000);
      return Promise.reject(new Lost('The connection was refused.'));
    };
    await expect(retrying(unreachable)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining(
        'The database is too busy or cannot be reached. Retry after 2 s',
      ) as string,
    });
    expect(times).toBe(3 + 13);
  } finally {
    vi.useRealTimers();
  }
});

it('migrates once when processes start together on one file', async () => {
  const connections = await Promise.all([1, 2, 3].map(() => connect(join(folder, 'together.db'))));
  const counts = await Promise.all(connections.map(migrate));
  expect(counts.toSorted((a, b) => a - b)).toEqual([0, 0, MIGRATIONS.length]);
  await Promise.all(connections.map((connection) => connection.close()));
});

const TABLES: Readonly<Record<keyof Tables, true>> = {
  meta: true,
  api_keys: true,
  accounts: true,
  customers: true,
  account_customers: true,
  sessions: true,
  idempotency: true,
  messages: true,
  attempts: true,
  methods: true,
  blocked_accounts: true,
  wallets: true,
  autopay: true,
  paperless: true,
  schedules: true,
  notification_preferences: true,
  outbox: true,
  processor_events: true,
  disabled_webhooks: true,
  expected_webhooks: true,
  authorizations: true,
  test_charges: true,
  test_refunds: true,
  refunds: true,
  client_references: true,
  account_payments: true,
  ledger: true,
};

it('migrates to exactly the tables of the code', async () => {
  const connection = await connect(':memory:');
  await migrate(connection);
  const { rows } = await connection.transaction(
    (tx) => sql<{ name: string }>`select name from sqlite_master where type = 'table'`.execute(tx),
    { mode: 'read' },
  );
  const found = rows.map(({ name }) => name).filter((name) => !/^sqlite_|^schema_version$/.test(name));
  expect(found.toSorted()).toEqual(Object.keys(TABLES).toSorted());
  await connection.close();
});

it('rejects a database of a newer release', async () => {
  const connection = await connect(':memory:');
  await migrate(connection);
  await connection.transaction(
    (tx) =>
      tx
        .updateTable('schema_version' as never)
        .set({ version: 99 } as never)
        .execute(),
    { mode: 'write' },
  );
  await expect(migrate(connection)).rejects.toMatchObject({ code: 'schema_too_new' });
  await connection.close();
});

it('rejects a prepared query that ignores one of its arguments', async () => {
  const connection = await connect(':memory:');
  await migrate(connection);
  const forgetful = prepared((tx, name: string, _unused: string) =>
    tx.selectFrom('meta').selectAll().where('name', '=', name),
  );
  await expect(connection.transaction((tx) => forgetful(tx, 'a', 'b'), { mode: 'read' })).rejects.toThrow(
    /Argument 1/,
  );
  await connection.close();
});

it('rejects a boolean and a NUL character on either engine', async () => {
  const connection = await connect(':memory:');
  await migrate(connection);
  const insert = (value: unknown) =>
    connection.transaction(
      (tx) =>
        tx
          .insertInto('meta')
          .values({ name: 'x', value: value as string })
          .execute(),
      { mode: 'write' },
    );
  await expect(insert(true)).rejects.toThrow(TypeError);
  await expect(insert('a\0b')).rejects.toThrow(TypeError);
  await connection.close();
});

describe.runIf(hasPostgres)('PostgreSQL', () => {
  let postgres: Postgres;
  let database: () => Promise<string>;
  beforeAll(async () => {
    postgres = await sharedPostgres();
    database = withSchema(postgres);
  }, 60_000);
  afterAll(() => postgres.stop());

  describeStore('repeatable read', async () => open(await database()));
  describePayments('repeatable read: payments', async () => open(await database()));
  describeConcurrent('repeatable read: concurrent', async () => open(await database()));

  it('R-61 ends a statement after statementTimeoutMs on the server too, and keeps its connection', async () => {
    const connection = await connect(await postgres.database(), { statementTimeoutMs: 300, poolSize: 1 });
    const read = <T>(query: RawBuilder<T>): Promise<T[]> =>
      connection.transaction(async (tx) => (await query.execute(tx)).rows, { mode: 'read' });
    const session = sql<{ pid: number; busy: number }>`
      select pg_backend_pid() as pid, (select count(*) from pg_stat_activity where query like '%pg_sleep(2%' and state = 'active' and pid <> pg_backend_pid()) as busy`;
    const [before] = await read(session);
    const from = performance.now();
    await expect(read(sql`select pg_sleep(20)`)).rejects.toMatchObject({
      message: expect.stringContaining('statement timeout'),
    });
    expect(performance.now() - from).toBeLessThan(10_000);
    // Idle for longer than a response may take.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(await read(session)).toEqual([{ pid: before?.pid, busy: 0 }]);
    await connection.close();
  });

  it('R-61 waits for a lock although the database has a lock_timeout', async () => {
    const url = await database();
    await ask(url, `alter database ${new URL(url).pathname.slice(1)} set lock_timeout = '100ms'`);
    const connection = await connect(url);
    let waiting: Promise<unknown> = Promise.resolve();
    await connection.transaction(
      async (tx) => {
        await sql`lock table meta`.execute(tx);
        waiting = connection.transaction((other) => sql`select from meta`.execute(other), { mode: 'read' });
        waiting.catch(() => undefined);
        await new Promise((resolve) => setTimeout(resolve, 500));
      },
      { mode: 'write' },
    );
    await expect(waiting).resolves.toMatchObject({ rows: [] });
    await connection.close();
  });

  it('R-82 keeps its isolation level after a read that ignored an error', async () => {
    const connection = await connect(await database(), { poolSize: 1 });
    await migrate(connection);
    const level = sql<{ level: string }>`select current_setting('transaction_isolation') as level`;
    const read = (work: (tx: Transaction<Tables>) => Promise<unknown>) =>
      connection.transaction(work, { mode: 'read' });
    const ignoring = read((tx) => sql`select nothing`.execute(tx).catch(() => null));
    await expect(ignoring).rejects.toThrow('nothing');
    for (const mode of ['read', 'write'] as const)
      expect((await connection.transaction((tx) => level.execute(tx), { mode })).rows).toEqual([
        { level: 'repeatable read' },
      ]);
    await connection.close();
  });

  it('R-97 retries of a business unit, or of a page, do not wait for those of another', async () => {
    const store = sqlStore(await connect(await database()));
    const conflictOnce = (log: LogFields, retried = async (): Promise<unknown> => undefined) => {
      let times = 0;
      const work = async (): Promise<unknown> => {
        if (++times === 1) throw Object.assign(new Error('conflict'), { code: '40001' });
        return retried();
      };
      return runInContext({ log }, () => store.transaction(work));
    };
    const order: string[] = [];
    let release = (): void => undefined;
    const slow = new Promise<void>((resolve) => {
      const held = new Promise<void>((done) => (release = done));
      void conflictOnce({ businessUnit: 'busy' }, () => (resolve(), held)).then(() => order.push('first'));
    });
    await slow;
    const second = conflictOnce({ businessUnit: 'busy' }).then(() => order.push('second'));
    await conflictOnce({ businessUnit: 'busy', sessionId: 'stg_1' });
    await conflictOnce({ businessUnit: 'other' });
    expect(order).toEqual([]);
    release();
    await second;
    expect(order).toEqual(['first', 'second']);
    await store.close();
  });

  it.each<[string, (tx: Transaction<Tables>, id: string) => unknown]>([
    [
      'customer',
      (tx, id) => customers(tx).insert({ id, businessUnit: 'water', emailAddress: 'ada@example.com' }),
    ],
    [
      'account',
      (tx, id) =>
        accounts(tx).insert({
          id,
          businessUnit: 'water',
          accountNumber: '1',
          subAccountNumber: '',
          fields: {},
        }),
    ],
    [
      'message',
      (tx, id) =>
        messages(tx, () => null).insert({
          id,
          businessUnit: 'water',
          kind: 'receipt',
          channel: 'email',
          recipient: 'ada@example.com',
          language: 'en',
          about: 'pay_1',
          facts: {},
          status: 'unsent',
          attempts: 0,
          createdAt: 1,
          dueAt: 1,
          leasedUntil: 0,
        }),
    ],
  ])('R-105 gives the server no %s to log when two transactions insert it', async (_, insert) => {
    const connection = await connect(await database());
    const late = connection.transaction(
      async (tx) => {
        await accounts(tx).get('none');
        await connection.transaction(async (other) => insert(other, 'first'), { mode: 'write' });
        await insert(tx, 'second');
      },
      { mode: 'write' },
    );
    // A unique violation would quote the key.
    await expect(late).rejects.toMatchObject({ code: '40001', detail: undefined });
    await connection.close();
  });

  it.each([
    ['insert', (tx: Transaction<Tables>) => customers(tx).insert(ada('third', 'new'))],
    ['change to', (tx: Transaction<Tables>) => customers(tx).changeAddress(ada('second', 'new'))],
  ])('R-105 gives the server no address to log when two transactions %s it', async (_, write) => {
    const connection = await connect(await database());
    await connection.transaction(
      async (tx) => {
        await customers(tx).insert(ada('first', 'one'));
        await customers(tx).insert(ada('second', 'two'));
      },
      { mode: 'write' },
    );
    const late = connection.transaction(
      async (tx) => {
        await accounts(tx).get('none');
        await connection.transaction(async (other) => write(other), { mode: 'write' });
        await customers(tx).changeAddress(ada('first', 'new'));
      },
      { mode: 'write' },
    );
    await expect(late).rejects.toMatchObject({ code: '40001', detail: undefined });
    await connection.transaction(async (tx) => customers(tx).changeAddress(ada('first', 'other')), {
      mode: 'write',
    });
    const listed = await connection.transaction((tx) => customers(tx).list('water'), { mode: 'read' });
    expect(listed.map(({ id, emailAddress }) => `${id} ${emailAddress}`)).toContain(
      'first other@example.com',
    );
    await connection.close();
  });

  it(
    'R-61 works if its role cannot query the server identity, as on managed servers',
    { tags: ['thorough'] },
    async () => {
      const whole = await postgres.database();
      await ask(
        whole,
        'create role managed login; grant all on schema public to managed; revoke execute on function pg_control_system() from public; revoke execute on function pg_walfile_name(pg_lsn) from public',
      );
      const url = new URL(whole);
      url.username = 'managed';
      const opened = await open(url.href);
      await opened.store.transaction((tx) => tx.meta.set('probed', '1'));
      expect(await opened.store.read((tx) => tx.meta.get('probed'))).toBe('1');
      await opened.close();
      await ask(whole, 'drop owned by managed; drop role managed');
    },
  );

  it('R-61 is unavailable immediately if its role lacks privileges', async () => {
    const whole = await database();
    await ask(whole, 'create role reader login; grant select on all tables in schema public to reader');
    const url = new URL(whole);
    url.username = 'reader';
    const connection = await connect(url.href);
    const store = sqlStore(connection);
    const from = performance.now();
    await expect(store.transaction((tx) => tx.meta.set('probed', '1'))).rejects.toMatchObject({
      code: 'unavailable',
      cause: expect.objectContaining({ message: expect.stringMatching(/permission denied for table meta/) }),
    });
    expect(performance.now() - from).toBeLessThan(10_000);
    expect(await store.read((tx) => tx.meta.get('probed'))).toBeNull();
    await connection.close();
    await ask(whole, 'drop owned by reader; drop role reader');
  });

  describe('R-61', () => {
    let connection: Awaited<ReturnType<typeof connect>>;
    beforeEach(async () => {
      connection = await connect(await database());
    });
    afterEach(() => connection.close());
    const written = sql`insert into meta (name, value) values ('probed', '1') on conflict (name) do update set value = '1'`;

    it('retries a read-only server like an unreachable one', async () => {
      let times = 0;
      const work = (): Promise<unknown> =>
        connection.transaction(
          async (tx) => {
            if (times++ === 0) await sql`set transaction read only`.execute(tx);
            return (await written.execute(tx)).rows;
          },
          { mode: 'write' },
        );
      expect(await retrying(work)).toEqual([]);
      expect(times).toBe(2);
    });

    it('repeats a write that a read-only server refused before the COMMIT was sent', async () => {
      let times = 0;
      const work = (): Promise<unknown> =>
        connection.transaction(
          async (tx) => {
            if (++times === 1) await sql`set transaction read only`.execute(tx);
            await tx.updateTable('meta').set({ value: '1' }).execute();
            // Nothing waits for an update, so the refusal arrives meanwhile.
            await connection.transaction((other) => sql`select 1`.execute(other), { mode: 'read' });
          },
          { mode: 'write' },
        );
      await retrying(work);
      expect(times).toBe(2);
    });

    it('does not repeat or report as undone a statement sent with a COMMIT if neither gets a response', async () => {
      const { url, mute, close } = await startMuting(await database());
      const muted = await connect(url, { statementTimeoutMs: 100 });
      let times = 0;
      const work = (): Promise<void> =>
        muted.transaction(
          async (tx) => {
            await tx.selectFrom('meta').selectAll().execute();
            if (++times === 1) mute();
            // Has no result, so the transaction only waits for its COMMIT.
            await tx
              .insertInto('meta')
              .values({ name: `${times}`, value: '' })
              .execute();
          },
          { mode: 'write' },
        );
      const names = async (): Promise<string[]> =>
        muted.transaction(
          async (tx) => (await tx.selectFrom('meta').select('name').execute()).map(({ name }) => name),
          { mode: 'read' },
        );
      await expect(retrying(work)).rejects.toMatchObject({ code: 'unavailable' });
      expect(await names()).toEqual(['1']);
      const repeats: boolean[] = [];
      times = 0;
      const again = async (repeated: boolean): Promise<void> => {
        repeats.push(repeated);
        if (!repeated) await work();
      };
      await muted.transaction((tx) => tx.deleteFrom('meta').execute(), { mode: 'write' });
      await retrying(again, { repeatable: true });
      expect(repeats).toEqual([false, true]);
      expect(await names()).toEqual(['1']);
      await muted.close();
      close();
    });

    it('does not acknowledge a commit with a warning, which may be on no standby', async () => {
      const warning = sql`create function warn() returns trigger language plpgsql as $$ begin raise warning 'canceled waiting'; return null; end $$`;
      const onCommit = sql`create constraint trigger warns after insert or update on meta deferrable initially deferred for each row execute function warn()`;
      await connection.transaction(async (tx) => (await warning.execute(tx), onCommit.execute(tx)), {
        mode: 'migration',
      });
      const work = () => connection.transaction((tx) => written.execute(tx), { mode: 'write' });
      await expect(retrying(work)).rejects.toMatchObject({ code: 'unavailable' });
    });
  });

  // Don't change the settings of a provided server.
  it.runIf(process.env['DATABASE_URL'] === undefined)(
    'R-58 waits for the standby on reads too, as on writes',
    { tags: ['thorough'] },
    async () => {
      const alone = await startPostgres();
      try {
        const address = await alone.database();
        const opened = await open(address, { alone: true });
        await opened.store.transaction((tx) => tx.meta.set('environment', 'staging'));
        await opened.close();
        await ask(
          address,
          `alter database ${new URL(address).pathname.slice(1)} set synchronous_commit = on`,
        );
        const connection = await connect(address, { statementTimeoutMs: 300, poolSize: 1 });
        const run = (text: RawBuilder<unknown>, mode: 'write' | 'read') =>
          connection
            .transaction((tx) => text.execute(tx), { mode })
            .then(
              () => 'done',
              (error: unknown) => error instanceof Lost && error.done,
            );
        const read = sql`select value from meta`;
        expect(await run(read, 'write')).toBe('done');
        await ask(address, `alter system set synchronous_standby_names = 'none_that_is_there'`);
        await ask(address, 'select pg_reload_conf()');
        const written = sql`update meta set value = value`;
        await expect.poll(() => run(written, 'write')).toBe('unknown');
        expect(await run(read, 'write')).toBe('unknown');
        expect(await run(read, 'read')).toBe('done');
        await connection.close();
      } finally {
        await alone.stop();
      }
    },
  );

  it('migrates once when processes start together', async () => {
    const database = await postgres.database();
    const connections = await Promise.all([1, 2, 3, 4].map(() => connect(database)));
    const counts = await Promise.all(connections.map(migrate));
    expect(counts.toSorted((a, b) => a - b)).toEqual([0, 0, 0, MIGRATIONS.length]);
    await Promise.all(connections.map((connection) => connection.close()));
  });
});

const ada = (id: string, name: string): Customer => ({
  id,
  businessUnit: 'water',
  emailAddress: `${name}@example.com`,
});
