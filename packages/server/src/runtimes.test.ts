// Runs the client with Web APIs only: in this Node, and in Bun and Deno if installed.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signWebhook } from './testing.js';

const run = promisify(execFile);
const folder = await mkdtemp(join(tmpdir(), 'embedded-sessions-runtimes-'));
let server: Server;
let requests = 0;

const source = (path: string) => new URL(path, import.meta.url).pathname;
const PROGRAM = `
async function program({ createServiceClient, isServiceError, verifyWebhook }, baseUrl, webhook, secret) {
  const client = createServiceClient({ environment: 'staging', baseUrl, apiKey: 'k' });
  const { data, attempts } = await client.payments
    .create({ BusinessUnitSlug: 'x', Channel: 'QuickPay', Charges: [{ Amount: 1 }] })
    .withResponse();
  const refused = await client.sessions.retrieve('x', '1').catch((error) => isServiceError(error) && error.kind);
  const slow = await client.wallet
    .create({ BusinessUnitSlug: 'x', ClientUser: { EmailAddress: 'a@b.c' } }, { timeoutMs: 30, maxRetries: 0 })
    .catch((error) => error.kind);
  const closed = createServiceClient({ environment: 'staging', baseUrl: 'http://127.0.0.1:1', apiKey: 'k', maxRetries: 0 });
  const failed = await closed.sessions.retrieve('x', '1').catch((error) => error.kind);
  const event = await verifyWebhook(webhook.body, webhook.headers, secret);
  return JSON.stringify({ sessionId: data.sessionId, attempts: attempts.length, refused, slow, failed, event: event.type });
}`;
const WANTED = {
  sessionId: 's1',
  attempts: 2,
  refused: 'validation',
  slow: 'timeout',
  failed: 'connection',
  event: 'session.expired',
};
let givenToProgram: unknown[];

beforeAll(async () => {
  server = createServer((request, response) => {
    requests += 1;
    if (request.url?.endsWith('initiate-manage-wallet')) return;
    if (request.url?.endsWith('query'))
      response.writeHead(400).end('{"hasErrors":true,"errors":[],"data":null}');
    else if (requests === 1) response.socket?.destroy();
    else
      response.end(
        '{"hasErrors":false,"errors":[],"data":{"PaymentSessionIdentifier":"s1","PaymentLogInLink":"https://x.example/s/s1#x"}}',
      );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await build({
    configFile: false,
    logLevel: 'error',
    resolve: {
      alias: {
        '@embedded-sessions/server-types/back-office': source('../../server-types/src/back-office.ts'),
        '@embedded-sessions/server-types': source('../../server-types/src/index.ts'),
      },
    },
    build: {
      outDir: folder,
      target: 'es2022',
      lib: {
        entry: source('./index.ts'),
        name: 'client',
        formats: ['es', 'iife'],
        fileName: (format) => `client.${format}.js`,
      },
    },
  });
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const secret = `whsec_${btoa('a secret for three runtimes')}`;
  const webhook = await signWebhook(
    { type: 'session.expired', timestamp: '', data: { PaymentSessionIdentifier: 's1' } } as never,
    secret,
  );
  givenToProgram = [origin, webhook, secret];
}, 30_000);
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

const found = (name: string): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((directory) => join(directory, name))
    .find((file) => existsSync(file));

it('runs with Web APIs only', async () => {
  requests = 0;
  // A new context has only the language. Add the Web APIs that the client may use.
  const web = {
    fetch,
    Request,
    Response,
    Headers,
    URL,
    AbortController,
    AbortSignal,
    TextEncoder,
    TextDecoder,
  };
  const more = { crypto, performance, setTimeout, clearTimeout, setInterval, clearInterval, atob, btoa };
  const context = createContext({ ...web, ...more });
  runInContext(await readFile(join(folder, 'client.iife.js'), 'utf8'), context);
  runInContext(PROGRAM, context);
  expect(runInContext('typeof process + typeof Buffer + typeof global + typeof require', context)).toBe(
    'undefined'.repeat(4),
  );
  const program = runInContext('(...given) => program(client, ...given)', context) as (
    ...given: unknown[]
  ) => Promise<string>;
  expect(JSON.parse(await program(...givenToProgram))).toEqual(WANTED);
});

describe.each([
  ['node', []],
  ['bun', ['run']],
  ['deno', ['run', '--allow-net']],
])('%s', (name, options) => {
  const command = found(name);
  it.skipIf(command === undefined)('runs the client', async () => {
    requests = 0;
    const file = join(folder, `${name}.mjs`);
    const given = JSON.stringify(givenToProgram).slice(1, -1);
    await writeFile(
      file,
      `import * as client from './client.es.js';\n${PROGRAM}\nconsole.log(await program(client, ${given}));\n`,
    );
    const { stdout } = await run(command ?? name, [...options, file], { timeout: 20_000 });
    expect(JSON.parse(stdout)).toEqual(WANTED);
  });
});
