// `pnpm mutants [part…]`: breaks the code in small ways, one at a time, and sees whether a unit test notices. Stryker's
// instrumenter puts all breakages of a part into a copy of the tree; one Vitest process tries them one after the other.
// Where a part is made for browsers, their tests are asked about the rest.
// It can be stopped and goes on where it was; what has not changed since is not asked again.
import { createHash } from 'node:crypto';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build as viteBuild } from 'vite';
import { NEVER, PARTS, NOT_ASKED } from './parts.mjs';

const ROOT = new URL('../..', import.meta.url).pathname;
const HERE = new URL('.', import.meta.url).pathname;
const HOME = join(ROOT, '.mutants');
const REPORT = join(ROOT, 'bench/mutants.json');
/** Ms without a word after which the mutant of the moment counts as one that hangs. */
const SILENCE_MS = 300_000;

process.chdir(ROOT);
mkdirSync(HOME, { recursive: true });

const options = process.argv.slice(2);
const valueOf = (name) => options.find((option) => option.startsWith(`--${name}=`))?.split('=')[1];
/** So many mutants of a part, always the same ones; without it all of them. */
const sample = Number(valueOf('sample') ?? Infinity);
/** Not the first so many: those that a sample of before had, after which tests were written for what it showed. */
const after = Number(valueOf('after') ?? 0);
/** Only mutants of files whose path contains this; the report keeps what it says. */
const only = valueOf('only');
/** Stops by itself after so many minutes, to be called again. */
const endsAt = Date.now() + 60_000 * Number(valueOf('minutes') ?? Infinity);
let stopped = false;
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
const names = options.filter((option) => !option.startsWith('--'));
for (const option of options.filter((option) => option.startsWith('--')))
  if (!/^--(sample|after|only|minutes)=./.test(option))
    throw new Error(
      `No such option: ${option}. There are --sample=N, --after=M, --only=PATH and --minutes=N.`,
    );
for (const name of names)
  if (!PARTS[name]) throw new Error(`No such part: ${name}. There are ${Object.keys(PARTS).join(', ')}.`);

const hash = (text) => createHash('sha256').update(text).digest('hex').slice(0, 16);
const tracked = (globs) =>
  execFileSync(
    'git',
    ['ls-files', '-co', '--exclude-standard', '--', ...globs.map((glob) => `:(glob)${glob}`)],
    { encoding: 'utf8' },
  )
    .split('\n')
    .filter((file) => file !== '' && existsSync(file));
const linesOf = (path) =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    : [];

async function instrumenter() {
  const folder = join(HOME, 'stryker');
  mkdirSync(folder, { recursive: true });
  for (const file of ['package.json', 'package-lock.json']) cpSync(join(HERE, file), join(folder, file));
  if (!existsSync(join(folder, 'node_modules/typed-inject'))) {
    const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: folder,
      stdio: 'inherit',
    });
    if (status !== 0) throw new Error('Stryker could not be installed.');
  }
  const from = createRequire(join(folder, 'package.json'));
  const { createInjector } = await import(from.resolve('typed-inject'));
  const { createInstrumenter } = await import(from.resolve('@stryker-mutator/instrumenter'));
  const quiet = new Proxy({}, { get: (_, name) => (String(name).startsWith('is') ? () => false : () => {}) });
  return createInjector()
    .provideValue('options', {})
    .provideValue('logger', quiet)
    .injectFunction(createInstrumenter);
}

/** The tree as it is, changes that nobody has committed included; what is installed is shared with it. */
function copyTree(tree) {
  rmSync(tree, { recursive: true, force: true });
  for (const file of tracked(['**'])) {
    mkdirSync(dirname(join(tree, file)), { recursive: true });
    cpSync(file, join(tree, file), { verbatimSymlinks: true });
  }
  for (const folder of [
    '.',
    ...tracked(['*/*/package.json', '*/*/*/package.json', '*/package.json']).map(dirname),
  ]) {
    const installed = join(ROOT, folder, 'node_modules');
    if (existsSync(installed)) symlinkSync(installed, join(tree, folder, 'node_modules'));
  }
}

