/**
 * Tests the built command line as an operator uses it, with one error per command. packages/service/src/cli tests the
 * other errors without a process.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const CLI = new URL('../../packages/service/dist/cli.js', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-cli-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const UNIT = 'harborlight-water';
const KEY = 'stg_key_in_the_config';
const unit = { slug: UNIT, name: 'Harborlight Water' };
let files = 0;
const configFile = (value: unknown): string => {
  const file = join(folder, `config-${++files}.json`);
  writeFileSync(file, JSON.stringify(value));
  return file;
};
const CONFIG = configFile({ businessUnits: [unit], apiKeys: [{ key: KEY, businessUnits: [UNIT] }] });
const HASHED = configFile({ businessUnits: [unit] });

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

const children = new Set<ChildProcess>();
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

function command(
  args: readonly string[],
  variables: Record<string, string> = {},
  stderr: number | 'pipe' = 'pipe',
) {
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd: folder,
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'pipe', stderr],
  });
  children.add(child);
  const ended: Ended = { code: null, stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (ended.stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (ended.stderr += text));
  const done = new Promise<Ended>((resolve) => {
    child.once('close', (code) => {
      children.delete(child);
      resolve({ ...ended, code });
    });
  });
  return { child, done, sofar: ended };
}

const run = (...args: string[]): Promise<Ended> => command(args).done;

interface Ready {
  ready: true;
  env: string;
  url: string;
  control?: string;
  inspector?: string;
  warning?: string;
}

async function serve(
  args: readonly string[],
  variables: Record<string, string> = {},
  stderr: number | 'pipe' = 'pipe',
) {
  const started = command(['serve', '--port', '0', ...args], variables, stderr);
  const early = started.done.then(({ code, stderr }) => {
    throw new Error(`ended with ${code} before it was ready: ${stderr}`);
  });
  const line = new Promise<Ready>((resolve) => {
    started.child.stdout?.on('data', () => {
      const [first, rest] = started.sofar.stdout.split('\n');
      if (rest !== undefined) resolve(JSON.parse(first ?? '') as Ready);
    });
  });
  const ready = await Promise.race([line, early]);
  early.catch(() => undefined);
  const post = async (path: string, body: unknown, key: string) => {
    const response = await fetch(ready.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-service-api-key': key },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as { data: Record<string, string> } };
  };
  return {
    ...started,
    ready,
    create: (key = KEY) =>
      post(
        '/integrations/embedded/initiate',
        { BusinessUnitSlug: UNIT, Channel: 'QuickPay', Charges: [{ Amount: 100 }] },
        key,
      ),
    query: (PaymentSessionIdentifier: string, key = KEY) =>
      post('/integrations/embedded/query', { BusinessUnitSlug: UNIT, PaymentSessionIdentifier }, key),
    stop: () => {
      started.child.kill('SIGTERM');
      return started.done;
    },
  };
}

describe('serve', () => {
  it('prints one line when it listens, logs to stderr, and exits with 0 on SIGTERM', async () => {
    const service = await serve([
      '--env',
      'staging',
      '--config',
      CONFIG,
      '--database',
      ':memory:',
      '--control-port',
      '0',
    ]);
    expect(service.ready).toEqual({
      ready: true,
      env: 'staging',
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      control: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    });
    const created = await service.create();
    expect(created.status).toBe(200);
    const { code, stdout, stderr } = await service.stop();
    expect(code).toBe(0);
    expect(stdout.trim().split('\n')).toHaveLength(1);
    expect(stderr).toContain('/integrations/embedded/initiate');
    expect(stderr).not.toContain(KEY);
    expect(stderr).not.toContain(new URL(created.body.data['PaymentLogInLink'] ?? '').hash.slice(1));
  });

  it('keeps sessions, their secrets and its clock across a restart', { tags: 'thorough' }, async () => {
    const args = ['--env', 'staging', '--config', CONFIG, '--database', join(folder, 'kept.db')];
    const first = await serve(args);
    const id = (await first.create()).body.data['PaymentSessionIdentifier'] ?? '';
    await first.stop();
    const second = await serve(args);
    expect((await second.query(id)).body.data['Status']).toBe('RequiresPaymentSource');
    await second.stop();
  });

  it.concurrent.each([
    [
      'an invalid config, with all its problems',
      [
        '--env',
        'staging',
        '--config',
        configFile({ businessUnits: [{ slug: UNIT, paymentMethods: ['Cash'] }], x: 1 }),
      ],
      /businessUnits\[0\]\.name: [\s\S]*businessUnits\[0\]\.paymentMethods\[0\]: [\s\S]*x: unknown setting/,
    ],
    ['no session keys in production', ['--env', 'production', '--config', HASHED], /--session-keys/],
  ])('says why it cannot start: %s', async (_, args, why) => {
    const { code, stdout, stderr } = await run('serve', '--database', ':memory:', ...args);
    expect(code).not.toBe(0);
    expect(stdout).toBe('');
    expect(stderr).toMatch(why);
    expect(stderr).not.toMatch(new RegExp(`${KEY}|\\bat .*:\\d+:\\d+`));
  });
});

it.runIf(existsSync('/dev/full'))(
  'drops log lines on a full disk and keeps running',
  { tags: ['thorough'] },
  async () => {
    const full = openSync('/dev/full', 'w');
    const service = await serve(
      ['--env', 'staging', '--config', CONFIG, '--database', ':memory:'],
      undefined,
      full,
    );
    closeSync(full);
    for (let count = 0; count < 20; count++) expect((await service.create()).status).toBe(200);
    service.child.kill('SIGHUP');
    expect((await service.create()).status).toBe(200);
    expect((await service.stop()).code).toBe(0);
  },
);

// `serve | true`, and a start script whose reader has exited.
it.each(['serve', 'dev'])(
  '%s keeps running if nothing reads stdout, and logs its URL',
  { tags: 'thorough' },
  async (name) => {
    const args = name === 'dev' ? [] : ['--env', 'staging', '--config', CONFIG, '--database', ':memory:'];
    const service = command([name, '--port', '0', ...args], {
      XDG_STATE_HOME: mkdtempSync(join(folder, 'home-')),
    });
    service.child.stdout?.destroy();
    const lost = /"url":"(http:[^"]+)".*EPIPE.*Could not print the ready line/;
    await expect.poll(() => `${service.child.exitCode ?? service.sofar.stderr}`).toMatch(lost);
    const [, url] = lost.exec(service.sofar.stderr) ?? [];
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    service.child.kill('SIGTERM');
    expect((await service.done).code).toBe(0);
  },
);

it.each(['serve', 'dev'])(
  '%s stops cleanly if signaled right after its ready line',
  { tags: 'thorough' },
  async (name) => {
    const preload = join(folder, 'asking.mjs');
    writeFileSync(
      preload,
      `const write = process.stdout.write.bind(process.stdout);
     process.stdout.write = (text, ...more) => {
       const isThrough = write(text, ...more);
       if (String(text).includes('"ready":true')) process.kill(process.pid, 'SIGTERM');
       return isThrough;
     };`,
    );
    const args = name === 'dev' ? [] : ['--env', 'staging', '--config', CONFIG, '--database', ':memory:'];
    const { done } = command([name, '--port', '0', ...args], {
      NODE_OPTIONS: `--import=${preload}`,
      XDG_STATE_HOME: mkdtempSync(join(folder, 'home-')),
    });
    expect(await done).toMatchObject({ code: 0, stdout: expect.stringContaining('"ready":true') as unknown });
  },
);

it('dev starts without a writable folder and logs the consequences', { tags: 'thorough' }, async () => {
  // Not even root can create this folder.
  const dev = command(['dev', '--port', '0'], { XDG_STATE_HOME: '/dev/null/state' });
  await expect.poll(() => dev.sofar.stdout).toContain('"ready":true');
  await expect
    .poll(() => dev.sofar.stderr)
    .toMatch(/ENOTDIR.*\/dev\/null.*Cannot save state.*Set XDG_STATE_HOME/);
  dev.child.kill('SIGTERM');
  expect((await dev.done).code).toBe(0);
});

it(
  'lets others finish after it has stopped, but does not wait for them long',
  { tags: ['thorough'] },
  async () => {
    const preload = join(folder, 'finishing.mjs');
    writeFileSync(
      preload,
      `process.once('beforeExit', async () => {
       await new Promise((done) => setTimeout(done, 100));
       console.error('exported');
     });
     // Like the connections of a processor module.
     setInterval(() => undefined, 1_000);`,
    );
    const service = await serve(['--env', 'staging', '--config', CONFIG, '--database', ':memory:'], {
      NODE_OPTIONS: `--import=${preload}`,
    });
    expect(await service.stop()).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('exported') as unknown,
    });
  },
);

it('does not delay the shutdown while an inspector is open', { tags: 'thorough' }, async () => {
  const config = ['--env', 'staging', '--config', CONFIG, '--database', ':memory:', '--inspector-port', '0'];
  const service = await serve(config);
  const { origin, hash } = new URL(service.ready.inspector ?? '');
  const events = await fetch(`${origin}/events`, {
    headers: { accept: 'text/event-stream', authorization: `Bearer ${hash.slice(1)}` },
  });
  expect(events.status).toBe(200);
  const ended = events.text().catch(() => 'cut off');
  const stoppedAt = performance.now();
  expect((await service.stop()).code).toBe(0);
  expect(performance.now() - stoppedAt).toBeLessThan(15_000);
  await ended;
});

it('does not delay requests or the shutdown if nothing reads the log', { tags: 'thorough' }, async () => {
  const service = await serve(['--env', 'staging', '--config', CONFIG, '--database', ':memory:']);
  service.child.stderr?.pause();
  const { url } = service.ready;
  const ask = async (): Promise<number> => (await fetch(`${url}/nothing`)).status;
  // More than a pipe's buffer.
  for (let count = 0; count < 50; count++)
    expect(new Set(await Promise.all(Array.from({ length: 20 }, ask)))).toEqual(new Set([404]));
  service.child.kill('SIGTERM');
  await expect.poll(() => service.child.exitCode).toBe(0);
});

/** Like a payment processor's client: rejects a promise on the first signal, throws on the second. */
const STRAY = `
  const failure = () => Object.assign(new Error('number=4242424242424242 cvc=737 Ada Payer'), { card: { securityCode: '737' } });
  process.once('SIGUSR2', () => {
    Promise.reject(failure());
    process.once('SIGUSR2', () => { throw failure(); });
  });`;

