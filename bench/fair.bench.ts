/** 20 scheduled payments of one business unit behind 2,000 of another, with a processor that takes a second for each. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, it } from 'vitest';
import { hasPostgres, startPostgres, type Postgres } from '../e2e/harness/index.js';
import { startDue } from './due.js';
import { record } from './results.mjs';

/** Seconds from the very first charge to the last charge of the small business unit. */
async function lastBegins(postgres?: Postgres): Promise<number> {
  const { service, select } = await startDue({ large: 2_000, small: 20 }, {}, postgres);
  const small = async (): Promise<number> =>
    Number((await select(`select count(*) as n from attempts where business_unit = 'small'`))[0]?.['n']);
  while ((await small()) < 20) await delay(200);
  const [found] = await select(
    `select max(case business_unit when 'small' then created_at end) - min(created_at) as ms from attempts`,
  );
  await service.kill();
  return Number(found?.['ms']) / 1_000;
}

it('embedded', async () => record('fair-sqlite', await lastBegins()));

describe.runIf(hasPostgres)('PostgreSQL', () => {
  it('the same', async () => {
    const postgres = await startPostgres();
    record('fair-postgres', await lastBegins(postgres));
    await postgres.stop();
  });
});
