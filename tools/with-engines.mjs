// Installs the browsers and PostgreSQL that the tests need, then runs the rest of the command line:
// `node tools/with-engines.mjs vitest run --project 'browser*'`
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ENGINES, missingEngines } from './engines.mjs';
import { run } from './steps.mjs';

/**
 * Installs missing programs with apt if allowed: as root, or with sudo in CI. Otherwise prints what to install, and tests of
 * missing engines are skipped.
 * @returns {Promise<{ code: number, output: string }>} nonzero only if an installation failed
 */
export async function installEngines() {
  const missing = missingEngines();
  const spare = missingEngines(true);
  if (missing.length === 0 && spare.length === 0) return { code: 0, output: '' };
  const packages = missing.flatMap((name) => ENGINES[name].packages);
  const isRoot = process.getuid?.() === 0;
  if (!existsSync('/usr/bin/apt-get') || !(isRoot || process.env.CI)) {
    if (missing.length === 0) return { code: 0, output: '' };
    const output = `Not installed, so their tests are skipped: ${missing.join(', ')}.\nTo run them: sudo apt-get install ${packages.join(' ')}\n`;
    console.error(output);
    return { code: 0, output };
  }
  const apt = (...args) => {
    // Without `force-unsafe-io`, dpkg waits for the disk after each of thousands of files.
    const options = ['-qq', '-o', 'Dpkg::Options::=--force-unsafe-io'];
    const command = ['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', ...options, ...args];
    return run(isRoot ? 'env' : 'sudo', isRoot ? command.slice(1) : command);
  };
  const install = (packages) => {
    console.error(`Installing ${packages.join(' ')} …`);
    return apt('install', '-y', '--no-install-recommends', ...packages);
  };
  // Outdated package lists may name files that the mirror no longer has, or browsers that are too old.
  let result = await apt('update');
  if (result.code === 0 && missing.length > 0) result = await install(packages);
  if (missing.length > 0 && result.code !== 0) return result;
  // Programs that only speed up the tests may be missing, because not every Debian release has them.
  for (const name of spare) {
    const { code } = await install(ENGINES[name].packages);
    if (code !== 0) console.error(`The tests run without ${name}, and take longer.`);
  }
  if (missing.length === 0) return { code: 0, output: '' };
  const still = missingEngines();
  if (still.length === 0) return result;
  return {
    code: 1,
    output: `${result.output}\napt-get ended well, but ${still.join(', ')} cannot be found.\n`,
  };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const engines = await installEngines();
  if (engines.code !== 0) {
    console.error(engines.output);
    process.exit(engines.code);
  }
  const [program, ...args] = process.argv.slice(2);
  if (program !== undefined) {
    const bin = join(new URL('..', import.meta.url).pathname, 'node_modules/.bin');
    const PATH = `${bin}${delimiter}${process.env.PATH ?? ''}`;
    const { code, output } = await run(program, args, { live: true, env: { PATH } });
    if (output) console.error(output);
    process.exit(code);
  }
}
