/** Measures on noisy machines: medians of adjacent pairs, and CPU time instead of wall-clock time. */
import { readdirSync, readFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1
    ? (sorted[Math.floor(middle)] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

/** Measures both sides of each pair, alternating which is first. Returns the medians and the median ratio. */
export async function inPairs(
  pairs: number,
  ours: () => Promise<number>,
  theirs: () => Promise<number>,
): Promise<{ ours: number; theirs: number; ratio: number }> {
  const seen: { ours: number; theirs: number }[] = [];
  for (let pair = 0; pair < pairs; pair++) {
    if (pair % 2 === 0) seen.push({ ours: await ours(), theirs: await theirs() });
    else {
      const first = await theirs();
      seen.push({ theirs: first, ours: await ours() });
    }
  }
  return {
    ours: median(seen.map((pair) => pair.ours)),
    theirs: median(seen.map((pair) => pair.theirs)),
    ratio: median(seen.map((pair) => pair.ours / pair.theirs)),
  };
}

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** The fields of `/proc/PID/stat` after the name. */
const statOf = (pid: number): string[] =>
  readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');

const ms = (...ticks: (string | undefined)[]): number =>
  (ticks.reduce((sum, one) => sum + Number(one), 0) * 1000) / TICKS_PER_SECOND;

/** CPU time of a process and its threads, ms (Linux). Uses `schedstat` (ns), because a tick of `stat` is 10 ms. */
export function cpuMs(pid: number): number {
  const ofThread = (thread: string): number =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + ofThread(thread), 0);
}

export const parentOf = (pid: number): number => Number(statOf(pid)[1]);

/** CPU time of a process and its children, including those that have exited. */
export function treeCpuMs(pid: number): number {
  const stat = statOf(pid);
  const ofChildren = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => cpuAsChildOf(pid, Number(name)));
  return ofChildren.reduce((sum, one) => sum + one, ms(stat[11], stat[12], stat[13], stat[14]));
}

function cpuAsChildOf(parent: number, pid: number): number {
  try {
    const stat = statOf(pid);
    return Number(stat[1]) === parent ? ms(stat[11], stat[12]) : 0;
  } catch {
    // It has exited, so its time now counts for its parent.
    return 0;
  }
}

/** Resident memory of a process, MB (Linux). */
export function residentMb(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}