it.each(['serve', 'dev'])(
  '%s logs errors that nobody handles without what the payer typed, and drains after an exception',
  { tags: ['thorough'] },
  async (name) => {
    const preload = join(folder, 'stray.mjs');
    writeFileSync(preload, STRAY);
    const args = name === 'dev' ? [] : ['--env', 'staging', '--config', CONFIG, '--database', ':memory:'];
    const service = command([name, '--port', '0', ...args], {
      NODE_OPTIONS: `--import=${preload}`,
      XDG_STATE_HOME: mkdtempSync(join(folder, 'home-')),
    });
    await expect.poll(() => service.sofar.stdout).toContain('"ready":true');
    const { hostname, port } = new URL((JSON.parse(service.sofar.stdout) as Ready).url);

    service.child.kill('SIGUSR2');
    await expect.poll(() => service.sofar.stderr).toMatch(/stray\.mjs.*Unhandled rejection/);
    const socket = connect(Number(port), hostname).setEncoding('utf8');
    let output = '';
    socket.on('data', (text: string) => (output += text)).on('error', () => undefined);
    socket.write(
      'POST /s/none/api/pay HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n',
    );
    await expect.poll(() => output).toMatch(/^HTTP\/1\.1 100 /);
    service.child.kill('SIGUSR2');
    await expect.poll(() => service.sofar.stderr).toMatch(/stray\.mjs.*Uncaught exception/);
    socket.write('{}');

    const { code, stderr } = await service.done;
    expect(code).toBe(1);
    expect(output).toMatch(/HTTP\/1\.1 4/);
    expect(stderr).not.toMatch(/4242|737|Ada/);
    for (const line of stderr.trim().split('\n')) expect(() => void JSON.parse(line)).not.toThrow();
  },
);

