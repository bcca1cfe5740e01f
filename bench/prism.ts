/** Prism as a peer: it mocks the same contract and keeps nothing. Installed for one run, in a folder of its own. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../e2e/harness/index.js';

/** The newest one that runs on Node 20: later ones ask for Node 24. */
const VERSION = '5.14.2';
const OPENAPI = join(import.meta.dirname, '../packages/server-types/dist/openapi.json');

export interface Prism {
  /** One process that answers as its schemas say; `info` is the log that it comes with. */
  start(log: 'info' | 'silent'): Promise<{ readonly url: string; readonly pid: number }>;
  /** Ends what was started and removes what was installed. */
  remove(): void;
}

export function installPrism(): Prism {
  const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-prism-'));
  const started: ChildProcess[] = [];
  const remove = (): void => {
    for (const child of started) child.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', remove);
  // No scripts: one of its dependencies reports installations.
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--prefix', folder];
  try {
    execFileSync('npm', ['install', ...flags, `@stoplight/prism-cli@${VERSION}`], { stdio: 'ignore' });
  } catch (cause) {
    throw new Error('Prism could not be installed: that needs npm and its registry.', { cause });
  }
  const cli = join(folder, 'node_modules/@stoplight/prism-cli/dist/index.js');
  return {
    remove,
    start: async (log) => {
      const port = await freePort();
      const args = [cli, 'mock', '-h', '127.0.0.1', '-p', String(port), '-v', log, OPENAPI];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
      started.push(child);
      const url = `http://127.0.0.1:${port}`;
      // A silent one tells by nothing but an answer that it listens.
      while (!(await answers(url))) {
        if (child.exitCode !== null)
          throw new Error(`Prism ended with ${child.exitCode} before it listened.`);
        await delay(100);
      }
      return { url, pid: child.pid as number };
    },
  };
}

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  );
