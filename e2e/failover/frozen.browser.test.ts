/** One PostgreSQL server without a standby that stops answering: frozen, or with all packets dropped on the way. */
import { afterEach, describe, expect, it } from 'vitest';
import { ask } from '../../packages/service/test/postgres.js';
import { BUSINESS_UNIT, hasPostgres, startPostgres, startService, type Service } from '../harness/index.js';
import { startGate } from './gate.js';
import { CARD } from './load.js';
import { serverIn, signalAll } from './processes.js';

const ALL = process.env['FAILOVER'] === 'all';
const ANSWERED_MS = 20_000;
interface Trouble {
  /** Where the service finds its database. */
  readonly database: string;
  begin(): void;
  end(): void;
}

const TROUBLES = {
  'is frozen': async (database) => {
    const [row] = await ask(database, 'show data_directory');
    const pid = serverIn(String(row!['data_directory']));
    if (pid === undefined) throw new Error('The server is not where it says.');
    const thaw = (): void => signalAll(pid, 'SIGCONT');
    stops.push(thaw);
    return { database, begin: () => signalAll(pid, 'SIGSTOP'), end: thaw };
  },
  'takes connections and answers nothing': async (database) => {
    const gate = await startGate();
    stops.push(() => gate.stop());
    const through = new URL(database);
    const port = Number(through.port);
    gate.leadTo(port);
    through.port = String(gate.port);
    return { database: through.href, begin: () => gate.cut(), end: () => gate.leadTo(port) };
  },
} satisfies Record<string, (database: string) => Promise<Trouble>>;

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

describe.runIf(ALL && hasPostgres && process.env['DATABASE_URL'] === undefined)('a database that', () => {
  it.each(Object.entries(TROUBLES))(
    'R-61 %s: whatever is asked is answered by 503, and served again without a restart',
    async (what, make) => {
      const postgres = await startPostgres();
      stops.push(() => postgres.stop());
      const trouble = await make(await postgres.database());
      const service = await startService({ database: trouble.database });
      stops.push(() => service.kill());
      const { sessionUrl } = await service.create('payment');
      trouble.begin();
      // Twice, so that more wait than there are connections.
      const asked = [...askEverything(service, sessionUrl), ...askEverything(service, sessionUrl)];
      const answers = await Promise.all(asked);
      const slowest = Math.max(...answers.map(({ ms }) => ms));
      trouble.end();
      const from = performance.now();
      await expect
        .poll(
          () =>
            service.create('payment').then(
              () => true,
              () => false,
            ),
          { timeout: ANSWERED_MS },
        )
        .toBe(true);
      console.log(
        `${what}: ${answers.length} requests, slowest ${Math.round(slowest)} ms; served again ${Math.round(performance.now() - from)} ms after`,
      );
      expect(answers.filter(({ status, retryAfter }) => status !== 503 || !retryAfter)).toEqual([]);
      expect(slowest).toBeLessThan(ANSWERED_MS);
      for (const { status } of await Promise.all(askReads(service, sessionUrl))) expect(status).toBe(200);
    },
    90_000,
  );
});

interface Asked {
  readonly what: string;
  readonly status: number;
  readonly retryAfter: boolean;
  readonly ms: number;
}

async function timed(what: string, url: string, init: RequestInit = {}): Promise<Asked> {
  const from = performance.now();
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(60_000) });
  await response.text();
  // A probe asks in its own rhythm.
  const retryAfter = what === '/readyz' || response.headers.has('retry-after');
  return { what, status: response.status, retryAfter, ms: performance.now() - from };
}

function askReads(service: Service, link: string): Promise<Asked>[] {
  const { pathname, hash } = new URL(link);
  const headers = { authorization: `Bearer ${hash.slice(1)}` };
  return [
    timed('/readyz', `${service.url}/readyz`),
    timed('hosted page', `${service.url}${pathname}`),
    timed('session', `${service.url}${pathname}/api/session`, { headers }),
  ];
}

function askEverything(service: Service, link: string): Promise<Asked>[] {
  const { pathname, hash } = new URL(link);
  const post = (what: string, path: string, headers: Record<string, string>, body: unknown): Promise<Asked> =>
    timed(what, `${service.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const merchant = (path: string, body: Record<string, unknown>): Promise<Asked> =>
    post(path, path, { 'x-service-api-key': service.apiKey }, { BusinessUnitSlug: BUSINESS_UNIT, ...body });
  const page = (path: string, body: unknown): Promise<Asked> =>
    post(path, `${pathname}/api/${path}`, { authorization: `Bearer ${hash.slice(1)}` }, body);
  const id = pathname.split('/').at(-1);
  const ClientUser = { EmailAddress: 'dana@example.com' };
  const managed = { ClientUser, SyncAccount: true, ClientAccount: { AccountNumber: '100' } };
  const initiate = '/integrations/embedded/initiate';
  return [
    ...askReads(service, link),
    page('pay', {
      attemptId: crypto.randomUUID(),
      source: CARD,
      saveMethod: false,
      charges: [{ index: 0, amount: 1_234 }],
      fields: {},
    }),
    page(`attempts/${crypto.randomUUID()}/abandon`, {}),
    page('done', {}),
    merchant(initiate, { Channel: 'QuickPay', Charges: [{ Amount: 100 }] }),
    merchant(`${initiate}-manage-autopay`, managed),
    merchant(`${initiate}-manage-wallet`, { ClientUser }),
    merchant(`${initiate}-manage-paperless`, managed),
    merchant(`${initiate}-schedule-payment-session`, managed),
    merchant(`${initiate}-manage-schedule-payments`, managed),
    merchant(`${initiate}-manage-notifications`, { ClientUser }),
    merchant('/integrations/embedded/query', { PaymentSessionIdentifier: id }),
    merchant('/integrations/embedded/cancel', { PaymentSessionIdentifier: id }),
    merchant('/integrations/payments/list', { Limit: 5 }),
    merchant('/integrations/payments/refund', { PaymentIdentifier: crypto.randomUUID() }),
    merchant('/integrations/autopay/charge', { AccountNumber: '100', Amount: 100, ClientReference: 'one' }),
  ];
}