describe('a stop', () => {
  const BODY = JSON.stringify({ BusinessUnitSlug: UNIT, Channel: 'QuickPay', Charges: [{ Amount: 100 }] });

  /** Starts a service and sends it part of a request. */
  async function halfRequested() {
    const service = await serve(['--env', 'staging', '--config', CONFIG, '--database', ':memory:']);
    const { hostname, port } = new URL(service.ready.url);
    const socket = connect(Number(port), hostname).setEncoding('utf8');
    let output = '';
    socket.on('data', (text: string) => (output += text)).on('error', () => undefined);
    socket.write(
      `POST /integrations/embedded/initiate HTTP/1.1\r\nHost: x\r\nX-Service-Api-Key: ${KEY}\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\nExpect: 100-continue\r\n\r\n`,
    );
    await expect.poll(() => output).toMatch(/^HTTP\/1\.1 100 /);
    return { service, socket, answered: () => output };
  }

  it('waits for requests to finish, however many signals arrive', { tags: ['thorough'] }, async () => {
    const { service, socket, answered } = await halfRequested();
    service.child.kill('SIGTERM');
    // The service accepts no new requests.
    await expect.poll(() => fetch(service.ready.url).catch(() => 'refused')).toBe('refused');
    service.child.kill('SIGTERM');
    service.child.kill('SIGINT');
    socket.write(BODY);
    expect((await service.done).code).toBe(0);
    expect(answered()).toMatch(/HTTP\/1\.1 200 [^]*PaymentLogInLink/);
  });

  it('stops immediately if Ctrl-C is pressed again after a while', { tags: 'thorough' }, async () => {
    const { service, answered } = await halfRequested();
    const pressing = setInterval(() => service.child.kill('SIGINT'), 100);
    const { code } = await service.done;
    clearInterval(pressing);
    expect(code).toBe(130);
    expect(answered()).not.toContain('HTTP/1.1 200');
  });
});

