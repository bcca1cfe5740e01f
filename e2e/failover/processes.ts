/** Signals to a PostgreSQL server and everything of it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export type Signal = 'SIGKILL' | 'SIGSTOP' | 'SIGCONT';

/** To a process and its children. */
export function signalAll(pid: number, signal: Signal): void {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  for (const one of [pid, ...text.split(' ').filter(Boolean).map(Number)]) process.kill(one, signal);
}

/** The process of the server that runs in a folder, if one does. */
export function serverIn(data: string): number | undefined {
  const file = join(data, 'postmaster.pid');
  const pid = existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : Number.NaN;
  return existsSync(`/proc/${pid}`) ? pid : undefined;
}
