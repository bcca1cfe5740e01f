/** A restored backup is detected, and nothing else is mistaken for one. */
import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { describeOn } from '../../test/engines.js';
import { config } from '../../test/merchant.js';
import { open } from '../../test/payer.js';
import { hasPostgres, sharedPostgres, type Postgres } from '../../test/postgres.js';
import type { Deps } from '../deps.js';
import type { Store } from '../core/store.js';
import { Metrics } from '../platform/metrics.js';
import { opsApp } from '../platform/http/ops.js';
import type { PaymentProcessor } from '../processor/rules/port.js';
import type { SchedulePageSession } from '../shared/page.js';
import { startTestService, type OpenTestService } from '../start/test-service.js';
import { Jobs } from './jobs.js';
import { RestoreMarker, areJobsHeld } from './restore-marker.js';
import { commandLine } from '../cli/command-line.js';

const DAY_MS = 86_400_000;
const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-marker-'));
let postgres: Postgres | undefined;
beforeAll(async () => {
  if (hasPostgres) postgres = await sharedPostgres();
});
afterAll(async () => {
  await postgres?.stop();
  rmSync(folder, { recursive: true });
});

const ENGINES: [name: string, database: (like?: string) => Promise<string>][] = [
  [
    'SQLite',
    async (like) => {
      const file = join(folder, `${randomUUID()}.db`);
      if (like !== undefined) copyFileSync(like, file);
      return file;
    },
  ],
];
if (hasPostgres) ENGINES.push(['PostgreSQL', async (like) => (await postgres?.database(like)) ?? '']);

let file: string;
let database: string;
let charged: string[];
let service: OpenTestService | undefined;
let running: Jobs | undefined;
const warnings: string[] = [];
const log = {
  info: () => undefined,
  warn: (message: string) => void warnings.push(message),
  error: () => undefined,
};

beforeEach(() => {
  file = join(folder, `${randomUUID()}.marker`);
  charged = [];
  warnings.length = 0;
});
afterEach(async () => {
  vi.restoreAllMocks();
  await running?.stop();
  await service?.close();
  running = service = undefined;
});

const processor: PaymentProcessor = {
  tokenize: async () => ({ token: 'tok', last4: '4242' }),
  charge: async ({ attemptId }) => {
    charged.push(attemptId);
    return 'succeeded';
  },
  lookup: async () => 'never_seen',
};

const sessionKeyText = `k1:${'ab'.repeat(32)}`;
const marker = (path = file): RestoreMarker => new RestoreMarker(path, log, 0);
const start = (): Promise<OpenTestService> =>
  startTestService({ config: config(), processor, database, sessionKeyText });

/** A process that runs for some minutes. */
async function live(minutes: number, path = file): Promise<void> {
  const lived = await start();
  const own = marker(path);
  for (let minute = 0; minute < minutes; minute++) await own.beat(lived.deps.store, null);
  await lived.close();
}

/** Whether a process that starts now holds the jobs. */
async function holds(path = file): Promise<boolean> {
  await service?.close();
  service = await start();
  await marker(path).beat(service.deps.store, null);
  return service.deps.store.read(areJobsHeld);
}

async function resume(): Promise<string> {
  let output = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((part) => ((output += String(part)), true));
  await commandLine(['jobs', 'resume', '--database', database]);
  vi.restoreAllMocks();
  return output;
}

async function schedule({ fetch }: OpenTestService): Promise<void> {
  const page = await open(fetch, 'schedule-payment');
  const { earliest: date } = await page.get<SchedulePageSession>();
  const { id: methodId } = await page.addMethod();
  await page.schedule({ amount: 100, date, methodId });
}