describe('R-65 SIGHUP', () => {
  it('applies a valid config, refuses an invalid one with all its problems, and keeps running', async () => {
    const file = configFile({ businessUnits: [unit], apiKeys: [{ key: KEY, businessUnits: [UNIT] }] });
    const service = await serve(['--env', 'staging', '--config', file, '--database', ':memory:']);
    const hangup = (text: string): void => {
      writeFileSync(file, text);
      service.child.kill('SIGHUP');
    };
    const other = 'stg_another_key';
    hangup(JSON.stringify({ businessUnits: [unit], apiKeys: [{ key: other, businessUnits: [UNIT] }] }));
    await expect.poll(async () => (await service.create(other)).status).toBe(200);
    expect((await service.create()).status).toBe(401);

    hangup(JSON.stringify({ businessUnits: [{ slug: UNIT, paymentMethods: ['Cash'] }], x: 1 }));
    await expect
      .poll(() => service.sofar.stderr)
      .toMatch(
        /businessUnits\[0\]\.name: .*businessUnits\[0\]\.paymentMethods\[0\]: .*x: unknown setting.*Config refused/,
      );
    hangup('{');
    await expect.poll(() => service.sofar.stderr).toMatch(/is not JSON/);
    rmSync(file);
    service.child.kill('SIGHUP');
    await expect.poll(() => service.sofar.stderr).toMatch(/cannot be read/);
    expect((await service.create(other)).status).toBe(200);
    const { code, stderr } = await service.stop();
    expect(code).toBe(0);
    expect(stderr).not.toMatch(new RegExp(`${KEY}|${other}`));
  });
});

