/** What a create costs the more there is: sessions stored, charges. */
import { createRequire } from 'node:module';
import { it } from 'vitest';
import { startService, type Service } from '../e2e/harness/index.js';
import { inPairs } from './measure.js';
import { record } from './results.mjs';
import { costOf, settings } from './targets.js';

const COUNTS = [1_000, 10_000, 100_000, 1_000_000];

async function holding(rows: number): Promise<Service> {
  const service = await startService({ settings });
  await service.create('payment');
  await service.stop();
  fill(service.database, rows);
  await service.restart();
  await costOf([service], { requests: 2_000 });
  return service;
}

it('with more sessions stored', async () => {
  const services = new Map<number, Service>();
  for (const count of COUNTS) services.set(count, await holding(count));
  const of = (count: number) => () => costOf([services.get(count) as Service], { requests: 1_000 });
  const points = [{ x: 1_000, value: 1 }];
  for (const count of COUNTS.slice(1)) {
    const { ratio } = await inPairs(5, of(count), of(1_000));
    points.push({ x: count, value: Number(ratio.toFixed(2)) });
  }
  record('sessions', points.at(-1)?.value ?? Number.NaN, { points });
  const { ours, theirs, ratio } = await inPairs(7, of(1_000_000), of(10_000));
  record('million', ratio, { note: `${ours.toFixed(0)} µs and ${theirs.toFixed(0)} µs` });
  await Promise.all([...services.values()].map((service) => service.stop()));
});

it('with more charges', async () => {
  const service = await startService({ settings });
  const of = (charges: number) => (): Promise<number> => costOf([service], { requests: 600, charges });
  await of(1)();
  await of(25)();
  const points = [{ x: 1, value: 1 }];
  for (const charges of [10, 25]) {
    const { ratio } = await inPairs(5, of(charges), of(1));
    points.push({ x: charges, value: Number(ratio.toFixed(2)) });
  }
  record('charges', points.at(-1)?.value ?? Number.NaN, { points });
  await service.stop();
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
