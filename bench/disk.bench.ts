/** The embedded database on a disk on which every sync takes 20 ms. */
import { describe, it } from 'vitest';
import { hasDisk, makeDisk } from '../e2e/faults/disk.js';
import { startService } from '../e2e/harness/index.js';
import { median } from './measure.js';
import { record } from './results.mjs';
import { settings } from './targets.js';

const SECONDS = 6;

describe.runIf(hasDisk)('a slow disk', () => {
  it('shares syncs among many callers', async () => {
    const disk = makeDisk({ syncMs: 20 });
    const service = await startService({ settings, database: disk.database, variables: disk.variables });
    /** Creates per second. */
    const speed = async (callers: number): Promise<number> => {
      let created = 0;
      const until = performance.now() + SECONDS * 1000;
      const work = async (): Promise<void> => {
        while (performance.now() < until) {
          await service.create('payment');
          created++;
        }
      };
      await Promise.all(Array.from({ length: callers }, work));
      return created / SECONDS;
    };
    await speed(4);
    const one = await speed(1);
    const waits: number[] = [];
    const probing = new AbortController();
    const probes = (async (): Promise<void> => {
      while (!probing.signal.aborted) {
        const started = performance.now();
        await (await fetch(`${service.url}/healthz`)).text();
        waits.push(performance.now() - started);
      }
    })();
    const before = disk.syncs();
    const many = await speed(32);
    const syncs = disk.syncs() - before;
    probing.abort();
    await probes;
    record('callers', many / one, { note: `${many.toFixed(0)} and ${one.toFixed(0)} a second` });
    record('syncs', syncs / (many * SECONDS));
    record('healthz', median(waits));
    await service.stop();
  });
});
