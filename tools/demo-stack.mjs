// Runs the whole system on one machine: the service in staging and production, the merchant's backend, and both front ends.
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { preview } from 'vite';
import { freePorts } from './ports.mjs';

const root = new URL('..', import.meta.url).pathname;
const READY_WITHIN_MS = 30_000;
const ENDED_WITHIN_MS = 5_000;

/** Starts one of our programs and resolves with its ready line. Rejects with its other output. */
function start(name, args, env = {}) {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const ready = new Promise((resolve, reject) => {
    const fail = (reason) => {
      clearTimeout(timer);
      reject(new Error(`${name} ${reason}\n${output}`.trim()));
    };
    const timer = setTimeout(() => fail(`was not ready within ${READY_WITHIN_MS / 1000} s`), READY_WITHIN_MS);
    child.stderr.setEncoding('utf8').on('data', (text) => (output += text));
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
      const line = /^.*"ready":true.*$/m.exec(output)?.[0];
      if (line === undefined) return;
      clearTimeout(timer);
      resolve(JSON.parse(line));
    });
    child.once('error', (error) => fail(error.message));
    child.once('exit', (code, signal) => fail(`ended with ${signal ?? code}`));
  });
  return { child, ready, output: () => output };
}

async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), ENDED_WITHIN_MS);
  await ended;
  clearTimeout(timer);
}

/**
 * @typedef {object} DemoStack
 * @property {string} reactUrl the React app
 * @property {string} plainUrl the page with script tags alone
 * @property {string} controlUrl the control API of the staging service
 * @property {string} inspectorUrl the inspector of the staging service, with its token
 * @property {Record<'staging' | 'production', { baseUrl: string, loaderUrl: string }>} operator
 * @property {(environment: 'staging' | 'production') => Record<string, string>} settings environment variables that differ
 * @property {() => Promise<string>} goLive starts a second merchant backend, in production, and resolves with its address
 * @property {Promise<string>} ended resolves with a description when the first program ends, also because of `stop`
 * @property {() => string} output all output of the programs
 * @property {() => Promise<void>} stop
 */

/**
 * Starts everything on the given or free ports. Everything must be built.
 * @param {{ ports?: number[] }} [options] five ports
 * @returns {Promise<DemoStack>}
 */
export async function startStack({ ports } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-demo-'));
  const programs = [];
  let resolveEnded;
  const ended = new Promise((resolve) => (resolveEnded = resolve));
  const closers = [];
  const stop = async () => {
    await Promise.all([...programs.map(({ child }) => end(child)), ...closers.map((close) => close())]);
    rmSync(folder, { recursive: true, force: true });
  };
  const write = (name, content) => {
    const file = join(folder, name);
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2), {
      mode: 0o600,
    });
    return file;
  };
  const program = (...args) => {
    const started = start(...args);
    started.child.once('exit', (code, signal) =>
      resolveEnded(`${args[0]} ended with ${signal ?? code}.\n${started.output()}`),
    );
    programs.push(started);
    return started;
  };

  try {
    // Choose addresses before the programs start, because the service's config contains them.
    const [backendPort, goneLivePort, frontPort, stagingPort, productionPort] = ports ?? (await freePorts(5));
    const backendUrl = `http://127.0.0.1:${backendPort}`;
    const plainUrl = `http://localhost:${backendPort}`;
    const front = await preview({
      root: join(root, 'examples/react-app'),
      logLevel: 'silent',
      preview: {
        port: frontPort,
        strictPort: true,
        proxy: { '/api': { target: backendUrl, changeOrigin: false } },
      },
    });
    closers.push(() => front.close());
    const reactUrl = `http://localhost:${front.httpServer.address().port}`;
    const keys = {
      staging: `stg_${randomBytes(24).toString('base64url')}`,
      production: `prd_${randomBytes(24).toString('base64url')}`,
    };
    const webhookSecret = `whsec_${randomBytes(24).toString('base64')}`;
    const logo = readFileSync(join(root, 'examples/merchant-backend/public/favicon.svg'), 'base64');
    const business = {
      slug: 'harborlight-water',
      name: 'Harborlight Water',
      logoUrl: `data:image/svg+xml;base64,${logo}`,
      appearance: { accent: '#0a6272', accentDark: '#6cc9d6' },
      allowedOrigins: [reactUrl, plainUrl, `http://localhost:${goneLivePort}`],
      allowAmountAdjustment: true,
      agents: [{ email: 'agent@harborlight.example', pos: true }],
    };
    const webhook = { url: `${backendUrl}/webhooks`, secrets: [webhookSecret] };
    const stagingConfig = write('staging.json', {
      businessUnits: [{ ...business, webhook }],
      apiKeys: [{ key: keys.staging, businessUnits: [business.slug] }],
      // Without a mail server, the inspector shows the messages.
      email: { from: 'Harborlight Water <bills@harborlight.example>' },
    });
    const keyHash = `sha256:${createHash('sha256').update(keys.production).digest('hex')}`;
    const productionConfig = write('production.json', {
      businessUnits: [business],
      apiKeys: [{ keyHash, businessUnits: [business.slug] }],
    });
    const sessionKeys = write('session-keys', `demo:${randomBytes(32).toString('hex')}\n`);

    const serve = (environment, port, config, ...more) => [
      'packages/service/dist/cli.js',
      'serve',
      `--env=${environment}`,
      `--port=${port}`,
      `--config=${config}`,
      '--database=:memory:',
      ...more,
    ];
    const staging = program(
      'The staging service',
      serve('staging', stagingPort, stagingConfig, '--control-port=0', '--inspector-port=0'),
    );
    // Without a processor, production takes no money and only demonstrates errors.
    const production = program(
      'The production service',
      serve(
        'production',
        productionPort,
        productionConfig,
        `--session-keys=${sessionKeys}`,
        '--no-processor',
      ),
    );
    const [{ url: stagingUrl, control: controlUrl, inspector: inspectorUrl }, { url: productionUrl }] =
      await Promise.all([staging.ready, production.ready]);
    const addresses = (url) => ({ baseUrl: url, loaderUrl: `${url}/app/embedded.loader.js` });
    const operator = { staging: addresses(stagingUrl), production: addresses(productionUrl) };
    const constant = {
      OPERATOR_FILE: write('operator.json', { businessUnit: business.slug, ...operator }),
      WEBHOOK_SECRET_STAGING: webhookSecret,
      WEBHOOK_SECRET_PRODUCTION: webhookSecret,
    };
    /** Going live changes only these three. */
    const settings = (environment) => ({
      SERVICE_API_KEY: keys[environment],
      SERVICE_LOADER_URL: operator[environment].loaderUrl,
      SERVICE_BASE_URL: operator[environment].baseUrl,
    });
    const startBackend = (environment, port) =>
      program('The merchant backend', ['examples/merchant-backend/dist/main.js'], {
        ...constant,
        ...settings(environment),
        PORT: String(port),
      });
    await startBackend('staging', backendPort).ready;

    return {
      reactUrl,
      plainUrl,
      controlUrl,
      inspectorUrl,
      operator,
      settings,
      goLive: async () => (await startBackend('production', goneLivePort).ready).url,
      ended,
      output: () => programs.map(({ output }) => output()).join('\n'),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
