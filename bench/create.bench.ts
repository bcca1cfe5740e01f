/** CPU time of the service per created session, compared with a bare framework and a mock of the same contract. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { it } from 'vitest';
import { startService } from '../e2e/harness/index.js';
import { inPairs } from './measure.js';
import { versionOf } from './peers.js';
import { startPrism } from './prism.js';
import { record } from './results.mjs';
import { costOf, REQUESTS, settings, type Target } from './targets.js';

/** V8 compiles hot code until about this many requests. */
const WARM = Number(process.env['BENCH_WARM'] ?? 12_000);

/** The median of seven rounds varies by 5 %, far less than what is missing to the target. */
const PAIRS = 9;
/** Prism takes twice as long, so fewer rounds show that. */
const PRISM_PAIRS = 5;

it('against Hono with the same validation, and Prism', async () => {
  const embedded = await startService({ settings });
  const child = spawn(process.execPath, [join(import.meta.dirname, 'static-server.mjs')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise<string>((resolve) =>
    child.stdout.once('data', (data: Buffer) => resolve(data.toString().trim())),
  );
  const bare: Target = { url, pid: child.pid as number, apiKey: 'none' };
  const prism = await startPrism();
  for (const target of [embedded, bare, prism]) await costOf([target], { requests: WARM });
  const compareWith = async (target: Target, pairs: number) =>
    inPairs(
      pairs,
      () => costOf([embedded]),
      () => costOf([target]),
    );
  const hono = await compareWith(bare, PAIRS);
  record('hono', hono.ratio, {
    note: `${hono.ours.toFixed(0)} µs and ${hono.theirs.toFixed(0)} µs, ${PAIRS} pairs of ${REQUESTS} after ${WARM}`,
  });
  const mock = await compareWith(prism, PRISM_PAIRS);
  record('prism', mock.ratio, {
    peers: [
      {
        name: '@stoplight/prism-cli',
        version: versionOf('@stoplight/prism-cli'),
        value: Number(mock.theirs.toFixed(0)),
        unit: 'µs',
      },
    ],
    note: `ours ${mock.ours.toFixed(0)} µs`,
  });
  child.kill();
  prism.stop();
  await embedded.stop();
});