/** A mutant by what it changes, wherever that stands meanwhile. */
const keyOf = ({ file, original, replacement, nth }) =>
  hash(JSON.stringify([file, original, replacement, nth]));

/** Puts breakages by hand into a copy as Stryker does its own: one of them is in force, and who runs it is counted. */
function knownMutants(known, tree) {
  const mutants = known.map(({ file, code, broken, what }, index) => {
    const source = readFileSync(file, 'utf8');
    if (source.split(code).length !== 2) throw new Error(`${file} does not have this once: ${code}`);
    const line = source.slice(0, source.indexOf(code)).split('\n').length;
    const mutant = { id: `${index}`, file, line, mutator: what, original: code, replacement: broken, nth: 0 };
    return { ...mutant, key: keyOf(mutant) };
  });
  for (const file of new Set(known.map((one) => one.file))) {
    const inFile = mutants.filter((mutant) => mutant.file === file);
    let source = readFileSync(file, 'utf8');
    for (const code of new Set(inFile.map(({ original }) => original))) {
      const own = inFile.filter(({ original }) => original === code);
      const isStatement = code.endsWith(';');
      const all = own.map(({ id, replacement }) =>
        isStatement ? `if (broken('${id}')) { ${replacement} } else` : `broken('${id}') ? (${replacement}) :`,
      );
      source = source.replace(code, () =>
        isStatement ? `${all.join(' ')} { ${code} }` : `(${all.join(' ')} (${code}))`,
      );
    }
    writeFileSync(join(tree, file), `${BROKEN}\n${source}`);
  }
  return mutants;
}

const BROKEN = `function broken(id) {
  const ns = (globalThis.__stryker__ ??= {});
  const { perTest, static: still } = (ns.mutantCoverage ??= { static: {}, perTest: {} });
  const counts = ns.currentTestId ? (perTest[ns.currentTestId] ??= {}) : still;
  counts[id] = (counts[id] ?? 0) + 1;
  return ns.activeMutant === id;
}`;

async function mutantsOf({ files, not, known }, tree) {
  if (known) return knownMutants(known, tree);
  const sources = tracked(files).filter((file) => !NEVER.test(file) && !not?.test(file));
  const { instrument } = await instrumenter().then((made) => ({ instrument: made.instrument.bind(made) }));
  const given = sources.map((file) => ({ name: file, mutate: true, content: readFileSync(file, 'utf8') }));
  const made = await instrument(given, { plugins: null, excludedMutations: [], ignorers: [] });
  for (const { name, content } of made.files) writeFileSync(join(tree, name), content);
  const counts = new Map();
  return made.mutants
    .filter(({ status }) => status !== 'Ignored')
    .map(({ id, fileName, location: { start, end }, mutatorName, replacement }) => {
      const source = readFileSync(fileName, 'utf8');
      const lines = source.split('\n');
      const offsetOf = ({ line, column }) =>
        lines.slice(0, line).reduce((sum, text) => sum + text.length + 1, 0) + column;
      const original = source.slice(offsetOf(start), offsetOf(end));
      const same = JSON.stringify([fileName, original, replacement]);
      const nth = counts.get(same) ?? 0;
      counts.set(same, nth + 1);
      const line = start.line + 1;
      const mutant = { id, file: fileName, line, mutator: mutatorName, original, replacement, nth };
      return { ...mutant, key: keyOf(mutant) };
    });
}

/** What both kinds of tests are run with: one process that stays. */
const config = (tree, { test, resolve }) => `
import base from ${JSON.stringify(join(tree, 'vitest.config.ts'))};
const projectOf = (name) => base.test.projects.find(({ test }) => test.name === name);
export default {
  resolve: ${resolve},
  cacheDir: ${JSON.stringify(join(HOME, 'vite'))},
  test: {
    root: ${JSON.stringify(tree)},
    dir: ${JSON.stringify(tree)},
    include: ['.entry.test.ts'],
    exclude: [],
    runner: ${JSON.stringify(join(tree, 'tools/mutants/worker.mjs'))},
    pool: 'forks',
    isolate: false,
    maxWorkers: 1,
    hookTimeout: 60_000,
    teardownTimeout: 1_000,
    dangerouslyIgnoreUnhandledErrors: true,
    silent: true,
    ${test}
  },
};
`;

