/** CPU time of the service per session created, its start and its memory. Linux: reads /proc. */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  BUSINESS_UNIT,
  hasPostgres,
  startPostgres,
  startService,
  type Postgres,
  type Service,
} from '../e2e/harness/index.js';
import { cpuMs, inPairs, median, report, residentMb } from './measure.js';
import { installPrism, type Prism } from './prism.js';

const REQUESTS = Number(process.env['BENCH_REQUESTS'] ?? 2_000);
const AT_ONCE = 16;
const PER_SECOND = Number(process.env['BENCH_PER_SECOND'] ?? 50);
const settings = { rateLimit: { perSecond: 1_000_000, burst: 1_000_000 } };
const ROWS = Number(process.env['BENCH_ROWS'] ?? 1_000_000);

interface Target {
  readonly url: string;
  readonly pid: number;
  readonly apiKey: string;
}

let payers = 0;

async function create({ url, apiKey }: Target): Promise<void> {
  // Payers of different accounts: two that change one row wait for each other anywhere.
  const payer = ++payers % 500;
  const response = await fetch(`${url}/integrations/embedded/initiate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-api-key': apiKey },
    body: JSON.stringify({
      BusinessUnitSlug: BUSINESS_UNIT,
      Channel: 'QuickPay',
      Charges: [
        {
          Amount: 8412,
          Description: 'Water',
          ClientAccount: { AccountNumber: `100-${payer}`, Name: 'Dana Reyes' },
        },
      ],
      ClientUser: { EmailAddress: `payer-${payer}@example.com`, FirstName: 'Dana', LastName: 'Reyes' },
    }),
  });
  const body = (await response.json()) as { hasErrors?: boolean };
  if (body.hasErrors !== false) throw new Error(`${response.status} ${JSON.stringify(body)}`);
}

/** CPU µs per request, of all the targets together, without what their jobs use while nobody asks for anything. */
async function costOf(
  targets: readonly Target[],
  requests: number = REQUESTS,
  /** Evenly spaced; default: as fast as they are answered. */
  perSecond: number = Number.POSITIVE_INFINITY,
  againAtMost = 4,
): Promise<number> {
  const used = (): number => targets.reduce((sum, { pid }) => sum + cpuMs(pid), 0);
  const idleMs = 3_000;
  const atRest = used();
  await delay(idleMs);
  const idleShare = (used() - atRest) / idleMs;
  const started = performance.now();
  const before = used();
  let sent = 0;
  const work = async (): Promise<void> => {
    while (sent < requests) {
      const turn = sent++;
      const early = started + (turn * 1000) / perSecond - performance.now();
      if (early > 0) await delay(early);
      await create(targets[turn % targets.length] as Target);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const ms = performance.now() - started;
  // Behind its pace it is no more as busy as it was to be.
  if (Number.isFinite(perSecond) && ms > (1.1 * 1000 * requests) / perSecond) {
    if (againAtMost > 0) return costOf(targets, requests, perSecond, againAtMost - 1);
    throw new Error(`${perSecond} requests a second are too many for this machine: set BENCH_PER_SECOND.`);
  }
  return ((used() - before - idleShare * ms) * 1000) / requests;
}

let embedded: Service;
let bare: Target & { stop(): void };

beforeAll(async () => {
  embedded = await startService({ settings });
  const child = spawn(process.execPath, [join(import.meta.dirname, 'static-server.mjs')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise<string>((resolve) =>
    child.stdout.once('data', (data: Buffer) => resolve(data.toString().trim())),
  );
  bare = { url, pid: child.pid as number, apiKey: 'none', stop: () => void child.kill() };
  await costOf([embedded], 1_000);
  await costOf([bare], 1_000);
});
afterAll(async () => {
  bare.stop();
  await embedded.stop();
});

it('costs a few times what answering a constant costs', async () => {
  const { ours, theirs, ratio } = await inPairs(
    6,
    () => costOf([embedded]),
    () => costOf([bare]),
  );
  report(
    'Create a payment session (account and customer synced, committed), CPU per request, against Hono with the same validation and a constant answer',
    `${ratio.toFixed(1)} × (${ours.toFixed(0)} µs and ${theirs.toFixed(0)} µs)`,
    '≤ 6 ×',
  );
});

describe.runIf(process.env['BENCH_PRISM'] === '1')('against Prism', () => {
  let prism: Prism;
  beforeAll(() => {
    prism = installPrism();
  });
  afterAll(() => prism.remove());

  it.each([
    ['info', 'with the log that it comes with, as ours has'],
    ['silent', 'with its log off'],
  ] as const)('costs what it costs with its log at %s', async (log, said) => {
    const target: Target = { ...(await prism.start(log)), apiKey: 'none' };
    await costOf([target], 1_000);
    const { ours, theirs, ratio } = await inPairs(
      6,
      () => costOf([embedded]),
      () => costOf([target]),
    );
    report(
      `Create a payment session, CPU per request, against Prism mocking the same contract with no state, ${said}`,
      `${ratio.toFixed(2)} × (${ours.toFixed(0)} µs and ${theirs.toFixed(0)} µs)`,
      '≤ 0.5 ×',
    );
  });
});

it('costs the same with a database full of sessions', async () => {
  const small = await startService({ settings });
  const large = await startService({ settings });
  const seedOf = async (service: Service, rows: number): Promise<void> => {
    await service.create('payment');
    await service.stop();
    fill(service.database, rows);
    await service.restart();
    await costOf([service], 1_000);
  };
  await seedOf(small, 10_000);
  await seedOf(large, ROWS);
  const { ours, theirs, ratio } = await inPairs(
    6,
    () => costOf([large]),
    () => costOf([small]),
  );
  report(
    `The same with ${ROWS.toLocaleString('en')} sessions stored against 10,000`,
    `${ratio.toFixed(2)} (${ours.toFixed(0)} µs and ${theirs.toFixed(0)} µs)`,
    '≤ 1.15',
  );
  await Promise.all([small.stop(), large.stop()]);
});

describe.runIf(hasPostgres)('two processes on one PostgreSQL', () => {
  let postgres: Postgres;
  let one: Service;
  let two: readonly Service[];
  let apart: readonly Service[];
  beforeAll(async () => {
    postgres = await startPostgres();
    const start = (database: string): Promise<Service> =>
      startService({ settings, apiKey: 'stg_key_of_the_bench', database });
    const [shared, ...own] = [
      await postgres.database(),
      await postgres.database(),
      await postgres.database(),
      await postgres.database(),
    ] as const;
    one = await start(own[0]);
    two = [await start(shared), await start(shared)];
    apart = [await start(own[1]), await start(own[2])];
    // Each process as warm as every other.
    await costOf([one], 3_000);
    await costOf(two, 6_000);
    await costOf(apart, 6_000);
  });
  afterAll(async () => {
    await Promise.all([one, ...two, ...apart].map((service) => service.stop()));
    await postgres.stop();
  });

  it('cost what one costs, each as busy as that one', async () => {
    const { ours, theirs, ratio } = await inPairs(
      8,
      () => costOf(two, REQUESTS, 2 * PER_SECOND),
      () => costOf([one], REQUESTS / 2, PER_SECOND),
    );
    report(
      `Two processes on one PostgreSQL against one, CPU of the service per request, ${PER_SECOND} requests a second to each process`,
      `${ratio.toFixed(2)} (${ours.toFixed(0)} µs and ${theirs.toFixed(0)} µs)`,
      '≤ 1.1',
    );
  });

  it('cost what two cost that share nothing, as fast as they answer', async () => {
    const { ours, theirs, ratio } = await inPairs(
      6,
      () => costOf(two),
      () => costOf(apart),
    );
    report(
      'The same, as fast as they answer, against two processes with a database each',
      `${ratio.toFixed(2)} (${ours.toFixed(0)} µs and ${theirs.toFixed(0)} µs)`,
      '≤ 1.1',
    );
  });

  it('cost more per request the less busy each is, as one alone does', async () => {
    const spread = await inPairs(
      4,
      () => costOf(two),
      () => costOf([one]),
    );
    const idling = await inPairs(
      4,
      () => costOf([one], REQUESTS / 2, PER_SECOND),
      () => costOf([one]),
    );
    report(
      `For comparison: two processes with the load of one between them, against that one; one process at ${PER_SECOND} requests a second, against itself as fast as it answers`,
      `${spread.ratio.toFixed(2)}; ${idling.ratio.toFixed(2)}`,
      'no limit: tells how busy a process was',
    );
  });
});

it('starts at once and stays small', async () => {
  const starts: { ms: number; mb: number }[] = [];
  for (let i = 0; i < 11; i++) {
    const started = performance.now();
    const service = await startService();
    starts.push({ ms: performance.now() - started, mb: residentMb(service.pid) });
    await service.stop();
  }
  report(
    'Start on an empty database, to ready, and resident memory',
    `${median(starts.map(({ ms }) => ms)).toFixed(0)} ms, ${median(starts.map(({ mb }) => mb)).toFixed(0)} MB; ${residentMb(embedded.pid).toFixed(0)} MB after the load above`,
    '≤ 400 ms, ≤ 120 MB',
  );
  expect(starts).toHaveLength(11);
});

/** Copies the one session that is there, under other ids: what counts is how many there are. */
function fill(file: string, rows: number): void {
  interface Libsql {
    prepare(sql: string): { all(): { name: string }[]; run(): void };
    exec(sql: string): void;
    close(): void;
  }
  const ofService = createRequire(new URL('../packages/service/package.json', import.meta.url));
  const Database = ofService('libsql') as new (file: string) => Libsql;
  const database = new Database(file);
  const columns = database
    .prepare('pragma table_info(sessions)')
    .all()
    .map(({ name }) => name);
  const copied = columns.map((name) =>
    name === 'id'
      ? `substr(id, 1, 12) || lower(hex(randomblob(10)))`
      : name === 'client_reference'
        ? 'null'
        : name,
  );
  database.exec(
    `insert into sessions (${columns.join(', ')})
     with recursive many(n) as (select 1 union all select n + 1 from many where n < ${rows})
     select ${copied.join(', ')} from many, (select * from sessions limit 1)`,
  );
  database.close();
}
