// `pnpm mutants [part…]` runs Stryker, which makes one small change at a time and runs the unit tests that cover it. Prints
// undetected mutants and writes the scores to bench/mutants.json. A second run repeats only what has changed.
// Options are passed to Stryker: `pnpm mutants loader --mutate packages/loader/src/flow.ts`
import { readFileSync, writeFileSync } from 'node:fs';
import { run, step } from '../steps.mjs';
import { PARTS } from './parts.mjs';

process.chdir(new URL('../..', import.meta.url).pathname);
process.env.PATH = `${process.cwd()}/tools/mutants/node_modules/.bin:${process.env.PATH}`;

const SCORES = 'bench/mutants.json';
/** Percentage of a part's mutants that its tests must detect. */
const TARGET = 90;

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));
const equivalents = readJson('tools/mutants/equivalent.json');

/** The code that a mutant replaces. Lines and columns start at 1. */
function originalOf(source, { start, end }) {
  const lines = source.split('\n').slice(start.line - 1, end.line);
  const last = lines.length - 1;
  lines[last] = lines[last].slice(0, end.column - 1);
  lines[0] = lines[0].slice(start.column - 1);
  return lines.join('\n');
}

/** Counts a part's mutants and prints those that no test detects. */
function score(part) {
  const counts = { part, killed: 0, survived: 0, equivalent: 0 };

  for (const [file, { source, mutants }] of Object.entries(readJson(`.mutants/${part}.json`).files)) {
    for (const { status, location, replacement, mutatorName, static: isStatic } of mutants) {
      // Takes effect while its module loads, once per process, so that a test run may miss it.
      if (isStatic) continue;
      if (status === 'Killed' || status === 'Timeout') counts.killed++;
      if (status !== 'Survived' && status !== 'NoCoverage') continue;

      const original = originalOf(source, location);
      const isEquivalent = equivalents.some(
        (known) => known.file === file && known.original === original && known.replacement === replacement,
      );
      if (isEquivalent) {
        counts.equivalent++;
        continue;
      }
      counts.survived++;
      console.log(`${file}:${location.start.line} ${mutatorName} ${original} → ${replacement}`);
    }
  }

  const percent = (100 * counts.killed) / (counts.killed + counts.survived);
  return { ...counts, score: Number(percent.toFixed(1)), at: new Date().toISOString().slice(0, 10) };
}

const named = process.argv.slice(2);
const firstOption = named.findIndex((word) => word.startsWith('-'));
const options = firstOption < 0 ? [] : named.splice(firstOption);
const unknown = named.filter((name) => !(name in PARTS));
if (unknown.length > 0) {
  console.error(`Unknown part: ${unknown.join(', ')}. Parts: ${Object.keys(PARTS).join(', ')}`);
  process.exit(2);
}

const install = ['-y', 'pnpm@12', 'install', '--frozen-lockfile', '--prefer-offline'];
let ok = await step('install', () => run('npx', install, { cwd: 'tools/mutants' }));
if (!ok) process.exit(1);

for (const part of named.length > 0 ? named : Object.keys(PARTS)) {
  const args = ['run', 'tools/mutants/stryker.config.mjs', ...options];
  const { code } = await run('stryker', args, { live: true, env: { MUTANTS_PART: part } });
  if (code !== 0) {
    ok = false;
    continue;
  }
  const result = score(part);
  console.log(`${part}: ${result.score} % detected (${result.killed} of ${result.killed + result.survived})`);
  ok &&= result.score >= TARGET;
  if (options.length > 0) continue;

  const others = readJson(SCORES).filter((row) => row.part !== part);
  writeFileSync(SCORES, `${JSON.stringify([...others, result], null, 2)}\n`);
}
process.exit(ok ? 0 : 1);
