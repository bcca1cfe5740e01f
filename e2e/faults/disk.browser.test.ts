/**
 * The embedded database on a failing disk. Every test run simulates a few power cuts; `pnpm test:faults` simulates a hundred
 * (POWER_CUTS).
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { startService, type Service } from '../harness/index.js';
import { seeded } from '../../packages/service/test/random.js';
import { hasDisk, makeDisk } from './disk.js';

const CUTS = Number(process.env['POWER_CUTS'] ?? 3);
/** Timings are meaningful only on an otherwise idle machine, as in the campaign. Syncs are always counted. */
const IS_QUIET = CUTS >= 100;

/** Clients that create sessions until stopped. `acknowledged` contains the confirmed sessions. */
function callers(service: Service, count: number): { acknowledged: string[]; stop(): Promise<void> } {
  const acknowledged: string[] = [];
  const stop = new AbortController();
  const work = async (): Promise<void> => {
    while (!stop.signal.aborted) acknowledged.push((await service.create('payment')).sessionId);
  };
  const working = Array.from({ length: count }, work);
  return {
    acknowledged,
    stop: async () => {
      stop.abort();
      await Promise.all(working);
    },
  };
}

const random = seeded('power cuts');
const settings = { rateLimit: { perSecond: 1_000_000, burst: 1_000_000 } };

