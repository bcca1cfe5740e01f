// `pnpm test` runs lint, format, build, types, package checks, unit tests and browser tests, and prints one line with counts.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { writeToMemory } from './scratch.mjs';
import { run, step } from './steps.mjs';
import { installEngines } from './with-engines.mjs';

process.chdir(new URL('..', import.meta.url).pathname);
process.env.PATH = `${process.cwd()}/node_modules/.bin:${process.env.PATH}`;
rmSync('.test', { recursive: true, force: true });
mkdirSync('.test', { recursive: true });
writeToMemory();

const count = { passed: 0, failed: 0, skipped: 0 };
const tally = (passed) => (passed ? count.passed++ : count.failed++);

/** Failures, repeated at the end of a long log. */
const remarks = [];
const remark = (title, messages) =>
  remarks.push([title, ...messages.map((message) => message.replace(/^/gm, '     '))].join('\n'));

/**
 * On a slow machine, one test in thousands may fail by chance, but a real defect fails twice. Tests that pass on a second
 * try are listed and should be fixed. `TEST_RETRY=0` disables second tries.
 */
const retry = process.env.TEST_RETRY ?? '1';

/** Vitest's own reporter prints, and `report.mjs` counts. */
async function vitest(name, project, ...more) {
  const file = `.test/${name}.json`;
  const reporters = ['--reporter=default', '--reporter=tools/report.mjs'];
  const args = [
    'run',
    '--project',
    project,
    '--tags-filter=!thorough',
    `--retry=${retry}`,
    ...reporters,
    ...more,
  ];
  const started = performance.now();
  const { code } = await run('vitest', args, { live: true, env: { TEST_REPORT: file } });
  steps.push([`${name} tests`, (performance.now() - started) / 1000]);
  if (!existsSync(file)) {
    count.failed++;
    remark(`FAIL ${name} tests: no report was written (exit code ${code})`, []);
    return;
  }
  const { passed, failed, skipped, retried, failures, files: ofRun } = JSON.parse(readFileSync(file, 'utf8'));
  count.passed += passed;
  count.failed += failed;
  count.skipped += skipped;
  for (const title of retried) remark(`PASSED ON A SECOND TRY ${title}`, []);
  for (const { title, messages } of failures) remark(`FAIL ${title}`, messages);
  files.push(...ofRun.map(({ file: path, seconds }) => [path, seconds]));
  if ((code === 0 || failed > 0) && passed > 0) return;
  count.failed++;
  remark(`FAIL ${name} tests: exit code ${code}, ${passed} passed; see above`, []);
}

/** Name and seconds of each step, and of each test file. */
const steps = [];
const files = [];
async function timed(name, work) {
  const started = performance.now();
  const passed = await step(name, work);
  steps.push([name, (performance.now() - started) / 1000]);
  if (!passed) remark(`FAIL ${name}; see above`, []);
  return passed;
}
/** Compilers written in Go use less CPU time on one thread while tests are running. */
const ONE_THREAD = { GOMAXPROCS: '1' };

/** Runs in parallel with the unit tests, which often wait for timers and processes. */
const check = async (name, ...command) =>
  tally(await timed(name, () => run(command[0], command.slice(1), { env: ONE_THREAD })));

/** One after the other. They end before the tests, which then use all cores. */
async function checks() {
  await check('boundaries', 'node', 'tools/check-boundaries.mjs');
  await check('workflows', 'node', 'tools/check-workflows.mjs');
  await check('format', 'oxfmt', '--check', '.');
  tally(await built);
  if (await built) {
    await check('judges', 'node', 'tools/judges.mjs', 'quick');
    await check('docs', 'node', 'docs/check.mjs');
    await check('packages', 'node', 'tools/check-packages.mjs', 'quick');
  }
  await check('types', 'tsc', '-b', '--singleThreaded');
  // Reads the declarations that the step before has written.
  await check('lint', 'oxlint', '--type-aware', '--threads=1');
}

async function tests() {
  tally(await timed('engines', installEngines));
  // A few unit tests serve the built pages.
  const isBuilt = await built;
  await vitest('unit', 'unit:*', '--sequence.shuffle');
  // Not at once: processes that wait for a core cost more CPU time than idle cores do.
  if (isBuilt) await vitest('browser', 'browser');
}

const built = timed('build', () => run('node', ['tools/build.mjs']));
await Promise.all([checks(), tests()]);

const row = ([name, seconds]) => `${seconds.toFixed(1).padStart(7)} s  ${name}`;
const slowest = files.toSorted(([, one], [, other]) => other - one).slice(0, 10);
console.log(
  `Steps, several at once:\n${steps.map(row).join('\n')}\nSlowest files:\n${slowest.map(row).join('\n')}`,
);
for (const text of remarks) console.log(text);
const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : '';
console.log(`${count.passed} passed, ${count.failed} failed${skipped}`);
process.exit(count.failed === 0 ? 0 : 1);
