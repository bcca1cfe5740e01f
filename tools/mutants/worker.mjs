// Vitest's runner inside the one process that judges mutants: it runs what `plan.json` lists, file by file, again and
// again without starting anew. First each test alone, to learn what it runs; then, for each mutant, the tests that run it.
import { appendFileSync, existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { TestRunner, vi } from 'vitest';

const { home, vitestRunner, playwright, name, tests, mutants, document, built } = JSON.parse(
  readFileSync(process.env.MUTANTS_PLAN, 'utf8'),
);
const { startTests } = await import(vitestRunner);
// A test may have a clock of its own.
const { setTimeout, clearTimeout } = globalThis;
const isInBrowser = built.length > 0;

/** Ms: a mutant is asked about in the cheapest files first, for so long; in that of its own source in any case. */
const PATIENCE_MS = isInBrowser ? 240_000 : 120_000;
/** Kills after which it is asked whether the tests that failed still pass with nothing broken. */
const PROOF_EVERY = 5;

const ns = (globalThis['__stryker__'] ??= {});
ns.mutantCoverage = { static: {}, perTest: {} };
const results = `${home}/${name}.results.jsonl`;
const say = (line) => appendFileSync(results, `${JSON.stringify(line)}\n`);
const contents = new Map(built.map((file) => [file, readFileSync(file, 'utf8')]));

/** Tells whoever runs the code which mutant is in force, and is told which ones a page runs. */
function activate(id) {
  ns.activeMutant = id;
  for (const [file, content] of contents)
    writeFileSync(file, `(${inPage.toString()})(${JSON.stringify(id)});\n${content}`);
}

function inPage(id) {
  const here = (globalThis['__stryker__'] ??= {});
  here.activeMutant = id;
  here.hitCount = 0;
  here.hitLimit = 100_000;
  here.mutantCoverage ??= {
    perTest: {},
    static: new Proxy(
      {},
      {
        set(counts, mutant, count) {
          if (count === 1) globalThis.coveredMutant?.(mutant)?.catch(() => {});
          counts[mutant] = count;
          return true;
        },
      },
    ),
  };
}

/** Browsers that stay: a test's file launches and closes what it believes to be its own. */
async function keepBrowsers() {
  const browsers = new Map();
  const covered = (_, mutant) => {
    const { perTest, static: still } = ns.mutantCoverage;
    const counts = ns.currentTestId ? (perTest[ns.currentTestId] ??= {}) : still;
    counts[mutant] = (counts[mutant] ?? 0) + 1;
  };
  const { default: engines } = await import(playwright);
  for (const engine of [engines.chromium, engines.firefox]) {
    const launch = engine.launch.bind(engine);
    engine.launch = async (options) => {
      const key = engine.name() + JSON.stringify(options);
      const browser = browsers.get(key)?.isConnected() ? browsers.get(key) : await launch(options);
      browsers.set(key, browser);
      const contexts = [];
      const newContext = async (...args) => {
        const context = await browser.newContext(...args);
        contexts.push(context);
        if (ns.isLearning) await context.exposeBinding('coveredMutant', covered);
        return context;
      };
      const own = {
        newContext,
        newPage: async (...args) => (await newContext(...args)).newPage(),
        close: () => Promise.all(contexts.map((context) => context.close())),
      };
      return new Proxy(browser, {
        get(target, property) {
          const value = own[property] ?? Reflect.get(target, property);
          return typeof value === 'function' && !(property in own) ? value.bind(target) : value;
        },
      });
    };
  }
}

/** Who is slow, on a busy machine, does not hang. */
const breathe = () => existsSync(results) && utimesSync(results, new Date(), new Date());

export default class Judge extends TestRunner {
  #judging = false;
  /** Ids of tests to run; null for all. */
  #wanted = null;
  #bail = false;
  #failed = null;

  // oxlint-disable-next-line typescript/no-misused-promises -- it is waited for, whatever its type says
  async onAfterRunFiles() {
    super.onAfterRunFiles();
    if (this.#judging) return;
    this.#judging = true;
    // What follows is nobody's report.
    for (const name of [
      'onCollectStart',
      'onTaskUpdate',
      'onCollected',
      'onTestAnnotate',
      'onTestArtifactRecord',
    ])
      delete this[name];
    this.onCollected = (files) => this.#select(files);
    this.onTaskUpdate = async () => {};
    if (isInBrowser) await keepBrowsers();
    activate(undefined);
    await this.#judge();
  }

  importFile(path, source) {
    const { evaluatedModules } = this.workerState;
    const node = source === 'collect' && evaluatedModules.getModuleById(path);
    if (node) evaluatedModules.invalidateModule(node);
    return super.importFile(path, source);
  }

  #select(files) {
    const visit = (task) => {
      if (task.type === 'test') {
        if (this.#wanted && !this.#wanted.has(task.id)) task.mode = 'skip';
        return task.mode === 'run' || task.mode === 'queued';
      }
      const any = task.tasks.map((inner) => visit(inner)).some(Boolean);
      if (!any) task.mode = 'skip';
      return any;
    };
    for (const file of files) {
      visit(file);
      ns.currentTestId = `${file.id}#`;
    }
  }

  async onBeforeRunTask(test) {
    if (this.#bail && this.#failed) test.mode = 'skip';
    await super.onBeforeRunTask(test);
    ns.currentTestId = test.id;
  }

  onAfterRunTask(test) {
    super.onAfterRunTask(test);
    ns.currentTestId = `${test.file.id}#`;
    breathe();
    if (test.result?.state === 'fail') this.#failed ??= test;
  }

  async runTask(test) {
    const known = this.times?.[test.id];
    const limit = known === undefined ? test.timeout : 10_000 + 5 * known;
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(reject, limit, new Error('Too late'));
    });
    try {
      await Promise.race([TestRunner.getTestFn(test)(), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** The file's tests after they ran, and whether one of them, or the file itself, failed. */
  async #run(path, wanted, { bail = false } = {}) {
    this.#wanted = wanted;
    this.#bail = bail;
    this.#failed = null;
    if (document) {
      this.#forget();
      globalThis.document.body.replaceChildren();
      globalThis.document.head.replaceChildren();
    }
    ns.currentTestId = undefined;
    this.workerState.filepath = path;
    const [file] = await startTests([{ filepath: path }], this);
    ns.currentTestId = undefined;
    vi.resetConfig();
    vi.restoreAllMocks();
    vi.useRealTimers();
    vi.unstubAllGlobals();
    vi.unstubAllEnvs();
    const failed = this.#failed ?? (file.result?.state === 'fail' ? file : null);
    return { file, failed };
  }

  /** Modules are read anew with the next import: what a mutant changes while they load is seen, and then gone. */
  #forget() {
    this.workerState.evaluatedModules.idToModuleMap.forEach((node, path) => {
      if (/\/vitest\/dist\/|@vitest\/|worker\.mjs/.test(path)) return;
      node.promise = undefined;
      node.exports = undefined;
      node.evaluated = false;
      node.importers.clear();
    });
  }

  async #learn() {
    const path = `${home}/${name}.coverage.json`;
    let seen;
    try {
      seen = JSON.parse(readFileSync(path, 'utf8'));
    } catch {
      seen = { files: {}, static: {} };
    }
    ns.isLearning = true;
    for (const test of tests) {
      if (seen.files[test]) continue;
      let from = performance.now();
      ns.mutantCoverage.static = {};
      let { file, failed } = await this.#run(test, null);
      // Once more: on a busy machine one may fail for no reason of its own, and would not be asked about any mutant.
      if (failed) {
        from = performance.now();
        ({ file, failed } = await this.#run(test, null));
      }
      const whileLoading = Object.keys(ns.mutantCoverage.static);
      const entry = { ms: performance.now() - from, id: file.id, tests: {}, failing: [], whileLoading };
      const visit = (task) => {
        if (task.type !== 'test') return task.tasks.forEach(visit);
        if (task.result?.state === 'pass')
          entry.tests[task.id] = {
            name: task.name,
            ms: task.result.duration,
            hits: ns.mutantCoverage.perTest[task.id] ?? {},
          };
        else if (task.result?.state === 'fail')
          entry.failing.push(`${task.name}: ${task.result.errors?.[0]?.message}`);
      };
      visit(file);
      entry.hooks = ns.mutantCoverage.perTest[`${file.id}#`] ?? {};
      if (failed && entry.failing.length === 0)
        entry.failing.push(file.result?.errors?.[0]?.message ?? 'the file');
      entry.hooksMs = Math.max(0, entry.ms - Object.values(entry.tests).reduce((sum, { ms }) => sum + ms, 0));
      seen.files[test] = entry;
      Object.assign(seen.static, ns.mutantCoverage.static);
      writeFileSync(path, JSON.stringify(seen));
      say({ learned: test, ms: Math.round(entry.ms), failing: entry.failing });
    }
    ns.isLearning = false;
    return seen;
  }

  /** Which tests of which files run a mutant, the cheapest file first. */
  #plan(seen, { id, file }) {
    // A page reads its code anew.
    const isStatic = !isInBrowser && id in seen.static;
    const siblings = isStatic
      ? mutants.filter((other) => other.file === file).map((other) => other.id)
      : [id];
    const found = [];
    for (const [path, { tests: all, hooks, hooksMs, whileLoading = [] }] of Object.entries(seen.files)) {
      // What a constant is shows wherever it is used, which nobody counts.
      const inHooks = siblings.some((one) => one in hooks) || (isStatic && whileLoading.includes(id));
      const ids = Object.keys(all).filter((test) => inHooks || siblings.some((one) => one in all[test].hits));
      if (ids.length > 0)
        found.push({ path, ids, ms: hooksMs + ids.reduce((sum, test) => sum + all[test].ms, 0) });
    }
    return { isStatic, runs: found.sort((one, other) => one.ms - other.ms) };
  }

  async #verdict(seen, mutant) {
    const { isStatic, runs } = this.#plan(seen, mutant);
    const hits = Object.values(seen.files)
      .flatMap(({ tests: all, hooks }) => [hooks, ...Object.values(all).map((test) => test.hits)])
      .reduce((sum, counts) => sum + (counts[mutant.id] ?? 0), 0);
    if (mutant.killer)
      runs.sort((one, other) => (other.path === mutant.killer.path) - (one.path === mutant.killer.path));
    let spent = 0;
    try {
      if (isStatic) this.#forget();
      ns.hitCount = 0;
      ns.hitLimit = 1_000 + 100 * hits;
      activate(mutant.id);
      const own = `${basename(mutant.file).replace(/\.tsx?$/, '')}.test.`;
      for (const { path, ids, ms } of runs) {
        if (spent > 0 && spent + ms > PATIENCE_MS && !basename(path).startsWith(own)) continue;
        breathe();
        spent += ms;
        const { failed } = await this.#run(path, new Set(ids), { bail: true });
        if (failed)
          return {
            state: 'killed',
            killer: {
              path,
              id: failed.id,
              name: failed.name,
              why: failed.result?.errors?.[0]?.message?.slice(0, 200),
            },
          };
      }
      return { state: runs.length === 0 ? 'unseen' : 'survived', asked: runs.length };
    } finally {
      activate(undefined);
      ns.hitCount = undefined;
      if (isStatic) this.#forget();
    }
  }

  /** A test that failed must pass with nothing broken: else what a mutant left behind was judged. */
  async #proven(kills) {
    const asked = new Map();
    for (const { killer } of kills)
      asked.set(killer.path, (asked.get(killer.path) ?? new Set()).add(killer.id));
    for (const [path, ids] of asked) {
      const known = [...ids].every((id) => id.includes('_'));
      let { failed } = await this.#run(path, known ? ids : null);
      // What a mutant has left in a module is none of the test's fault.
      if (failed) {
        this.#forget();
        ({ failed } = await this.#run(path, known ? ids : null));
      }
      if (failed) return `${failed.name}: ${failed.result?.errors?.[0]?.message}`;
    }
    return null;
  }

  async #judge() {
    const seen = await this.#learn();
    this.times = Object.fromEntries(
      Object.values(seen.files).flatMap(({ tests: all }) =>
        Object.entries(all).map(([id, { ms }]) => [id, ms]),
      ),
    );
    const every = mutants.some(({ doubted }) => doubted) ? 1 : PROOF_EVERY;
    let kills = [];
    const prove = async () => {
      const doubt = await this.#proven(kills);
      if (doubt === null) for (const kill of kills) say(kill);
      else say({ doubted: kills.map(({ id }) => id), doubt });
      kills = [];
      return doubt === null;
    };
    for (const mutant of mutants.filter(({ todo }) => todo)) {
      say({ begun: mutant.id });
      const from = performance.now();
      const verdict = await this.#verdict(seen, mutant);
      const line = { id: mutant.id, ...verdict, ms: Math.round(performance.now() - from) };
      if (verdict.state === 'killed') kills.push(line);
      else say(line);
      // A process that is spoiled is left, and the parent starts another.
      if (kills.length >= every && !(await prove())) return;
    }
    if (await prove()) say({ finished: true });
  }
}
