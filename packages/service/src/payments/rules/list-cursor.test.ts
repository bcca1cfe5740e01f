import { expect, it, vi } from 'vitest';
import { numbers } from '../../../test/random.js';
import type { AttemptFilter, AttemptPosition } from './attempt.js';
import { countListed, nextPage, readCursor, writeCursor } from './list-cursor.js';

const payment = (createdAt: number, id: string): AttemptPosition => ({ createdAt, id });

/** Pages like the stores do: committed payments, oldest first. */
function committed() {
  const rows: AttemptPosition[] = [];
  return {
    rows,
    positions: async ({ after, limit }: AttemptFilter): Promise<AttemptPosition[]> =>
      rows
        .toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
        .filter(
          ({ createdAt, id }) =>
            after === undefined ||
            createdAt > after.createdAt ||
            (createdAt === after.createdAt && id > after.id),
        )
        .slice(0, limit),
  };
}

it.each(Array.from({ length: 30 }, (_, seed) => seed))(
  'R-82 lists each payment once, in any commit order within half a minute, from seed %i',
  async (seed) => {
    const random = numbers(seed);
    const store = committed();
    let now = 1_000_000;
    let made = 0;
    const arrive = (): void => {
      for (let count = Math.floor(random() * 6); count > 0; count--)
        store.rows.push(
          payment(now - Math.floor(random() * 29_000), `pay_${String(random()).slice(2)}${++made}`),
        );
    };
    const listed: string[] = [];
    let longest = 0;
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      // A cursor that doesn't move would never end, and no timeout interrupts it.
      expect(listed.length).toBeLessThanOrEqual(store.rows.length);
      const from = cursor === '' ? { listed: [] } : readCursor(cursor);
      if (from === null) throw new Error(`its own cursor is not read: ${cursor}`);
      if (made < 300) while (store.rows.length < listed.length + 5) arrive();
      const { positions, next } = await nextPage(store, { businessUnit: 'shop', limit: 4 }, from, now);
      listed.push(...positions.map(({ id }) => id));
      longest = Math.max(longest, from.listed.length);
      cursor = next && writeCursor(next);
      now += Math.floor(random() * 20_000);
      if (made < 300) arrive();
    }
    expect(made).toBeGreaterThan(100);
    expect(listed.toSorted()).toEqual(store.rows.map(({ id }) => id).toSorted());
    expect(longest).toBeGreaterThan(0);
    expect(longest).toBeLessThan(100);
  },
);

it('R-82 limits a cursor to a thousand payments made at the same time', async () => {
  const store = committed();
  for (let count = 0; count < 3_000; count++)
    store.rows.push(payment(5, `pay_${String(count).padStart(10, '0')}`));
  const listed = new Set<string>();
  let cursor = { listed: [] as readonly string[] };
  for (let pages = 0; pages < 6; pages++) {
    const { positions, next } = await nextPage(store, { businessUnit: 'shop', limit: 500 }, cursor, 5);
    for (const { id } of positions) listed.add(id);
    expect(next?.listed.length ?? 0).toBeLessThanOrEqual(1_000);
    if (next) cursor = readCursor(writeCursor(next)) ?? { listed: [] };
  }
  expect(listed.size).toBe(3_000);
});

it('R-82 a cursor has the last stable payment and ten characters of each later one', async () => {
  const store = committed();
  for (const [index, createdAt] of [1, 2, 3, 10_000, 10_001, 10_002, 10_003].entries())
    store.rows.push(payment(createdAt, `pay_${String(index).padStart(20, 'x')}`));
  const cursor = async (limit: number, now: number) =>
    (await nextPage(store, { businessUnit: 'shop', limit }, { listed: [] }, now)).next;
  const end = (index: number) => ({ createdAt: store.rows[index]?.createdAt, id: store.rows[index]?.id });
  for (const limit of [1, 2, 6])
    expect(await cursor(limit, 99_999)).toEqual({ after: end(limit - 1), listed: [] });
  // Payments commit within half a minute, so none can appear before older ones.
  expect(await cursor(6, 40_000)).toEqual({ after: end(3), listed: ['xxxxxxxxx4', 'xxxxxxxxx5'] });
  expect(await cursor(1, 1)).toEqual({ listed: ['xxxxxxxxx0'] });
});

it('R-82 accepts a cursor with a thousand entries, but no more', () => {
  const cursor = (count: number) => readCursor(['5.pay_1', ...Array<string>(count).fill('a')].join('~'));
  expect(cursor(1_000)).toMatchObject({ after: { createdAt: 5, id: 'pay_1' } });
  expect(cursor(1_001)).toBeNull();
});

it.each([
  '',
  '~',
  'made up',
  '~bad id',
  '5',
  '5.',
  '!.pay_1',
  '5.pay_1~a b',
  '5 5.pay_1',
  '5.pay_1\n5',
  '5.pay 1',
  'zzzzzzzzzzz.pay_1',
])('R-82 rejects the cursor %j', (text) => {
  expect(readCursor(text)).toBeNull();
});

it('R-91 refuses a long cursor without splitting it', () => {
  const split = vi.spyOn(String.prototype, 'split');
  const long = '~'.repeat(260_000);
  expect(readCursor(long)).toBeNull();
  expect(countListed(long)).toBe(0);
  expect(split).not.toHaveBeenCalled();
});
