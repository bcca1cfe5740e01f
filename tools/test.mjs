// `pnpm test`: lint, format, build, types, package checks, unit tests, browser tests; closes with one count line.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { run, step } from './steps.mjs';
import { installEngines } from './with-engines.mjs';

process.chdir(new URL('..', import.meta.url).pathname);
process.env.PATH = `${process.cwd()}/node_modules/.bin:${process.env.PATH}`;
rmSync('.test', { recursive: true, force: true });
mkdirSync('.test', { recursive: true });

const count = { passed: 0, failed: 0, skipped: 0 };
const tally = (passed) => (passed ? count.passed++ : count.failed++);

/** Every test that passed only at its second try, with what it saw at the first. */
function sayWhatWasTriedAgain({ testResults }) {
  for (const { name, assertionResults } of testResults)
    for (const { fullName, status, failureMessages } of assertionResults)
      if (status === 'passed' && failureMessages.length > 0)
        console.log(
          `SECOND TRY ${name.slice(process.cwd().length + 1)}: ${fullName}\n${failureMessages.join('\n').replace(/^/gm, '     ')}`,
        );
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
  const { code } = await run('vitest', args, { live: true });
  try {
    const result = JSON.parse(readFileSync(report, 'utf8'));
    count.passed += result.numPassedTests;
    count.failed += result.numFailedTests;
    count.skipped += result.numPendingTests + result.numTodoTests;
    sayWhatWasTriedAgain(result);
    // A file that cannot be loaded, or an unhandled rejection, fails the run without failing a test.
    if (code !== 0 && result.numFailedTests === 0) count.failed++;
    if (result.numTotalTests === 0) count.failed++;
  } catch {
    console.log(`FAIL ${name}: no report was written (exit code ${code})`);
    count.failed++;
  }
}

const engines = installEngines();
const linted = step('lint', () => run('oxlint', ['--type-aware']));
tally(await step('boundaries', () => run('node', ['tools/check-boundaries.mjs'])));
tally(await step('workflows', () => run('node', ['tools/check-workflows.mjs'])));
tally(await step('format', () => run('oxfmt', ['--check', '.'])));
const built = await step('build', () => run('node', ['tools/build.mjs']));
tally(built);
tally(await linted);

/** One thread each, one after the other, beside the unit tests: together they keep two cores busy. */
async function checks() {
  tally(await step('types', () => run('tsc', ['-b'])));
  tally(await step('additions', () => run('node', ['tools/check-additions.mjs'])));
  if (!built) return;
  tally(await step('judges', () => run('node', ['tools/judges.mjs', 'quick'])));
  tally(await step('docs', () => run('node', ['docs/check.mjs'])));
  tally(await step('generated clients', () => run('node', ['tools/check-clients.mjs'])));
  tally(await step('packages', () => run('node', ['tools/check-packages.mjs'])));
}
const checked = checks();
tally(await step('engines', () => engines));
await Promise.all([checked, vitest('unit', 'unit:*', '--sequence.shuffle')]);
// decisions/0069: a browser on a crowded machine may let one of hundreds down; a defect fails twice.
if (built) await vitest('browser', 'browser', '--retry=1');

const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : '';
console.log(`${count.passed} passed, ${count.failed} failed${skipped}`);
process.exit(count.failed === 0 ? 0 : 1);