describe('keys', () => {
  const database = join(folder, 'production.db');

  it('R-9 R-50 creates a key that works, stores only its hash, and revokes it while the service is running', async () => {
    const created = await run(
      'keys',
      'create',
      '--business-unit',
      UNIT,
      '--env',
      'production',
      '--database',
      database,
    );
    expect(created.code).toBe(0);
    const key = created.stdout.trim();
    expect(key).toMatch(/^prd_[\w-]{43}$/);
    const id = /Key (key_[\w-]+)/.exec(created.stderr)?.[1] ?? '';
    const keys = { EMBEDDED_SESSIONS_KEYS: `k1:${createHash('sha256').update('k1').digest('hex')}` };
    const service = await serve(['--env', 'production', '--config', HASHED, '--database', database], keys);
    expect(service.ready.warning).toContain('Nothing can be paid');
    const session = await service.create(key);
    expect(session.body.data['PaymentSessionIdentifier']).toMatch(/^prd_/);
    expect(readFileSync(database).includes(key)).toBe(false);
    expect((await run('keys', 'list', '--database', database)).stdout).toContain(id);

    const revoked = await run('keys', 'revoke', id, '--database', database);
    expect(revoked).toMatchObject({ code: 0 });
    await expect.poll(async () => (await service.create(key)).status).toBe(401);
    expect((await service.stop()).code).toBe(0);
  });

  it(
    "refuses a key for another environment than the database's, and revoking an unknown key",
    { tags: 'thorough' },
    async () => {
      const make = (env: string): Promise<Ended> =>
        run('keys', 'create', '--business-unit', UNIT, '--env', env, '--database', database);
      expect((await make('production')).code).toBe(0);
      const refused = await make('staging');
      expect(refused.code).not.toBe(0);
      expect(refused.stderr).toMatch(/production.*staging/);
      expect((await run('keys', 'revoke', 'key_none', '--database', database)).code).not.toBe(0);
      expect((await run('keys', 'create', '--env', 'staging', '--database', database)).stderr).toMatch(
        /--business-unit/,
      );
    },
  );
});

