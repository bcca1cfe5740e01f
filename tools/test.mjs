// `pnpm test`: lint, format, build, types, package checks, unit tests, browser tests; closes with one count line.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
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

/** What went wrong, said once more at the end: of a long log the end is what is read, and may be all that is kept. */
const remarks = [];
const remark = (title, messages) =>
  remarks.push([title, ...messages.map((message) => message.replace(/^/gm, '     '))].join('\n'));

/** Every test that failed, every file that could not be loaded, and what passed only at its second try. */
function remarkOn({ testResults }) {
  for (const { name, status: ofFile, message, assertionResults } of testResults) {
    const file = name.slice(process.cwd().length + 1);
    for (const { fullName, status, failureMessages } of assertionResults)
      if (failureMessages.length > 0)
        remark(`${status === 'passed' ? 'SECOND TRY' : 'FAIL'} ${file}: ${fullName}`, failureMessages);
    if (ofFile === 'failed' && !assertionResults.some(({ status }) => status === 'failed'))
      remark(`FAIL ${file}`, [message]);
  }
}

/** Vitest prints for people; the JSON beside it is for the count. */
async function vitest(name, project, ...more) {
  const report = `.test/${name}.json`;
  const args = [
    'run',
    '--project',
    project,
    '--reporter=default',
    '--reporter=json',
    `--outputFile=${report}`,
    ...more,
  ];
  const started = performance.now();
  const { code } = await run('vitest', args, { live: true });
  steps.push([`${name} tests`, (performance.now() - started) / 1000]);
  try {
    const result = JSON.parse(readFileSync(report, 'utf8'));
    count.passed += result.numPassedTests;
    count.failed += result.numFailedTests;
    count.skipped += result.numPendingTests + result.numTodoTests;
    remarkOn(result);
    for (const { name: file, startTime, endTime } of result.testResults)
      files.push([file.slice(process.cwd().length + 1), (endTime - startTime) / 1000]);
    // A file that cannot be loaded, or an unhandled rejection, fails the run without failing a test.
    const untold = code !== 0 && result.numFailedTests === 0;
    if (untold || result.numTotalTests === 0) {
      count.failed++;
      remark(`FAIL ${name} tests: exit code ${code}, ${result.numTotalTests} tests; see above`, []);
    }
  } catch {
    count.failed++;
    remark(`FAIL ${name} tests: no report was written (exit code ${code})`, []);
  }
}

/** Seconds of each step and of the test files, which are the tests' own. */
const steps = [];
const files = [];
async function timed(name, work) {
  const started = performance.now();
  const passed = await step(name, work);
  steps.push([name, (performance.now() - started) / 1000]);
  if (!passed) remark(`FAIL ${name}; see above`, []);
  return passed;
}
const check = async (name, program, ...args) => tally(await timed(name, () => run(program, args)));
const compiled = async (name, program, ...args) =>
  tally(await timed(name, () => run(program, args, { env: ALONE })));

/** Compilers in Go with several threads read the libraries several times over, and collect what nobody waits for. */
const ALONE = { GOMAXPROCS: '1', GOGC: '400' };

/** One thread each, one after the other, beside the tests: together they keep two cores busy to the end. */
async function checks() {
  await check('boundaries', 'node', 'tools/check-boundaries.mjs');
  await check('workflows', 'node', 'tools/check-workflows.mjs');
  await check('format', 'oxfmt', '--check', '.');
  await compiled('lint', 'oxlint', '--type-aware', '--threads=1');
  tally(await built);
  await compiled('types', 'tsc', '-b', '--singleThreaded');
  await compiled('additions', 'node', 'tools/check-additions.mjs');
  if (!(await built)) return;
  await check('judges', 'node', 'tools/judges.mjs', 'quick');
  await check('docs', 'node', 'docs/check.mjs');
  await check('generated clients', 'node', 'tools/check-clients.mjs');
  await check('packages', 'node', 'tools/check-packages.mjs', 'quick');
}

async function tests() {
  tally(await timed('engines', installEngines));
  await vitest('unit', 'unit:*', '--sequence.shuffle');
  // decisions/0069: a browser on a crowded machine may let one of hundreds down; a defect fails twice.
  if (await built) await vitest('browser', 'browser', '--retry=1');
}

// Unit tests read the sources, so they need not wait for what the browsers are given.
const built = timed('build', () => run('node', ['tools/build.mjs']));
await Promise.all([checks(), tests()]);

const row = ([name, seconds]) => `${seconds.toFixed(1).padStart(7)} s  ${name}`;
const slowest = files.toSorted(([, one], [, other]) => other - one).slice(0, 10);
console.log(
  `Steps, several at once:\n${steps.map(row).join('\n')}\nSlowest files:\n${slowest.map(row).join('\n')}`,
);
for (const said of remarks) console.log(said);
const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : '';
console.log(`${count.passed} passed, ${count.failed} failed${skipped}`);
process.exit(count.failed === 0 ? 0 : 1);
