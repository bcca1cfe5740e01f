/** Signals to a PostgreSQL server and everything of it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export type Signal = 'SIGKILL' | 'SIGSTOP' | 'SIGCONT';

/** To a process and its children, of which one or another may have ended meanwhile, or all. */
export function signalAll(pid: number, signal: Signal): void {
  const children = ifThere(() => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')) ?? '';
  for (const one of [pid, ...children.split(' ').filter(Boolean).map(Number)])
    ifThere(() => process.kill(one, signal));
}

/** Nothing of a process that has ended. */
function ifThere<T>(ask: () => T): T | undefined {
  try {
    return ask();
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/** The process of the server that runs in a folder, if one does. */
export function serverIn(data: string): number | undefined {
  const file = join(data, 'postmaster.pid');
  const pid = existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : Number.NaN;
  return existsSync(`/proc/${pid}`) ? pid : undefined;
}
