import { expect, it, vi } from 'vitest';
import { TransactionQueue, type TransactionControl } from './transaction-queue.js';

/** Records a connection's calls. The test completes its disk syncs. */
function createConnection() {
  const calls: string[] = [];
  let isOpen = false;
  let sync: { promise: Promise<void>; end(): void } | null = null;
  const record = (call: string, open: boolean): void => {
    calls.push(call);
    isOpen = open;
  };
  const control: TransactionControl = {
    begin: (mode) => record(`begin ${mode}`, true),
    commit: () => record('commit', false),
    rollback: () => record('rollback', false),
    get isOpen() {
      return isOpen;
    },
    // A job records its name instead of writing.
    get writes() {
      return calls.length;
    },
    currentSync: () => sync?.promise ?? null,
    spacingMs: 0,
  };
  return {
    calls,
    control,
    endTransaction: () => (isOpen = false),
    beginSync: () => {
      let resolve = (): void => undefined;
      const promise = new Promise<void>((settle) => (resolve = settle));
      sync = {
        promise,
        end: () => {
          sync = null;
          resolve();
        },
      };
      return sync;
    },
  };
}

const job =
  (calls: string[], name: string): (() => Promise<string>) =>
  async () => {
    calls.push(name);
    return name;
  };

it('commits concurrent jobs together, and a single job alone', async () => {
  const { calls, control } = createConnection();
  const queue = new TransactionQueue(control);
  await Promise.all([queue.run('write', job(calls, 'one')), queue.run('write', job(calls, 'two'))]);
  await queue.run('write', job(calls, 'three'));
  expect(calls).toEqual(['begin write', 'one', 'two', 'commit', 'begin write', 'three', 'commit']);
});

it('reports a failed job after the others are committed', async () => {
  const { calls, control } = createConnection();
  const queue = new TransactionQueue(control);
  const failing = queue
    .run('write', () => Promise.reject(new Error('taken')))
    .catch((error: Error) => {
      calls.push(error.message);
    });
  const other = queue.run('write', job(calls, 'two'));
  await Promise.all([failing, other]);
  expect(calls).toEqual(['begin write', 'two', 'commit', 'taken']);
});

