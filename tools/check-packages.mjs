// Packs every published package as for the registry and runs publint, size-limit and knip, as the test command does (`quick`).
// Without `quick` it also runs attw, compiles and bundles a merchant's code against the tarballs, generates clients from the
// OpenAPI document, and makes additions that must not compile.
import { mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkConsumers } from './check-consumers.mjs';
import { run, step, twoAtATime } from './steps.mjs';

process.chdir(new URL('..', import.meta.url).pathname);
process.env.PATH = `${process.cwd()}/node_modules/.bin:${process.env.PATH}`;
const pnpm = process.env.npm_execpath?.includes('pnpm')
  ? [process.env.npm_execpath]
  : ['npx', '-y', 'pnpm@12'];
const packs = join(process.cwd(), '.test/packs');
rmSync(packs, { recursive: true, force: true });
mkdirSync(packs, { recursive: true });

/**
 * attw can't judge these: a plain script is neither kind of module, a JSON file has no types, and the service is ESM with a
 * command line.
 */
const ATTW = {
  'server-types': ['--exclude-entrypoints', './openapi.json'],
  loader: ['--exclude-entrypoints', './script', './integrity.json', './custom-elements.json'],
  react: [],
  server: [],
  service: ['--profile', 'esm-only'],
};

const isQuick = process.argv.includes('quick');

let ok = true;
const check = async (name, work) => (ok = (await step(name, work)) && ok);

async function checkTarball([name, attw]) {
  const { version } = JSON.parse(readFileSync(join('packages', name, 'package.json'), 'utf8'));
  const tarball = join(packs, `embedded-sessions-${name}-${version}.tgz`);
  await check(`publint ${name}`, () => run('publint', ['run', tarball, '--strict']));
  if (isQuick) return;
  await check(`attw ${name}`, () => run('attw', [tarball, '--no-emoji', '--no-color', ...attw]));
}

const everyPackage = Object.keys(ATTW).flatMap((name) => ['--filter', `./packages/${name}`]);
await check('pack', () =>
  run(pnpm[0], [...pnpm.slice(1), ...everyPackage, 'pack', '--pack-destination', packs]),
);
await twoAtATime(Object.entries(ATTW), checkTarball);
await Promise.all([check('size-limit', () => run('size-limit', [])), check('knip', () => run('knip', []))]);
if (!isQuick) {
  ok = (await checkConsumers(readdirSync(packs).map((file) => join(packs, file)))) && ok;
  await check('generated clients', () => run('node', ['tools/check-clients.mjs']));
  await check('additions', () => run('node', ['tools/check-additions.mjs']));
}
process.exit(ok ? 0 : 1);
