/** Numbers from a noisy machine: medians of pairs that ran next to each other, and CPU time instead of the clock. */
import { readFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1
    ? (sorted[Math.floor(middle)] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

/** Both sides of each pair in turn, the first one alternating; answers the medians and the median of the ratios. */
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

/** CPU time that a process has used so far, all of its threads, ms (Linux). */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
}

/** Resident memory of a process, MB (Linux). */
export function residentMb(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}

/** What is worth telling and has no row of its own. */
export function report(what: string, measured: string, must: string): void {
  console.log(`| ${what} | ${measured} | ${must} |`);
}
