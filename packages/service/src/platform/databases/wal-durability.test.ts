import { expect, it } from 'vitest';
import { GroupSync } from './wal-durability.js';

/** A disk whose syncs the test completes. */
function createDisk() {
  const syncs: { resolve(): void; reject(error: unknown): void }[] = [];
  const sync = (): Promise<void> =>
    new Promise((resolve, reject) => {
      syncs.push({ resolve, reject });
    });
  return { syncs, sync };
}

/** The state of a promise, which may still wait for the disk. */
async function stateOf(promise: Promise<void>): Promise<'durable' | 'waiting' | Error> {
  return Promise.race([
    promise.then(
      () => 'durable' as const,
      (error: Error) => error,
    ),
    new Promise<'waiting'>((resolve) => setImmediate(resolve, 'waiting')),
  ]);
}

it('starts no sync if nothing was committed', async () => {
  const { syncs, sync } = createDisk();
  expect(await stateOf(new GroupSync(sync).durable())).toBe('durable');
  expect(syncs).toHaveLength(0);
});

it('covers earlier commits with the current sync and later ones with the next', async () => {
  const { syncs, sync } = createDisk();
  const group = new GroupSync(sync);
  group.committed();
  const first = group.durable();
  await stateOf(first);
  expect(syncs).toHaveLength(1);

  const later = [1, 2, 3].map(() => {
    group.committed();
    return group.durable();
  });
  syncs[0]!.resolve();
  expect(await stateOf(first)).toBe('durable');
  expect(await Promise.all(later.map(stateOf))).toEqual(['waiting', 'waiting', 'waiting']);

  expect(syncs).toHaveLength(2);
  syncs[1]!.resolve();
  expect(await Promise.all(later.map(stateOf))).toEqual(['durable', 'durable', 'durable']);
});

it('makes a reader wait for the commits it has seen', async () => {
  const { syncs, sync } = createDisk();
  const group = new GroupSync(sync);
  group.committed();
  const reader = group.durable();
  expect(await stateOf(reader)).toBe('waiting');
  syncs[0]!.resolve();
  expect(await stateOf(reader)).toBe('durable');
});

it('fails permanently after a failed sync, without another try', async () => {
  const { syncs, sync } = createDisk();
  const group = new GroupSync(sync);
  group.committed();
  const first = group.durable();
  group.committed();
  const second = group.durable();
  await stateOf(first);
  syncs[0]!.reject(new Error('EIO'));
  expect(await stateOf(first)).toEqual(new Error('EIO'));
  expect(await stateOf(second)).toEqual(new Error('EIO'));
  group.committed();
  expect(await stateOf(group.durable())).toEqual(new Error('EIO'));
  expect(syncs).toHaveLength(1);
});
