// Runs the samples of start/backends.md and webhooks.md in every language that is installed, against a service.
import { spawn, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestService } from '@embedded-sessions/service';
import { serveFetch } from './serve-fetch.mjs';
import { ROOT } from './repository.mjs';
import { fences } from './snippets.mjs';

const RUNTIMES = {
  sh: { file: 'sample.sh', command: ['bash', 'sample.sh'] },
  ts: { file: 'sample.ts', command: [process.execPath, 'sample.ts'] },
  python: { file: 'sample.py', command: ['python3', 'sample.py'] },
  php: { file: 'sample.php', command: ['php', 'sample.php'] },
  go: { file: 'sample.go', command: ['go', 'run', 'sample.go'] },
};
const PAGES = ['docs/start/backends.md', 'docs/webhooks.md'];
const SLUG = 'harborlight-water';
// One API key per language, because the samples share an idempotency key but format their bodies differently.
const keyOf = (language) => `stg_of_the_samples_in_${language}`;
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

const isInstalled = (program) => spawnSync('which', [program]).status === 0;

/** Returns the samples of a page: the code group after each `<!-- sample: … -->`. */
function samplesOf(path, text) {
  return [...text.matchAll(/<!-- sample: (\w+) -->\s+::: code-group\n([^]*?)\n:::/g)].flatMap(
    ([, name, group]) =>
      fences(`${group}\n`).map(({ language, code }) => ({
        name: `${path} ${name}`,
        kind: name,
        language,
        code,
      })),
  );
}

function run([program, ...args], { cwd, env, input = '' }) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd, env: { ...process.env, ...env } });
    let output = '';
    child.stdout.on('data', (text) => (output += text));
    child.stderr.on('data', (text) => (output += text));
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    child.once('error', (error) => resolve({ code: -1, output: error.message }));
    child.once('close', (code) => resolve({ code, output }));
  });
}

/** Returns the environment and input of each kind of sample, and the output that it must print. */
async function cases(client) {
  const { sessionId } = await client.payments.create({
    BusinessUnitSlug: SLUG,
    Channel: 'QuickPay',
    Charges: [{ Amount: 100 }],
  });
  const body = JSON.stringify({
    type: 'payment.succeeded',
    timestamp: new Date().toISOString(),
    data: { PaymentSessionIdentifier: sessionId },
  });
  const timestamp = `${Math.floor(Date.now() / 1000)}`;
  const signatureBy = (key) =>
    createHmac('sha256', key).update(`msg_1.${timestamp}.${body}`).digest('base64');
  const webhook = {
    WEBHOOK_ID: 'msg_1',
    WEBHOOK_TIMESTAMP: timestamp,
    WEBHOOK_SIGNATURE: `v1,${Buffer.alloc(32).toString('base64')} v1,${signatureBy(Buffer.alloc(32, 7))}`,
    WEBHOOK_SECRET: SECRET,
  };
  // Anyone can make these signatures.
  const forged = ['v1,', `v1,${signatureBy('')}`].map((signature) => ({
    env: { ...webhook, WEBHOOK_SECRET: '', WEBHOOK_SIGNATURE: signature },
    input: body,
    fails: true,
  }));
  return {
    create: [{ env: {}, prints: /s\\?\/stg_/ }],
    query: [{ env: { SESSION_ID: sessionId }, prints: /RequiresPaymentSource/ }],
    verify: [
      { env: webhook, input: body, prints: /^valid/ },
      { env: webhook, input: body.replace('succeeded', 'failed'), fails: true },
      ...forged,
    ],
  };
}

/** @param {Map<string, string>} pages Markdown by path @returns {Promise<string[]>} samples that fail */
export async function runSamples(pages) {
  const { createServiceClient } = await import('@embedded-sessions/server');
  const service = await createTestService({
    config: {
      businessUnits: [{ slug: SLUG, name: 'Harborlight Water' }],
      apiKeys: Object.keys(RUNTIMES).map((language) => ({ key: keyOf(language), businessUnits: [SLUG] })),
    },
  });
  const server = await serveFetch(service.fetch);
  const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-samples-'));
  try {
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(
      join(ROOT, 'docs/node_modules/@embedded-sessions'),
      join(folder, 'node_modules/@embedded-sessions'),
    );
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    const casesOf = await cases(
      createServiceClient({ environment: 'staging', baseUrl: server.url, apiKey: keyOf('ts') }),
    );
    const problems = [];
    for (const { name, kind, language, code } of PAGES.flatMap((path) => samplesOf(path, pages.get(path)))) {
      const { file, command } = RUNTIMES[language];
      if (!isInstalled(command[0])) continue;
      writeFileSync(join(folder, file), code);
      for (const { env, input, prints, fails } of casesOf[kind]) {
        const { code: status, output } = await run(command, {
          cwd: folder,
          env: { ...env, SERVICE_BASE_URL: server.url, SERVICE_API_KEY: keyOf(language) },
          input,
        });
        const isRight = fails ? status !== 0 : status === 0 && prints.test(output);
        if (!isRight) problems.push(`${name} in ${language} ended with ${status}: ${output.slice(0, 500)}`);
      }
    }
    return problems;
  } finally {
    await server.close();
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