const unitConfig = ({ project }, tree) =>
  config(tree, {
    resolve: `projectOf('unit:${project}').resolve`,
    test: `
    name: 'unit:${project}',
    environment: projectOf('unit:${project}').test.environment,
    testTimeout: 30_000,
    restoreMocks: true,
    // As long as a test may take longer than it is known to: one second, the default, is too short on a busy machine.
    expect: { poll: { timeout: 5_000 } },
    server: { deps: { external: [/vitest/] } },`,
  });

const browserConfig = ({ browser: { folder, name } }, tree) =>
  config(tree, {
    // What is installed is the package of the tree that this one is a copy of.
    resolve: `{ alias: [{ find: /^@embedded-sessions\\/${name}\\/(.*)$/, replacement: ${JSON.stringify(join(tree, folder, 'dist'))} + '/$1.js' }] }`,
    test: `
    name: 'browser',
    testTimeout: 90_000,
    expect: { poll: { timeout: 20_000 } },
    server: { deps: { inline: [/embedded-sessions/], external: [/vitest/] } },`,
  });

/** One process until it ends or says nothing any more. */
function vitest(name, tree) {
  const results = join(HOME, `${name}.results.jsonl`);
  const cli = join(realpathSync(join(ROOT, 'node_modules/vitest')), 'vitest.mjs');
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [cli, 'run', '--config', join(tree, `.${name}.config.ts`)], {
      cwd: tree,
      env: { ...process.env, MUTANTS_PLAN: join(HOME, `${name}.plan.json`) },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const end = () => child.pid && process.kill(-child.pid, 'SIGKILL');
    let tail = '';
    const hear = (chunk) => (tail = (tail + chunk).slice(-4_000));
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    const watch = setInterval(() => {
      if (Date.now() > endsAt) {
        stopped = true;
        end();
      }
      const quietMs = Date.now() - (existsSync(results) ? statSync(results).mtimeMs : startedAt);
      if (Math.min(quietMs, Date.now() - startedAt) > SILENCE_MS) end();
    }, 2_000);
    const startedAt = Date.now();
    process.once('exit', end);
    child.on('exit', (code, signal) => {
      clearInterval(watch);
      process.off('exit', end);
      resolve({ hung: signal === 'SIGKILL' && !stopped, tail });
    });
  });
}

const equivalents = JSON.parse(readFileSync(join(HERE, 'equivalent.json'), 'utf8'));
if (!equivalents.every(({ reason }) => reason))
  throw new Error('equivalent.json: every mutant needs its reason.');
const isEquivalent = (mutant) =>
  equivalents.find(
    ({ file, original, replacement, nth = 0 }) =>
      file === mutant.file &&
      original === mutant.original &&
      replacement === mutant.replacement &&
      nth === mutant.nth,
  );

/**
 * Asks these tests about mutants, in one process after the other until each has its verdict.
 *
 * @param stage `name` of its files in `HOME`; `built`: files that browsers load, where that is what carries the mutants
 */
