/** Delay of a webhook's first attempt while half of a hundred business units have receivers that never respond. */
import { createServer, type AddressInfo } from 'node:net';
import { createServer as createHttpServer } from 'node:http';
import { describe, it } from 'vitest';
import { hasPostgres, startPostgres, startService } from '../e2e/harness/index.js';
import { record } from './results.mjs';
import { settings } from './targets.js';

const KEY = 'stg_key_of_the_bench';
const SECRETS = ['whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE='];
const UNITS = 50;
const ROUNDS = 8;

async function firstAttempts(database?: string): Promise<number[]> {
  const arrived = new Map<string, number>();
  const receiver = createHttpServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      const { data } = JSON.parse(body) as { data: { PaymentSessionIdentifier: string } };
      arrived.set(data.PaymentSessionIdentifier, performance.now());
      response.end();
    });
  });
  const hole = createServer((socket) => void socket.on('error', () => undefined));
  const listening = (server: typeof hole): Promise<string> =>
    new Promise((resolve) =>
      server.listen(0, '127.0.0.1', () =>
        resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`),
      ),
    );
  const [good, hung] = [await listening(receiver), await listening(hole)];
  const units = (name: string, url: string) =>
    Array.from({ length: UNITS }, (_, number) => ({
      slug: `${name}-${number}`,
      name: 'Unit',
      webhook: { url, secrets: SECRETS },
    }));
  const businessUnits = [...units('hung', hung), ...units('good', good)];
  const config = {
    businessUnits,
    apiKeys: [{ key: KEY, businessUnits: businessUnits.map(({ slug }) => slug) }],
    ...settings,
  };
  const service = await startService({
    config,
    apiKey: KEY,
    ...(database === undefined ? {} : { database }),
  });
  const canceled = new Map<string, number>();
  const cancel = async (slug: string): Promise<void> => {
    const made = await service.create('payment', { BusinessUnitSlug: slug });
    const at = performance.now();
    const response = await service.post('/integrations/embedded/cancel', {
      BusinessUnitSlug: slug,
      PaymentSessionIdentifier: made.sessionId,
    });
    if (response.status !== 200) throw new Error(JSON.stringify(response.body));
    if (slug.startsWith('good')) canceled.set(made.sessionId, at);
  };
  // The hanging receivers start with a backlog that keeps growing.
  for (let round = 0; round < ROUNDS; round++) for (const { slug } of businessUnits) await cancel(slug);
  const deadline = performance.now() + 60_000;
  while (arrived.size < canceled.size && performance.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 20));
  const waits = [...canceled].map(([id, at]) => (arrived.get(id) ?? Number.POSITIVE_INFINITY) - at);
  await service.kill();
  receiver.closeAllConnections();
  receiver.close();
  hole.close();
  return waits.toSorted((a, b) => a - b);
}

function report(id: 'webhooks-sqlite' | 'webhooks-postgres', waits: readonly number[]): void {
  const at = (share: number): number => waits[Math.ceil(waits.length * share) - 1] as number;
  record(id, at(0.99), {
    note: `${waits.length} webhooks, p50 ${at(0.5).toFixed(0)} ms, slowest ${at(1).toFixed(0)} ms`,
  });
}

it('embedded', async () => report('webhooks-sqlite', await firstAttempts()));

describe.runIf(hasPostgres)('PostgreSQL', () => {
  it('the same', async () => {
    const postgres = await startPostgres();
    report('webhooks-postgres', await firstAttempts(await postgres.database()));
    await postgres.stop();
  });
});