describe.runIf(hasDisk)('the embedded database', () => {
  it(
    `D-9 keeps all acknowledged data through ${CUTS} power cuts under load`,
    { timeout: 120_000 + CUTS * 2_000 },
    async () => {
      const disk = makeDisk({ remember: true });
      const service = await startService({ settings, database: disk.database, variables: disk.variables });
      const load = callers(service, 8);
      const after = mkdtempSync(join(tmpdir(), 'embedded-sessions-cut-'));
      for (let cut = 0; cut < CUTS; cut++) {
        const enough = load.acknowledged.length + 1 + Math.floor(random() * 60);
        await expect
          .poll(() => load.acknowledged.length, { timeout: 60_000, interval: 1 })
          .toBeGreaterThan(enough);
        const acknowledged = load.acknowledged.slice();
        const database = new DatabaseSync(disk.cutPower(after));
        expect(database.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
        const there = new Set(
          database
            .prepare('select id from sessions')
            .all()
            .map(({ id }) => id),
        );
        database.close();
        expect(acknowledged.filter((id) => !there.has(id))).toEqual([]);
      }
      await load.stop();
      rmSync(after, { recursive: true });
      await service.stop();
    },
  );

  it(
    'R-61 shares a slow sync among many callers and keeps responding to others',
    { tags: 'thorough', timeout: 120_000 },
    async () => {
      const disk = makeDisk({ syncMs: 20 });
      const service = await startService({ settings, database: disk.database, variables: disk.variables });
      const measure = async (count: number, created: number) => {
        const syncsBefore = disk.syncs();
        const load = callers(service, count);
        const started = performance.now();
        await expect
          .poll(() => load.acknowledged.length, { timeout: 60_000, interval: 5 })
          .toBeGreaterThan(created);
        const ms = performance.now() - started;
        const done = load.acknowledged.length;
        await load.stop();
        const syncsEach = (disk.syncs() - syncsBefore) / load.acknowledged.length;
        return { perSecond: (done * 1000) / ms, syncsEach };
      };
      const one = await measure(1, 20);
      const waits: number[] = [];
      const probed = new AbortController();
      const probes = (async () => {
        while (!probed.signal.aborted) {
          const started = performance.now();
          await (await fetch(`${service.url}/healthz`)).text();
          waits.push(performance.now() - started);
        }
      })();
      const many = await measure(32, 400);
      probed.abort();
      await probes;
      const ratio = many.perSecond / one.perSecond;
      const healthz = waits.toSorted((a, b) => a - b)[Math.floor(waits.length / 2)]!;
      console.log(
        `32 callers against one: ${ratio.toFixed(1)} ×; ${many.syncsEach.toFixed(3)} syncs a create; /healthz p50 ${healthz.toFixed(1)} ms`,
      );
      expect(one.syncsEach).toBeGreaterThan(0.5);
      expect(many.syncsEach).toBeLessThan(0.2);
      if (IS_QUIET) {
        expect(ratio).toBeGreaterThan(8);
        expect(healthz).toBeLessThan(10);
      }
      await service.stop();
    },
  );

  it(
    'R-60 R-61 acknowledges nothing after a failed sync, and is unavailable until restarted',
    { tags: ['thorough'] },
    async () => {
      const disk = makeDisk({});
      const service = await startService({ database: disk.database, variables: disk.variables });
      const { sessionId } = await service.create('payment');
      disk.set('fails', true);
      const body = {
        BusinessUnitSlug: 'harborlight-water',
        Channel: 'QuickPay',
        Charges: [{ Amount: 100, Description: 'Water' }],
      };
      const refused = await service.post('/integrations/embedded/initiate', body);
      expect(refused).toMatchObject({
        status: 503,
        body: { hasErrors: true, errors: [{ code: 'unavailable' }] },
      });
      disk.set('fails', false);
      // A failed sync may have written any part of the data, and the next sync may not cover the rest.
      expect((await service.post('/integrations/embedded/initiate', body)).status).toBe(503);
      expect((await fetch(`${service.url}/readyz`)).status).toBe(503);
      expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
      await expect.poll(() => service.logs()).toMatch(/EIO/);
      await service.kill();
      await service.restart();
      expect(
        (
          await service.post('/integrations/embedded/query', {
            BusinessUnitSlug: 'harborlight-water',
            PaymentSessionIdentifier: sessionId,
          })
        ).status,
      ).toBe(200);
      await service.create('payment');
      await service.stop();
    },
  );

  it(
    'R-61 refuses writes while the disk is full, and recovers once there is space',
    { tags: 'thorough' },
    async () => {
      const disk = makeDisk({});
      const service = await startService({ database: disk.database, variables: disk.variables });
      await service.create('payment');
      const ready = async (): Promise<number> => (await fetch(`${service.url}/readyz`)).status;
      expect(await ready()).toBe(200);
      disk.set('full', true);
      const refused = await service.post('/integrations/embedded/initiate', {
        BusinessUnitSlug: 'harborlight-water',
        Channel: 'QuickPay',
        Charges: [{ Amount: 100, Description: 'Water' }],
      });
      expect(refused).toMatchObject({ status: 503, body: { errors: [{ code: 'unavailable' }] } });
      // The service caches a probe's result for 250 ms.
      await expect.poll(ready).toBe(503);
      disk.set('full', false);
      await service.create('payment');
      await expect.poll(ready).toBe(200);
      await service.stop();
    },
  );

  it(
    'R-61 works while the disk is too full for a checkpoint, which it repeats',
    { tags: ['thorough'] },
    async () => {
      const disk = makeDisk({});
      const service = await startService({ settings, database: disk.database, variables: disk.variables });
      const CustomMeta = { text: 'x'.repeat(240_000) };
      const createUntil = async (isDone: () => boolean): Promise<void> => {
        while (!isDone()) await service.create('payment', { CustomMeta });
      };
      disk.set('full-database', true);
      await createUntil(() => service.logs().includes('was not checkpointed'));
      const full = statSync(disk.database).size;
      disk.set('full-database', false);
      await createUntil(() => statSync(disk.database).size > full);
      expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
      await service.stop();
    },
  );

  it('R-50 makes its files readable only by their owner', { tags: ['thorough'] }, async () => {
    const service = await startService();
    await service.create('payment');
    for (const suffix of ['', '-wal', '-shm'])
      expect(statSync(service.database + suffix).mode & 0o777).toBe(0o600);
    await service.stop();
  });
});