async function askTests({
  name,
  tree,
  tests,
  config,
  mutants,
  order,
  chosen,
  sources,
  sourceHash,
  document = false,
  built = [],
}) {
  const testHashes = Object.fromEntries(tests.map((file) => [file, hash(readFileSync(file, 'utf8'))]));
  // What was found before holds: a kill while its killer is as it was, a survivor while no test is new.
  const storePath = join(HOME, `${name}.json`);
  const store = existsSync(storePath) ? JSON.parse(readFileSync(storePath, 'utf8')) : { verdicts: {} };
  const allTests = hash(JSON.stringify(testHashes));
  const holds = (mutant) => {
    const verdict = store.verdicts[mutant.key];
    if (!verdict || verdict.source !== sources[mutant.file]) return false;
    return verdict.state === 'killed'
      ? !verdict.killer || testHashes[verdict.killer.path] === verdict.killerHash
      : verdict.tests === allTests;
  };
  const coverageKey = sourceHash + allTests;
  if (store.coverageKey !== coverageKey) {
    // What other tests run has not changed where the sources have not.
    const path = join(HOME, `${name}.coverage.json`);
    if (existsSync(path)) {
      const seen = JSON.parse(readFileSync(path, 'utf8'));
      for (const [file, known] of Object.entries(store.testHashes ?? {}))
        if (store.sourceHash !== sourceHash || testHashes[file] !== known)
          delete seen.files[join(tree, file)];
      if (store.sourceHash !== sourceHash) rmSync(path);
      else writeFileSync(path, JSON.stringify(seen));
    }
    Object.assign(store, { coverageKey, sourceHash, testHashes });
  }
  writeFileSync(storePath, JSON.stringify(store));
  writeFileSync(join(tree, '.entry.test.ts'), `import { it } from 'vitest';\nit('begins', () => {});\n`);
  writeFileSync(join(tree, `.${name}.config.ts`), config);
  const results = join(HOME, `${name}.results.jsonl`);
  const doubted = new Set();
  const vitestRunner = createRequire(
    join(realpathSync(join(ROOT, 'node_modules/vitest')), 'package.json'),
  ).resolve('@vitest/runner');

  /** Keeps what the process has said, of this run or of one that was stopped. */
  const harvest = (hung) => {
    const planPath = join(HOME, `${name}.plan.json`);
    if (!existsSync(planPath) || !existsSync(results)) return { progress: 0, told: [] };
    const plan = JSON.parse(readFileSync(planPath, 'utf8'));
    const asked = new Map(plan.mutants.map((mutant) => [mutant.id, mutant]));
    const told = [];
    let progress = 0;
    const put = (id, verdict) => {
      const { key, file } = asked.get(id);
      const killer = verdict.killer && {
        ...verdict.killer,
        path: verdict.killer.path.replace(`${tree}/`, ''),
      };
      const killerHash = killer && plan.testHashes[killer.path];
      store.verdicts[key] = {
        ...verdict,
        killer,
        killerHash,
        tests: plan.allTests,
        source: plan.sources[file],
      };
      doubted.delete(key);
      progress += 1;
    };
    const said = linesOf(results);
    for (const { id, doubted: ids, doubt, learned, failing, ...verdict } of said) {
      if (learned) progress += 1;
      if (failing?.length > 0)
        told.push(`left out, fails with nothing broken: ${failing.join('; ').slice(0, 300)}`);
      if (ids) told.push(`again, something was left behind: ${doubt?.slice(0, 200)}`);
      const alone = asked.get(ids?.[0])?.doubted;
      // Doubted when it was alone: it counts as not seen.
      for (const one of ids ?? []) {
        if (alone) put(one, { state: 'survived', doubt });
        else doubted.add(asked.get(one).key);
        progress += 1;
      }
      if (id !== undefined && verdict.state) put(id, verdict);
    }
    const begun = said.findLast(({ begun: id }) => id !== undefined)?.begun;
    if (hung && begun !== undefined) put(begun, { state: 'killed', hung: true });
    rmSync(results);
    writeFileSync(storePath, JSON.stringify(store));
    return { progress, told };
  };
  harvest(false);
  doubted.clear();

  for (let round = 0; ; round += 1) {
    const todo = mutants.filter((mutant) => chosen.has(mutant.key) && !holds(mutant));
    const now =
      todo.some(({ key }) => doubted.has(key)) && round % 2 === 1
        ? todo.filter(({ key }) => doubted.has(key))
        : todo;
    console.log(`${name}: ${chosen.size} of ${mutants.length} mutants, ${todo.length} to be judged`);
    if (todo.length === 0) break;
    const wanted = new Set(now.map(({ key }) => key));
    const plan = {
      home: HOME,
      name,
      vitestRunner,
      playwright: createRequire(join(ROOT, 'e2e/package.json')).resolve('playwright-core'),
      allTests,
      testHashes,
      sources,
      document,
      built,
      tests: tests.map((file) => join(tree, file)),
      mutants: mutants.toSorted(order).map(({ id, key, file }) => ({
        id,
        key,
        file,
        todo: wanted.has(key),
        doubted: doubted.has(key) && wanted.has(key) && wanted.size === doubted.size,
        killer: tests.includes(store.verdicts[key]?.killer?.path) && {
          ...store.verdicts[key].killer,
          path: join(tree, store.verdicts[key].killer.path),
        },
      })),
    };
    writeFileSync(join(HOME, `${name}.plan.json`), JSON.stringify(plan));
    rmSync(results, { force: true });
    const { hung, tail } = await vitest(name, tree);
    const { progress, told } = harvest(hung);
    writeFileSync(storePath, JSON.stringify(store));
    if (progress === 0 && !stopped) throw new Error(`${name}: nothing was judged.\n${tail}`);
    for (const line of told) console.log(`  ${line}`);
    if (stopped) break;
  }
  return { holds, verdictOf: ({ key }) => store.verdicts[key] };
}

