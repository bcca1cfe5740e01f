// Runs the tests of the published libraries on every runtime that they support: other versions of Node from npm, and Bun and
// Deno for the server client. Takes about three minutes and 400 MB.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const ROOT = new URL('..', import.meta.url).pathname;
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');
const PLATFORM = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
const LIBRARIES = ['server', 'server-types', 'loader', 'loader-script', 'react'];
const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-runtimes-'));

/** @returns {string | undefined} the `node_modules` folder, or undefined if the packages do not install here */
function install(...packages) {
  const prefix = join(folder, packages[0].replaceAll(/\W/g, '-'));
  const flags = ['--prefix', prefix, '--no-audit', '--no-fund', '--loglevel', 'error'];
  const { status } = spawnSync('npm', ['install', ...flags, ...packages], { stdio: 'inherit' });
  return status === 0 ? join(prefix, 'node_modules') : undefined;
}

function test(name, { node = process.execPath, path, projects, args }) {
  console.log(`\n── ${name}`);
  const chosen = projects.map((project) => `--project=unit:${project}`);
  const { status } = spawnSync(node, [VITEST, 'run', ...chosen, ...args], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, PATH: [path, process.env.PATH].join(delimiter) },
  });
  return status === 0;
}

const results = [];
try {
  const others = install('bun', 'deno');
  if (others === undefined) console.log('Skipped: Bun and Deno cannot be installed here.');
  else {
    const path = join(others, '.bin');
    results.push(test('Bun and Deno', { path, projects: ['server'], args: ['runtimes'] }));
  }

  for (const version of ['20', '22']) {
    const modules = install(`node-${PLATFORM}@${version}`);
    if (modules === undefined) {
      console.log(`Skipped: Node ${version} cannot be installed here.`);
      continue;
    }
    const bin = join(modules, `node-${PLATFORM}/bin`);
    // These two start a real service, which needs Node 24.
    const args = ['--exclude=src/docs.test.ts', '--exclude=src/service.test.ts'];
    const options = { node: join(bin, 'node'), path: bin, projects: LIBRARIES, args };
    results.push(test(`Node ${version}`, options));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(results.every(Boolean) ? 0 : 1);