describeOn(ENGINES)('on %s', (engine, newDatabase) => {
  beforeEach(async () => {
    database = await newDatabase();
  });

  it('R-96 after a restore, nothing is charged until the jobs are resumed', async () => {
    const first = await start();
    await schedule(first);
    await first.close();
    await live(2);
    const backup = await newDatabase(database);
    await live(3);
    database = backup;
    expect(await holds()).toBe(true);
    await service?.control.advance(2 * DAY_MS);
    expect(charged).toEqual([]);
    expect(await resume()).toBe('Jobs run again within a second.\n');
    await service?.control.advance(0);
    expect(charged).toHaveLength(1);
    expect(await resume()).toBe('Jobs are not held.\n');
    await live(3);
    expect(await holds()).toBe(false);
  });

  it('R-96 detects a backup of release 0.3, which counted no minutes, but not an upgrade from it', async () => {
    const old = await start();
    await open(old.fetch, 'payment');
    await old.close();
    const backup = await newDatabase(database);
    await live(3);
    expect(await holds()).toBe(false);
    const own = new RestoreMarker(file, log);
    await own.beat((service as OpenTestService).deps.store, null);
    await service?.close();
    database = backup;
    service = await start();
    expect(await own.beat(service.deps.store, null), 'under a running process').toBe(true);
    expect(await holds()).toBe(true);
    await resume();
    expect(await holds()).toBe(false);
  });

  it('R-96 detects the same backup restored again', async () => {
    await live(2);
    const [backup, other] = [await newDatabase(database), await newDatabase(database)];
    await live(3);
    database = backup;
    expect(await holds()).toBe(true);
    await resume();
    await service?.close();
    service = undefined;
    await live(5);
    database = other;
    expect(await holds()).toBe(true);
  });

  // The rest does not depend on the engine.
  if (engine === 'PostgreSQL') return;

  it('R-96 a running process reports the restore and runs no jobs until they are resumed', async () => {
    await live(2);
    const backup = await newDatabase(database);
    await live(3);
    database = backup;
    service = await start();
    await (await open(service.fetch, 'payment')).pay();
    service.deps.clock.offset = DAY_MS;
    const errors: string[] = [];
    const expired = vi.fn<() => void>();
    const { store } = service.deps;
    const deps: Deps = {
      ...service.deps,
      marker: marker(),
      log: { ...log, error: (message: string) => void errors.push(message) },
      store: {
        ...store,
        read: (work) => store.read((tx) => work({ ...tx, outbox: spied(tx.outbox, expired) })),
      },
      metrics: new Metrics(),
    };
    running = new Jobs(deps);
    running.start();
    await expect.poll(() => errors).toEqual([expect.stringContaining('jobs resume')]);
    const metrics = async (): Promise<string> => (await opsApp(deps).request('/metrics')).text();
    expect(await metrics()).toMatch(/^jobs_held 1$/m);
    expect(expired).not.toHaveBeenCalled();
    await resume();
    await expect.poll(() => expired.mock.calls.length).toBeGreaterThan(0);
    expect(await metrics()).toMatch(/^jobs_held 0$/m);
    expect(errors).toHaveLength(1);
  });

  it('R-96 a running process notices at its next poll that a backup replaced its database', async () => {
    await live(2);
    const backup = await newDatabase(database);
    await live(3);
    service = await start();
    database = backup;
    const restored = await start();
    onTestFinished(() => restored.close());
    let { store } = service.deps;
    const markOf = (each: Store) => each.read((tx) => tx.meta.get('restore-mark'));
    const before = await markOf(store);
    running = new Jobs({
      ...service.deps,
      marker: new RestoreMarker(file, log),
      store: {
        ...store,
        read: (work) => store.read(work),
        transaction: (work) => store.transaction(work),
      },
    });
    running.start();
    await expect.poll(() => markOf(store)).not.toBe(before);
    store = restored.deps.store;
    await expect.poll(() => store.read(areJobsHeld), { timeout: 10_000 }).toBe(true);
  });

  it('R-96 does not mistake a restart, second process or new machine for a restore', async () => {
    await live(3);
    expect(await holds()).toBe(false);
    const [one, two] = [await start(), await start()];
    const markers = [marker(), marker(), marker(join(folder, `${randomUUID()}.marker`))];
    for (let minute = 0; minute < 4; minute++)
      for (const each of markers) await each.beat((minute % 2 === 0 ? one : two).deps.store, null);
    expect(await one.deps.store.read(areJobsHeld)).toBe(false);
    await Promise.all([one.close(), two.close()]);
    expect(await holds(join(folder, `${randomUUID()}.marker`))).toBe(false);
    expect(await holds()).toBe(false);
  });

  it('R-96 does not mistake a failover that loses the last minute for a restore', async () => {
    const lived = await start();
    const own = marker();
    for (let minute = 0; minute < 3; minute++) await own.beat(lived.deps.store, null);
    await lived.close();
    const standby = await newDatabase(database);
    service = await start();
    await own.beat(service.deps.store, null);
    database = standby;
    expect(await holds()).toBe(false);
  });

  it('R-96 does not mistake a new database for a restored one', async () => {
    await live(5);
    database = await newDatabase();
    expect(await holds()).toBe(false);
  });
});

it('R-96 warns once if the marker cannot be written, and keeps running', async () => {
  database = join(folder, `${randomUUID()}.db`);
  await live(5, join(folder, 'no-such-folder', 'marker'));
  expect(warnings).toEqual([expect.stringContaining('cannot be read or written')]);
});

it('R-96 ignores a damaged marker', async () => {
  database = join(folder, `${randomUUID()}.db`);
  writeFileSync(file, '\0\0not a marker');
  await live(3);
  expect(await holds()).toBe(false);
});

/** Calls `seen` when a delivery looks for messages. */
function spied<T extends { unitsDue: (...args: never[]) => unknown }>(outbox: T, seen: () => void): T {
  return {
    ...outbox,
    unitsDue: (...args: Parameters<T['unitsDue']>) => {
      seen();
      return outbox.unitsDue(...args);
    },
  };
}
