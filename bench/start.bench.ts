/** Duration and memory of a start. */
import { it } from 'vitest';
import { startService } from '../e2e/harness/index.js';
import { median, residentMb } from './measure.js';
import { record } from './results.mjs';

it('starts fast and uses little memory', async () => {
  const starts: { ms: number; mb: number }[] = [];
  for (let i = 0; i < 15; i++) {
    const started = performance.now();
    const service = await startService();
    starts.push({ ms: performance.now() - started, mb: residentMb(service.pid) });
    await service.stop();
  }
  const fastest = Math.min(...starts.map(({ ms }) => ms));
  record('start', median(starts.map(({ ms }) => ms)), {
    note: `fastest of ${starts.length}: ${fastest.toFixed(0)} ms`,
  });
  record('memory', median(starts.map(({ mb }) => mb)));
});
