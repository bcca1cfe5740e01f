// Asks browser tests about breakages that no unit test has noticed: each is put into the sources, what browsers run is
// built of them as it is for everybody, and the first test that fails is asked once more, alone.
import { spawn } from 'node:child_process';
import {
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { build as viteBuild } from 'vite';

const ROOT = new URL('../..', import.meta.url).pathname;
/** Ms: of tests that take two minutes on a busy machine, with as many of a mutant that hangs. */
const PATIENCE_MS = 600_000;

const config = (tree) => `
import base from ${JSON.stringify(join(tree, 'vitest.config.ts'))};
const { test } = base.test.projects.find(({ test }) => test?.name === 'browser');
export default {
  resolve: {
    // What is installed is the package of the tree that this one is a copy of.
    alias: [{ find: /^@embedded-sessions\\/loader\\/(.*)$/, replacement: ${JSON.stringify(join(tree, 'packages/loader/dist'))} + '/$1.js' }],
  },
  test: { ...test, root: ${JSON.stringify(join(tree, 'e2e'))}, testTimeout: 30_000, bail: 1, server: { deps: { inline: [/embedded-sessions/] } } },
};
`;

/**
 * @param {{ tree: string, folder: string, sources: Map<string, string> }} given a copy of the tree, the folder in it of
 *   the package that is built, and the package's sources as they are
 */
export function browserJudge({ tree, folder, sources }) {
  const configFile = join(tree, '.mutants.browser.config.ts');
  writeFileSync(configFile, config(tree));
  // What browsers meet besides is what was built here.
  for (const name of ['server-types', 'react', 'server', 'service']) {
    const built = join(ROOT, 'packages', name, 'dist');
    if (!existsSync(built)) throw new Error(`Build first: node tools/build.mjs (${built} is missing)`);
    rmSync(join(tree, 'packages', name, 'dist'), { recursive: true, force: true });
    symlinkSync(built, join(tree, 'packages', name, 'dist'));
  }
  for (const [file, content] of sources) writeFileSync(join(tree, file), content);
  const cli = join(realpathSync(join(ROOT, 'node_modules/vitest')), 'vitest.mjs');

  const root = join(tree, folder);
  const build = async () => {
    rmSync(join(root, 'dist'), { recursive: true, force: true });
    try {
      for (const configFile of readdirSync(root).filter((file) => /^vite(\..+)?\.config\.ts$/.test(file)))
        await viteBuild({ root, configFile: join(root, configFile), logLevel: 'silent' });
      return true;
    } catch {
      return false;
    }
  };

  /** The first test that failed, or null; `undefined` as its name where the run ended in another way. */
  const run = (files, name) =>
    new Promise((resolve) => {
      const output = join(tree, '.mutants.browser.json');
      rmSync(output, { force: true });
      const args = [cli, 'run', '--config', configFile, '--reporter=json', `--outputFile=${output}`];
      if (name) args.push('-t', `^${name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`);
      const child = spawn(process.execPath, [...args, ...files], {
        cwd: tree,
        stdio: 'ignore',
        detached: true,
      });
      const end = () => child.pid && process.kill(-child.pid, 'SIGKILL');
      process.once('exit', end);
      const timer = setTimeout(end, PATIENCE_MS);
      child.on('exit', (code) => {
        clearTimeout(timer);
        process.off('exit', end);
        if (code === 0) return resolve(null);
        const results = existsSync(output) ? JSON.parse(readFileSync(output, 'utf8')).testResults : [];
        for (const { name: path, assertionResults } of results)
          for (const { fullName, status, failureMessages } of assertionResults)
            if (status === 'failed')
              return resolve({
                path: path.replace(`${tree}/`, ''),
                name: fullName,
                why: failureMessages[0]?.slice(0, 200),
              });
        resolve({ path: files[0], name: undefined, why: `ended with ${code}` });
      });
    });

  return {
    /** Throws where a test fails with nothing broken. */
    async prove(files) {
      if (!(await build())) throw new Error(`${folder} does not build.`);
      const failed = await run(files);
      if (failed) throw new Error(`Fails with nothing broken: ${failed.path}: ${failed.name}: ${failed.why}`);
    },

    async verdict({ file, range: [from, to], replacement }, files) {
      const source = sources.get(file);
      // Of two operators that may not stand beside each other, one needs its parentheses.
      const buildWith = (text) => {
        writeFileSync(join(tree, file), source.slice(0, from) + text + source.slice(to));
        return build();
      };
      try {
        if (!(await buildWith(replacement)) && !(await buildWith(`(${replacement})`)))
          throw new Error(`${file}: does not build with ${replacement}`);
        const failed = await run(files);
        if (!failed) return { state: 'survived', asked: files.length };
        // On a busy machine a test may be late for no fault of the mutant.
        const again = failed.name === undefined ? failed : await run([failed.path], failed.name);
        return again ? { state: 'killed', killer: failed } : { state: 'survived', doubt: failed.why };
      } finally {
        writeFileSync(join(tree, file), source);
      }
    },
  };
}
