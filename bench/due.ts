/** Services with due scheduled payments, and a processor that takes a second per charge. */
import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { startService, type Postgres, type Service } from '../e2e/harness/index.js';
import { open } from '../packages/service/test/payer.js';
import { connectTo } from './postgres.js';

const KEY = 'stg_key_of_the_bench';

export interface Due {
  readonly service: Service;
  readonly select: (sql: string) => Promise<Record<string, unknown>[]>;
}

/**
 * Starts a service that immediately starts charging.
 * @param units business units, each with its number of payments
 */
export async function startDue(
  units: Readonly<Record<string, number>>,
  processor: Record<string, number>,
  postgres?: Postgres,
): Promise<Due> {
  const database = await postgres?.database();
  const slugs = Object.keys(units);
  const service = await startService({
    apiKey: KEY,
    config: {
      businessUnits: slugs.map((slug) => ({ slug, name: slug })),
      apiKeys: [{ key: KEY, businessUnits: slugs }],
      rateLimit: { perSecond: 1_000_000, burst: 1_000_000 },
      processor,
    },
    args: ['--processor', new URL('slow-processor.mjs', import.meta.url).pathname],
    variables: { SLOW_MS: '1000' },
    ...(database === undefined ? {} : { database }),
  });
  const send = (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = { ...(init.headers as Record<string, string>) };
    if ('x-service-api-key' in headers) headers['x-service-api-key'] = KEY;
    return fetch(new URL(path, service.url), { ...init, headers });
  };
  for (const slug of slugs) {
    const page = await open(send, 'schedule-payment', { BusinessUnitSlug: slug });
    const { earliest: date } = await page.get<{ earliest: string }>();
    const { id: methodId } = await page.addMethod();
    await page.post('schedule', { requestId: randomUUID(), amount: 100, date, methodId });
  }
  await service.stop();
  const select = selectFrom(service.database);
  const columns = 'business_unit, session_id, account_id, customer_id, method_id, amount, created_at';
  const numbers =
    database === undefined
      ? `(with recursive many(n) as (select 1 union all select n + 1 from many where n < 2000) select n from many)`
      : `generate_series(1, ${Math.max(...Object.values(units))}) as many(n)`;
  const counts = [...new Set(Object.values(units))];
  await select(`create table one as select * from schedules`);
  for (const count of counts) {
    const of = slugs.filter((slug) => units[slug] === count).map((slug) => `'${slug}'`);
    await select(`insert into schedules (id, request_id, date, status, ${columns})
      select id || '_' || n, request_id || n, '2026-01-01', 'scheduled', ${columns}
      from one, ${numbers} where n < ${count} and business_unit in (${of.join(', ')})`);
  }
  await select(`drop table one`);
  await select(`update schedules set date = '2026-01-01' where date > '2026-01-01'`);
  await select('analyze');
  await service.restart();
  return { service, select };
}

/** A query on a database. */
function selectFrom(database: string): Due['select'] {
  if (!database.startsWith('postgres')) {
    return async (sql) => {
      const file = new DatabaseSync(database, { timeout: 20_000 });
      try {
        return file.prepare(sql).all();
      } finally {
        file.close();
      }
    };
  }
  return async (sql) => {
    const client = await connectTo(database);
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  };
}
