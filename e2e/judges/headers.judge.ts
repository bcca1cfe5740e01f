/**
 * Applies the rules of MDN's HTTP Observatory to every route of every port. Its scanner needs a public host with TLS, so
 * this passes our responses to its tests directly. Omits two tests of TLS, which is the proxy's job.
 */
import type { Requests, Test } from './observatory.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FLOWS } from '@embedded-sessions/server-types';
import { startOrigin, startService, type Service } from '../harness/index.js';
import { installed } from './installed.js';

const at = (path: string): string => `@mdn/mdn-http-observatory/src/${path}`;
const { ALL_TESTS } = await installed<{ ALL_TESTS: Test[] }>(at('constants.js'));
const types = await installed<{ Requests: new (host: string) => Requests }>(at('types.js'));
const { parseHttpEquivHeaders } = await installed<{
  parseHttpEquivHeaders: (html: string, url: string) => Map<string, string[]>;
}>(at('retriever/utils.js'));
const { getScoreModifier } = await installed<{ getScoreModifier: (result: string) => number }>(
  at('grader/grader.js'),
);

const OF_TLS: ReadonlySet<string> = new Set(['redirectionTest', 'strictTransportSecurityTest']);
const ours = ALL_TESTS.filter(({ name }) => !OF_TLS.has(name));

/** Headers as axios exposes them: by name, with a getter. */
const listed = (headers: Headers): Record<string, string> =>
  Object.assign(Object.create({ get: (name: string) => headers.get(name) }), Object.fromEntries(headers));

/** Tests that an address fails or loses points in. */
async function failed(url: string, headers: Record<string, string> = {}): Promise<string[]> {
  const response = await fetch(url, { headers, redirect: 'manual' });
  const text = await response.text();
  const preflight = await fetch(url, {
    method: 'OPTIONS',
    headers: { origin: 'https://observatory.example', 'access-control-request-method': 'GET' },
  });
  const isHtml = response.headers.get('content-type')?.startsWith('text/html') === true;
  const requests = new types.Requests(new URL(url).hostname);
  requests.responses.auto = {
    headers: listed(response.headers),
    status: response.status,
    verified: true,
    httpEquiv: isHtml ? parseHttpEquivHeaders(text, url) : new Map(),
  };
  requests.responses.cors = { headers: listed(preflight.headers), request: { headers: {} } };
  requests.resources.path = isHtml ? text : null;
  const cookies = response.headers.getSetCookie();
  requests.session = { url: new URL(url), jar: { serializeSync: () => ({ cookies }) } };
  return ours
    .map((test) => [test.name, test(requests)] as const)
    .filter(([, { pass, result }]) => !pass || getScoreModifier(result) < 0)
    .map(([name, { result }]) => `${name}: ${result}`);
}

let staging: Service;
let production: Service;
let session: string;
beforeAll(async () => {
  const allowedOrigins = ['https://shop.example'];
  staging = await startService({ allowedOrigins, args: ['--ops-port', '0', '--inspector-port', '0'] });
  production = await startService({ env: 'production', allowedOrigins });
  session = new URL((await staging.create('payment')).sessionUrl).pathname;
});
afterAll(async () => {
  await staging?.stop();
  await production?.stop();
});

describe('R-3 HTTP Observatory finds nothing', () => {
  const paths = (): string[] => [
    ...Object.values(FLOWS).map(({ endpoint }) => endpoint),
    ...['query', 'cancel'].map((name) => `/integrations/embedded/${name}`),
    ...['payments/refund', 'payments/list', 'autopay/charge', 'events'].map(
      (name) => `/integrations/${name}`,
    ),
    session,
    `${session}/framing`,
    `${session}/api/session`,
    '/s/stg_unknown',
    '/s/prd_other',
    '/app/embedded.loader.js',
    '/assets/nothing.js',
    '/healthz',
    '/readyz',
    '/openapi.json',
    '/',
    '/nothing',
  ];
  it('on the public port', async () => {
    for (const service of [staging, production])
      for (const path of paths()) expect([path, await failed(service.url + path)]).toEqual([path, []]);
  });

  it('on a page’s own files', async () => {
    const html = await (await fetch(staging.url + session)).text();
    const files = [...html.matchAll(/"\.\.(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
    expect(files.length).toBeGreaterThan(3);
    for (const path of files) expect([path, await failed(staging.url + path)]).toEqual([path, []]);
  });

  it('on the ops port, the control API and the inspector', async () => {
    const [, ops] = /"ops":"([^"]+)"/.exec(staging.logs()) ?? [];
    const [, control] = /"control":"([^"]+)"/.exec(staging.logs()) ?? [];
    const { origin } = new URL(staging.inspector);
    const accept = { accept: 'text/html' };
    for (const [base, path] of [
      ...['/metrics', '/healthz', '/nothing'].map((path) => [ops, path]),
      ...['/state', '/nothing'].map((path) => [control, path]),
      ...['/about', '/events', '/inspector/inspector.js', '/inspector/inspector.css'].map((path) => [
        origin,
        path,
      ]),
    ])
      expect([path, await failed(`${base}${path}`)]).toEqual([path, []]);
    expect(await failed(`${origin}/`, accept)).toEqual([]);
  });

  it('unless a header is missing', async () => {
    const bare = await startOrigin({ routes: { '/': '<title>x</title>' } });
    expect(await failed(bare.url)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^contentSecurityPolicyTest/),
        expect.stringMatching(/^xContentType/),
      ]),
    );
    await bare.stop();
  });
});
