/** Prism as a peer: it mocks the same contract and stores nothing. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../e2e/harness/index.js';
import { installedPeers } from './peers.js';
import type { Target } from './targets.js';

const OPENAPI = join(import.meta.dirname, '../packages/server-types/dist/openapi.json');

/** One process with responses generated from the schemas, its log off. */
export async function startPrism(): Promise<Target & { stop(): void }> {
  const cli = join(installedPeers(), 'node_modules/@stoplight/prism-cli/dist/index.js');
  const port = await freePort();
  const args = [cli, 'mock', '-h', '127.0.0.1', '-p', String(port), '-v', 'silent', OPENAPI];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const url = `http://127.0.0.1:${port}`;
  // Without a log, only a response shows that it is listening.
  while (!(await responds(url))) {
    if (child.exitCode !== null) throw new Error(`Prism ended with ${child.exitCode} before it listened.`);
    await delay(100);
  }
  return { url, pid: child.pid as number, apiKey: 'none', stop: () => void child.kill() };
}

const responds = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  );
