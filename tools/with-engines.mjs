// Installs the browsers and PostgreSQL that the tests need, then runs the rest of the command line:
// `node tools/with-engines.mjs vitest run --project 'browser*'`
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ENGINES, missingEngines } from './engines.mjs';

/**
 * Installs what is missing with apt where that is ours to do: as root, or with sudo where CI is set. Elsewhere it
 * prints what to install and answers the names that are not there, whose tests are then skipped.
 * Throws when an installation fails.
 */
export function ensureEngines() {
  const missing = missingEngines();
  if (missing.length === 0) return [];
  const packages = missing.flatMap((name) => ENGINES[name].packages);
  const isRoot = process.getuid?.() === 0;
  if (!existsSync('/usr/bin/apt-get') || !(isRoot || process.env.CI)) {
    console.error(
      `Not installed, so their tests are skipped: ${missing.join(', ')}.\nTo run them: sudo apt-get install ${packages.join(' ')}`,
    );
    return missing;
  }
  console.error(`Installing ${packages.join(' ')} …`);
  const apt = (...args) => {
    const command = ['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-qq', ...args];
    const [program, ...rest] = isRoot ? command : ['sudo', ...command];
    const { status } = spawnSync(program, rest, { stdio: ['ignore', 'ignore', 'inherit'] });
    return status === 0;
  };
  // A machine whose package lists are stale fails the first time and succeeds after an update.
  const install = () => apt('install', '-y', '--no-install-recommends', ...packages);
  if (!install() && !(apt('update') && install())) {
    throw new Error(`apt-get could not install ${packages.join(' ')}; its own message is above.`);
  }
  const still = missingEngines();
  if (still.length > 0)
    throw new Error(`apt-get installed its packages, but ${still.join(', ')} is still not found.`);
  return [];
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  ensureEngines();
  const [program, ...args] = process.argv.slice(2);
  if (program !== undefined) {
    const bin = join(new URL('..', import.meta.url).pathname, 'node_modules/.bin');
    const { status, signal, error } = spawnSync(program, args, {
      stdio: 'inherit',
      env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ''}` },
    });
    if (error) throw error;
    process.exit(status ?? 128 + (constants.signals[signal] ?? 0));
  }
}
