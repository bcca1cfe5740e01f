import { expect, it, vi } from 'vitest';
import { batches, type Transactions } from './batches.js';

/** What a connection would have been told, and a disk whose sync ends when it is told to. */
function connection() {
  const told: string[] = [];
  let isOpen = false;
  let sync: { promise: Promise<void>; end(): void } | null = null;
  const say = (what: string, open = isOpen) => {
    return (): void => {
      told.push(what);
      isOpen = open;
    };
  };
  const transactions: Transactions = {
    begin: (mode) => say(`begin ${mode}`, true)(),
    commit: say('commit', false),
    rollback: say('rollback', false),
    savepoint: () => void told.push('savepoint'),
    release: () => void told.push('release'),
    rollbackToSavepoint: () => void told.push('undo'),
    get isOpen() {
      return isOpen;
    },
    // A work says its name where another would write.
    get written() {
      return told.length;
    },
    syncing: () => sync?.promise ?? null,
    apartMs: 0,
  };
  return {
    told,
    transactions,
    end: () => (isOpen = false),
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

const does =
  (told: string[], name: string): (() => Promise<string>) =>
  async () => {
    told.push(name);
    return name;
  };

it('commits once for what came together, and by itself what came alone', async () => {
  const { told, transactions } = connection();
  const { transaction } = batches(transactions);
  await Promise.all([transaction('write', does(told, 'one')), transaction('write', does(told, 'two'))]);
  await transaction('write', does(told, 'three'));
  expect(told).toEqual(['begin write', 'one', 'two', 'commit', 'begin write', 'three', 'commit']);
});

it('tells of the work that failed when the others are committed', async () => {
  const { told, transactions } = connection();
  const { transaction } = batches(transactions);
  const failing = transaction('write', () => Promise.reject(new Error('taken'))).catch((error: Error) => {
    told.push(error.message);
  });
  const other = transaction('write', does(told, 'two'));
  await Promise.all([failing, other]);
  expect(told).toEqual(['begin write', 'two', 'commit', 'taken']);
});

it('takes back all where one failed that had written, and does them again, each apart from the others', async () => {
  const { told, transactions } = connection();
  const { transaction } = batches(transactions);
  const write = does(told, 'two');
  const all = await Promise.allSettled([
    transaction('write', does(told, 'one')),
    transaction('write', async () => {
      await write();
      throw new Error('taken');
    }),
    transaction('write', does(told, 'three')),
  ]);
  expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  const apart = ['savepoint', 'one', 'release', 'savepoint', 'two', 'undo', 'savepoint', 'three', 'release'];
  expect(told).toEqual(['begin write', 'one', 'two', 'rollback', 'begin write', ...apart, 'commit']);
});

it('rejects all of them where the database took everything back, or the commit failed', async () => {
  const full = connection();
  const shared = batches(full.transactions);
  const all = await Promise.allSettled([
    shared.transaction('write', async () => 'one'),
    shared.transaction('write', () => {
      full.end();
      return Promise.reject(new Error('full'));
    }),
    shared.transaction('write', async () => 'three'),
  ]);
  expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(full.told).not.toContain('commit');

  const refusing = connection();
  const commit = (): never => {
    throw new Error('no commit');
  };
  const { transaction } = batches({ ...refusing.transactions, commit });
  await expect(transaction('write', async () => 'one')).rejects.toThrow('no commit');
});

it('goes on where a transaction cannot be taken back: each is told, and the next ends it first', async () => {
  const { told, transactions } = connection();
  const fail = (): never => {
    throw new Error('no rollback');
  };
  vi.spyOn(transactions, 'rollback').mockImplementationOnce(fail).mockImplementationOnce(fail);
  const { transaction } = batches(transactions);
  const refused = transaction('write', () => Promise.reject(new Error('refused')));
  await expect(refused).rejects.toThrow('refused');
  await expect(transaction('write', does(told, 'two'))).rejects.toThrow('no rollback');
  expect(await transaction('write', does(told, 'three'))).toBe('three');
  expect(told).toEqual(['begin write', 'rollback', 'begin write', 'three', 'commit']);
});

it('lets writes wait for the sync that runs, reads not, and nobody into what runs between', async () => {
  const { told, transactions, beginSync } = connection();
  const { transaction, between } = batches(transactions);
  const sync = beginSync();
  const first = transaction('write', does(told, 'first'));
  const alone = between(does(told, 'between'));
  const second = transaction('write', does(told, 'second'));
  await transaction('read', does(told, 'read'));
  await new Promise((resolve) => setImmediate(resolve));
  expect(told).toEqual(['begin read', 'read', 'commit']);
  sync.end();
  await Promise.all([first, alone, second]);
  const later = ['begin write', 'first', 'commit', 'between', 'begin write', 'second', 'commit'];
  expect(told.slice(3)).toEqual(later);
});

it('keeps transactions apart that several share, and neither a read nor whoever comes alone', async () => {
  const { told, transactions } = connection();
  const { transaction } = batches({ ...transactions, apartMs: 60_000 });
  const write = (names: readonly string[]): Promise<unknown> =>
    Promise.all(names.map((name) => transaction('write', does(told, name))));
  for (const name of ['one', 'two']) await write([name]);
  const others = ['three', 'four', 'five', 'six'];
  await write(others);
  const before = [
    'begin write',
    'one',
    'commit',
    'begin write',
    'two',
    'commit',
    'begin write',
    ...others,
    'commit',
  ];
  expect(told).toEqual(before);
  const held = write(['seven']);
  await transaction('read', does(told, 'read'));
  for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setImmediate(resolve));
  expect(told).toEqual([...before, 'begin read', 'read', 'commit']);
  const asMany = Array.from({ length: 31 }, (_, index) => `of many ${index}`);
  await Promise.all([held, write(asMany)]);
  expect(told.slice(before.length + 3)).toEqual(['begin write', 'seven', ...asMany, 'commit']);
});

it('lets transactions that several share begin once they are far enough apart', async () => {
  const { told, transactions } = connection();
  const { transaction } = batches({ ...transactions, apartMs: 20 });
  await Promise.all(['one', 'two', 'three', 'four'].map((name) => transaction('write', does(told, name))));
  await transaction('write', does(told, 'five'));
  expect(told.slice(6)).toEqual(['begin write', 'five', 'commit']);
  await transaction('write', does(told, 'six'));
  expect(told.slice(9)).toEqual(['begin write', 'six', 'commit']);
});
