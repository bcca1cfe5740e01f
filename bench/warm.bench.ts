/** In Chromium, 50 ms from the service: what `warm()` gives. */
import { expect, it } from 'vitest';
import { report } from './measure.js';
import { warmRows } from './warm.js';

it('opens faster after warm() than without it, and as fast as a bare frame', async () => {
  const rows = await warmRows();
  for (const { row, value, unit, target } of rows) report(row, `${value} ${unit}`, target);
  expect(rows.filter(({ ok }) => !ok)).toEqual([]);
});