/** Builds what browsers load with all mutants in it, and answers its files. */
async function buildOf({ folder }, tree) {
  // What browsers meet besides is what was built here.
  for (const other of ['server-types', 'react', 'server', 'service']) {
    const dist = join(ROOT, 'packages', other, 'dist');
    if (!existsSync(dist)) throw new Error(`Build first: node tools/build.mjs (${dist} is missing)`);
    rmSync(join(tree, 'packages', other, 'dist'), { recursive: true, force: true });
    symlinkSync(dist, join(tree, 'packages', other, 'dist'));
  }
  const root = join(tree, folder);
  for (const file of readdirSync(root).filter((file) => /^vite(\..+)?\.config\.ts$/.test(file)))
    await viteBuild({ root, configFile: join(root, file), logLevel: 'silent' });
  const dist = join(root, 'dist');
  return readdirSync(dist)
    .filter((file) => file.endsWith('.js'))
    .map((file) => join(dist, file));
}

async function judge(part) {
  const tree = join(HOME, 'tree', part);
  copyTree(tree);
  const spec = PARTS[part];
  // The decisions are the same on both engines, and tests of the embedded one take a tenth of the time.
  const engines = join(tree, 'packages/service/test/postgres.ts');
  const source = readFileSync(engines, 'utf8');
  writeFileSync(engines, source.replace(/(export const hasPostgres: boolean =)[^;]*;/, '$1 false;'));
  const mutants = await mutantsOf(spec, tree);
  // As they are now: what is edited while they are judged is judged next time.
  const sources = Object.fromEntries(
    [...new Set(mutants.map(({ file }) => file))].map((file) => [file, hash(readFileSync(file, 'utf8'))]),
  );
  const sourceHash = hash(mutants.map(({ key }) => key).join() + JSON.stringify(sources));
  const order = (one, other) => (hash(one.key) < hash(other.key) ? -1 : 1);
  let chosen = new Set(
    mutants
      .filter(({ file }) => !only || file.includes(only))
      .toSorted(order)
      .slice(after, after + sample)
      .map(({ key }) => key),
  );

  const isAsked = (mutant) => chosen.has(mutant.key);
  const known = { tree, mutants, order, sources, sourceHash };
  const testsOf = (globs) => tracked(globs).filter((file) => !NOT_ASKED.test(file));
  const byUnit = await askTests({
    ...known,
    name: part,
    tests: testsOf(spec.tests),
    config: unitConfig(spec, tree),
    document: spec.document,
    chosen,
  });
  const isSeen = (stage, mutant) => stage?.verdictOf(mutant)?.state === 'killed';
  const rest = new Set(
    mutants
      .filter((mutant) => isAsked(mutant) && !isSeen(byUnit, mutant) && !isEquivalent(mutant))
      .map(({ key }) => key),
  );
  let byBrowser;
  if (spec.browser && !stopped && rest.size > 0)
    byBrowser = await askTests({
      ...known,
      name: `${part}-browser`,
      tests: testsOf(spec.browser.tests),
      config: browserConfig(spec, tree),
      built: await buildOf(spec.browser, tree),
      chosen: rest,
    });
  if (stopped) {
    // What was judged without a gap is a sample too, a smaller one.
    const inOrder = mutants.filter(isAsked).toSorted(order);
    const gap = inOrder.findIndex(
      (mutant) =>
        !byUnit.holds(mutant) || (spec.browser && rest.has(mutant.key) && !byBrowser?.holds(mutant)),
    );
    if (gap === 0) return null;
    if (gap > 0) chosen = new Set(inOrder.slice(0, gap).map(({ key }) => key));
  }

  const judged = mutants.filter(isAsked).map((mutant) => ({
    ...mutant,
    ...(isSeen(byUnit, mutant) ? byUnit : (byBrowser ?? byUnit)).verdictOf(mutant),
    equivalent: isEquivalent(mutant)?.reason,
  }));
  const alive = judged.filter(({ state }) => state !== 'killed');
  for (const mutant of alive.filter(({ equivalent }) => !equivalent))
    console.log(
      `${mutant.file}:${mutant.line} ${mutant.state} [${mutant.mutator}] ${mutant.original.replaceAll(/\s+/g, ' ').slice(0, 120)}  →  ${mutant.replacement.replaceAll(/\s+/g, ' ').slice(0, 80)}${mutant.doubt ? ' (doubted)' : ''}`,
    );
  for (const { file, line, original } of judged.filter(
    ({ state, equivalent }) => state === 'killed' && equivalent,
  ))
    console.log(
      `${file}:${line} ${original} is called equivalent and is noticed: take it out of equivalent.json`,
    );
  for (const known of equivalents.filter(({ file }) => !spec.known && file in sources))
    if (!mutants.some((mutant) => isEquivalent(mutant) === known))
      console.log(`${known.file}: ${known.original} is in equivalent.json and in no source`);
  const killed = judged.length - alive.length;
  return {
    part,
    killed,
    survived: alive.length,
    sample: judged.length,
    ...(after > 0 ? { after } : {}),
    ...(spec.browser ? { byUnitTests: judged.filter((mutant) => isSeen(byUnit, mutant)).length } : {}),
    at: new Date().toISOString().slice(0, 10),
    score: Math.round((1000 * killed) / judged.length) / 10,
    of: mutants.length,
    equivalent: alive.filter(({ equivalent }) => equivalent).length,
  };
}

for (const name of names.length > 0 ? names : Object.keys(PARTS)) {
  const line = await judge(name);
  if (stopped) console.log(`${name}: stopped; the same command goes on`);
  if (line === null) break;
  console.log(JSON.stringify(line));
  if (stopped && only) break;
  if (only) continue;
  // As it is now: another part may have been asked beside this one.
  const report = existsSync(REPORT) ? JSON.parse(readFileSync(REPORT, 'utf8')) : [];
  // The same sample again: what it showed has been answered since, and says no more of those that nobody has tried.
  const before = report.find(({ part }) => part === name);
  if (!PARTS[name].known && before && before.after === line.after && before.sample === line.sample)
    line.first = before.first ?? before.killed;
  const rest = report.filter(({ part }) => part !== name);
  report.splice(
    0,
    report.length,
    ...Object.keys(PARTS).flatMap((part) =>
      part === name ? [line] : rest.filter((other) => other.part === part),
    ),
  );
  writeFileSync(REPORT, `${JSON.stringify(report, null, 2)}\n`);
  if (stopped) break;
}