it('rolls back if a job fails after writing, and runs each in a transaction of its own', async () => {
  const { calls, control } = createConnection();
  const queue = new TransactionQueue(control);
  const write = job(calls, 'two');
  const results = await Promise.allSettled([
    queue.run('write', job(calls, 'one')),
    queue.run('write', async () => {
      await write();
      throw new Error('taken');
    }),
    queue.run('write', job(calls, 'three')),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  const shared = ['begin write', 'one', 'two', 'rollback'];
  const own = [
    'begin write',
    'one',
    'commit',
    'begin write',
    'two',
    'rollback',
    'begin write',
    'three',
    'commit',
  ];
  expect(calls).toEqual([...shared, ...own]);
});

it('R-91 ends a transaction that takes long, and runs the other jobs in the next turn', async () => {
  const { calls, control, beginSync } = createConnection();
  const queue = new TransactionQueue(control);
  const slow = async (): Promise<void> => {
    const end = performance.now() + 60;
    while (performance.now() < end);
  };
  const others = ['three', 'four'].map((name) => job(calls, name));
  const running = [job(calls, 'one'), slow, ...others].map((work) => queue.run<unknown>('write', work));
  const reading = queue.run('read', job(calls, 'read'));
  await Promise.all([...running, reading]);
  const later = ['begin write', 'three', 'four', 'commit'];
  expect(calls).toEqual(['begin read', 'read', 'commit', 'begin write', 'one', 'commit', ...later]);

  calls.length = 0;
  // Only writes wait for it.
  beginSync();
  await Promise.all([queue.run('read', slow), queue.run('read', job(calls, 'next'))]);
  expect(calls).toEqual(['begin read', 'commit', 'begin read', 'next', 'commit']);
});

it('rejects only the jobs of the transaction whose commit failed', async () => {
  const { calls, control } = createConnection();
  let commits = 0;
  const commit = (): void => {
    if (++commits === 1) throw new Error('no commit');
    control.commit();
  };
  const queue = new TransactionQueue({ ...control, isOpen: false, writes: 0, commit });
  const slow = async (): Promise<void> => {
    const end = performance.now() + 60;
    while (performance.now() < end);
  };
  const results = await Promise.allSettled([queue.run('write', slow), queue.run('write', job(calls, 'two'))]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
});

it('rejects all jobs if the database rolled back by itself or the commit failed', async () => {
  const full = createConnection();
  const queue = new TransactionQueue(full.control);
  const results = await Promise.allSettled([
    queue.run('write', async () => 'one'),
    queue.run('write', () => {
      full.endTransaction();
      return Promise.reject(new Error('full'));
    }),
    queue.run('write', async () => 'three'),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(full.calls).not.toContain('commit');

  const { control } = createConnection();
  const commit = (): never => {
    throw new Error('no commit');
  };
  const refusing = new TransactionQueue({ ...control, commit });
  await expect(refusing.run('write', async () => 'one')).rejects.toThrow('no commit');
});

it('continues after a failed rollback: the next transaction rolls back first', async () => {
  const { calls, control } = createConnection();
  const fail = (): never => {
    throw new Error('no rollback');
  };
  vi.spyOn(control, 'rollback').mockImplementationOnce(fail).mockImplementationOnce(fail);
  const queue = new TransactionQueue(control);
  const refused = queue.run('write', () => Promise.reject(new Error('refused')));
  await expect(refused).rejects.toThrow('refused');
  await expect(queue.run('write', job(calls, 'two'))).rejects.toThrow('no rollback');
  expect(await queue.run('write', job(calls, 'three'))).toBe('three');
  expect(calls).toEqual(['begin write', 'rollback', 'begin write', 'three', 'commit']);
});

it('makes writes wait for the current sync, but not reads, and runs exclusive work alone', async () => {
  const { calls, control, beginSync } = createConnection();
  const queue = new TransactionQueue(control);
  const sync = beginSync();
  const first = queue.run('write', job(calls, 'first'));
  const exclusive = queue.run('exclusive', job(calls, 'exclusive'));
  const second = queue.run('write', job(calls, 'second'));
  await queue.run('read', job(calls, 'read'));
  await new Promise((resolve) => setImmediate(resolve));
  expect(calls).toEqual(['begin read', 'read', 'commit']);
  sync.end();
  await Promise.all([first, exclusive, second]);
  const later = ['begin write', 'first', 'commit', 'exclusive', 'begin write', 'second', 'commit'];
  expect(calls.slice(3)).toEqual(later);
});

it('spaces shared transactions, but neither reads nor single writers', async () => {
  const { calls, control } = createConnection();
  const queue = new TransactionQueue({ ...control, spacingMs: 60_000 });
  const write = (names: readonly string[]): Promise<unknown> =>
    Promise.all(names.map((name) => queue.run('write', job(calls, name))));
  for (const name of ['one', 'two']) await write([name]);
  const shared = ['three', 'four', 'five', 'six'];
  await write(shared);
  const before = [
    'begin write',
    'one',
    'commit',
    'begin write',
    'two',
    'commit',
    'begin write',
    ...shared,
    'commit',
  ];
  expect(calls).toEqual(before);

  const delayed = write(['seven']);
  await queue.run('read', job(calls, 'read'));
  for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setImmediate(resolve));
  expect(calls).toEqual([...before, 'begin read', 'read', 'commit']);

  const full = Array.from({ length: 31 }, (_, index) => `of many ${index}`);
  await Promise.all([delayed, write(full)]);
  expect(calls.slice(before.length + 3)).toEqual(['begin write', 'seven', ...full, 'commit']);
});

it('begins the next shared transaction once the spacing has passed', async () => {
  const { calls, control } = createConnection();
  const queue = new TransactionQueue({ ...control, spacingMs: 20 });
  await Promise.all(['one', 'two', 'three', 'four'].map((name) => queue.run('write', job(calls, name))));
  await queue.run('write', job(calls, 'five'));
  expect(calls.slice(6)).toEqual(['begin write', 'five', 'commit']);
  await queue.run('write', job(calls, 'six'));
  expect(calls.slice(9)).toEqual(['begin write', 'six', 'commit']);
});
