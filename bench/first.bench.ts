/** The first of the month on PostgreSQL: charges per second with 20,000 and with 2,000,000 due payments. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, it } from 'vitest';
import { hasPostgres, startPostgres } from '../e2e/harness/index.js';
import { startDue } from './due.js';
import { median } from './measure.js';
import { record } from './results.mjs';

const UNITS = 1_000;
const MANY = Number(process.env['DUE_PAYMENTS'] ?? 2_000_000);
const FEW = 20_000;
/** Measured seconds, after a warm-up. */
const SECONDS = 30;
const WARM_UP_MS = 10_000;
const CONCURRENCY = Number(process.env['DUE_CONCURRENCY'] ?? 500);

/** Payments charged in each second. */
async function charged(payments: number): Promise<number[]> {
  const postgres = await startPostgres();
  const units = Object.fromEntries(
    Array.from({ length: UNITS }, (_, place) => [`unit-${place}`, payments / UNITS]),
  );
  const { service, select } = await startDue(units, { concurrency: CONCURRENCY }, postgres);
  await delay(WARM_UP_MS + SECONDS * 1_000);
  const rows = await select(
    `select answered_at / 1000 as second, count(*) as n from attempts where answered_at is not null group by 1 order by 1`,
  );
  await service.kill();
  await postgres.stop();
  return rows.map(({ n }) => Number(n)).slice(WARM_UP_MS / 1_000, -1);
}

describe.runIf(hasPostgres)('PostgreSQL', () => {
  it('due payments', async () => {
    const [few, many] = [median(await charged(FEW)), median(await charged(MANY))];
    const minutes = (count: number): string => (count / many / 60).toFixed(0);
    record('first', many / few, {
      note: `${few.toFixed(0)} and ${many.toFixed(0)} a second by one process, so ${minutes(2_000_000)} minutes for 2,000,000`,
    });
  });
});
