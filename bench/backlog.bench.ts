/** Delay of a business unit's webhooks while another has a long backlog and a responsive receiver. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, it } from 'vitest';
import {
  hasPostgres,
  startPostgres,
  startService,
  type Postgres,
  type Service,
} from '../e2e/harness/index.js';
import { median } from './measure.js';
import { record } from './results.mjs';
import { connectTo } from './postgres.js';
import { settings } from './targets.js';

const KEY = 'stg_key_of_the_bench';
const SECRETS = ['whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE='];
/** Response time of the backlog's receiver, ms. */
const RESPONSE_MS = Number(process.env['BENCH_ANSWER_MS'] ?? 50);
const BACKLOGS = [0, 300_000, 1_000_000];
const WEBHOOKS = 60;

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function idIn(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const { data } = JSON.parse(Buffer.concat(parts).toString()) as {
    data: { PaymentSessionIdentifier: string };
  };
  return data.PaymentSessionIdentifier;
}

async function cancel(service: Service, slug: string): Promise<string> {
  const { sessionId } = await service.create('payment', { BusinessUnitSlug: slug });
  const canceled = await service.post('/integrations/embedded/cancel', {
    BusinessUnitSlug: slug,
    PaymentSessionIdentifier: sessionId,
  });
  if (canceled.status !== 200) throw new Error(JSON.stringify(canceled.body));
  return sessionId;
}

/** Copies the only message of the busy business unit. All copies are due. */
async function fill(database: string, count: number): Promise<void> {
  const client = await connectTo(database);
  const found = await client.query(
    `select column_name as name from information_schema.columns where table_name = 'outbox'`,
  );
  const names = found.rows.map(({ name }) => String(name));
  const others: Record<string, string> = {
    id: `substr(id, 1, 12) || substr(md5(n::text || random()), 1, 20)`,
    status: `'pending'`,
    due_at: 'created_at - n',
    leased_until: '0',
  };
  await client.query(`insert into outbox (${names.join(', ')})
    select ${names.map((name) => others[name] ?? name).join(', ')}
    from generate_series(1, ${count}) as many(n), (select * from outbox limit 1) as one`);
  await client.query('vacuum analyze outbox');
  await client.end();
}

/** The p50 of the small business unit's webhooks, ms. */
async function delayBehind(postgres: Postgres, backlog: number): Promise<number> {
  const arrived = new Map<string, number>();
  const small = createServer((request, response) => {
    const at = performance.now();
    void idIn(request).then((id) => arrived.set(id, at));
    response.end();
  });
  const busy = createServer((request, response) => {
    request.resume();
    void delay(RESPONSE_MS).then(() => response.end());
  });
  const unit = (slug: string, url: string) => ({ slug, name: slug, webhook: { url, secrets: SECRETS } });
  const service = await startService({
    apiKey: KEY,
    database: await postgres.database(),
    config: {
      businessUnits: [unit('busy', await listen(busy)), unit('small', await listen(small))],
      apiKeys: [{ key: KEY, businessUnits: ['busy', 'small'] }],
      ...settings,
    },
  });
  await cancel(service, 'busy');
  await service.stop();
  await fill(service.database, backlog);
  await service.restart();
  await delay(2_000);

  const waits: number[] = [];
  for (let count = 0; count < WEBHOOKS; count++) {
    const startedAt = performance.now();
    const id = await cancel(service, 'small');
    while (!arrived.has(id)) await delay(1);
    waits.push((arrived.get(id) ?? Infinity) - startedAt);
    await delay(50);
  }
  await service.kill();
  for (const server of [busy, small]) {
    server.closeAllConnections();
    server.close();
  }
  return median(waits);
}

describe.runIf(hasPostgres)('PostgreSQL', () => {
  it('behind a long backlog', async () => {
    const postgres = await startPostgres();
    const delays: number[] = [];
    for (const backlog of BACKLOGS) delays.push(await delayBehind(postgres, backlog));
    const [none = 0, long = 0, longest = 0] = delays;
    record('backlog', long / none, {
      note: `p50 ${none.toFixed(0)} ms, ${long.toFixed(0)} ms, and ${longest.toFixed(0)} ms behind 1,000,000`,
    });
    await postgres.stop();
  });
});
