import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { inOrder } from './order.js';

/** Work that ends when it is told to, and what of it was before that. */
function work(key: string): { end: () => void; began: () => boolean; done: Promise<unknown> } {
  let end = (): void => undefined;
  let began = false;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const done = inOrder(key, async (before) => {
    await before;
    began = true;
    await ended;
    return Array.from({ length: 10_000 }, () => 0.5);
  });
  return { end: () => end(), began: () => began, done };
}

it('waits for all that came before, also when the first of it is over', async () => {
  const [first, second] = [work('a'), work('a')];
  await expect.poll(() => first.began()).toBe(true);
  first.end();
  await first.done;
  await expect.poll(() => second.began()).toBe(true);
  const third = work('a');
  // Another's line is another's.
  const other = work('b');
  await expect.poll(() => other.began()).toBe(true);
  expect(third.began()).toBe(false);
  second.end();
  await expect.poll(() => third.began()).toBe(true);
  third.end();
  other.end();
  await Promise.all([third.done, other.done]);
});

it('keeps nothing of a line that is through', async () => {
  const only = work('c');
  only.end();
  await only.done;
  await expect.poll(() => inOrder('c', async (before) => before === undefined)).toBe(true);
});

it('keeps nothing of what is long over in a line that never ends', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const used = (): number => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  let last = work('d');
  const before = used();
  for (let count = 0; count < 300; count++) {
    const next = work('d');
    last.end();
    await last.done;
    last = next;
  }
  // Of 80 kB each.
  expect(used() - before).toBeLessThan(12_000_000);
  last.end();
  await last.done;
});
