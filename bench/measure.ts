/** Numbers from a noisy machine: medians of pairs that ran next to each other, and CPU time instead of the clock. */
import { readdirSync, readFileSync } from 'node:fs';
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

/** Of few the median moves with whatever else the machine does: from 0.9 to 1.2 of seven. */
const ROUNDS = 15;

/**
 * What there is of each count, beside the least of it.
 * @param start what holds that many
 * @param cost of one round
 */
export async function grown<T extends { stop(): Promise<unknown> }>(
  counts: readonly number[],
  start: (count: number) => Promise<T>,
  cost: (held: T) => Promise<number>,
): Promise<{
  points: { x: number; value: number }[];
  of: (count: number) => () => Promise<number>;
  stop: () => Promise<unknown>;
}> {
  const held = new Map<number, T>();
  for (const count of counts) held.set(count, await start(count));
  const of = (count: number) => () => cost(held.get(count) as T);
  const round = async (number: number): Promise<Map<number, number>> => {
    const seen = new Map<number, number>();
    for (let turn = 0; turn < counts.length; turn++) {
      const count = counts[(number + turn) % counts.length] as number;
      seen.set(count, await of(count)());
    }
    return seen;
  };
  // All as often: a process that was asked more has more of it compiled.
  for (let number = 0; number < 4; number++) await round(number);
  const rounds: Map<number, number>[] = [];
  for (let number = 0; number < ROUNDS; number++) rounds.push(await round(number));
  const [least = 0] = counts;
  const points = counts.map((count) => {
    const ratios = rounds.map((seen) => (seen.get(count) as number) / (seen.get(least) as number));
    return { x: count, value: Number(median(ratios).toFixed(2)) };
  });
  return { points, of, stop: () => Promise.all([...held.values()].map((one) => one.stop())) };
}

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** What `/proc/PID/stat` has after the name, from the state on. */
const statOf = (pid: number): string[] =>
  readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');

const ms = (...ticks: (string | undefined)[]): number =>
  (ticks.reduce((sum, one) => sum + Number(one), 0) * 1000) / TICKS_PER_SECOND;

/**
 * CPU time that a process has used so far, all threads that it has, ms (Linux): told in ns, where `stat` has ticks of 10 ms,
 * which are a twentieth of what a thousand requests to a bare framework take.
 */
export function cpuMs(pid: number): number {
  const ofThread = (thread: string): number =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + ofThread(thread), 0);
}

export const parentOf = (pid: number): number => Number(statOf(pid)[1]);

/** The same with its children, those that have ended too. */
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
    // It ended while it was looked at, and is its parent's from now on.
    return 0;
  }
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
