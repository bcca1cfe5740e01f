// Runs the server client's tests in every runtime that it promises: Bun and Deno, and other Nodes, each by its npm
// binary, fetched into a folder of its own. `node tools/runtimes.mjs` takes about two minutes and 300 MB.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const root = new URL('..', import.meta.url).pathname;
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-runtimes-'));

const install = (...packages) => {
  const prefix = join(folder, packages[0].replaceAll(/\W/g, '-'));
  const flags = ['--prefix', prefix, '--no-audit', '--no-fund', '--loglevel', 'error'];
  const { status } = spawnSync('npm', ['install', ...flags, ...packages], { stdio: 'inherit' });
  return status === 0 ? join(prefix, 'node_modules') : undefined;
};
const test = (name, node, path, ...filter) => {
  console.log(`\n── ${name}`);
  const projects = ['--project', 'unit:server', '--project', 'unit:server-types'];
  const { status } = spawnSync(node, [vitest, 'run', ...projects, ...filter], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PATH: [path, process.env.PATH].join(delimiter) },
  });
  return status === 0;
};

const results = [];
try {
  const others = install('bun', 'deno');
  if (others === undefined) console.log('Bun and Deno do not install here: left out.');
  else results.push(test('Bun and Deno', process.execPath, join(others, '.bin'), 'runtimes'));
  for (const version of ['22', '24']) {
    const platform = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
    const modules = install(`node-${platform}@${version}`);
    if (modules === undefined) console.log(`Node ${version} does not install here: left out.`);
    else {
      const bin = join(modules, `node-${platform}/bin`);
      results.push(test(`Node ${version}`, join(bin, 'node'), bin));
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(results.every(Boolean) ? 0 : 1);
