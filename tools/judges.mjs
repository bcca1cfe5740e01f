// `pnpm judges [name …]` runs third-party checkers on the build. Large ones are installed in tools/judges on demand, pinned
// by its lockfile. The test command runs `quick`. Two more (`react`, `openapi`) run as unit tests.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { run, step } from './steps.mjs';
import { installEngines } from './with-engines.mjs';

process.chdir(new URL('..', import.meta.url).pathname);
process.env.PATH = `${process.cwd()}/node_modules/.bin:${process.env.PATH}`;

const vitest = (project, ...files) => run('vitest', ['run', '--project', project, ...files], { live: true });
const judge = (name) => () => vitest('judges', `judges/${name}.judge.ts`);

const JUDGES = {
  licenses: { isHere: true, work: () => run('node', ['tools/judges/licenses.mjs'], { live: true }) },
  react: { isHere: true, work: () => vitest('unit:react', 'src/clean.test.ts') },
  openapi: { isHere: true, work: () => vitest('unit:server-types', 'src/openapi.test.ts') },
  webhooks: { work: judge('webhooks') },
  contract: {
    work: () => run('vitest', ['run', '--config', 'tools/judges/contract.config.ts'], { live: true }),
  },
  headers: { work: judge('headers') },
  html: { work: judge('html') },
  accessibility: { work: judge('accessibility') },
  lighthouse: { work: judge('lighthouse') },
  site: {
    work: async () => {
      const built = await run('node', ['docs/build.mjs']);
      return built.code === 0 ? judge('site')() : built;
    },
  },
};

async function install() {
  const engines = await installEngines();
  if (engines.code !== 0) return engines;
  // Nu's checker needs Java. Its package would download a runtime in an install script, which is disabled here.
  if (spawnSync('java', ['-version']).error) console.error('Not installed: java, which `html` needs.');
  const flags = ['--frozen-lockfile', '--ignore-scripts', '--prefer-offline'];
  return run('npx', ['-y', 'pnpm@12', 'install', ...flags], { cwd: 'tools/judges' });
}

const requested = process.argv.slice(2);
const unknown = requested.filter((name) => !(name in JUDGES) && name !== 'quick');
if (unknown.length > 0) {
  console.error(
    `No judge is called ${unknown.join(', ')}. There are: quick, ${Object.keys(JUDGES).join(', ')}`,
  );
  process.exit(1);
}
const chosen = Object.entries(JUDGES).filter(
  ([name]) =>
    requested.length === 0 ||
    requested.includes(name) ||
    (requested.includes('quick') && name === 'licenses'),
);
let ok = true;
if (chosen.some(([, { isHere }]) => !isHere)) ok = await step('install', install);
if (!existsSync('packages/service/dist/cli.js'))
  ok = (await step('build', () => run('node', ['tools/build.mjs']))) && ok;
if (ok) for (const [name, { work }] of chosen) ok = (await step(name, work)) && ok;
process.exit(ok ? 0 : 1);
