/** Sends signals to all processes of a PostgreSQL server. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export type Signal = 'SIGKILL' | 'SIGSTOP' | 'SIGCONT';

/** Signals a process and its children, some or all of which may have ended. */
export function signalAll(pid: number, signal: Signal): void {
  const children = ifThere(() => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')) ?? '';
  for (const one of [pid, ...children.split(' ').filter(Boolean).map(Number)])
    ifThere(() => process.kill(one, signal));
}

/** Returns undefined if the process has ended. */
function ifThere<T>(ask: () => T): T | undefined {
  try {
    return ask();
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/** The process id of the server that runs in a folder, if there is one. */
export function serverIn(data: string): number | undefined {
  const file = join(data, 'postmaster.pid');
  const pid = existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : Number.NaN;
  return existsSync(`/proc/${pid}`) ? pid : undefined;
}
