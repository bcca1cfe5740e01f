/**
 * Seeded random histories on each engine. Every test run plays one; `npx -y pnpm@12 test:simulate` plays 10,000
 * (SIMULATE_HISTORIES). SIMULATE_ENGINE=PostgreSQL selects one engine, and `SIMULATE_SEED=123 npx -y pnpm@12
 * test:simulate` replays one history.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOn, startEngines } from '../../test/engines.js';
import { startReceiver, type Receiver } from '../../test/receiver.js';
import { live } from '../../test/simulation.js';

const only = process.env['SIMULATE_SEED'];
const HISTORIES = only === undefined ? Number(process.env['SIMULATE_HISTORIES'] ?? 1) : 1;
const FIRST = Number(only ?? process.env['SIMULATE_FROM'] ?? Math.floor(Math.random() * 1_000_000_000));

let receiver: Receiver;
const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-simulation-'));
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver.close();
  rmSync(folder, { recursive: true, force: true });
});

const engines = startEngines(() => join(folder, 'service.db'), process.env['SIMULATE_ENGINE']);

describeOn(engines)('on %s', (_, database) => {
  it(
    `R-44 R-54 R-80 R-83 R-98 the books of service, processor and webhooks agree after ${HISTORIES} histories, from seed ${FIRST}`,
    { timeout: 60_000 + HISTORIES * 30_000 },
    async () => {
      const place = await database();
      for (let seed = FIRST; seed < FIRST + HISTORIES; seed++) {
        const { problems, steps } = await live(seed, place, receiver);
        expect(problems, `SIMULATE_SEED=${seed}\n${steps.join('\n')}`).toEqual([]);
      }
    },
  );
});
