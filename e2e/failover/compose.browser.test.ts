/**
 * Runs the setup of `deploy/compose.yaml` without its containers, whose images can't be pulled everywhere: the same flags and
 * proxy config, with loopback instead of host names.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { API_KEY, config, REQUESTS, SLUG } from '../../packages/service/test/merchant.js';
import { serverFolder, type ServerFolder } from '../../packages/service/test/postgres.js';
import { freePort, hasPostgres, startPostgres, type Postgres } from '../harness/index.js';
import { CARD, pay } from '../pages/stage.js';
import { until, type Daemon } from './daemon.js';
import { startProxy } from './proxy.js';

const at = (path: string): string => new URL(`../../packages/service/${path}`, import.meta.url).pathname;
const read = (name: string): string => readFileSync(at(`deploy/${name}`), 'utf8');
const flags = [...read('compose.yaml').matchAll(/^ {6}- (--.*|serve)$/gm)].map(([, flag = '']) => flag);

describe.runIf(process.env['FAILOVER'] === 'all' && hasPostgres)('R-61 the compose file', () => {
  let postgres: Postgres;
  let proxy: Daemon;
  let server: ServerFolder;
  let url: string;
  const processes: ChildProcess[] = [];

  beforeAll(async () => {
    postgres = await startPostgres();
    const database = await postgres.database();
    server = serverFolder();
    const [front, ...ports] = await Promise.all([freePort(), freePort(), freePort()]);
    url = `http://localhost:${front}`;
    const configFile = join(server.folder, 'service.config.json');
    writeFileSync(configFile, JSON.stringify(config()));
    for (const port of ports) {
      const given: Record<string, string | number> = {
        host: '127.0.0.1',
        port,
        'public-url': url,
        config: configFile,
      };
      const args = flags.map((flag) =>
        flag.replace(/^--([a-z-]+)=.*/, (whole, name: string) => {
          const value = given[name];
          return value === undefined ? whole : `--${name}=${value}`;
        }),
      );
      const env = { ...process.env, EMBEDDED_SESSIONS_DATABASE: database };
      processes.push(spawn(process.execPath, [at('dist/cli.js'), ...args], { env, stdio: 'ignore' }));
    }
    proxy = startProxy(server, front, ports[0], ports[1]);
    await until(
      async () => (await create()).status === 200,
      () => proxy.log(),
    );
  });
  afterAll(async () => {
    for (const child of processes) child.kill('SIGTERM');
    await proxy?.stop();
    await postgres?.stop();
    server?.remove();
  });

  const create = (): Promise<Response> =>
    fetch(`${url}/integrations/embedded/initiate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-service-api-key': API_KEY },
      body: JSON.stringify({ BusinessUnitSlug: SLUG, ...REQUESTS.payment, Charges: [{ Amount: 1234 }] }),
    });

  it('uses valid flags of the service', () => {
    expect(flags[0]).toBe('serve');
    expect(flags).toContain('--env=staging');
  });

  it('takes a payment through the proxy, which exposes only the paths of payers and merchants', async () => {
    const { data } = (await (await create()).json()) as {
      data: { PaymentSessionIdentifier: string; PaymentLogInLink: string };
    };
    expect(new URL(data.PaymentLogInLink).origin).toBe(url);
    expect((await fetch(data.PaymentLogInLink)).headers.get('content-security-policy')).toContain(
      'frame-ancestors',
    );
    expect((await fetch(`${url}/app/embedded.loader.js`)).status).toBe(200);
    const session = {
      sessionId: data.PaymentSessionIdentifier,
      sessionUrl: data.PaymentLogInLink,
      status: '',
    };
    expect(await pay(session, CARD)).toMatchObject({ status: 'succeeded' });
    for (const path of ['/healthz', '/readyz', '/openapi.json', '/metrics'])
      expect((await fetch(url + path)).status).toBe(404);
  });

  it.each([
    '/%72eadyz',
    '//readyz',
    '\\readyz',
    '/s\\..\\readyz',
    '/s/../readyz',
    '/s/%2e%2e/readyz',
    '/s/..;/readyz',
    '/s/..%2freadyz',
    '/app/%252e%252e/readyz',
    '/unsubscribe/..\\readyz',
    'http://localhost/s/../readyz',
    'http://localhost/readyz',
  ])('R-91 does not expose /readyz by another spelling: %s', async (path) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 40[04] /);
  });

  it('R-91 limits the connections of a client', async () => {
    const { hostname, port } = new URL(url);
    const sockets = Array.from({ length: 110 }, () => connect(Number(port), hostname));
    for (const socket of sockets) socket.on('error', () => undefined).resume();
    await until(
      () => Promise.resolve(sockets.filter(({ closed }) => closed).length >= 50),
      () => proxy.log(),
    );
    for (const socket of sockets) socket.destroy();
    expect((await create()).status).toBe(200);
  });

  it('R-91 asks a process only for requests that have arrived, so unfinished ones keep nobody waiting', async () => {
    const { port } = new URL(url);
    const request =
      'POST /integrations/embedded/initiate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 200000\r\n\r\n{';
    const sockets = Array.from({ length: 1000 }, (_, index) =>
      connect({ port: Number(port), host: '127.0.0.1', localAddress: `127.0.0.${2 + (index % 20)}` }),
    );
    for (const socket of sockets) socket.on('error', () => undefined).resume();
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.write(request, resolve))));
    for (let count = 0; count < 50; count++) expect((await create()).status).toBe(200);
    for (const socket of sockets) socket.destroy();
  });

  it('R-91 refuses HTTP/2, whose connections carry many requests each', async () => {
    const client = connectHttp2(url);
    const failed = new Promise<string>((resolve) => {
      client.on('error', () => undefined);
      const request = client.request({ ':path': '/s/abc' });
      request.on('response', () => resolve('answered')).on('error', () => resolve('refused'));
    });
    expect(await failed).toBe('refused');
    client.destroy();
  });

  it('keeps responding while one of its two processes is down', async () => {
    processes[0]?.kill('SIGKILL');
    // On a connection to the process that it had used before, HAProxy closes the client's instead of responding.
    const statusOf = () =>
      create().then(
        ({ status }) => status,
        () => 'closed',
      );
    await until(
      async () => (await statusOf()) === 200,
      () => proxy.log(),
    );
    for (let n = 0; n < 20; n++) expect([200, 'closed']).toContain(await statusOf());
    expect(await statusOf()).toBe(200);
  });
});
