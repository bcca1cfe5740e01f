/**
 * An event in the line of its account. It beats as long as it runs: in workers the context of a request may end without a
 * word, and what it promised is never settled.
 */
interface Turn {
  /** Nothing as soon as it is over. */
  before: Turn | undefined;
  over: Promise<unknown>;
  beats: number;
}

const BEAT_MS = 500;
const MOST_MISSED_BEATS = 4;

const lines = new Map<string, Turn>();

/** Whether it came to an end: `false` as soon as it has stopped beating. */
const ended = (turn: Turn): Promise<boolean> =>
  new Promise((resolve) => {
    let [seen, missed] = [turn.beats, 0];
    const timer = setInterval(() => {
      missed = turn.beats === seen ? missed + 1 : 0;
      seen = turn.beats;
      if (missed === MOST_MISSED_BEATS) settle(false);
    }, BEAT_MS);
    const settle = (well: boolean): void => {
      clearInterval(timer);
      resolve(well);
    };
    void turn.over.then(() => settle(true));
  });

/** Fulfilled when it is over, or is dead and all before it are over or dead. */
async function passed(turn: Turn): Promise<void> {
  if (!(await ended(turn)) && turn.before) await passed(turn.before);
}

/** Hands `work` the end of all earlier work of the same key within this process, for it to wait for. */
export function inOrder<T>(
  key: string,
  work: (before: Promise<unknown> | undefined) => Promise<T>,
): Promise<T> {
  const before = lines.get(key);
  const free = before && passed(before);
  const mine = work(free);
  // Also of what came before: work that is aborted while it waits must not let the next one overtake the first.
  const turn: Turn = { before, beats: 0, over: Promise.allSettled([free, mine]) };
  const timer = setInterval(() => (turn.beats += 1), BEAT_MS);
  void turn.over.finally(() => {
    clearInterval(timer);
    turn.before = undefined;
    if (lines.get(key) === turn) lines.delete(key);
  });
  lines.set(key, turn);
  return mine;
}
