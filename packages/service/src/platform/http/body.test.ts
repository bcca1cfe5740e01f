import { expect, it } from 'vitest';
import { LARGE_BYTES, parseJson } from './body.js';

it('R-91 parses one large body per turn of the event loop', async () => {
  let turn = 0;
  const count = (): void => {
    turn += 1;
    ticking = setImmediate(count);
  };
  let ticking = setImmediate(count);
  const body = new TextEncoder().encode(`[${'0,'.repeat(LARGE_BYTES)}0]`);

  const turns = await Promise.all(
    Array.from({ length: 10 }, async () => {
      await parseJson(body);
      return turn;
    }),
  );
  clearImmediate(ticking);

  expect(new Set(turns).size).toBe(10);
});
