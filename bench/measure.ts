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

/** The median of seven rounds varied from 0.9 to 1.2 on a shared machine. */
const ROUNDS = 11;
/** V8 compiles more of a busier process, so all of them are warmed up equally. */
const WARM_UP_ROUNDS = 4;

/**
 * Measures the cost at each count, relative to the smallest count.
 * @param start starts something with that many rows
 * @param cost one measurement
 * @param roundCount fewer are enough for a row that is far from its target
 */
export async function grown<T extends { stop(): Promise<unknown> }>(
  counts: readonly number[],
  start: (count: number) => Promise<T>,
  cost: (held: T) => Promise<number>,
  roundCount: number = ROUNDS,
): Promise<{
  points: { x: number; value: number }[];
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
  for (let number = 0; number < WARM_UP_ROUNDS; number++) await round(number);
  const rounds: Map<number, number>[] = [];
  for (let number = 0; number < roundCount; number++) rounds.push(await round(number));
  const [least = 0] = counts;
  const points = counts.map((count) => {
    const ratios = rounds.map((seen) => (seen.get(count) as number) / (seen.get(least) as number));
    return { x: count, value: Number(median(ratios).toFixed(2)) };
  });
  return { points, stop: () => Promise.all([...held.values()].map((one) => one.stop())) };
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
