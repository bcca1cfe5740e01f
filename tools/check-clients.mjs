// Checks that clients generated from the OpenAPI document work: compiles the clients of two generators, and calls every
// operation on the service.
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { run } from './steps.mjs';

process.chdir(new URL('../docs', import.meta.url).pathname);
const require = createRequire(join(process.cwd(), 'package.json'));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const generated = 'clients/generated';
const input = require.resolve('@embedded-sessions/server-types/openapi.json');
const document = JSON.parse(readFileSync(input, 'utf8'));

rmSync(generated, { recursive: true, force: true });
mkdirSync(generated, { recursive: true });
const cli = (name, ...args) => run(join('node_modules/.bin', name), args);
const made = await Promise.all([
  cli('openapi-typescript', input, '-o', join(generated, 'openapi-typescript.d.ts')),
  cli('openapi-ts', '-i', input, '-o', join(generated, 'hey-api'), '-c', '@hey-api/client-fetch', '--silent'),
]);
const compiled = await cli('tsc', '-p', 'clients', '--pretty', 'false');
const problems = [...made, compiled].filter(({ code }) => code !== 0).map(({ output }) => output);

const operations = Object.values(document.paths).map(({ post }) => post.operationId);
const { version } = JSON.parse(readFileSync('../packages/server-types/package.json', 'utf8'));
if (document.info.version !== version)
  problems.push(`openapi.json says that it is ${document.info.version}; its package is ${version}`);

/** Enrolls in AutoPay at that address with a new card, like its page. */
async function enroll(service, link) {
  const { pathname, hash } = new URL(link);
  const post = async (path, body) => {
    const response = await service.fetch(`${pathname}/api/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${hash.slice(1)}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const envelope = await response.json();
    if (!envelope.ok) throw new Error(JSON.stringify(envelope.errors));
    return envelope.data;
  };
  const source = {
    method: 'Credit Card',
    cardNumber: '4242424242424242',
    expiry: '12/34',
    securityCode: '737',
    name: 'Ada Byron',
    zipCode: '10001',
  };
  const { id } = await post('methods', { requestId: randomUUID(), source, makeDefault: false });
  await post('autopay/enroll', { methodId: id, authorization: 'I agree.' });
}

const out = mkdtempSync(join(process.cwd(), generated, 'run-'));
const { build } = await load('esbuild');
const { createTestService } = await load('@embedded-sessions/service');
for (const name of problems.length === 0 ? ['openapi-fetch', 'hey-api'] : []) {
  const outfile = join(out, `${name}.mjs`);
  await build({
    entryPoints: [`clients/${name}.ts`],
    bundle: true,
    format: 'esm',
    platform: 'node',
    outfile,
    logLevel: 'error',
  });
  const service = await createTestService({
    config: {
      businessUnits: [
        {
          slug: 'harborlight-water',
          name: 'Harborlight Water',
          agents: [{ email: 'agent@harborlight.example', pos: true }],
        },
      ],
      apiKeys: [{ key: 'stg_of_the_clients', businessUnits: ['harborlight-water'] }],
    },
  });
  const { callAll } = await import(pathToFileURL(outfile).href);
  const options = {
    baseUrl: 'http://service.test',
    apiKey: 'stg_of_the_clients',
    fetch: service.fetch,
    pay: (id) => service.control.pay(id),
    enroll: (link) => enroll(service, link),
  };
  const statuses = await callAll(options);
  await service.close();
  for (const operation of operations) {
    if (statuses[operation] !== 200) problems.push(`${name}: ${operation} answered ${statuses[operation]}`);
  }
}
rmSync(generated, { recursive: true, force: true });
console.log(problems.join('\n'));
process.exit(problems.length === 0 ? 0 : 1);
