// `pnpm flakes [times] [project …]`: runs the unit tests under conditions that they must not depend on: time zones, languages,
// one core, a busy machine, random order. Prints a table, and fails if any test fails.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { run } from './steps.mjs';
import { findEngine } from './engines.mjs';

process.chdir(new URL('..', import.meta.url).pathname);
process.env.PATH = `${process.cwd()}/node_modules/.bin:${process.env.PATH}`;

const inLanguage = (tag) => ({ env: { LANG: `${tag}.UTF-8`, LC_ALL: `${tag}.UTF-8` } });
const CIRCUMSTANCES = {
  'as it is': {},
  'TZ=Pacific/Kiritimati': { env: { TZ: 'Pacific/Kiritimati' } },
  'TZ=Australia/Lord_Howe': { env: { TZ: 'Australia/Lord_Howe' } },
  'TZ=America/Adak': { env: { TZ: 'America/Adak' } },
  'LANG=tr_TR': inLanguage('tr_TR'),
  'LANG=ar_EG': inLanguage('ar_EG'),
  'one core': { before: ['taskset', '-c', '0'] },
  'much else to do': { others: 4 * availableParallelism() },
};

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string' } },
});
const times = positionals[0] === undefined ? 1 : Number(positionals[0]);
if (!Number.isInteger(times) || times < 1) {
  console.error(
    'Usage: flakes [times] [project …] [--only=circumstance], such as `flakes 3 unit:loader unit:react`',
  );
  process.exit(2);
}
const projects = positionals.length > 1 ? positionals.slice(1) : ['unit:*'];
const chosen = Object.entries(CIRCUMSTANCES).filter(([name]) => name.includes(values.only ?? ''));
if (findEngine('postgresql') === null && !process.env.DATABASE_URL)
  console.log('PostgreSQL is not installed: its tests are skipped.');

const first = Number(process.env.TEST_SEED ?? Date.now() % 2 ** 31);
const report = `.test/flakes-${process.pid}.json`;
mkdirSync('.test', { recursive: true });

/** Exits when its parent ends in any way. */
const BUSY = 'const { ppid } = process; while (process.ppid === ppid);';

/** Keeps the cores busy with `count` processes during the work. */
async function withLoad(count, work) {
  const others = Array.from({ length: count }, () => spawn(process.execPath, ['-e', BUSY]));
  try {
    return await work();
  } finally {
    for (const other of others) other.kill('SIGKILL');
  }
}

/** Names of the failed tests, and the number that passed. */
async function once({ env = {}, before = [], others = 0 }, seed) {
  const [program, ...args] = [
    ...before,
    'vitest',
    'run',
    ...projects.map((project) => `--project=${project}`),
    '--sequence.shuffle',
    '--reporter=dot',
    '--reporter=tools/report.mjs',
  ];
  rmSync(report, { force: true });
  const { code, output } = await withLoad(others, () =>
    run(program, args, { env: { ...env, TEST_SEED: String(seed), TEST_REPORT: report } }),
  );
  if (!existsSync(report)) return { passed: 0, failed: [{ test: 'no report was written', why: output }] };
  const { passed, failures } = JSON.parse(readFileSync(report, 'utf8'));
  const failed = failures.map(({ title, messages }) => ({ test: title, why: messages.join('\n') }));
  if (code !== 0 && failed.length === 0) failed.push({ test: `ended with ${code}`, why: output });
  if (code === 0 && passed === 0) failed.push({ test: 'no test ran', why: output });
  return { passed, failed };
}

const rows = [];
for (const [index, [name, circumstance]] of chosen.entries()) {
  const row = { circumstance: name, runs: 0, passed: 0, failed: 0, seconds: 0, seeds: [] };
  for (let turn = 0; turn < times; turn++) {
    const seed = first + index * times + turn;
    const startedAt = performance.now();
    const { passed, failed } = await once(circumstance, seed);
    row.seconds += Math.round((performance.now() - startedAt) / 1000);
    row.runs += 1;
    row.passed += passed;
    row.failed += failed.length;
    if (failed.length > 0) row.seeds.push(seed);
    for (const { test, why } of failed)
      console.log(`FAIL ${name}, TEST_SEED=${seed}: ${test}\n${why.replace(/^/gm, '     ')}`);
  }
  rows.push(row);
  console.log(`${row.failed === 0 ? 'ok  ' : 'FAIL'} ${name}: ${row.runs} × (${row.seconds} s)`);
}
rmSync(report, { force: true });

console.log('\n| circumstance | runs | tests passed | failed | seconds | TEST_SEED of what failed |');
console.log('|---|---|---|---|---|---|');
for (const { circumstance, runs, passed, failed, seconds, seeds } of rows)
  console.log(`| ${circumstance} | ${runs} | ${passed} | ${failed} | ${seconds} | ${seeds.join(' ')} |`);
console.log(`Seeds ${first} to ${first + chosen.length * times - 1}.`);
process.exit(rows.some(({ failed }) => failed > 0) ? 1 : 0);