describe('webhooks', () => {
  it('R-66 lists messages, and makes a running service resend one or all', { tags: 'thorough' }, async () => {
    let status = 410;
    const received: string[] = [];
    const receiver = createServer((request, response) => {
      received.push(String(request.headers['webhook-id']));
      request.resume().on('end', () => response.writeHead(status).end());
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    try {
      const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
      const secrets = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'];
      const config = configFile({
        businessUnits: [{ ...unit, webhook: { url, secrets } }],
        apiKeys: [{ key: KEY, businessUnits: [UNIT] }],
      });
      const database = join(folder, 'webhooks.db');
      const service = await serve(
        '--env staging --control-port 0'.split(' ').concat('--config', config, '--database', database),
      );
      const webhooks = (...args: string[]): Promise<Ended> =>
        command(['webhooks', ...args, '--business-unit', UNIT], { EMBEDDED_SESSIONS_DATABASE: database })
          .done;
      const expire = async (): Promise<void> => {
        await service.create();
        await fetch(`${service.ready.control}/clock`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{"advance":"31m"}',
        });
      };
      expect((await webhooks('list')).stderr).toMatch(/no messages/);
      await expire();
      await expire();
      const listed = (await webhooks('list')).stdout.trim().split('\n');
      expect(listed[0]).toMatch(new RegExp(`^disabled  .*  ${url}$`));
      expect(listed.slice(1)).toEqual([
        expect.stringMatching(/^msg_\S+ {2}\S+Z {2}session\.expired {2}disabled {2}attempts 1 {2}HTTP 410$/),
        expect.stringMatching(/^msg_\S+ {2}\S+Z {2}session\.expired {2}disabled {2}attempts 0 {2}/),
      ]);
      const ids = listed.slice(1).map((text) => text.split(' ')[0] ?? '');
      const twice = [...ids, ids[1] ?? ''].toSorted();
      status = 200;
      expect((await webhooks('enable')).stdout).toBe(`${url} is enabled again.\n`);
      expect((await webhooks('enable')).stdout).toMatch(/^No address/);
      received.length = 0;
      expect(await webhooks('resend', '--id', ids[1] ?? '')).toMatchObject({ code: 0 });
      await expect.poll(() => received).toEqual([ids[1]]);
      expect(await webhooks('recover', '--since', '2020-01-01')).toMatchObject({
        stdout: '2 messages will be sent again.\n',
      });
      await expect.poll(() => received.toSorted()).toEqual(twice);
      await expect.poll(async () => (await webhooks('list')).stdout.match(/delivered/g)?.length).toBe(2);
      expect((await webhooks('list', '--since', '2999-01-01')).stdout).toBe('');
      await service.stop();
    } finally {
      receiver.close();
    }
  });
});

it.runIf(existsSync('/dev/full'))(
  'exits with an error message if output fails',
  { tags: 'thorough' },
  async () => {
    for (const args of [['--help'], ['openapi']]) {
      const full = openSync('/dev/full', 'w');
      const child = spawn(process.execPath, [CLI, ...args], { stdio: ['ignore', full, 'pipe'] });
      closeSync(full);
      let stderr = '';
      child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
      const [code] = (await once(child, 'close')) as [number];
      expect(code).toBe(1);
      expect(stderr).toMatch(/^embedded-sessions: Cannot write to stdout: .*ENOSPC.*\n$/);
    }
  },
);

it(
  'keys create warns if the config lacks the business unit, but still creates the key',
  { tags: 'thorough' },
  async () => {
    const make = (slug: string): Promise<Ended> =>
      command(['keys', 'create', '--business-unit', slug, '--env', 'staging', '--config', CONFIG], {
        EMBEDDED_SESSIONS_DATABASE: join(folder, 'warned.db'),
      }).done;
    const unknown = await make('harbourlight-water');
    expect(unknown).toMatchObject({ code: 0, stdout: expect.stringMatching(/^stg_/) });
    expect(unknown.stderr).toMatch(/Warning: .* lacks a business unit of this key/);
    expect((await make(UNIT)).stderr).not.toContain('Warning');
  },
);

describe('listen', () => {
  const home = mkdtempSync(join(folder, 'home-'));
  const listen = (...args: string[]) => command(['listen', ...args], { XDG_STATE_HOME: home });

  it(
    'R-90 finds a running dev service through a file only its owner can read',
    { tags: 'thorough' },
    async () => {
      const dev = command(['dev', '--port', '0'], { XDG_STATE_HOME: home });
      await expect.poll(() => dev.sofar.stdout).toContain('"ready":true');
      const left = join(home, 'embedded-sessions/inspector');
      const { inspector } = JSON.parse(dev.sofar.stdout) as Ready;
      expect(readFileSync(left, 'utf8')).toBe(`${inspector}\n`);
      expect((statSync(left).mode & 0o777).toString(8)).toBe('600');
      const listening = listen('--forward-to', 'http://127.0.0.1:9/webhooks');
      await expect
        .poll(() => listening.sofar.stdout)
        .toContain(`Forwarding webhooks of ${new URL(inspector!).origin} to`);
      listening.child.kill();
      dev.child.kill();
      expect((await dev.done).code).toBe(0);
      const alone = await listen('--forward-to', 'http://127.0.0.1:9/webhooks').done;
      expect(alone.code).toBe(1);
      expect(alone.stderr).toMatch(/No "embedded-sessions dev" is running: .*EMBEDDED_SESSIONS_INSPECTOR/);
    },
  );
});

describe('the other commands', () => {
  it('migrate updates a database once', { tags: 'thorough' }, async () => {
    const database = join(folder, 'migrated.db');
    expect((await run('migrate', '--database', database)).stdout).toMatch(/Ran \d+ migration/);
    expect((await run('migrate', '--database', database)).stdout).toMatch(/up to date/);
  });

  it('openapi prints the document', { tags: 'thorough' }, async () => {
    const { stdout } = await run('openapi');
    expect(JSON.parse(stdout)).toMatchObject({ openapi: '3.1.1' });
  });

  it.each(['--version'])('%s prints the version', { tags: 'thorough' }, async (word) => {
    const { version } = JSON.parse(
      readFileSync(new URL('../../packages/service/package.json', import.meta.url), 'utf8'),
    ) as { version: string };
    expect(await run(word)).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });
});
