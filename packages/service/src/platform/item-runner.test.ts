import { expect, it, vi } from 'vitest';
import { unavailable } from '../core/error.js';
import { ItemRunner } from './item-runner.js';
import type { LogFields } from './log/fields.js';

const HOUR_MS = 3_600_000;

/** Items sorted by age, some of which fail. */
function job(ids: readonly string[], fails: (id: string) => Error | null) {
  const clock = { time: 1_000_000_000, now: () => clock.time };
  const lines: LogFields[] = [];
  const error = (_: string, fields: LogFields = {}): void => void lines.push(fields);
  const jobFailed = vi.fn();
  const runner = new ItemRunner({ clock, log: { error }, metrics: { jobFailed } }, 'expire');
  const done = new Set<string>();
  const tried: string[] = [];
  const each = (limit: number): Promise<number> =>
    runner.each({
      find: async (most) =>
        ids
          .filter((id) => !done.has(id))
          .slice(0, most)
          .map((id) => ({ id })),
      limit,
      about: ({ id }) => ({ sessionId: id }),
      work: async ({ id }) => {
        tried.push(id);
        const failure = fails(id);
        if (failure) throw failure;
        done.add(id);
        return true;
      },
    });
  return { clock, lines, jobFailed, done, tried, each };
}
const bad = (id: string): Error | null => (id.startsWith('bad') ? new Error('no') : null);

it('R-97 ends even if more items are postponed than it can remember', async () => {
  const ids = Array.from({ length: 21_000 }, (_, number) => ({ id: `${number}` }));
  const runner = new ItemRunner({ clock: { now: () => 1_000 }, log: { error: vi.fn() } }, 'execute');
  const each = () =>
    runner.each({ find: async (most) => ids.slice(0, most), limit: 1_000, work: async () => 'later' });
  let rounds = 0;
  while (rounds < 40 && (await each()) > 0) rounds++;
  expect(rounds).toBeLessThan(40);
});

it('R-106 reaches the items behind 1,500 postponed ones', async () => {
  const ids = Array.from({ length: 1_550 }, (_, number) => ({ id: `${number}` }));
  const runner = new ItemRunner({ clock: { now: () => 1_000 }, log: { error: vi.fn() } }, 'execute');
  const done = new Set<string>();
  const each = () =>
    runner.each({
      find: async (most) => ids.filter(({ id }) => !done.has(id)).slice(0, most),
      limit: 100,
      work: async ({ id }) => (Number(id) < 1_500 ? 'later' : done.add(id).size > 0),
    });
  for (let round = 0; round < 40 && (await each()) > 0; round++);
  expect(done.size).toBe(50);
});

it.each([
  ['does not block other items if one can be neither done nor postponed', new Error('a broken row'), 'ab'],
  ['does not blame items that cannot be postponed for an unavailable database', unavailable(undefined), 'a'],
])('R-97 %s', async (_, failure, tried) => {
  const work: string[] = [];
  const runner = new ItemRunner({ clock: { now: () => 1_000 }, log: { error: vi.fn() } }, 'forget');
  const worked = runner.each({
    find: async () => [{ id: 'a' }, { id: 'b' }],
    limit: 10,
    work: async ({ id }) => {
      work.push(id);
      throw new Error('no');
    },
    postpone: () => Promise.reject(failure),
  });
  await worked.catch((error: unknown) => expect(error).toBe(failure));
  expect(work.join('')).toBe(tried);
});

it('does not block later items if a whole batch fails', async () => {
  const { each, done } = job(['bad-1', 'bad-2', 'good-1', 'bad-3', 'good-2'], bad);
  for (const dealtWith of [2, 2, 1, 0]) expect(await each(2)).toBe(dealtWith);
  expect([...done]).toEqual(['good-1', 'good-2']);
});

it('retries a failed item after 5 seconds, doubling up to an hour', async () => {
  const { clock, each, tried } = job(['bad'], bad);
  const waits: number[] = [];
  for (let last = clock.time; waits.length < 13; clock.time += 1_000) {
    const before = tried.length;
    await each(1);
    if (tried.length === before) continue;
    waits.push(clock.time - last);
    last = clock.time;
  }
  expect(waits.slice(0, 4)).toEqual([0, 5_000, 10_000, 20_000]);
  expect(waits.slice(-2)).toEqual([HOUR_MS, HOUR_MS]);
});

it('R-2 logs no possible card number, not even from an error’s cause', async () => {
  const words = (number: string): string => `value ${number} is too long`;
  const cause = new Error(words('4242-4242-4242-4242'));
  const { each, lines } = job(['bad'], () => new Error(words('4242 4242 4242 4242'), { cause }));
  await each(1);
  const message = 'value [number] is too long';
  expect(lines).toMatchObject([
    { sessionId: 'bad', error: { message: message, cause: { message: message } } },
  ]);
});

it('R-91 logs the start of a long message, and few causes', async () => {
  const error = new Error('"'.repeat(1_000_000));
  error.cause = error;
  const { each, lines } = job(['bad'], () => error);
  await each(1);
  expect(JSON.stringify(lines).length).toBeLessThan(20_000);
});

it('does not blame an item for an unavailable database', async () => {
  let away = true;
  const { each, lines, done } = job(['one', 'two'], () => (away ? unavailable(new Error('gone')) : null));
  await expect(each(2)).rejects.toMatchObject({ code: 'unavailable' });
  away = false;
  expect(await each(2)).toBe(2);
  expect([...done]).toEqual(['one', 'two']);
  expect(lines).toEqual([]);
});
