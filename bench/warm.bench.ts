/** Effect of `warm()` in Chromium, 50 ms from the service. */
import { it } from 'vitest';
import { report } from './measure.js';
import { record } from './results.mjs';
import { warmRows } from './warm.js';

it('opens faster after warm() than without it, and as fast as a bare frame', async () => {
  const [againstCold, againstFrame, warm, cold, frame] = await warmRows();
  record('warm', againstCold.value, { note: `${warm.value} ms and ${cold.value} ms` });
  const { row, value, target } = againstFrame;
  report(row, `${value} (${warm.value} ms and ${frame.value} ms)`, target);
});
