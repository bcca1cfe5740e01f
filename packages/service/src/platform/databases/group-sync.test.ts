import { expect, it } from 'vitest';
import { groupSync } from './group-sync.js';

/** Syncs that end when they are told to. */
function disk() {
  const ends: { resolve(): void; reject(error: unknown): void }[] = [];
  const sync = (): Promise<void> =>
    new Promise((resolve, reject) => {
      ends.push({ resolve, reject });
    });
  return { ends, sync };
}

/** What has been said by the time that nothing is left to do but wait for the disk. */
async function said(promise: Promise<void>): Promise<'durable' | 'waiting' | Error> {
  const answer = Promise.race([
    promise.then(
      () => 'durable' as const,
      (error: Error) => error,
    ),
    new Promise<'waiting'>((resolve) => setImmediate(resolve, 'waiting')),
  ]);
  return answer;
}

it('asks no disk where nothing was committed', async () => {
  const { ends, sync } = disk();
  expect(await said(groupSync(sync).durable())).toBe('durable');
  expect(ends).toHaveLength(0);
});

it('covers by one sync what was committed before it began, and by the next one what came meanwhile', async () => {
  const { ends, sync } = disk();
  const syncs = groupSync(sync);
  syncs.committed();
  const first = syncs.durable();
  await said(first);
  expect(ends).toHaveLength(1);
  const later = [1, 2, 3].map(() => {
    syncs.committed();
    return syncs.durable();
  });
  ends[0]!.resolve();
  expect(await said(first)).toBe('durable');
  expect(await Promise.all(later.map(said))).toEqual(['waiting', 'waiting', 'waiting']);
  expect(ends).toHaveLength(2);
  ends[1]!.resolve();
  expect(await Promise.all(later.map(said))).toEqual(['durable', 'durable', 'durable']);
});

it('makes one that only reads wait for what it has seen', async () => {
  const { ends, sync } = disk();
  const syncs = groupSync(sync);
  syncs.committed();
  const reader = syncs.durable();
  expect(await said(reader)).toBe('waiting');
  ends[0]!.resolve();
  expect(await said(reader)).toBe('durable');
});

it('says after a sync that failed that nothing is durable any more, also when later ones would not', async () => {
  const { ends, sync } = disk();
  const syncs = groupSync(sync);
  syncs.committed();
  const first = syncs.durable();
  syncs.committed();
  const second = syncs.durable();
  await said(first);
  ends[0]!.reject(new Error('EIO'));
  expect(await said(first)).toEqual(new Error('EIO'));
  expect(await said(second)).toEqual(new Error('EIO'));
  syncs.committed();
  expect(await said(syncs.durable())).toEqual(new Error('EIO'));
  expect(ends).toHaveLength(1);
});
