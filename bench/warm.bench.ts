/** Click to form in Chromium, 50 ms from the service, with and without `warm()`. */
import { it } from 'vitest';
import { record } from './results.mjs';
import { openedInTurns } from './warm.js';

it('opens faster after warm() than without it, and without it as fast as a bare frame', async () => {
  const { ms, ratio } = await openedInTurns();
  const note = (...opened: number[]): { note: string } => ({
    note: opened.map((one) => `${one.toFixed(0)} ms`).join(' and '),
  });
  record('warm', ratio('warm', 'cold'), note(ms.warm, ms.cold));
  record('frame', ratio('cold', 'frame'), note(ms.cold, ms.frame));
});
