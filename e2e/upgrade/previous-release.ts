/** Builds the last release from git. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CLI = 'packages/service/dist/cli.js';

/** Returns the path of its command line. The first build takes half a minute and is cached. */
export function previousRelease(): string {
  const release = git('log', '-1', '--format=%H', '--grep=^chore(release)').trim();
  if (release === '') throw new Error('This clone has no release in its history: git fetch --unshallow');
  const folder = join(ROOT, 'node_modules/.cache/releases', release);
  if (!existsSync(folder)) build(release, folder);
  return join(folder, CLI);
}

function build(release: string, folder: string): void {
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  try {
    execFileSync('tar', ['-x', '-C', unfinished], { input: gitArchive(release) });
    const options = { cwd: unfinished, stdio: 'pipe' } as const;
    execFileSync('npx', ['-y', 'pnpm@12', 'install', '--frozen-lockfile'], options);
    execFileSync(process.execPath, ['tools/build.mjs'], options);
    renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' });
}

function gitArchive(release: string): Buffer {
  return execFileSync('git', ['archive', release], { cwd: ROOT, maxBuffer: 2 ** 30 });
}
