/**
 * Simulates a night of payments and jobs in an hour on PostgreSQL. Compares CPU, WAL, memory and rows per payment in the
 * last third with the first. Run it with `pnpm bench night`, NIGHT_MINUTES.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, it } from 'vitest';
import { hasPostgres, startPostgres, startService } from '../e2e/harness/index.js';
import { startReceiver, WEBHOOK_SECRETS } from './floor.js';
import { cpuMs, median, residentMb, treeCpuMs } from './measure.js';
import { payingOnce } from './pay-once.js';
import { record } from './results.mjs';
import { connectTo, serverPid, type Pg } from './postgres.js';
import { settings } from './targets.js';

const MINUTES = Number(process.env['NIGHT_MINUTES'] ?? 60);
const HOURS = 10;
const PER_MINUTE = 150;
const AT_ONCE = 4;

/** Averages of one minute, per payment except for `memory`. */
interface Sample {
  /** Service and database, ms. */
  readonly cpu: number;
  /** kB */
  readonly wal: number;
  /** Resident memory of the service, MB. */
  readonly memory: number;
  /** Live rows in all tables. */
  readonly rows: number;
}

async function countOf(client: Pg): Promise<{ wal: number; rows: number }> {
  const { rows } = await client.query(
    `select pg_current_wal_lsn() - '0/0' as wal,
       (select sum(n_live_tup) from pg_stat_user_tables) as rows`,
  );
  return { wal: Number(rows[0]?.['wal']), rows: Number(rows[0]?.['rows']) };
}

describe.runIf(hasPostgres)('PostgreSQL', () => {
  it('a night', { timeout: 7_200_000 }, async () => {
    const postgres = await startPostgres({ autovacuum: true });
    const database = await postgres.database();
    const receiver = await startReceiver();
    const service = await startService({
      settings,
      database,
      businessUnit: { webhook: { url: receiver.url, secrets: WEBHOOK_SECRETS } },
    });
    const client = await connectTo(database);
    const server = await serverPid(database);
    const payOnce = payingOnce(receiver);
    const payMany = async (): Promise<void> => {
      let left = PER_MINUTE;
      const pay = async (): Promise<void> => {
        while (left-- > 0) await payOnce(service);
      };
      await Promise.all(Array.from({ length: AT_ONCE }, pay));
    };
    await payMany();

    const samples: Sample[] = [];
    const cpuNow = (): number => cpuMs(service.pid) + treeCpuMs(server);
    for (let minute = 0; minute < MINUTES; minute++) {
      const end = delay(60_000);
      const before = { cpu: cpuNow(), ...(await countOf(client)) };
      await payMany();
      await service.control.advance(`${Math.round((HOURS * 60) / MINUTES)}m`);
      await end;
      const after = await countOf(client);
      samples.push({
        cpu: (cpuNow() - before.cpu) / PER_MINUTE,
        wal: (after.wal - before.wal) / 1_000 / PER_MINUTE,
        memory: residentMb(service.pid),
        rows: (after.rows - before.rows) / PER_MINUTE,
      });
      console.log(minute, JSON.stringify(samples.at(-1)));
    }

    const third = Math.ceil(MINUTES / 3);
    const both = (name: keyof Sample): [number, number] => {
      const of = (part: Sample[]): number => median(part.map((sample) => sample[name]));
      return [of(samples.slice(0, third)), of(samples.slice(-third))];
    };
    const words = { wal: 'kB of WAL', memory: 'MB', rows: 'rows' } as const;
    const notes = Object.entries(words).map(([name, unit]) => {
      const [first, last] = both(name as keyof Sample);
      return `${first.toFixed(1)} and ${last.toFixed(1)} ${unit}`;
    });
    const [first, last] = both('cpu');
    record('night', last / first, {
      note: `${first.toFixed(1)} and ${last.toFixed(1)} ms of CPU, ${notes.join(', ')}`,
    });
    await client.end();
    await service.stop();
    receiver.stop();
    await postgres.stop();
  });
});
