/**
 * The libraries that the benchmarks compare with, in the versions of bench/peers/package-lock.json. Installed on first use.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER: string = join(import.meta.dirname, 'peers');

/** The folder of the peers' `node_modules`. */
export function installedPeers(): string {
  // No install scripts: one of them reports installations.
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--legacy-peer-deps'];
  if (!existsSync(join(FOLDER, 'node_modules/.package-lock.json')))
    execFileSync('npm', args, { cwd: FOLDER, stdio: 'ignore' });
  return FOLDER;
}

export function versionOf(name: string): string {
  const file = join(installedPeers(), 'node_modules', name, 'package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
