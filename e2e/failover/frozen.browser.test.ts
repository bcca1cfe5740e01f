/** One PostgreSQL server without a standby stops responding: it is frozen, or all packets are dropped. */
import { afterEach, describe, expect, it } from 'vitest';
import { HANDLERS } from '../../packages/service/src/hosted-pages/api/handlers.js';
import { ask } from '../../packages/service/test/postgres.js';
import { BUSINESS_UNIT, hasPostgres, startPostgres, startService, type Service } from '../harness/index.js';
import { startGate } from '../../packages/service/test/gate.js';
import { CARD } from './load.js';
import { serverIn, signalAll } from './processes.js';

const ALL = process.env['FAILOVER'] === 'all';
const RESPONSE_TIMEOUT_MS = 20_000;
interface Trouble {
  /** The database address that the service uses. */
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
  'accepts connections and never responds': async (database) => {
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
    'R-61 %s: responds with 503, and recovers without a restart',
    async (what, make) => {
      const postgres = await startPostgres();
      stops.push(() => postgres.stop());
      const trouble = await make(await postgres.database());
      const service = await startService({ database: trouble.database });
      stops.push(() => service.kill());
      const { sessionUrl } = await service.create('payment');
      const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as Document;
      trouble.begin();
      // Twice, so that there are more waiting requests than connections.
      const requests = [
        ...sendEverything(service, sessionUrl, document),
        ...sendEverything(service, sessionUrl, document),
      ];
      // Routes without a database still respond.
      const framing = `${new URL(sessionUrl).pathname}/framing`;
      for (const path of ['/healthz', '/openapi.json', '/app/embedded.loader.js', framing])
        expect(await timed(path, `${service.url}${path}`)).toMatchObject({ status: 200 });
      const responses = await Promise.all(requests);
      const slowest = Math.max(...responses.map(({ ms }) => ms));
      trouble.end();
      const from = performance.now();
      await expect
        .poll(
          () =>
            service.create('payment').then(
              () => true,
              () => false,
            ),
          { timeout: RESPONSE_TIMEOUT_MS },
        )
        .toBe(true);
      console.log(
        `${what}: ${responses.length} requests, slowest ${Math.round(slowest)} ms; served again ${Math.round(performance.now() - from)} ms after`,
      );
      expect(responses.filter(({ status, retryAfter }) => status !== 503 || !retryAfter)).toEqual([]);
      expect(slowest).toBeLessThan(RESPONSE_TIMEOUT_MS);
      // The service caches the result for 250 ms.
      await expect.poll(() => timed('/readyz', `${service.url}/readyz`)).toMatchObject({ status: 200 });
      for (const { status } of await Promise.all(sendReads(service, sessionUrl))) expect(status).toBe(200);
    },
    90_000,
  );
});

interface TimedResponse {
  readonly what: string;
  readonly status: number;
  readonly retryAfter: boolean;
  readonly ms: number;
}

async function timed(what: string, url: string, init: RequestInit = {}): Promise<TimedResponse> {
  const from = performance.now();
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(60_000) });
  await response.text();
  // Probes poll at their own interval.
  const retryAfter = what === '/readyz' || response.headers.has('retry-after');
  return { what, status: response.status, retryAfter, ms: performance.now() - from };
}

function sendReads(service: Service, link: string): Promise<TimedResponse>[] {
  const { pathname, hash } = new URL(link);
  const headers = { authorization: `Bearer ${hash.slice(1)}` };
  return [
    timed('/readyz', `${service.url}/readyz`),
    timed('hosted page', `${service.url}${pathname}`),
    timed('session', `${service.url}${pathname}/api/session`, { headers }),
  ];
}

/** Every route in the OpenAPI document and every route of the page, so that new ones are included. */
function sendEverything(service: Service, link: string, { paths }: Document): Promise<TimedResponse>[] {
  const { pathname, hash } = new URL(link);
  const post = (path: string, headers: Record<string, string>, body: unknown): Promise<TimedResponse> =>
    timed(path.replace(pathname, '/s/*'), `${service.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const key = { 'x-service-api-key': service.apiKey };
  const authorization = { authorization: `Bearer ${hash.slice(1)}` };
  const pay = {
    attemptId: crypto.randomUUID(),
    source: CARD,
    saveMethod: false,
    charges: [{ index: 0, amount: 1_234 }],
    fields: {},
  };
  const ofPage = Object.keys(HANDLERS).flatMap((route) => {
    const [method, path = ''] = route.split(' ');
    const own = `${pathname}/api/${path.replace(/:\w+/, crypto.randomUUID())}`;
    return method === 'POST' ? [post(own, authorization, path === 'pay' ? pay : {})] : [];
  });
  const ofMerchant = Object.entries(paths).flatMap(([path, { post: operation }]) => {
    const example = operation?.requestBody?.content['application/json'].example;
    if (example === undefined) return [];
    const slug = 'businessUnitSlug' in example ? 'businessUnitSlug' : 'BusinessUnitSlug';
    return [post(path, key, { ...example, [slug]: BUSINESS_UNIT })];
  });
  return [
    ...sendReads(service, link),
    timed('framing.js', `${service.url}${pathname}/framing.js?origins=https%3A%2F%2Fshop.example`),
    ...ofPage,
    ...ofMerchant,
  ];
}

/** The parts of the OpenAPI document that this file uses. */
interface Document {
  readonly paths: Readonly<
    Record<
      string,
      {
        readonly post?: {
          readonly requestBody?: {
            readonly content: { readonly 'application/json': { readonly example?: object } };
          };
        };
      }
    >
  >;
}
